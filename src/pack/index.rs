//! `index.json`: what stands in which volume, and what became of every candidate.

use serde::Serialize;

use crate::intake::{FindingOut, Skipped};
use crate::reason::{Reason, RuleLocation, Stage};
use crate::render::Part;
use crate::render::lines::Lines;
use crate::text::LineRange;

use super::Request;
use super::piece::FileFacts;
use super::split::Volume;
use super::volumes::{Pack, Totals};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VolumeOut<'a> {
    file_name: &'a str,
    tokens: String,
    bytes: String,
    frame_tokens: String,
    entries: Vec<EntryOut<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryOut<'a> {
    path: &'a str,
    level: &'static str,
    tokens: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<LineRange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    elided: &'a [(u32, u32)],
}

/// One accepted file as results show it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileOut<'a> {
    path: &'a str,
    source_bytes: String,
    source_lines: u32,
    level: &'static str,
    reason: Reason,
    #[serde(skip_serializing_if = "is_zero")]
    replaced_characters: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// One path left out, as results show it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedOut<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    directory: bool,
    stage: Stage,
    reason: Reason,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a RuleLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingOut>,
}

/// Sums, as results show them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TotalsOut {
    tokens: String,
    bytes: String,
    source_bytes: String,
    source_lines: String,
}

impl From<Totals> for TotalsOut {
    fn from(totals: Totals) -> Self {
        Self {
            tokens: totals.tokens.to_string(),
            bytes: totals.bytes.to_string(),
            source_bytes: totals.source_bytes.to_string(),
            source_lines: totals.source_lines.to_string(),
        }
    }
}

/// `full` or `skeleton`.
const fn level(reason: Reason) -> &'static str {
    match reason {
        Reason::Skeleton => "skeleton",
        _ => "full",
    }
}

impl<'a> From<&'a FileFacts> for FileOut<'a> {
    fn from(file: &'a FileFacts) -> Self {
        Self {
            path: file.path.as_str(),
            source_bytes: file.source_bytes.to_string(),
            source_lines: file.source_lines,
            level: level(file.reason),
            reason: file.reason,
            replaced_characters: file.n_replaced,
        }
    }
}

impl<'a> From<&'a Skipped> for SkippedOut<'a> {
    fn from(skipped: &'a Skipped) -> Self {
        let omission = &skipped.omission;
        Self {
            path: &omission.path,
            directory: omission.directory,
            stage: omission.reason.stage(),
            reason: omission.reason,
            rule: omission.rule.as_ref(),
            findings: skipped.findings.iter().map(FindingOut::from).collect(),
        }
    }
}

fn volume<'a>(volume: &'a Volume, files: &'a [FileFacts]) -> VolumeOut<'a> {
    let entries = volume.entries.iter().filter_map(|entry| {
        let file = files.get(entry.file)?;
        Some(EntryOut {
            path: file.path.as_str(),
            level: level(file.reason),
            tokens: entry.tokens.to_string(),
            lines: entry.lines,
            part: entry.part,
            elided: &entry.elided,
        })
    });
    VolumeOut {
        file_name: &volume.name,
        tokens: volume.tokens.to_string(),
        bytes: volume.text.len().to_string(),
        frame_tokens: volume.frame_tokens.to_string(),
        entries: entries.collect(),
    }
}

/// The text of the index.
#[must_use]
pub fn render(pack: &Pack, request: &Request<'_>, max_tokens: u64, run_id: &str) -> String {
    Lines::new()
        .member("schemaVersion", &1)
        .member("kind", &"pack_index")
        .member("runId", &run_id)
        .member("style", &request.style)
        .member("encoding", &"o200k_base")
        .member("compress", &request.compress)
        .member("maxTokens", &max_tokens.to_string())
        .member("security", &pack.security)
        .optional("partial", pack.partial.then_some(&true))
        .optional(
            "rulesNotInForce",
            Some(&pack.idle).filter(|idle| !idle.is_empty()),
        )
        .list(
            "volumes",
            pack.volumes.iter().map(|one| volume(one, &pack.files)),
        )
        .list("files", pack.files.iter().map(FileOut::from))
        .list("skipped", pack.skipped.iter().map(SkippedOut::from))
        .member("totals", &TotalsOut::from(pack.totals()))
        .finish()
}
