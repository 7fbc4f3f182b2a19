//! What the main loop owns between requests: the bundle, the run numbers, the negotiated revision.

use std::collections::VecDeque;

use super::resources::{Bundle, BundleKind, RunId};
use super::version::Revision;

/// Runs whose fate is remembered. Older ones are answered like numbers never given.
const REMEMBERED_RUNS: usize = 4_096;

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No such run, or too long ago.
    Unknown,
    /// Its bundle is the current one.
    Current(BundleKind),
    /// A later run replaced its bundle.
    Superseded(BundleKind),
    /// Its bundle was released.
    Released(BundleKind),
}

/// The bundle of the last run and the numbers of all.
#[derive(Debug, Default)]
pub struct Shelf {
    bundle: Option<Bundle>,
    last: u64,
    /// Kind and whether released, newest last; the newest is run `last`.
    history: VecDeque<(BundleKind, bool)>,
}

impl Shelf {
    /// The current bundle.
    #[must_use]
    pub fn bundle(&self) -> Option<&Bundle> {
        self.bundle.as_ref()
    }

    /// The number that the next success will have.
    #[must_use]
    pub fn next_run(&self) -> RunId {
        RunId::new(self.last + 1)
    }

    /// What became of a run.
    #[must_use]
    pub fn fate(&self, run: RunId) -> Fate {
        let age = self
            .last
            .checked_sub(run.get())
            .and_then(|age| usize::try_from(age).ok());
        let entry = age
            .and_then(|age| self.history.len().checked_sub(age + 1))
            .and_then(|index| self.history.get(index));
        match entry {
            None => Fate::Unknown,
            Some(&(kind, true)) => Fate::Released(kind),
            Some(&(kind, false)) if run.get() == self.last => Fate::Current(kind),
            Some(&(kind, false)) => Fate::Superseded(kind),
        }
    }

    /// Makes a bundle the current one. Only the success of the running computation does this.
    pub(super) fn commit(&mut self, bundle: Bundle) {
        self.last = bundle.run().get();
        if self.history.len() == REMEMBERED_RUNS {
            self.history.pop_front();
        }
        self.history.push_back((bundle.kind(), false));
        self.bundle = Some(bundle);
    }

    /// Drops the current bundle and gives it back.
    pub fn release(&mut self) -> Option<Bundle> {
        let bundle = self.bundle.take()?;
        if let Some(entry) = self.history.back_mut() {
            entry.1 = true;
        }
        Some(bundle)
    }
}

/// Everything that one request can leave behind for the next.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Bundle and run numbers.
    pub(super) shelf: Shelf,
    /// What the last handshake agreed on.
    pub(super) negotiated: Option<Revision>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fates() {
        let mut shelf = Shelf::default();
        let commit = |shelf: &mut Shelf, kind| {
            let bundle = Bundle::new(shelf.next_run(), kind, Vec::new(), 0).unwrap();
            shelf.commit(bundle);
        };
        assert_eq!(shelf.next_run(), RunId::new(1));
        commit(&mut shelf, BundleKind::Pack);
        commit(&mut shelf, BundleKind::CodeContext);
        shelf.release();
        assert!(shelf.release().is_none());
        commit(&mut shelf, BundleKind::TaskContext);
        for (run, fate) in [
            (0, Fate::Unknown),
            (1, Fate::Superseded(BundleKind::Pack)),
            (2, Fate::Released(BundleKind::CodeContext)),
            (3, Fate::Current(BundleKind::TaskContext)),
            (4, Fate::Unknown),
            (u64::MAX, Fate::Unknown),
        ] {
            assert_eq!(shelf.fate(RunId::new(run)), fate, "{run}");
        }
        for _ in 0..REMEMBERED_RUNS {
            commit(&mut shelf, BundleKind::Pack);
        }
        assert_eq!(shelf.history.len(), REMEMBERED_RUNS);
        assert_eq!(shelf.fate(RunId::new(3)), Fate::Unknown);
        assert_eq!(
            shelf.fate(RunId::new(4)),
            Fate::Superseded(BundleKind::Pack)
        );
    }
}
