//! The first pass of a search: every selected file is read, and only the query is looked for.
//!
//! No text is kept. A file counts only after it passed the secret scan, whole, so that neither
//! totals nor order tell anything of a file that did not.

use std::ops::Range;

use rayon::prelude::*;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::SEARCH_TIME;
use crate::memory::{Memory, Read};
use crate::options::HostOptions;
use crate::progress::Progress;
use crate::reason::Reason;
use crate::scan::walk::{self, Candidate};

use super::clock::Allowance;
use super::matcher::Matcher;
use super::narrow::Narrow;
use super::terms::{is_word, piece};

/// Words before a name that say that it is defined there, in the languages built in.
const DEFINING: [&str; 32] = [
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "union",
    "interface",
    "function",
    "func",
    "fun",
    "type",
    "const",
    "static",
    "namespace",
    "module",
    "mod",
    "macro_rules",
    "define",
    "typedef",
    "record",
    "object",
    "protocol",
    "impl",
    "val",
    "sub",
    "contract",
    "defmodule",
    "defp",
    "extension",
    "package",
    "actor",
];

/// What is at hand for a search.
#[derive(Clone, Copy)]
pub(super) struct Desk<'a> {
    pub(super) host: &'a HostOptions,
    pub(super) memory: &'a Memory,
    pub(super) progress: &'a Progress,
    pub(super) cancel: &'a Cancel,
}

/// A file with matches.
#[derive(Clone, Debug)]
pub(super) struct Hits {
    pub(super) candidate: Candidate,
    /// Matches of each term.
    pub(super) counts: Vec<u32>,
    /// Those that stand behind a word like `class`.
    pub(super) defining: Vec<u32>,
    /// Bytes of the text.
    pub(super) n_bytes: usize,
}

impl Hits {
    /// All matches.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().map(|&n| u64::from(n)).sum()
    }
}

/// What the pass found.
#[derive(Debug)]
pub(super) struct Pass {
    /// Files with matches, in path order.
    pub(super) files: Vec<Hits>,
    /// Files that were looked through.
    pub(super) n_files: usize,
    /// Bytes of their texts.
    pub(super) n_bytes: u64,
    /// Files that the secret scan withholds.
    pub(super) n_withheld: usize,
    /// Selected files that the time did not suffice for.
    pub(super) n_unseen: usize,
}

enum Seen {
    Hits(Hits),
    Nothing(usize),
    Withheld,
    Skipped,
    NoTime,
}

/// The selected files that `narrow` admits, in path order, and whether some may be missing.
pub(super) fn candidates(desk: Desk<'_>, narrow: &Narrow) -> Result<(Vec<Candidate>, bool), Error> {
    let sources = desk.host.sources();
    let found = walk::walk(
        sources.root,
        sources.selection,
        sources.max_candidates,
        desk.cancel,
    )?;
    let mut wanted = found.wanted;
    wanted.retain(|candidate| narrow.admits(&candidate.path));
    let total: u64 = wanted
        .iter()
        .map(|one| one.size)
        .filter(|size| *size <= sources.max_file_bytes)
        .sum();
    if total > sources.max_source_bytes {
        return Err(Error::InputLimit {
            what: "source bytes",
            limit: sources.max_source_bytes,
        });
    }
    Ok((wanted, found.partial))
}

/// Looks through `candidates`.
pub(super) fn look_through(
    desk: Desk<'_>,
    candidates: &[Candidate],
    matcher: &Matcher,
) -> Result<Pass, Error> {
    let allowance = Allowance::new(SEARCH_TIME, rayon::current_num_threads());
    desk.progress.find(candidates.len() as u64);
    let seen = candidates
        .par_iter()
        .map(|candidate| {
            desk.cancel.check()?;
            let seen = allowance.spend(|| look_in(desk, candidate, matcher));
            desk.progress.finish_one();
            seen.unwrap_or(Ok(Seen::NoTime))
        })
        .collect::<Result<Vec<Seen>, Error>>()?;
    let mut pass = Pass {
        files: Vec::new(),
        n_files: 0,
        n_bytes: 0,
        n_withheld: 0,
        n_unseen: 0,
    };
    for one in seen {
        match one {
            Seen::Hits(hits) => {
                pass.n_files += 1;
                pass.n_bytes += hits.n_bytes as u64;
                pass.files.push(hits);
            }
            Seen::Nothing(n_bytes) => {
                pass.n_files += 1;
                pass.n_bytes += n_bytes as u64;
            }
            Seen::Withheld => pass.n_withheld += 1,
            Seen::Skipped => {}
            Seen::NoTime => pass.n_unseen += 1,
        }
    }
    Ok(pass)
}

fn look_in(desk: Desk<'_>, candidate: &Candidate, matcher: &Matcher) -> Result<Seen, Error> {
    let sources = desk.host.sources();
    let read = match desk
        .memory
        .read(&sources, candidate.clone(), &mut |_| {}, desk.cancel)?
    {
        Ok(read) => read,
        Err(skipped) if skipped.omission.reason == Reason::SecretDetected => {
            return Ok(Seen::Withheld);
        }
        Err(_) => return Ok(Seen::Skipped),
    };
    let text = read.accepted.text.as_str();
    let mut hits = Hits {
        candidate: candidate.clone(),
        counts: vec![0; matcher.n_terms()],
        defining: vec![0; matcher.n_terms()],
        n_bytes: text.len(),
    };
    let words = matches!(matcher, Matcher::Words(_));
    let mut count = |hit: super::matcher::Hit| {
        if let Some(count) = hits.counts.get_mut(hit.term) {
            *count = count.saturating_add(1);
        }
        if words
            && let Some(count) = hits.defining.get_mut(hit.term)
            && is_defined(text, &hit.bytes)
        {
            *count += 1;
        }
    };
    matcher.look(text, &mut count, desk.cancel)?;
    Ok(if hits.total() == 0 {
        Seen::Nothing(text.len())
    } else {
        Seen::Hits(hits)
    })
}

/// Whether the identifier around `bytes` stands behind a word that defines it.
fn is_defined(text: &str, bytes: &Range<usize>) -> bool {
    let before = text.get(..bytes.start).unwrap_or_default();
    let before = before.trim_end_matches(is_word);
    let head = before.trim_end_matches([' ', '\t', '!']);
    if head.len() == before.len() {
        return false;
    }
    let start = head.trim_end_matches(is_word).len();
    DEFINING.contains(&piece(head, start..head.len()))
}

/// Reads a file again whose matches are to be shown; `None` when it is gone or withheld by now.
pub(super) fn reread(desk: Desk<'_>, candidate: &Candidate) -> Result<Option<Read>, Error> {
    let sources = desk.host.sources();
    let read = desk
        .memory
        .read(&sources, candidate.clone(), &mut |_| {}, desk.cancel)?;
    Ok(read.ok())
}
