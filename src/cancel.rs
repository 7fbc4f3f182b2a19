//! A shared flag by which a caller asks running work to stop.
//!
//! Work receives `&Cancel`, looks at it in every loop over files, matches or chunks, and never
//! keeps it. Only the owner of the work sets the flag; deadlines set the same flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

/// A flag shared between the owner of some work and the work itself.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag for work that nobody will stop.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// Asks the work to stop. Cannot be taken back.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to stop.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails with [`Error::Cancelled`] when the work was asked to stop.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once [`Cancel::set`] was called.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_set() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_sees_the_flag() {
        let cancel = Cancel::new();
        let seen = cancel.clone();
        assert!(seen.check().is_ok());
        cancel.set();
        assert!(matches!(seen.check(), Err(Error::Cancelled)));
    }
}
