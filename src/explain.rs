//! Why a path is in or out.

use serde::Serialize;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::form::{Body, Wanted};
use crate::intake::{self, FindingOut, Security, Skipped};
use crate::options::HostOptions;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::reason::{Omission, Reason, RuleLocation, RuleSource, Stage};
use crate::render::Style;
use crate::scan::walk;
use crate::secrets::Finding;
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
    let mut decisions = Vec::with_capacity(paths.len());
    let mut flagged: Vec<Vec<Finding>> = Vec::new();
    let (mut n_clean, mut n_read) = (0, 0_u64);
    for (path, found) in paths.iter().zip(walk::look_up(
        sources.root,
        sources.selection,
        paths,
        cancel,
    )?) {
        cancel.check()?;
        let decision = match found {
            Err(omission) => skipped(path, Skipped::from(omission)),
            Ok(candidate)
                if candidate.size <= sources.max_file_bytes
                    && n_read + candidate.size > sources.max_source_bytes =>
            {
                skipped(path, Skipped::from(Omission::new(path, Reason::ReadLimit)))
            }
            Ok(candidate) => {
                n_read += candidate.size.min(sources.max_file_bytes);
                match intake::examine(&sources, candidate, cancel)? {
                    Err(one) => {
                        if !one.findings.is_empty() {
                            flagged.push(one.findings.clone());
                        }
                        skipped(path, one)
                    }
                    Ok(accepted) => {
                        n_clean += 1;
                        let rule = accepted.keep_full.clone();
                        let wanted = if host.compress {
                            Wanted::Skeleton
                        } else {
                            Wanted::Full
                        };
                        let body = with_counter(|counter| {
                            Body::new(accepted, wanted, &mut |text| counter.count(text), cancel)
                        })?;
                        Decision {
                            path: path.as_str().to_owned(),
                            decision: "accepted",
                            stage: Stage::Accepted,
                            reason: body.reason,
                            rule,
                            findings: Vec::new(),
                        }
                    }
                }
            }
        };
        decisions.push(decision);
        progress.finish_one();
    }
    let security = Security::new(host.security, n_clean, flagged.iter().map(Vec::as_slice));
    Ok(Explanation {
        schema_version: 1,
        status: "ok",
        style: host.style,
        security,
        decisions,
    })
}

fn skipped(path: &RelPath, one: Skipped) -> Decision {
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
        path: path.as_str().to_owned(),
        decision: "skipped",
        stage: reason.stage(),
        reason,
        rule,
        findings: one.findings.iter().map(FindingOut::from).collect(),
    }
}
