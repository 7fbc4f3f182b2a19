//! How long a pass over the files of a tree may take.
//!
//! Where the system tells it, each thread counts its own processor time, so that a busy machine
//! or a slow disk changes no answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is left of the time for a pass, shared by its threads.
#[derive(Debug)]
pub(super) struct Allowance {
    /// Nanoseconds.
    limit: u64,
    spent: AtomicU64,
}

impl Allowance {
    /// `time` for each of `n_threads`.
    pub(super) fn new(time: Duration, n_threads: usize) -> Self {
        let each = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self {
            limit: each.saturating_mul(n_threads as u64),
            spent: AtomicU64::new(0),
        }
    }

    /// Does some work on account; `None` when nothing is left.
    pub(super) fn spend<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        if self.spent.load(Ordering::Relaxed) > self.limit {
            return None;
        }
        let begun = now();
        let done = work();
        let took = now().saturating_sub(begun);
        self.spent.fetch_add(took, Ordering::Relaxed);
        Some(done)
    }
}

/// Nanoseconds of processor time of this thread.
#[cfg(unix)]
fn now() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let rest = u64::try_from(now.tv_nsec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// Nanoseconds since the first call.
#[cfg(not(unix))]
fn now() -> u64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(BEGIN.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_stops_when_the_time_is_over() {
        let none = Allowance::new(Duration::ZERO, 2);
        assert_eq!(
            none.spend(|| (0..1_000_000_u64).sum::<u64>() % 7).is_some(),
            true
        );
        assert_eq!(none.spend(|| 1), None);
        let much = Allowance::new(Duration::from_secs(60), 1);
        assert_eq!((much.spend(|| 1), much.spend(|| 2)), (Some(1), Some(2)));
    }
}
