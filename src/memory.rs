//! What a server remembers of files between calls: that they passed the secret scan, how many
//! lines and tokens they have, and their outlines.
//!
//! An entry counts only while its file has the very stamp under which it was made: identity, size
//! and times. What changed within the resolution of such times is not remembered at all (git's
//! rule for its index). No text is kept, and nothing of a file that was left out. A library user
//! who keeps no memory passes an empty one.
//!
//! This is the one lock of the program: several calls of one server run at a time, and each may
//! add to what the next one finds. It is held for one look-up or one entry, never while a file is
//! read or parsed, and what is remembered changes only how long an answer takes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::{self, Accepted, Skipped, Sources};
use crate::limits::{MEMORY_BYTES, MEMORY_ENTRIES};
use crate::path::RelPath;
use crate::root::Stamp;
use crate::scan::read;
use crate::scan::walk::Candidate;
use crate::syntax::symbols::{self, Index, IndexFault};
use crate::text::n_lines;

/// The symbols of a file, or why there are none.
pub type Outline = Arc<Result<Index, IndexFault>>;

/// Bytes of an entry besides its path and outline, roughly.
const ENTRY_BYTES: usize = 200;

/// What is remembered.
#[derive(Debug, Default)]
pub struct Memory(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    by_path: BTreeMap<RelPath, Entry>,
    n_bytes: usize,
    /// Grows with every use, so that what was not used for longest can be found.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    facts: Facts,
    outline: Option<Outline>,
    n_bytes: usize,
    used: u64,
}

/// What is known of an accepted file without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bytes on disk.
    pub n_bytes: u64,
    /// Lines of its text.
    pub n_lines: u64,
    /// Tokens of its text, if they were counted.
    pub tokens: Option<u64>,
}

/// A file that was read, and the stamp it had.
#[derive(Debug)]
pub struct Read {
    /// The file.
    pub accepted: Accepted,
    stamp: Stamp,
}

impl Memory {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.entries() = Entries::default();
    }

    /// Reads a selected file. It is scanned for secrets unless it passed before and is unchanged.
    /// `see` is shown the bytes as they are on disk.
    ///
    /// # Errors
    /// [`Error::Cancelled`] only; whatever is wrong with the file itself is the inner `Err`.
    pub fn read(
        &self,
        sources: &Sources<'_>,
        candidate: Candidate,
        see: &mut dyn FnMut(&[u8]),
        cancel: &Cancel,
    ) -> Result<Result<Read, Skipped>, Error> {
        let passed = |path: &RelPath, stamp: &Stamp| self.entries().find(path, stamp).is_some();
        let outcome = intake::examine_stamped(sources, candidate, see, &passed, cancel)?;
        Ok(match outcome {
            Err((skipped, _)) => Err(skipped),
            Ok((accepted, stamp)) => {
                let read = Read { accepted, stamp };
                self.keep(&read, None, None);
                Ok(read)
            }
        })
    }

    /// What is known of a selected file that is unchanged, without reading it.
    #[must_use]
    pub fn facts(&self, sources: &Sources<'_>, path: &RelPath) -> Option<Facts> {
        // Nothing is known of it: its stamp need not be asked for.
        self.entries().by_path.get(path)?;
        let stamp = read::stamp(sources.root, path).ok()?;
        self.entries().find(path, &stamp).map(|entry| entry.facts)
    }

    /// Remembers the tokens of a file.
    pub fn count(&self, read: &Read, tokens: u64) {
        self.keep(read, Some(tokens), None);
    }

    /// The symbols of a file that was read, parsed only if it is new or changed.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn outline(&self, read: &Read, cancel: &Cancel) -> Result<Outline, Error> {
        let Accepted { path, text, .. } = &read.accepted;
        let known = self
            .entries()
            .find(path, &read.stamp)
            .and_then(|entry| entry.outline.clone());
        if let Some(outline) = known {
            return Ok(outline);
        }
        let outline: Outline = Arc::new(symbols::index(path, text, cancel)?);
        // How long parsing took says nothing about the next time.
        if !matches!(&*outline, Err(IndexFault::ParseTimeout)) {
            self.keep(read, None, Some(&outline));
        }
        Ok(outline)
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Entries are whole whenever the lock is free, also after a panic elsewhere.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, read: &Read, tokens: Option<u64>, outline: Option<&Outline>) {
        let Accepted { path, text, .. } = &read.accepted;
        let mut entries = self.entries();
        if let Some(entry) = entries.find(path, &read.stamp) {
            entry.facts.tokens = tokens.or(entry.facts.tokens);
            if outline.is_none() {
                return;
            }
        } else if !read.stamp.is_settled() {
            return;
        }
        let facts = entries.by_path.get(path).map(|entry| entry.facts);
        let known = facts.filter(|_| entries.find(path, &read.stamp).is_some());
        let facts = known.unwrap_or_else(|| Facts {
            n_bytes: read.accepted.n_bytes,
            n_lines: n_lines(text) as u64,
            tokens,
        });
        entries.put(path, read.stamp, facts, outline.cloned());
    }
}

impl Entries {
    fn find(&mut self, path: &RelPath, stamp: &Stamp) -> Option<&mut Entry> {
        let entry = self.by_path.get_mut(path)?;
        if entry.stamp != *stamp {
            return None;
        }
        self.clock += 1;
        entry.used = self.clock;
        Some(entry)
    }

    fn put(&mut self, path: &RelPath, stamp: Stamp, facts: Facts, outline: Option<Outline>) {
        let of_outline = match outline.as_deref() {
            Some(Ok(index)) => index.weight(),
            _ => 0,
        };
        let n_bytes = ENTRY_BYTES + path.as_str().len() + of_outline;
        if n_bytes > MEMORY_BYTES / 4 {
            return;
        }
        self.clock += 1;
        let entry = Entry {
            stamp,
            facts,
            outline,
            n_bytes,
            used: self.clock,
        };
        self.n_bytes += n_bytes;
        if let Some(before) = self.by_path.insert(path.clone(), entry) {
            self.n_bytes -= before.n_bytes;
        }
        if self.n_bytes > MEMORY_BYTES || self.by_path.len() > MEMORY_ENTRIES {
            self.forget_half();
        }
    }

    /// Drops the outlines that were not used for longest, half of all; entries without one when
    /// there are too many of them.
    fn forget_half(&mut self) {
        let mut used: Vec<u64> = self
            .by_path
            .values()
            .filter(|entry| entry.outline.is_some())
            .map(|entry| entry.used)
            .collect();
        used.sort_unstable();
        let limit = used.get(used.len() / 2).copied().unwrap_or(u64::MAX);
        for (path, entry) in &mut self.by_path {
            if entry.used <= limit && entry.outline.take().is_some() {
                entry.n_bytes = ENTRY_BYTES + path.as_str().len();
            }
        }
        if self.by_path.len() > MEMORY_ENTRIES {
            let middle = self.clock - MEMORY_ENTRIES as u64 / 2;
            self.by_path.retain(|_, entry| entry.used > middle);
        }
        self.n_bytes = self.by_path.values().map(|entry| entry.n_bytes).sum();
    }
}

#[cfg(test)]
mod tests;
