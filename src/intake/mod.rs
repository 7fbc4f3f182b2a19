//! Selection, reading, decoding and the secret scan, joined: the only maker of [`Accepted`].
//!
//! Every candidate leaves as accepted or skipped with a reason. Files are worked on in parallel,
//! each from disk to its final form in one go; results come back in path order whatever the
//! number of threads.

pub mod form;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::marker::is_own_output;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::reason::{IdleRules, Omission, Reason, RuleLocation};
use crate::root::Root;
use crate::scan::read;
use crate::scan::select::Selection;
use crate::scan::walk::{self, Candidate, Found};
use crate::secrets::{self, Finding};
use crate::text::{self, Decoded};

/// What may be read, and how much of it. Fixed by the host.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The opened root.
    pub root: &'a Root,
    /// The host's rules and list.
    pub selection: &'a Selection,
    /// Whether texts are scanned for secrets.
    pub security: bool,
    /// Most files and directories a walk may meet.
    pub max_candidates: u64,
    /// Most source bytes one run may read.
    pub max_source_bytes: u64,
    /// Most bytes of one file.
    pub max_file_bytes: u64,
}

/// The paths a run looks at.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// The host's list, or else the whole tree.
    Host,
    /// These paths, in byte order and without repetition.
    Paths(&'a [RelPath]),
}

/// A text that passed selection, reading and the secret scan. Nothing else is ever rendered,
/// sliced or counted.
#[derive(Debug)]
pub struct Accepted {
    /// Root-relative path.
    pub path: RelPath,
    /// The decoded text without a byte order mark.
    pub text: String,
    /// Bytes on disk.
    pub n_bytes: u64,
    /// Whether a byte order mark was removed.
    pub byte_order_mark: bool,
    /// The host's full-text exception that matches the path.
    pub keep_full: Option<RuleLocation>,
}

/// A path that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Path, reason and rule.
    pub omission: Omission,
    /// What the secret scan found.
    pub findings: Vec<Finding>,
}

impl From<Omission> for Skipped {
    fn from(omission: Omission) -> Self {
        Self {
            omission,
            findings: Vec::new(),
        }
    }
}

/// What came of all candidates.
#[derive(Debug)]
pub struct Gathered<T> {
    /// What was made of each accepted file, in path order.
    pub accepted: Vec<T>,
    /// All other candidates, in path order.
    pub skipped: Vec<Skipped>,
    /// The outcome of the secret scan.
    pub security: Security,
    /// Rule files that are not in force, in ascending order.
    pub idle: Vec<IdleRules>,
    /// Whether a directory could not be listed or a rule file is not in force, so that candidates
    /// may be missing or too many.
    pub partial: bool,
}

/// The outcome of a secret scan over some files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Security {
    /// `clean`, `flagged` or `disabled`.
    pub status: &'static str,
    /// Files whose complete text was scanned.
    pub scanned_files: u64,
    /// Files in which something was found.
    pub flagged_files: u64,
    /// What was found, in label order.
    pub detectors: Vec<DetectorCount>,
}

/// How often one detector fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DetectorCount {
    /// The detector's label.
    pub label: &'static str,
    /// Files in which it fired.
    pub files: u64,
    /// Places at which it fired.
    pub findings: u64,
}

/// One finding as results show it: label and lines, never the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingOut {
    /// The detector's label.
    pub label: &'static str,
    /// 1-based.
    pub start_line: u32,
    /// 1-based, included.
    pub end_line: u32,
}

impl From<&Finding> for FindingOut {
    fn from(finding: &Finding) -> Self {
        Self {
            label: finding.label,
            start_line: finding.start_line,
            end_line: finding.end_line,
        }
    }
}

impl Security {
    /// The summary of a scan of `n_clean` files without findings and of those `skipped` for what
    /// was found in them.
    #[must_use]
    pub fn new<'a>(
        enabled: bool,
        n_clean: usize,
        skipped: impl IntoIterator<Item = &'a Skipped>,
    ) -> Self {
        if !enabled {
            return Self {
                status: "disabled",
                scanned_files: 0,
                flagged_files: 0,
                detectors: Vec::new(),
            };
        }
        let mut detectors: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
        let mut flagged_files = 0;
        let findings = skipped.into_iter().map(|one| &one.findings);
        for findings in findings.filter(|findings| !findings.is_empty()) {
            flagged_files += 1;
            let mut in_file: BTreeMap<&'static str, u64> = BTreeMap::new();
            for finding in findings {
                *in_file.entry(finding.label).or_default() += 1;
            }
            for (label, n_findings) in in_file {
                let counts = detectors.entry(label).or_default();
                counts.0 += 1;
                counts.1 += n_findings;
            }
        }
        Self {
            status: if flagged_files == 0 {
                "clean"
            } else {
                "flagged"
            },
            scanned_files: n_clean as u64 + flagged_files,
            flagged_files,
            detectors: detectors
                .into_iter()
                .map(|(label, (files, findings))| DetectorCount {
                    label,
                    files,
                    findings,
                })
                .collect(),
        }
    }
}

/// Finds, reads and scans the files of `scope` and makes something of each accepted one.
///
/// `make` runs on many threads at once. Its results come back in path order.
///
/// # Errors
/// [`Error::InputLimit`] when candidates or source bytes pass the host's limit, errors of the walk
/// and of `make`, [`Error::Cancelled`].
pub fn gather<T: Send>(
    sources: &Sources<'_>,
    scope: Scope<'_>,
    make: impl Fn(Accepted) -> Result<T, Error> + Sync,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Gathered<T>, Error> {
    let found = find(sources, scope, cancel)?;
    let candidates = found.wanted;
    let total: u64 = candidates
        .iter()
        .map(|c| c.size)
        .filter(|size| *size <= sources.max_file_bytes)
        .sum();
    if total > sources.max_source_bytes {
        return Err(Error::InputLimit {
            what: "source bytes",
            limit: sources.max_source_bytes,
        });
    }
    progress.find(candidates.len() as u64);
    let outcomes = candidates
        .into_par_iter()
        .map(|candidate| {
            let outcome = match examine(sources, candidate, cancel)? {
                Ok(accepted) => Ok(make(accepted)?),
                Err(skipped) => Err(skipped),
            };
            progress.finish_one();
            Ok(outcome)
        })
        .collect::<Result<Vec<Result<T, Skipped>>, Error>>()?;

    let mut accepted = Vec::with_capacity(outcomes.len());
    let mut skipped: Vec<Skipped> = found.omitted.into_iter().map(Skipped::from).collect();
    for outcome in outcomes {
        match outcome {
            Ok(made) => accepted.push(made),
            Err(one) => skipped.push(one),
        }
    }
    skipped.sort_by(|a, b| a.omission.path.cmp(&b.omission.path));
    let security = Security::new(sources.security, accepted.len(), &skipped);
    Ok(Gathered {
        accepted,
        skipped,
        security,
        idle: found.idle,
        partial: found.partial,
    })
}

fn find(sources: &Sources<'_>, scope: Scope<'_>, cancel: &Cancel) -> Result<Found, Error> {
    let (root, selection) = (sources.root, sources.selection);
    match scope {
        Scope::Host => walk::walk(root, selection, sources.max_candidates, cancel),
        Scope::Paths(paths) => walk::find_listed(root, selection, paths, cancel),
    }
}

/// Leaves out what a run that looks at `found` in this order may no longer read. Files over the
/// limit of one file are not read and count nothing.
#[must_use]
pub fn within_source_limit(
    sources: &Sources<'_>,
    found: Vec<Result<Candidate, Omission>>,
) -> Vec<Result<Candidate, Omission>> {
    let mut n_bytes = 0_u64;
    let mut admitted = |candidate: Candidate| {
        if candidate.size > sources.max_file_bytes {
            return Ok(candidate);
        }
        let sum = n_bytes.saturating_add(candidate.size);
        if sum > sources.max_source_bytes {
            return Err(Omission::new(&candidate.path, Reason::ReadLimit));
        }
        n_bytes = sum;
        Ok(candidate)
    };
    found
        .into_iter()
        .map(|one| one.and_then(&mut admitted))
        .collect()
}

/// Reads, decodes and scans one selected file.
///
/// # Errors
/// [`Error::Cancelled`] only; whatever is wrong with the file itself is the inner `Err`.
pub fn examine(
    sources: &Sources<'_>,
    candidate: Candidate,
    cancel: &Cancel,
) -> Result<Result<Accepted, Skipped>, Error> {
    examine_seeing(sources, candidate, &mut |_| {}, cancel)
}

/// Like [`examine`]; `see` is shown the bytes as they are on disk.
///
/// # Errors
/// [`Error::Cancelled`] only.
pub fn examine_seeing(
    sources: &Sources<'_>,
    candidate: Candidate,
    see: &mut dyn FnMut(&[u8]),
    cancel: &Cancel,
) -> Result<Result<Accepted, Skipped>, Error> {
    cancel.check()?;
    match read::read(sources.root, &candidate.path, sources.max_file_bytes) {
        Ok(bytes) => {
            see(&bytes);
            admit(sources, candidate.path, bytes, cancel)
        }
        Err(reason) => Ok(Err(Skipped::from(Omission::new(&candidate.path, reason)))),
    }
}

/// Decodes and scans the bytes of one selected file.
///
/// # Errors
/// [`Error::Cancelled`] only; whatever is wrong with the file itself is the inner `Err`.
pub fn admit(
    sources: &Sources<'_>,
    path: RelPath,
    bytes: Vec<u8>,
    cancel: &Cancel,
) -> Result<Result<Accepted, Skipped>, Error> {
    let skip = |reason: Reason| Ok(Err(Skipped::from(Omission::new(&path, reason))));
    let n_bytes = bytes.len() as u64;
    let (text, byte_order_mark) = match text::decode(bytes) {
        Decoded::Text { text, bom, .. } => (text, bom),
        Decoded::Binary => return skip(Reason::Binary),
        Decoded::Unsupported => return skip(Reason::UnsupportedEncoding),
    };
    if is_own_output(&text) {
        return skip(Reason::OwnOutput);
    }
    if sources.security {
        let findings = secrets::detect(&text, cancel)?;
        if !findings.is_empty() {
            return Ok(Err(Skipped {
                omission: Omission::new(&path, Reason::SecretDetected),
                findings,
            }));
        }
    }
    let keep_full = sources.selection.keep_full(&path);
    Ok(Ok(Accepted {
        path,
        text,
        n_bytes,
        byte_order_mark,
        keep_full,
    }))
}
