//! Accepted files to text, in four styles.
//!
//! A document is a *head*, the entries of its files, and a *tail*. Each of these is a segment:
//! it begins with a character that is neither white space nor `/` and ends in LF. `o200k_base`
//! never joins two such segments, so the count of a document is the sum of the counts of its
//! segments, and each file is counted once however documents are cut.
//!
//! In the JSON style a comma stands before every entry but the first. `,{` and `{` are one token
//! each, so the comma costs nothing and the sum still holds.
//!
//! No file can forge another file's entry: XML escapes what looks like this document's own markup,
//! Markdown fences and plain rules are longer than any run inside, JSON is JSON.

pub mod document;
pub mod json;
pub mod lines;
pub mod markdown;
pub mod plain;
pub mod quote;
pub mod tree;
pub mod xml;

use serde::{Serialize, Serializer};

use crate::text::LineRange;

/// The form of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// Well-formed XML with one root.
    Xml,
    /// Markdown with fenced code.
    Markdown,
    /// One JSON object.
    Json,
    /// Plain text with rules between files.
    Plain,
}

impl Style {
    /// Every style, the default first.
    pub const ALL: [Self; 4] = [Self::Xml, Self::Markdown, Self::Json, Self::Plain];

    /// The name as written in options, requests and results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::Plain => "plain",
        }
    }

    /// The style of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|style| style.as_str() == name)
    }

    /// The extension of a file in this style, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Plain => "txt",
        }
    }

    /// The media type of a document in this style.
    #[must_use]
    pub const fn mime_type(self) -> &'static str {
        match self {
            Self::Xml => "application/xml",
            Self::Markdown => "text/markdown",
            Self::Json => "application/json",
            Self::Plain => "text/plain",
        }
    }
}

impl Serialize for Style {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Which piece of a divided file an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// 1-based number.
    pub number: u32,
    /// How many pieces there are.
    pub of: u32,
}

/// What is told about an entry beside its path and text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks<'a> {
    /// The piece of a divided file.
    pub part: Option<Part>,
    /// Source lines of a divided file's piece.
    pub lines: Option<LineRange>,
    /// Whether the text is a skeleton.
    pub skeleton: bool,
    /// Places of the whole file whose bytes are no character and were replaced by U+FFFD.
    pub undecoded: u32,
    /// Source lines that were replaced by markers, where the reader asked for them.
    pub elided: &'a [(u32, u32)],
}

/// One file, or one piece of it, as it stands in a document.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Root-relative path.
    pub path: &'a str,
    /// The text to show, exactly.
    pub body: &'a str,
    /// Source line of each line of `body`, when lines are to be numbered.
    pub numbers: Option<&'a [u32]>,
    /// What else is told about it.
    pub marks: Marks<'a>,
}

/// Renders one entry as a complete segment. In the JSON style without the comma between entries.
#[must_use]
pub fn entry(style: Style, entry: &Entry<'_>) -> String {
    let numbered;
    let body = match entry.numbers {
        Some(numbers) => {
            numbered = number_lines(entry.body, numbers);
            numbered.as_str()
        }
        None => entry.body,
    };
    match style {
        Style::Xml => xml::entry(entry, body),
        Style::Markdown => markdown::entry(entry, body),
        Style::Json => json::entry(entry, body),
        Style::Plain => plain::entry(entry, body),
    }
}

/// What stands between two entries.
#[must_use]
pub const fn separator(style: Style) -> &'static str {
    match style {
        Style::Json => ",",
        Style::Xml | Style::Markdown | Style::Plain => "",
    }
}

/// Characters of `body` that the style cannot carry and that are replaced by U+FFFD.
#[must_use]
pub fn n_replaced(style: Style, body: &str) -> u32 {
    match style {
        Style::Xml => xml::n_forbidden(body),
        Style::Markdown | Style::Json | Style::Plain => 0,
    }
}

/// `12: text` for each line; the numbers come from the source, so cut stretches show as gaps.
fn number_lines(body: &str, numbers: &[u32]) -> String {
    let mut out = String::with_capacity(body.len() + numbers.len() * 6);
    let mut last = 0;
    for (i, line) in body.split_inclusive('\n').enumerate() {
        last = numbers.get(i).copied().unwrap_or(last + 1);
        out.push_str(&last.to_string());
        out.push_str(": ");
        out.push_str(line);
    }
    out
}
