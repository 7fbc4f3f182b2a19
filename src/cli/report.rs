//! What is told about a run to programs: one JSON object, the same names and forms as the tools of
//! the server use.

use serde::Serialize;
use serde_json::json;

use super::failure::Failure;
use super::tree::share;
use crate::intake::{Security, Skipped};
use crate::pack::document::Document;
use crate::pack::index::{FileOut, SkippedOut, TotalsOut};
use crate::pack::piece::FileFacts;
use crate::pack::report::FileCounts;
use crate::pack::volumes::{Pack, Totals};
use crate::reason::IdleRules;
use crate::render::Style;
use crate::render::lines::Lines;

/// A finished run, whatever it made.
#[derive(Debug)]
pub(super) struct Outcome<'a> {
    /// The form of the result.
    pub(super) style: Style,
    /// Accepted files in path order, each with the tokens it has in the result.
    pub(super) files: Vec<(&'a FileFacts, u64)>,
    /// Tokens of what stands around the files.
    pub(super) frame_tokens: u64,
    /// Sums.
    pub(super) totals: Totals,
    /// How many candidates became what.
    pub(super) counts: FileCounts,
    /// Everything left out, in path order.
    pub(super) skipped: &'a [Skipped],
    /// The outcome of the secret scan.
    pub(super) security: &'a Security,
    /// Rule files that are not in force, in ascending order.
    pub(super) idle: &'a [IdleRules],
    /// Whether a directory could not be listed or a rule file is not in force.
    pub(super) partial: bool,
    /// The volumes, when there are some.
    pub(super) volumes: Option<VolumeCounts>,
}

/// Number and size of volumes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VolumeCounts {
    /// How many there are.
    pub(super) count: usize,
    /// The cap.
    pub(super) max_tokens: String,
    /// The largest one's tokens.
    pub(super) largest_tokens: String,
}

impl<'a> Outcome<'a> {
    /// What became of a document.
    #[must_use]
    pub(super) fn of_document(document: &'a Document) -> Self {
        let files: Vec<(&FileFacts, u64)> = document
            .pieces
            .iter()
            .map(|piece| (&piece.file, piece.tokens))
            .collect();
        let sum = |of: fn(&FileFacts) -> u64| files.iter().map(|(file, _)| of(file)).sum();
        Self {
            style: document.style,
            frame_tokens: document.frame_tokens,
            totals: Totals {
                tokens: document.tokens,
                bytes: document.n_bytes,
                source_bytes: sum(|file| file.source_bytes),
                source_lines: sum(|file| u64::from(file.source_lines)),
            },
            counts: FileCounts::new(files.len(), &document.skipped),
            skipped: &document.skipped,
            security: &document.security,
            idle: &document.idle,
            partial: document.partial,
            volumes: None,
            files,
        }
    }

    /// What became of volumes of at most `max_tokens`.
    #[must_use]
    pub(super) fn of_volumes(pack: &'a Pack, style: Style, max_tokens: u64) -> Self {
        let mut tokens = vec![0; pack.files.len()];
        for entry in pack.volumes.iter().flat_map(|volume| &volume.entries) {
            if let Some(sum) = tokens.get_mut(entry.file) {
                *sum += entry.tokens;
            }
        }
        let largest = pack.volumes.iter().map(|volume| volume.tokens).max();
        Self {
            style,
            frame_tokens: pack.volumes.iter().map(|volume| volume.frame_tokens).sum(),
            totals: pack.totals(),
            counts: FileCounts::new(pack.files.len(), &pack.skipped),
            skipped: &pack.skipped,
            security: &pack.security,
            idle: &pack.idle,
            partial: pack.partial,
            volumes: Some(VolumeCounts {
                count: pack.volumes.len(),
                max_tokens: max_tokens.to_string(),
                largest_tokens: largest.unwrap_or(0).to_string(),
            }),
            files: pack.files.iter().zip(tokens).collect(),
        }
    }

    /// The largest files, most tokens first, equal ones in path order.
    #[must_use]
    pub(super) fn largest(&self, n_files: usize) -> Vec<(&'a str, u64)> {
        let mut files: Vec<(&str, u64)> = self
            .files
            .iter()
            .map(|(file, tokens)| (file.path.as_str(), *tokens))
            .collect();
        files.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        files.truncate(n_files);
        files
    }
}

#[derive(Serialize)]
struct CountedFile<'a> {
    #[serde(flatten)]
    file: FileOut<'a>,
    tokens: String,
}

/// The report of a finished run. `output` is where the result went, `-` for standard output.
#[must_use]
pub(super) fn success(outcome: &Outcome<'_>, output: &str, warnings: &[String]) -> String {
    Lines::new()
        .member("schemaVersion", &1)
        .member("status", &"complete")
        .member("output", &output)
        .member("style", &outcome.style)
        .member("encoding", &"o200k_base")
        .member("security", outcome.security)
        .optional("partial", outcome.partial.then_some(&true))
        .optional(
            "rulesNotInForce",
            Some(&outcome.idle).filter(|idle| !idle.is_empty()),
        )
        .member("files", &outcome.counts)
        .optional("volumes", outcome.volumes.as_ref())
        .member("frameTokens", &outcome.frame_tokens.to_string())
        .member("totals", &TotalsOut::from(outcome.totals))
        .list(
            "accepted",
            outcome.files.iter().map(|(file, tokens)| CountedFile {
                file: FileOut::from(*file),
                tokens: tokens.to_string(),
            }),
        )
        .list("skipped", outcome.skipped.iter().map(SkippedOut::from))
        .list("warnings", warnings)
        .finish()
}

/// The report of a failed run.
#[must_use]
pub(super) fn failure(failure: &Failure) -> String {
    let mut error = json!({ "code": failure.code(), "message": failure.to_string() });
    if let Failure::OverBudget(over) = failure {
        let contributors: Vec<_> = over
            .contributors
            .iter()
            .map(|(path, tokens)| {
                json!({
                    "path": path,
                    "tokens": tokens.to_string(),
                    "share": share(*tokens, over.tokens),
                })
            })
            .collect();
        let members = [
            ("tokens", json!(over.tokens.to_string())),
            ("budget", json!(over.budget.to_string())),
            ("contributors", json!(contributors)),
        ];
        if let Some(error) = error.as_object_mut() {
            error.extend(members.map(|(name, value)| (name.to_owned(), value)));
        }
    }
    Lines::new()
        .member("schemaVersion", &1)
        .member("status", &"error")
        .member("error", &error)
        .finish()
}
