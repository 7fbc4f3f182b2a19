//! Why a path is in or out.

use rayon::prelude::*;
use serde::Serialize;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::form::{Body, Wanted};
use crate::intake::{self, FindingOut, Security, Skipped, Sources};
use crate::options::HostOptions;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::reason::{Reason, RuleLocation, RuleSource, Stage};
use crate::render::Style;
use crate::scan::walk::{self, Candidate};
use crate::text::Origin;
use crate::tokens::count::with_counter;

/// The decisions about some paths.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    schema_version: u32,
    status: &'static str,
    style: Style,
    /// The outcome of the secret scan over the accepted and flagged files.
    pub security: Security,
    /// In the order of the request.
    pub decisions: Vec<Decision>,
}

/// The decision about one path.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// As in the request.
    pub path: String,
    /// `accepted` or `skipped`.
    pub decision: &'static str,
    /// The stage that decided.
    pub stage: Stage,
    /// Why.
    pub reason: Reason,
    /// How the text of an accepted file was found in its bytes.
    #[serde(flatten)]
    pub origin: Option<Origin>,
    /// Where the deciding rule stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleLocation>,
    /// What the secret scan found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingOut>,
}

/// Explains each of `paths` with the host's rules, reading and scanning what passes them.
///
/// # Errors
/// [`Error::Cancelled`] and failures of the root itself. Whatever is wrong with one path is its
/// decision.
pub fn explain(
    host: &HostOptions,
    paths: &[RelPath],
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Explanation, Error> {
    let sources = host.sources();
    progress.find(paths.len() as u64);
    let found = walk::look_up(sources.root, sources.selection, paths, cancel)?;
    let outcomes = intake::within_source_limit(&sources, found)
        .into_par_iter()
        .map(|found| {
            let outcome = match found {
                Ok(candidate) => look(host, &sources, candidate, cancel)?,
                Err(omission) => Err(Skipped::from(omission)),
            };
            progress.finish_one();
            Ok(outcome)
        })
        .collect::<Result<Vec<Result<Included, Skipped>>, Error>>()?;
    let n_clean = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let omitted = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    let security = Security::new(host.security, n_clean, omitted);
    let decisions = paths.iter().zip(outcomes).map(|(path, outcome)| {
        let path = path.as_str().to_owned();
        match outcome {
            Ok(included) => accepted(path, included),
            Err(one) => skipped(path, one),
        }
    });
    Ok(Explanation {
        schema_version: 1,
        status: "ok",
        style: host.style,
        security,
        decisions: decisions.collect(),
    })
}

/// A file that would be included.
struct Included {
    /// Whether in full, and why.
    reason: Reason,
    /// How its text was found.
    origin: Origin,
    /// The host's full-text exception that matches it.
    keep_full: Option<RuleLocation>,
}

/// Reads and scans one file, and cuts it when the host compresses.
fn look(
    host: &HostOptions,
    sources: &Sources<'_>,
    candidate: Candidate,
    cancel: &Cancel,
) -> Result<Result<Included, Skipped>, Error> {
    let file = match intake::examine(sources, candidate, cancel)? {
        Ok(file) => file,
        Err(skipped) => return Ok(Err(skipped)),
    };
    let keep_full = file.keep_full.clone();
    let wanted = Wanted::of_run(host.compress);
    let body =
        with_counter(|counter| Body::new(file, wanted, &mut |text| counter.count(text), cancel))?;
    Ok(Ok(Included {
        reason: body.reason,
        origin: body.origin,
        keep_full,
    }))
}

fn accepted(path: String, included: Included) -> Decision {
    Decision {
        path,
        decision: "accepted",
        stage: Stage::Accepted,
        reason: included.reason,
        origin: Some(included.origin),
        rule: included.keep_full,
        findings: Vec::new(),
    }
}

fn skipped(path: String, one: Skipped) -> Decision {
    let reason = one.omission.reason;
    // Which of the include patterns failed to match has no answer: all of them did.
    let rule = match reason {
        Reason::NotIncluded => Some(RuleLocation {
            source: RuleSource::HostInclude,
            file: None,
            line: None,
            index: None,
        }),
        _ => one.omission.rule,
    };
    Decision {
        path,
        decision: "skipped",
        stage: reason.stage(),
        reason,
        origin: None,
        rule,
        findings: one.findings.iter().map(FindingOut::from).collect(),
    }
}
