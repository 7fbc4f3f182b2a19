//! The text of `code.json`.

use std::fmt::Write as _;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::intake::{Accepted, Security};
use crate::path::RelPath;
use crate::render::lines::Lines;
use crate::text::{self, Origin};

use super::Round;
use super::locate::Located;

/// The SHA-256 of a file's bytes, which shows whether it changed between rounds.
#[derive(Clone, Debug, Default)]
pub struct Digest(String);

impl Digest {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hex = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex)
    }
}

/// What stands at the top.
#[derive(Debug)]
pub struct Header<'a> {
    run_id: &'a str,
    sequence: SequenceOut<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SequenceOut<'a> {
    round: usize,
    max_tokens: String,
    used_before_tokens: String,
    previous_run_id: Option<&'a str>,
}

impl<'a> Header<'a> {
    /// Of a round.
    #[must_use]
    pub fn new(round: &Round<'a>) -> Self {
        Self {
            run_id: round.run_id,
            sequence: SequenceOut {
                round: round.number,
                max_tokens: round.max_tokens.to_string(),
                used_before_tokens: round.used_tokens.to_string(),
                previous_run_id: round.previous_run_id,
            },
        }
    }
}

/// What the audit tells about one file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileFacts<'a> {
    path: &'a RelPath,
    source_bytes: String,
    source_lines: usize,
    sha256: &'a str,
    byte_order_mark: bool,
    #[serde(flatten)]
    origin: Origin,
    final_newline: bool,
    #[serde(skip)]
    n_bytes: u64,
}

impl<'a> FileFacts<'a> {
    /// Of a file that was read.
    #[must_use]
    pub fn new(path: &'a RelPath, file: &Accepted, digest: &'a Digest) -> Self {
        Self {
            path,
            source_bytes: file.n_bytes.to_string(),
            source_lines: text::n_lines(&file.text),
            sha256: &digest.0,
            byte_order_mark: file.origin.bom,
            origin: file.origin,
            final_newline: file.text.ends_with('\n'),
            n_bytes: file.n_bytes,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Audit<'a> {
    encoding: &'static str,
    security: &'a Security,
    read_bytes: String,
    files: &'a [FileFacts<'a>],
}

/// The document. It carries only what is known before it is written.
#[must_use]
pub fn render(
    header: &Header<'_>,
    items: &[Located],
    security: &Security,
    files: &[FileFacts<'_>],
) -> String {
    let read_bytes: u64 = files.iter().map(|file| file.n_bytes).sum();
    let audit = Audit {
        encoding: "o200k_base",
        security,
        read_bytes: read_bytes.to_string(),
        files,
    };
    Lines::new()
        .member("schemaVersion", &1)
        .member("kind", &"code_context")
        .member("runId", &header.run_id)
        .member("sequence", &header.sequence)
        .list("items", items)
        .member("audit", &audit)
        .finish()
}

/// The JSON of one item.
#[must_use]
pub fn item_json(item: &Located) -> String {
    serde_json::to_string(item).unwrap_or_default()
}
