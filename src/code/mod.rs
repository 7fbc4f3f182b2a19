//! Code read by symbol, line range, outline or in full, under one budget for several rounds.
//!
//! Every round selects, reads and scans its files again, completely, before anything is sliced.
//! All or nothing: when one item cannot be given, no text of any item is. A file is read, scanned
//! and parsed once, whatever the number of items that ask for it.

pub mod document;
pub mod locate;
pub mod request;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::{self, Security, Skipped};
use crate::limits::RESOURCE_BYTES;
use crate::memory::{Memory, Outline, Read};
use crate::options::HostOptions;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::scan::walk;
use crate::tokens::count::with_counter;
use crate::tokens::verify;

use self::document::{Digest, FileFacts, Header};
use self::locate::{Located, Problem};
use self::request::Item;

/// Where a reading sequence stands before a round.
#[derive(Clone, Debug)]
pub struct Round<'a> {
    /// The number this run will have.
    pub run_id: &'a str,
    /// The run before it in the sequence.
    pub previous_run_id: Option<&'a str>,
    /// Which round this is, from 1.
    pub number: usize,
    /// Budget of the whole sequence, in tokens.
    pub max_tokens: u64,
    /// Tokens of the rounds before.
    pub used_tokens: u64,
}

impl Round<'_> {
    /// Tokens that are left for this round.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.max_tokens.saturating_sub(self.used_tokens)
    }
}

/// What a round came to.
#[derive(Debug)]
pub enum Outcome {
    /// All items, as the text of `code.json`.
    Read {
        /// The document.
        text: String,
        /// Its tokens.
        tokens: u64,
        /// The outcome of the secret scan.
        security: Security,
    },
    /// At least one item cannot be given.
    Unavailable {
        /// Every problem, in item order.
        problems: Vec<Problem>,
        /// The outcome of the secret scan.
        security: Security,
    },
    /// All items are fine, but they are more than what is left.
    OverBudget {
        /// Tokens of the complete document.
        needed: u64,
        /// Tokens of each item's JSON, in item order.
        items: Vec<u64>,
        /// The outcome of the secret scan.
        security: Security,
    },
}

/// The result of a round without text, as it is shown.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failed {
    schema_version: u32,
    /// `unavailable` or `over_budget`.
    pub status: &'static str,
    /// The outcome of the secret scan.
    pub security: Security,
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Vec<Problem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needed_tokens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_tokens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_tokens: Option<Vec<String>>,
}

/// What a round delivers.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// The text of `code.json`.
    pub text: String,
    /// Its tokens.
    pub tokens: u64,
    /// The outcome of the secret scan.
    pub security: Security,
}

impl Outcome {
    /// The document, or the result that says why there is none.
    ///
    /// # Errors
    /// The result of a round without text.
    pub fn delivered(self, round: &Round<'_>) -> Result<Delivered, Box<Failed>> {
        let failed = |status, security| Failed {
            schema_version: 1,
            status,
            security,
            problems: None,
            needed_tokens: None,
            remaining_tokens: None,
            item_tokens: None,
        };
        Err(Box::new(match self {
            Self::Read {
                text,
                tokens,
                security,
            } => {
                return Ok(Delivered {
                    text,
                    tokens,
                    security,
                });
            }
            Self::Unavailable { problems, security } => Failed {
                problems: Some(problems),
                ..failed("unavailable", security)
            },
            Self::OverBudget {
                needed,
                items,
                security,
            } => Failed {
                needed_tokens: Some(needed.to_string()),
                remaining_tokens: Some(round.remaining().to_string()),
                item_tokens: Some(items.iter().map(u64::to_string).collect()),
                ..failed("over_budget", security)
            },
        }))
    }
}

/// Reads `items` without a memory of earlier calls.
///
/// # Errors
/// As [`read_with`].
pub fn read(
    host: &HostOptions,
    items: &[Item],
    round: &Round<'_>,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    read_with(host, &Memory::new(), items, round, progress, cancel)
}

/// Reads `items`. What `memory` holds makes it quicker and changes nothing.
///
/// # Errors
/// [`Error::ResourceLimit`] when the document is over 4 MiB or the host's output limit,
/// [`Error::Cancelled`], failures of the root.
pub fn read_with(
    host: &HostOptions,
    memory: &Memory,
    items: &[Item],
    round: &Round<'_>,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let files = read_files(host, memory, items, progress, cancel)?;
    let n_clean = files.values().filter(|file| file.is_ok()).count();
    let skipped = files.values().filter_map(|file| file.as_ref().err());
    let security = Security::new(host.security, n_clean, skipped);

    let mut by_path: BTreeMap<&RelPath, Vec<(usize, &Item)>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        by_path.entry(&item.path).or_default().push((index, item));
    }
    let outcomes = by_path
        .into_par_iter()
        .map(|(path, wanted)| match files.get(path) {
            Some(file) => look_in(memory, file, &wanted, cancel),
            None => Err(Error::Internal("a path of the request was not looked at")),
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let mut outcomes: Vec<Looked> = outcomes.into_iter().flatten().collect();
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    let mut located: Vec<Located> = Vec::with_capacity(items.len());
    let mut problems = Vec::new();
    for (_, outcome) in outcomes {
        match outcome {
            Ok(one) => located.push(one),
            Err(problem) => problems.push(*problem),
        }
    }
    if !problems.is_empty() {
        return Ok(Outcome::Unavailable { problems, security });
    }
    finish(host, round, &located, &files, security, cancel)
}

fn finish(
    host: &HostOptions,
    round: &Round<'_>,
    located: &[Located],
    files: &BTreeMap<RelPath, Result<File, Skipped>>,
    security: Security,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let facts = files.iter().filter_map(|(path, file)| {
        let file = file.as_ref().ok()?;
        Some(FileFacts::new(path, &file.read.accepted, &file.digest))
    });
    let header = Header::new(round);
    let text = document::render(&header, located, &security, &facts.collect::<Vec<_>>());
    let limit = host.caps.output_bytes.min(RESOURCE_BYTES as u64);
    let size = text.len() as u64;
    if size > limit {
        return Err(Error::ResourceLimit { limit, size });
    }
    let tokens = with_counter(|counter| counter.count_checked(&text, cancel))?;
    if host.verify_counts {
        verify::check(&text, tokens)?;
    }
    if tokens > round.remaining() {
        let items = with_counter(|counter| {
            located
                .iter()
                .map(|item| counter.count_checked(&document::item_json(item), cancel))
                .collect::<Result<Vec<u64>, Error>>()
        })?;
        return Ok(Outcome::OverBudget {
            needed: tokens,
            items,
            security,
        });
    }
    Ok(Outcome::Read {
        text,
        tokens,
        security,
    })
}

/// One file of the request, read and scanned.
#[derive(Debug)]
struct File {
    read: Read,
    digest: Digest,
}

/// Reads and scans each path of the request once.
fn read_files(
    host: &HostOptions,
    memory: &Memory,
    items: &[Item],
    progress: &Progress,
    cancel: &Cancel,
) -> Result<BTreeMap<RelPath, Result<File, Skipped>>, Error> {
    let mut paths: Vec<RelPath> = items.iter().map(|item| item.path.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    progress.find(paths.len() as u64);
    let sources = host.sources();
    let found = walk::look_up(sources.root, sources.selection, &paths, cancel)?;
    let found = intake::within_source_limit(&sources, found);
    paths
        .into_par_iter()
        .zip(found)
        .map(|(path, found)| {
            let file = match found {
                Err(omission) => Err(Skipped::from(omission)),
                Ok(candidate) => {
                    let mut digest = Digest::default();
                    let see = &mut |bytes: &[u8]| digest = Digest::of(bytes);
                    let outcome = memory.read(&sources, candidate, see, cancel)?;
                    outcome.map(|read| File { read, digest })
                }
            };
            progress.finish_one();
            Ok((path, file))
        })
        .collect()
}

/// The position of an item, and what came of it.
type Looked = (usize, Result<Located, Box<Problem>>);

/// Finds all that is `wanted` of one file. Its symbols are kept no longer than that: many large
/// trees at once would take much memory.
fn look_in(
    memory: &Memory,
    file: &Result<File, Skipped>,
    wanted: &[(usize, &Item)],
    cancel: &Cancel,
) -> Result<Vec<Looked>, Error> {
    let file = match file {
        Ok(file) => file,
        Err(skipped) => {
            let problem = |&(index, _): &(usize, &Item)| {
                (index, Err(Box::new(Problem::skipped(index, skipped))))
            };
            return Ok(wanted.iter().map(problem).collect());
        }
    };
    let text = &file.read.accepted.text;
    let symbols: Option<Outline> = match wanted.iter().any(|(_, item)| item.what.needs_symbols()) {
        true => Some(memory.outline(&file.read, cancel)?),
        false => None,
    };
    let found = wanted.iter().map(|&(index, item)| {
        cancel.check()?;
        let found = locate::locate(index, item, text, symbols.as_deref())?;
        Ok((index, found))
    });
    found.collect()
}
