//! The Markdown style: a heading and a fence for each file.
//!
//! A fence is longer than any run of backticks inside, so no file can close it. A fence always
//! ends a line; text without a final newline says so in its heading.

use std::fmt::Write as _;

use super::{Entry, plain, quote};
use crate::path::RelPath;
use crate::syntax::grammar::fence_hint;

/// One entry as a segment.
#[must_use]
pub fn entry(entry: &Entry<'_>, body: &str) -> String {
    let fence = "`".repeat(3.max(quote::longest_run(body, b'`') + 1));
    let hint = RelPath::new(entry.path).map_or("", |path| fence_hint(&path));
    let mut out = String::with_capacity(body.len() + entry.path.len() + 64);
    let _ = write!(out, "## `{}`", quote::name(entry.path));
    plain::push_marks(&mut out, entry, body);
    let _ = writeln!(out, "\n{fence}{hint}");
    plain::push_body(&mut out, body);
    out.push_str(&fence);
    out.push('\n');
    out
}

/// A section of the head or tail: a heading and its text as it stands.
pub(super) fn push_section(out: &mut String, title: &str, text: &str) {
    let _ = writeln!(out, "# {title}");
    plain::push_body(out, text);
}

/// A section whose text is fenced.
pub(super) fn push_fenced(out: &mut String, title: &str, text: &str) {
    let fence = "`".repeat(3.max(quote::longest_run(text, b'`') + 1));
    let _ = writeln!(out, "# {title}\n{fence}");
    plain::push_body(out, text);
    let _ = writeln!(out, "{fence}");
}
