//! The documents of the last run and their URIs.
//!
//! A URI is `moon-repomix://context/<run>-<digest>/<name>`, the digest being one of all names and
//! texts of the run, so that a URI of an earlier process is found only if it names the same text.
//! It is looked up in memory and never turned into a path. A bundle is checked once, when it is made: each document fits a resource and,
//! with its JSON escapes, a line; all together fit what the host allows.

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::message::escaped_len;
use crate::error::Error;
use crate::limits::{MIB, OUT_LINE_BYTES, RESOURCE_BYTES};
use crate::text::n_lines;

const PREFIX: &str = "moon-repomix://context/";

/// Room for envelope, id and URI around the text of a resource on its line.
const LINE_FRAME_BYTES: usize = MIB / 4;

/// The number of a successful run. Grows by one with each, never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(u64);

impl RunId {
    /// The number of the `n`th successful run of a process.
    #[must_use]
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Reads a number as written in results: decimal digits, no leading zero.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let run = Self(text.parse().ok()?);
        (run.to_string() == text && run.0 > 0).then_some(run)
    }
}

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What made a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BundleKind {
    /// `pack_repository`
    Pack,
    /// `plan_task_context`
    TaskContext,
    /// `read_code_context`
    CodeContext,
}

/// Where a reading sequence stands after the run that made the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Successful rounds so far.
    pub rounds: usize,
    /// Budget of the whole sequence, in tokens.
    pub max_tokens: u64,
    /// Tokens of all rounds so far.
    pub used_tokens: u64,
}

/// One text that a client can read.
#[derive(Debug)]
pub struct Document {
    name: String,
    mime_type: &'static str,
    text: Box<str>,
    tokens: u64,
    scalars: u64,
    lines: u64,
}

impl Document {
    /// A document of a run. `name` is made by the program: ASCII letters, digits, `-`, `.`, `_`.
    /// `tokens` is the exact count of `text`.
    ///
    /// # Errors
    /// [`Error::ResourceLimit`] when the text is over 4 MiB, or over a line with its escapes;
    /// [`Error::Internal`] when the name has other characters.
    pub fn new(
        name: impl Into<String>,
        mime_type: &'static str,
        text: impl Into<Box<str>>,
        tokens: u64,
    ) -> Result<Self, Error> {
        let (name, text) = (name.into(), text.into());
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_plain) {
            return Err(Error::Internal("name of a resource"));
        }
        let within = |size: usize, limit: usize| match size <= limit {
            true => Ok(()),
            false => Err(Error::ResourceLimit {
                limit: limit as u64,
                size: size as u64,
            }),
        };
        within(text.len(), RESOURCE_BYTES)?;
        within(escaped_len(&text), OUT_LINE_BYTES - LINE_FRAME_BYTES)?;
        let scalars = text.chars().count() as u64;
        let lines = n_lines(&text) as u64;
        Ok(Self {
            name,
            mime_type,
            text,
            tokens,
            scalars,
            lines,
        })
    }

    /// The last part of the URI.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The media type.
    #[must_use]
    pub fn mime_type(&self) -> &'static str {
        self.mime_type
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tokens of the text.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Unicode scalars of the text.
    #[must_use]
    pub fn scalars(&self) -> u64 {
        self.scalars
    }

    /// Lines of the text; a final line end does not start another.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }
}

/// A resource in a tool result. Totals are decimal strings.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description<'a> {
    uri: String,
    name: &'a str,
    mime_type: &'a str,
    bytes: String,
    tokens: String,
}

/// All documents of one run.
#[derive(Debug)]
pub struct Bundle {
    run: RunId,
    kind: BundleKind,
    documents: Vec<Arc<Document>>,
    /// The second segment of the URIs.
    segment: String,
    sequence: Option<Sequence>,
}

impl Bundle {
    /// The documents of run `run`, in reading order.
    ///
    /// # Errors
    /// [`Error::ResourceLimit`] when they have more than `output_bytes` bytes together.
    pub fn new(
        run: RunId,
        kind: BundleKind,
        documents: Vec<Document>,
        output_bytes: u64,
    ) -> Result<Self, Error> {
        let bytes: u64 = documents.iter().map(|one| one.text.len() as u64).sum();
        if bytes > output_bytes {
            return Err(Error::ResourceLimit {
                limit: output_bytes,
                size: bytes,
            });
        }
        let documents: Vec<Arc<Document>> = documents.into_iter().map(Arc::new).collect();
        Ok(Self {
            run,
            kind,
            segment: format!("{run}-{}", digest(&documents)),
            documents,
            sequence: None,
        })
    }

    /// The same bundle as a round of a reading sequence.
    #[must_use]
    pub fn with_sequence(mut self, sequence: Sequence) -> Self {
        self.sequence = Some(sequence);
        self
    }

    /// The run that made it.
    #[must_use]
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The operation that made it.
    #[must_use]
    pub fn kind(&self) -> BundleKind {
        self.kind
    }

    /// Where its reading sequence stands.
    #[must_use]
    pub fn sequence(&self) -> Option<Sequence> {
        self.sequence
    }

    /// The documents, in reading order.
    #[must_use]
    pub fn documents(&self) -> &[Arc<Document>] {
        &self.documents
    }

    /// The document of a URI, if it is one of this run.
    #[must_use]
    pub fn find(&self, uri: &str) -> Option<&Arc<Document>> {
        let (segment, name) = uri.strip_prefix(PREFIX)?.split_once('/')?;
        if segment != self.segment {
            return None;
        }
        self.documents.iter().find(|document| document.name == name)
    }

    /// The URI of a document of this run.
    #[must_use]
    pub fn uri(&self, document: &Document) -> String {
        format!("{PREFIX}{}/{}", self.segment, document.name)
    }

    /// How results describe the documents, in reading order.
    pub fn describe(&self) -> impl Iterator<Item = Description<'_>> {
        self.documents.iter().map(|document| Description {
            uri: self.uri(document),
            name: &document.name,
            mime_type: document.mime_type,
            bytes: document.text.len().to_string(),
            tokens: document.tokens.to_string(),
        })
    }
}

/// The first 8 hex digits of a digest of all names and texts.
fn digest(documents: &[Arc<Document>]) -> String {
    let mut hasher = Sha256::new();
    for part in documents.iter().flat_map(|one| [&*one.name, &*one.text]) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let hex = |byte: &u8| format!("{byte:02x}");
    hasher.finalize().iter().take(4).map(hex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(run: u64) -> Bundle {
        let document = Document::new("volume-001.md", "text/markdown", "a\nb", 3).unwrap();
        Bundle::new(RunId::new(run), BundleKind::Pack, vec![document], 100).unwrap()
    }

    #[test]
    fn only_its_own_uris_are_found() {
        let bundle = bundle(7);
        for (uri, found) in [
            ("moon-repomix://context/7-24d23dad/volume-001.md", true),
            ("moon-repomix://context/7/volume-001.md", false),
            ("moon-repomix://context/07-24d23dad/volume-001.md", false),
            ("moon-repomix://context/+7-24d23dad/volume-001.md", false),
            ("moon-repomix://context/8-24d23dad/volume-001.md", false),
            ("moon-repomix://context/7-00000000/volume-001.md", false),
            ("moon-repomix://context/7-24D23DAD/volume-001.md", false),
            ("moon-repomix://context/7-24d23dad/volume-002.md", false),
            (
                "moon-repomix://context/7-24d23dad/../7-24d23dad/volume-001.md",
                false,
            ),
            ("moon-repomix://context/7-24d23dad/", false),
            ("moon-repomix://context/", false),
            ("MOON-REPOMIX://context/7/volume-001.md", false),
            ("file:///etc/passwd", false),
            ("", false),
        ] {
            assert_eq!(bundle.find(uri).is_some(), found, "{uri}");
        }
    }

    #[test]
    fn a_uri_names_a_text() {
        let uri = |documents: &[(&str, &str)]| {
            let made = documents
                .iter()
                .map(|&(name, text)| Document::new(name, "text/plain", text, 0).unwrap());
            let bundle = Bundle::new(RunId::new(1), BundleKind::Pack, made.collect(), 100).unwrap();
            bundle.describe().next().unwrap().uri
        };
        let first = uri(&[("a", "x"), ("b", "y")]);
        assert_eq!(first, uri(&[("a", "x"), ("b", "y")]));
        for other in [
            [("a", "x"), ("b", "z")],
            [("a", "xb"), ("b", "y")],
            [("a", "x"), ("by", "")],
            [("a", ""), ("xb", "y")],
        ] {
            assert_ne!(first, uri(&other), "{other:?}");
        }
    }

    #[test]
    fn limits() {
        let document = |text: String| Document::new("a", "text/plain", text, 0);
        assert!(document("x".repeat(RESOURCE_BYTES)).is_ok());
        assert!(document("x".repeat(RESOURCE_BYTES + 1)).is_err());
        let most = (OUT_LINE_BYTES - LINE_FRAME_BYTES) / 6;
        assert!(document("\u{1}".repeat(most)).is_ok());
        assert!(document("\u{1}".repeat(most + 1)).is_err());
        assert!(Document::new("../x", "text/plain", "", 0).is_err());
        let sized = |bytes, limit| {
            let documents = vec![
                document("x".repeat(bytes)).unwrap(),
                document("y".into()).unwrap(),
            ];
            Bundle::new(RunId::new(1), BundleKind::Pack, documents, limit)
        };
        assert!(sized(9, 10).is_ok());
        assert!(sized(10, 10).is_err());
    }

    #[test]
    fn lines_and_scalars() {
        for (text, lines, scalars) in [
            ("", 0, 0),
            ("\n", 1, 1),
            ("a", 1, 1),
            ("a\n", 1, 2),
            ("a\n\u{1f600}", 2, 3),
            ("a\r\nb\rc\n", 2, 7),
        ] {
            let document = Document::new("a", "text/plain", text, 0).unwrap();
            assert_eq!((document.lines(), document.scalars()), (lines, scalars));
        }
    }
}
