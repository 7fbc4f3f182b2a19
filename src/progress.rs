//! How far a running computation has come: two counters that the work raises and its owner reads.
//!
//! The work never calls back. Whoever shows progress looks at the counters at its own pace, so a
//! slow terminal or a client that does not read cannot delay the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters shared between a computation and whoever shows its progress. Units are files.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    done: AtomicU64,
    found: AtomicU64,
}

impl Progress {
    /// Counters at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Announces further files to work on.
    pub fn find(&self, n_files: u64) {
        self.0.found.fetch_add(n_files, Ordering::Relaxed);
    }

    /// Announces that one file is finished.
    pub fn finish_one(&self) {
        self.0.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Files finished and files found so far. The first is never above the second.
    #[must_use]
    pub fn read(&self) -> (u64, u64) {
        let done = self.0.done.load(Ordering::Relaxed);
        let found = self.0.found.load(Ordering::Relaxed);
        (done.min(found), found)
    }
}
