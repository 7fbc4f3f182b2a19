//! What the host decided: fixed for the life of the process, the only source of authority.

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::Sources;
use crate::intake::form::Body;
use crate::limits::{CANDIDATES, FILE_BYTES, OUTPUT_BYTES, SOURCE_BYTES, VOLUME_TOKENS, VOLUMES};
use crate::path::RelPath;
use crate::render::document::Frame;
use crate::render::{self, Entry, Marks, Style};
use crate::root::Root;
use crate::scan::select::Selection;
use crate::secrets;
use crate::text::legacy::Leniency;

/// The host's choices.
#[derive(Debug)]
pub struct HostOptions {
    /// The opened root.
    pub root: Root,
    /// Which files are wanted.
    pub selection: Selection,
    /// The form of documents, unless a request names another.
    pub style: Style,
    /// Whether function bodies are cut, unless a request says otherwise.
    pub compress: bool,
    /// What is taken as text although it is not certain.
    pub leniency: Leniency,
    /// Whether texts are scanned for secrets.
    pub security: bool,
    /// Which sections documents have.
    pub sections: Sections,
    /// Text for the top of every document.
    pub header: Option<String>,
    /// Text for the end of every document.
    pub instruction: Option<String>,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// Whether entries list the lines that markers replaced.
    pub full_metadata: bool,
    /// Whether every document is counted again by the reference tokenizer.
    pub verify_counts: bool,
    /// Limits on what is read.
    pub input: InputLimits,
    /// Caps on what is delivered.
    pub caps: Caps,
}

/// Which sections documents have. Each is independent of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sections {
    /// What the document is and how to read it.
    pub summary: bool,
    /// The directory tree.
    pub tree: bool,
    /// The files themselves.
    pub files: bool,
}

/// Limits on what is read, chosen by the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputLimits {
    /// Files and directories one walk may meet.
    pub candidates: u64,
    /// Source bytes one run may read.
    pub source_bytes: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
}

impl Default for InputLimits {
    fn default() -> Self {
        Self {
            candidates: CANDIDATES.default,
            source_bytes: SOURCE_BYTES.default,
            file_bytes: FILE_BYTES.default,
        }
    }
}

/// Caps on what is delivered to callers, chosen by the host. Requests can only lower `tokens`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Tokens of one volume, task context or reading sequence.
    pub tokens: u64,
    /// Bytes of all resources of one run.
    pub output_bytes: u64,
    /// Volumes of one run, the index not counted.
    pub volumes: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            tokens: VOLUME_TOKENS.default,
            output_bytes: OUTPUT_BYTES.default,
            volumes: VOLUMES.default,
        }
    }
}

impl Caps {
    /// The budget of one request: what it asks for, or the whole cap. `None` when it asks for
    /// nothing or for more than the cap.
    #[must_use]
    pub fn lower(&self, requested: Option<u64>) -> Option<u64> {
        let tokens = requested.unwrap_or(self.tokens);
        (1..=self.tokens).contains(&tokens).then_some(tokens)
    }
}

impl HostOptions {
    /// Defaults for `root`, with `selection`.
    #[must_use]
    pub fn new(root: Root, selection: Selection) -> Self {
        Self {
            root,
            selection,
            style: Style::Xml,
            compress: false,
            leniency: Leniency::default(),
            security: true,
            sections: Sections {
                summary: true,
                tree: true,
                files: true,
            },
            header: None,
            instruction: None,
            line_numbers: false,
            full_metadata: false,
            verify_counts: false,
            input: InputLimits::default(),
            caps: Caps::default(),
        }
    }

    /// What may be read.
    #[must_use]
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            root: &self.root,
            selection: &self.selection,
            security: self.security,
            max_candidates: self.input.candidates,
            max_source_bytes: self.input.source_bytes,
            max_file_bytes: self.input.file_bytes,
            leniency: &self.leniency,
        }
    }

    /// The frame of a document, without a tree and not a volume.
    #[must_use]
    pub fn frame(&self, style: Style, skeletons: bool) -> Frame<'_> {
        Frame {
            style,
            name: self.root.name(),
            summary: self.sections.summary,
            header: self.header.as_deref(),
            instruction: self.instruction.as_deref(),
            tree: None,
            volume: None,
            skeletons,
        }
    }

    /// The segment of a whole file: numbered and with its elided lines if the host wants that.
    #[must_use]
    pub fn segment(&self, style: Style, path: &RelPath, body: &Body) -> String {
        let numbers = self
            .line_numbers
            .then(|| body.source_lines(0, body.text.split_inclusive('\n').count()));
        let elided = if self.full_metadata {
            body.elided.as_slice()
        } else {
            &[]
        };
        let marks = Marks {
            part: None,
            lines: None,
            skeleton: body.is_skeleton(),
            undecoded: body.origin.undecoded,
            elided,
        };
        let entry = Entry {
            path: path.as_str(),
            body: &body.text,
            numbers: numbers.as_deref(),
            marks,
        };
        render::entry(style, &entry)
    }

    /// Scans the host's own texts, which stand in every document.
    ///
    /// # Errors
    /// [`Error::SecretInText`] for the first finding, [`Error::Cancelled`].
    pub fn check_texts(&self, cancel: &Cancel) -> Result<(), Error> {
        if !self.security {
            return Ok(());
        }
        for (what, text) in [
            ("the header text", &self.header),
            ("the instruction", &self.instruction),
        ] {
            let Some(text) = text else { continue };
            if let Some(finding) = secrets::detect(text, cancel)?.first() {
                return Err(Error::SecretInText {
                    what,
                    label: finding.label,
                    line: finding.start_line,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Caps;

    #[test]
    fn a_request_can_only_lower_the_cap() {
        let caps = Caps {
            tokens: 1_000,
            ..Caps::default()
        };
        assert_eq!(caps.lower(None), Some(1_000));
        assert_eq!(caps.lower(Some(1_000)), Some(1_000));
        assert_eq!(caps.lower(Some(1)), Some(1));
        assert_eq!(caps.lower(Some(1_001)), None);
        assert_eq!(caps.lower(Some(0)), None);
    }
}
