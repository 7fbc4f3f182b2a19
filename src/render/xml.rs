//! The XML style: well-formed XML 1.0 with one root element.
//!
//! Source text stands in CDATA sections, so that code reads as it was written. Text that holds
//! this document's own tags, `]]>` or CR (which XML parsers fold into LF) is escaped instead, so
//! that neither a parser nor a reader can be misled. A parser that removes the one LF after the
//! opening tag has the file, byte for byte, but for the characters XML 1.0 cannot carry at all
//! (section 2.2 of the recommendation): they become U+FFFD and the entry says how many.

use std::fmt::Write as _;

use super::Entry;

/// Tags of this document that no file's text may show unescaped.
const OWN_TAGS: [&str; 6] = [
    "<file",
    "</file",
    "<repository",
    "</repository",
    "<instruction",
    "</instruction",
];

/// One entry as a segment.
#[must_use]
pub fn entry(entry: &Entry<'_>, body: &str) -> String {
    let mut out = String::with_capacity(body.len() + entry.path.len() + 64);
    out.push_str("<file path=\"");
    push_attribute(&mut out, entry.path);
    out.push('"');
    if let Some(part) = entry.marks.part {
        let _ = write!(out, " part=\"{}/{}\"", part.number, part.of);
    }
    if let Some(lines) = entry.marks.lines {
        let _ = write!(out, " lines=\"{}-{}\"", lines.start, lines.end);
    }
    if entry.marks.skeleton {
        out.push_str(" form=\"skeleton\"");
    }
    if !entry.marks.elided.is_empty() {
        out.push_str(" elided=\"");
        push_ranges(&mut out, entry.marks.elided);
        out.push('"');
    }
    if entry.numbers.is_some() {
        out.push_str(" numbered=\"true\"");
    }
    if entry.marks.undecoded > 0 {
        let _ = write!(out, " undecoded=\"{}\"", entry.marks.undecoded);
    }
    let n_replaced = n_forbidden(body);
    if n_replaced > 0 {
        let _ = write!(out, " replaced=\"{n_replaced}\"");
    }
    out.push('>');
    push_text(&mut out, body, n_replaced);
    out.push_str("</file>\n");
    out
}

/// A section of the head or tail: an element with text.
pub(super) fn push_section(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "<{name}>");
    push_text(out, text, n_forbidden(text));
    if !text.ends_with('\n') {
        out.push('\n');
    }
    let _ = writeln!(out, "</{name}>");
}

/// LF and the text, in a CDATA section where it needs one, escaped where that would not do.
/// `n_forbidden` is how many of its characters XML cannot carry.
fn push_text(out: &mut String, text: &str, n_forbidden: u32) {
    let safe = !has_byte(text, |b| b == b'\r') && !text.contains("]]>");
    if safe && !has_byte(text, |b| matches!(b, b'<' | b'&')) {
        out.push('\n');
        push_allowed(out, text, n_forbidden);
    } else if safe && !holds_own_tag(text) {
        out.push_str("<![CDATA[\n");
        push_allowed(out, text, n_forbidden);
        out.push_str("]]>");
    } else {
        out.push('\n');
        push_escaped(out, text);
    }
}

fn holds_own_tag(text: &str) -> bool {
    let begins = |(at, _)| {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        OWN_TAGS.iter().any(|tag| rest.starts_with(tag.as_bytes()))
    };
    text.match_indices('<').any(begins)
}

/// Whether a byte of `text` passes `test`. Looks at whole blocks, many bytes in one instruction.
fn has_byte(text: &str, test: impl Fn(u8) -> bool) -> bool {
    let mut blocks = text.as_bytes().chunks(256);
    blocks.any(|block| block.iter().fold(false, |found, &byte| found | test(byte)))
}

fn push_allowed(out: &mut String, text: &str, n_forbidden: u32) {
    if n_forbidden == 0 {
        out.push_str(text);
    } else {
        out.extend(
            text.chars()
                .map(|c| if is_forbidden(c) { '\u{fffd}' } else { c }),
        );
    }
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            c if is_forbidden(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// `text` inside a double-quoted attribute value. White space other than the blank is written as a
/// character reference, because parsers normalise it (section 3.3.3 of the recommendation).
pub(super) fn push_attribute(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c if is_forbidden(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

pub(super) fn push_ranges(out: &mut String, ranges: &[(u32, u32)]) {
    for (i, (start, end)) in ranges.iter().enumerate() {
        let _ = write!(out, "{}{start}-{end}", if i == 0 { "" } else { "," });
    }
}

/// Characters of `text` that XML 1.0 cannot carry.
pub(super) fn n_forbidden(text: &str) -> u32 {
    // Control bytes, or the lead byte of U+FFFE and U+FFFF; nearly all text has neither.
    let suspicious = |b| b == 0xef || (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r'));
    if !has_byte(text, suspicious) {
        return 0;
    }
    u32::try_from(text.chars().filter(|&c| is_forbidden(c)).count()).unwrap_or(u32::MAX)
}

const fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}
