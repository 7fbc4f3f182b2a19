//! The plain style: a rule of `=` above and below each file.
//!
//! The rule of an entry is longer than any run of `=` inside it, so only the entry's own closing
//! rule has its length. Text without a final newline says so above.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Entry, quote, xml};

/// One entry as a segment.
#[must_use]
pub fn entry(entry: &Entry<'_>, body: &str) -> String {
    let rule = rule(body);
    let mut out = String::with_capacity(body.len() + entry.path.len() + 2 * rule.len() + 16);
    let _ = write!(out, "{rule} {}", name(entry.path));
    push_marks(&mut out, entry, body);
    out.push('\n');
    push_body(&mut out, body);
    let _ = writeln!(out, "{rule}");
    out
}

/// A section of the head or tail.
pub(super) fn push_section(out: &mut String, title: &str, text: &str) {
    let rule = rule(text);
    let _ = writeln!(out, "{rule} [{title}]");
    push_body(out, text);
    let _ = writeln!(out, "{rule}");
}

/// What a heading says behind the path, in words: ` (part 1 of 2, lines 1-640)`.
pub(super) fn push_marks(out: &mut String, entry: &Entry<'_>, body: &str) {
    let mut marks: Vec<String> = Vec::new();
    if let Some(part) = entry.marks.part {
        marks.push(format!("part {} of {}", part.number, part.of));
    }
    if let Some(lines) = entry.marks.lines {
        marks.push(format!("lines {}-{}", lines.start, lines.end));
    }
    if entry.marks.skeleton {
        marks.push("skeleton".to_owned());
    }
    if !entry.marks.elided.is_empty() {
        let mut text = String::from("elided ");
        xml::push_ranges(&mut text, entry.marks.elided);
        marks.push(text);
    }
    if entry.numbers.is_some() {
        marks.push("numbered".to_owned());
    }
    if entry.marks.undecoded > 0 {
        marks.push(format!("undecoded {}", entry.marks.undecoded));
    }
    if !body.is_empty() && !body.ends_with('\n') {
        marks.push("no final newline".to_owned());
    }
    if !marks.is_empty() {
        let _ = write!(out, " ({})", marks.join("; "));
    }
}

/// The path, quoted also where it could pass for a section or for a heading with marks.
fn name(path: &str) -> Cow<'_, str> {
    if path.starts_with('[') || path.ends_with(')') {
        Cow::Owned(quote::json(path))
    } else {
        quote::name(path)
    }
}

/// The text, with a final newline when it has text but no newline at its end.
pub(super) fn push_body(out: &mut String, body: &str) {
    out.push_str(body);
    if !body.is_empty() && !body.ends_with('\n') {
        out.push('\n');
    }
}

fn rule(body: &str) -> String {
    "=".repeat(16.max(quote::longest_run(body, b'=') + 1))
}
