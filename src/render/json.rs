//! The JSON style: one object whose member `files` is an array, so that names such as
//! `__proto__` and repeated names lose nothing.
//!
//! An entry begins with `{` and a blank: `{` and `,{` are one token each, `{"` and `,{"` are not.

use std::fmt::Write as _;

use super::{Entry, quote};

/// One entry as a segment, without the comma that stands before all but the first.
#[must_use]
pub fn entry(entry: &Entry<'_>, body: &str) -> String {
    let mut out = String::with_capacity(body.len() + body.len() / 8 + entry.path.len() + 64);
    let _ = write!(out, "{{ \"path\":{}", quote::json(entry.path));
    if let Some(part) = entry.marks.part {
        let _ = write!(
            out,
            ",\"part\":{{\"number\":{},\"of\":{}}}",
            part.number, part.of
        );
    }
    if let Some(lines) = entry.marks.lines {
        let _ = write!(
            out,
            ",\"lines\":{{\"start\":{},\"end\":{}}}",
            lines.start, lines.end
        );
    }
    if entry.marks.skeleton {
        out.push_str(",\"form\":\"skeleton\"");
    }
    if !entry.marks.elided.is_empty() {
        out.push_str(",\"elided\":[");
        for (i, (start, end)) in entry.marks.elided.iter().enumerate() {
            let _ = write!(out, "{}[{start},{end}]", if i == 0 { "" } else { "," });
        }
        out.push(']');
    }
    if entry.numbers.is_some() {
        out.push_str(",\"numbered\":true");
    }
    if entry.marks.undecoded > 0 {
        let _ = write!(out, ",\"undecoded\":{}", entry.marks.undecoded);
    }
    let _ = writeln!(out, ",\"content\":{}}}", quote::json(body));
    out
}
