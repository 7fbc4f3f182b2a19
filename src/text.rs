//! Bytes to text, lines, and slicing that cannot panic.
//!
//! Text is never trimmed or rewritten: what [`decode`] gives are the characters of the file, without
//! a byte order mark, which is reported. Every function takes time linear in its input.

pub mod legacy;

use std::ops::Range;

use encoding_rs::Encoding;
use serde::Serialize;

use self::legacy::{Leniency, labelled};

/// What the bytes of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded {
    /// Text.
    Text {
        /// The characters, without a byte order mark.
        text: String,
        /// How they were found.
        origin: Origin,
    },
    /// Not text.
    Binary,
    /// Text in an encoding that is not known with certainty.
    Unsupported,
}

/// How the characters of a text were found in its bytes. Results show what is not plain UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// Name of the encoding as in the WHATWG list: `UTF-8`, `UTF-16LE`, `windows-1252`, ...
    #[serde(rename = "textEncoding", skip_serializing_if = "is_utf8")]
    pub encoding: &'static str,
    /// Whether a byte order mark stood in front.
    #[serde(skip)]
    pub bom: bool,
    /// Places whose bytes are no character, each now U+FFFD. Never more than the host allows.
    #[serde(skip_serializing_if = "is_zero")]
    pub undecoded: u32,
}

impl Origin {
    /// Nothing to tell about.
    pub const UTF_8: Self = Self {
        encoding: "UTF-8",
        bom: false,
        undecoded: 0,
    };

    fn of(encoding: &'static Encoding) -> Self {
        Self {
            encoding: encoding.name(),
            ..Self::UTF_8
        }
    }
}

fn is_utf8(encoding: &str) -> bool {
    encoding == Origin::UTF_8.encoding
}

/// Whether a member that counts what is unusual can be left out.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(crate) const fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// How far from the start a declaration of the encoding is looked for, in bytes.
const DECLARATION_BYTES: usize = 1_024;

/// First bytes of formats that are never text, looked at only when the bytes are not UTF-8.
const MAGIC: &[&[u8]] = &[
    b"%PDF-",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x7fELF",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
];

/// Decides what `bytes` are.
///
/// 1. A byte order mark names the encoding: UTF-8, UTF-16 (UTF-32 is unsupported). Text that does
///    not decode without an error is unsupported.
/// 2. Valid UTF-8 without NUL is text, replacement characters in it included.
/// 3. Bytes with NUL, with a known signature, or with more than one control byte in 32 are binary.
/// 4. Everything else is text of an older encoding if the file itself declares which (XML, HTML,
///    CSS, editor line) and decodes without an error, text as far as `leniency` allows it, and
///    unsupported if not. The leniency holds also for UTF-8 behind a byte order mark.
#[must_use]
pub fn decode(bytes: Vec<u8>, leniency: &Leniency) -> Decoded {
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Decoded::Unsupported;
    }
    if let Some((encoding, length)) = Encoding::for_bom(&bytes) {
        return decode_marked(bytes, encoding, length, leniency);
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => Decoded::Binary,
        Ok(text) => Decoded::Text {
            text,
            origin: Origin::UTF_8,
        },
        Err(fault) => decode_older(fault.as_bytes(), leniency),
    }
}

fn decode_marked(
    mut bytes: Vec<u8>,
    encoding: &'static Encoding,
    length: usize,
    leniency: &Leniency,
) -> Decoded {
    let text = if encoding == encoding_rs::UTF_8 {
        bytes.drain(..length);
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(fault) if is_binary(fault.as_bytes()) => return Decoded::Binary,
            Err(fault) => {
                let mended = leniency.mended(fault.as_bytes(), true);
                return mended.unwrap_or(Decoded::Unsupported);
            }
        }
    } else {
        let body = bytes.get(length..).unwrap_or_default();
        match encoding.decode_without_bom_handling_and_without_replacement(body) {
            Some(text) => text.into_owned(),
            None => return Decoded::Unsupported,
        }
    };
    if text.contains('\0') {
        return Decoded::Binary;
    }
    Decoded::Text {
        text,
        origin: Origin {
            bom: true,
            ..Origin::of(encoding)
        },
    }
}

fn decode_older(bytes: &[u8], leniency: &Leniency) -> Decoded {
    if is_binary(bytes) {
        return Decoded::Binary;
    }
    declared(bytes)
        .and_then(|encoding| decode_declared(bytes, encoding))
        .or_else(|| leniency.read(bytes))
        .unwrap_or(Decoded::Unsupported)
}

/// Whether bytes that are not UTF-8 are no text in any other encoding either.
fn is_binary(bytes: &[u8]) -> bool {
    // Old text files end with the mark of DOS.
    let bytes = bytes.strip_suffix(b"\x1a").unwrap_or(bytes);
    let n_controls = bytes
        .iter()
        .filter(|&&byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f))
        .count();
    bytes.contains(&0)
        || MAGIC.iter().any(|magic| bytes.starts_with(magic))
        || n_controls > bytes.len() / 32
}

fn decode_declared(bytes: &[u8], encoding: &'static Encoding) -> Option<Decoded> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    // C1 controls mean that the declaration is wrong: no text holds them.
    let is_wrong = text.contains(|c| ('\u{80}'..='\u{9f}').contains(&c) || c == '\0');
    (!is_wrong).then(|| Decoded::Text {
        text: text.into_owned(),
        origin: Origin::of(encoding),
    })
}

/// The older encoding that the file declares for itself near its start.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION_BYTES).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let trimmed = head.trim_start();
    let label = if trimmed.starts_with("<?xml") {
        after(trimmed.split("?>").next()?, &["encoding="])
    } else if trimmed.starts_with("@charset") {
        after(trimmed, &["@charset "])
    } else if trimmed.contains("<meta") {
        after(trimmed, &["charset="])
    } else {
        // The editor line of PEP 263 and of Emacs and Vim, in the first two lines.
        head.lines()
            .take(2)
            .find_map(|line| after(line, &["coding:", "coding=", "fileencoding="]))
    }?;
    let encoding = labelled(label)?;
    (encoding != encoding_rs::UTF_8 && !encoding.name().starts_with("UTF-16")).then_some(encoding)
}

/// The word that follows the first of `keys` found in `line`, without quotes.
fn after<'t>(line: &'t str, keys: &[&str]) -> Option<&'t str> {
    let (_, rest) = keys.iter().find_map(|key| line.split_once(key))?;
    rest.trim_start_matches([' ', '\t', '"', '\''])
        .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.' | ':'))
        .next()
        .filter(|label| !label.is_empty())
}

/// 1-based lines, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct LineRange {
    /// First line.
    pub start: u32,
    /// Last line, never before the first.
    pub end: u32,
}

impl LineRange {
    /// Whether the two have a line in common.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// Whether every line of `other` is one of these.
    #[must_use]
    pub const fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Where the lines of one text begin. Lines are numbered from 1; LF ends a line, and a final LF
/// starts no further one. Lone CR, U+2028 and form feed are ordinary characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Byte offset of each line's first byte.
    starts: Vec<usize>,
    /// Bytes of the text.
    end: usize,
}

impl Lines {
    /// Looks through `text` once.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut starts = Vec::new();
        if !text.is_empty() {
            starts.push(0);
        }
        let next = text.match_indices('\n').map(|(at, _)| at + 1);
        starts.extend(next.filter(|&start| start < text.len()));
        Self {
            starts,
            end: text.len(),
        }
    }

    /// Number of lines; 0 for an empty text.
    #[must_use]
    pub fn n_lines(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of lines `first` to `last`, both included, with the last one's line end. `None`
    /// unless 1 <= `first` <= `last` <= [`Lines::n_lines`].
    #[must_use]
    pub fn range(&self, first: usize, last: usize) -> Option<Range<usize>> {
        if first > last || last > self.starts.len() {
            return None;
        }
        let start = *self.starts.get(first.checked_sub(1)?)?;
        Some(start..self.starts.get(last).copied().unwrap_or(self.end))
    }

    /// The line that holds the byte at `offset`; past the end the last line, and 0 in an empty text.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The bytes of the line that holds the byte at `offset`, with its line end; past the end those
    /// of the last line.
    #[must_use]
    pub fn around(&self, offset: usize) -> Range<usize> {
        let line = self.line_of(offset);
        self.range(line, line).unwrap_or(0..0)
    }

    /// The lines of a stretch of bytes; an empty stretch has the line it stands in.
    #[must_use]
    pub fn covering(&self, bytes: &Range<usize>) -> LineRange {
        let line = |offset| u32::try_from(self.line_of(offset).max(1)).unwrap_or(u32::MAX);
        LineRange {
            start: line(bytes.start),
            end: line(bytes.end.saturating_sub(1).max(bytes.start)),
        }
    }
}

/// Number of lines of `text`, as [`Lines::n_lines`] without looking for where they begin.
#[must_use]
pub fn n_lines(text: &str) -> usize {
    n_line_ends(text.as_bytes()) + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Number of LF. Sums of short blocks fit a byte, so that many bytes are looked at in one
/// instruction.
#[must_use]
pub fn n_line_ends(bytes: &[u8]) -> usize {
    let in_block = |block: &[u8]| {
        block
            .iter()
            .map(|&byte| u8::from(byte == b'\n'))
            .sum::<u8>()
    };
    bytes.chunks(192).map(in_block).map(usize::from).sum()
}

/// The bytes of `range`, unless it leaves the text or cuts a character.
#[must_use]
pub fn slice(text: &str, range: Range<usize>) -> Option<&str> {
    text.get(range)
}

/// The largest character boundary that is not above `index`.
#[must_use]
pub fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// `n` with a comma between each group of three digits.
#[must_use]
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;
