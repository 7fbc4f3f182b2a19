//! Reads the wanted files, in the order in which the byte limit is to meet them, and makes both
//! forms of each.
//!
//! 1. Files are opened one after the other, so that whether a file is within the byte limit depends
//!    on nothing but the files before it. Decoding, scanning, cutting and counting are parallel.
//! 2. A file whose size would pass what is left is not opened; a later, smaller one may be.
//! 3. A file is read only at the size it had when its path was looked up.

use rayon::prelude::*;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::form::{Body, Wanted};
use crate::intake::{self, Accepted, Security, Skipped, Sources};
use crate::options::HostOptions;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::reason::{Omission, Reason};
use crate::render;
use crate::scan::read;
use crate::scan::walk::{self, Candidate};
use crate::text::Origin;
use crate::tokens::count::{Counter, with_counter};

use super::choose::Form;
use super::wants::Want;

/// An accepted file in each form it may take.
#[derive(Debug)]
pub(super) struct File {
    pub(super) source_bytes: u64,
    pub(super) source_lines: u32,
    pub(super) origin: Origin,
    pub(super) full: Segment,
    /// Why the complete text is what it is.
    pub(super) full_reason: Reason,
    /// Only when a demand takes it and it costs less than the complete text.
    pub(super) skeleton: Option<Segment>,
    /// Source lines that markers of the skeleton replaced.
    pub(super) elided: Vec<(u32, u32)>,
}

/// One form of a file as it stands in the document.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) text: String,
    pub(super) tokens: u64,
    /// Characters that the style cannot carry and that were replaced.
    pub(super) n_replaced: u32,
}

impl File {
    /// The segment of a form; none for [`Form::None`].
    pub(super) fn segment(&self, form: Form) -> Option<&Segment> {
        match form {
            Form::None => None,
            Form::Skeleton => self.skeleton.as_ref(),
            Form::Full => Some(&self.full),
        }
    }
}

/// What became of a path.
pub(super) type Outcome = Result<File, Skipped>;

/// Reads wanted files and keeps account of what was read.
pub(super) struct Gatherer<'a> {
    pub(super) host: &'a HostOptions,
    pub(super) wants: &'a [Want],
    /// For each want what became of it, once it was looked at.
    pub(super) outcomes: Vec<Option<Outcome>>,
    /// Source bytes that may be read.
    pub(super) max_read_bytes: u64,
    /// Source bytes of the files opened so far.
    pub(super) read_bytes: u64,
    pub(super) progress: &'a Progress,
    pub(super) cancel: &'a Cancel,
}

impl Gatherer<'_> {
    /// Looks at the wants with these positions, in this order.
    pub(super) fn gather(&mut self, order: &[usize]) -> Result<(), Error> {
        let wants = self.wants;
        let ordered: Vec<(usize, &Want)> = order
            .iter()
            .filter_map(|&position| Some((position, wants.get(position)?)))
            .collect();
        let paths: Vec<RelPath> = ordered.iter().map(|(_, want)| want.path.clone()).collect();
        let sources = self.host.sources();
        self.progress.find(paths.len() as u64);
        let found = walk::look_up(sources.root, sources.selection, &paths, self.cancel)?;
        self.take(&ordered, found)
    }

    /// Reads and prepares what was found.
    fn take(
        &mut self,
        ordered: &[(usize, &Want)],
        found: impl IntoIterator<Item = Result<Candidate, Omission>>,
    ) -> Result<(), Error> {
        let mut read = Vec::with_capacity(ordered.len());
        for (&(position, want), found) in ordered.iter().zip(found) {
            self.cancel.check()?;
            let bytes = found.and_then(|candidate| {
                let bytes = self.read(&candidate);
                bytes.map_err(|reason| Omission::new(&candidate.path, reason))
            });
            read.push((position, want, bytes));
        }
        let (host, sources, progress, cancel) =
            (self.host, self.host.sources(), self.progress, self.cancel);
        let outcomes = read
            .into_par_iter()
            .map(|(position, want, bytes)| {
                cancel.check()?;
                let outcome = match bytes {
                    Ok(bytes) => prepare(host, &sources, want, bytes, cancel)?,
                    Err(omission) => Err(Skipped::from(omission)),
                };
                progress.finish_one();
                Ok((position, outcome))
            })
            .collect::<Result<Vec<(usize, Outcome)>, Error>>()?;
        for (position, outcome) in outcomes {
            if let Some(place) = self.outcomes.get_mut(position) {
                *place = Some(outcome);
            }
        }
        Ok(())
    }

    /// The bytes of one file within the limits.
    fn read(&mut self, candidate: &Candidate) -> Result<Vec<u8>, Reason> {
        let sources = self.host.sources();
        let size = candidate.size;
        if size > sources.max_file_bytes {
            return Err(Reason::FileTooLarge);
        }
        if size > self.max_read_bytes.saturating_sub(self.read_bytes) {
            return Err(Reason::ReadLimit);
        }
        let outcome = match read::read(sources.root, &candidate.path, size) {
            Ok(bytes) if bytes.len() as u64 == size => Ok(bytes),
            // Smaller or larger than it was a moment ago.
            Ok(_) | Err(Reason::FileTooLarge) => Err(Reason::ChangedDuringRead),
            Err(reason) => Err(reason),
        };
        // Anything else means that the file was not opened.
        if matches!(
            outcome,
            Ok(_) | Err(Reason::ChangedDuringRead | Reason::ReadFailed)
        ) {
            self.read_bytes += size;
        }
        outcome
    }

    /// The outcome of the secret scan over all files looked at.
    pub(super) fn security(&self) -> Security {
        let outcomes = self.outcomes.iter().flatten();
        let n_clean = outcomes.clone().filter(|outcome| outcome.is_ok()).count();
        let skipped = outcomes.filter_map(|outcome| outcome.as_ref().err());
        Security::new(self.host.security, n_clean, skipped)
    }
}

/// Decodes and scans a file, makes the forms that its demands can take, and counts them.
fn prepare(
    host: &HostOptions,
    sources: &Sources<'_>,
    want: &Want,
    bytes: Vec<u8>,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let accepted = match intake::admit(sources, want.path.clone(), bytes, cancel)? {
        Ok(accepted) => accepted,
        Err(skipped) => return Ok(Err(skipped)),
    };
    with_counter(|counter| {
        let (skeleton, mut fallback) = match short(want, &accepted, counter, cancel)? {
            Some(body) if body.is_skeleton() => (Some(body), None),
            Some(body) => (None, Some(body.reason)),
            None => (None, None),
        };
        let is_kept = accepted.keep_full.is_some();
        let source_bytes = accepted.n_bytes;
        let origin = accepted.origin;
        let full = Body::full(accepted.text, origin, Reason::Full);
        let source_lines = full.n_source_lines;
        let full = segment(host, want, &full, counter, cancel)?;
        let mut elided = Vec::new();
        let skeleton = match skeleton {
            Some(mut body) => {
                let short = segment(host, want, &body, counter, cancel)?;
                // What stands around a text can cost more than cutting it saved.
                if short.tokens < full.tokens {
                    elided = std::mem::take(&mut body.elided);
                    Some(short)
                } else {
                    fallback = Some(Reason::SkeletonNotSmaller);
                    None
                }
            }
            None => None,
        };
        let full_reason = match fallback {
            _ if is_kept => Reason::KeepFull,
            Some(reason) if !want.asks_full() => reason,
            _ => Reason::Full,
        };
        Ok(Ok(File {
            source_bytes,
            source_lines,
            origin,
            full,
            full_reason,
            skeleton,
            elided,
        }))
    })
}

/// The body of a file of which a skeleton is wanted; the complete text where there is none.
fn short(
    want: &Want,
    accepted: &Accepted,
    counter: &mut Counter,
    cancel: &Cancel,
) -> Result<Option<Body>, Error> {
    if !want.takes_skeleton() || accepted.keep_full.is_some() {
        return Ok(None);
    }
    let copy = Accepted {
        path: accepted.path.clone(),
        text: accepted.text.clone(),
        keep_full: None,
        ..*accepted
    };
    let count = &mut |text: &str| counter.count(text);
    Body::new(copy, Wanted::Skeleton, count, cancel).map(Some)
}

fn segment(
    host: &HostOptions,
    want: &Want,
    body: &Body,
    counter: &mut Counter,
    cancel: &Cancel,
) -> Result<Segment, Error> {
    let text = host.segment(host.style, &want.path, body);
    Ok(Segment {
        tokens: counter.count_checked(&text, cancel)?,
        n_replaced: render::n_replaced(host.style, &body.text),
        text,
    })
}

#[cfg(test)]
mod tests;
