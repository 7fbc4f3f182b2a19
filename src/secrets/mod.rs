//! Finds secrets in text and says where they are, never what they are.
//!
//! One pass finds the literal anchors of all rules (`assets/secret-rules.txt`); at each anchor a
//! check in plain code looks at the text around it. Every check reads a bounded stretch, so the
//! whole is linear in the length of the text, whatever it holds. Nothing that a file says, no
//! comment and no marker, changes what is looked for.
//!
//! A finding has a label and lines. The value, its length, column or hash leave this module in no
//! form. Placeholders (`changeme`, `${TOKEN}`, `ghp_xxxx`), words, paths, hashes of lock files and
//! public keys are not findings; test keys of payment services are, since they open an account.

use std::ops::Range;

use crate::cancel::Cancel;
use crate::error::Error;

mod assign;
mod base64;
mod class;
mod finder;
mod keys;
mod random;
mod reader;
mod rules;
mod token;
mod web;

use crate::secrets::reader::Reader;
use crate::secrets::rules::{Anchor, Shape, Table};
use crate::text::n_line_ends;

#[cfg(test)]
mod tests;

/// Text scanned between two looks at the cancel flag, in bytes.
const CHUNK_BYTES: usize = 64 * 1024;

/// Label of the findings that rest on the name of what a value is assigned to.
const ASSIGNMENT: &str = "secret-assignment";
/// Label of an assigned value that has the form of an AWS secret access key.
const AWS_SECRET: &str = "aws-secret-access-key";

/// A place where a secret stands. Ordered by first line, label, last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// What kind of secret it is; one of [`labels`].
    pub label: &'static str,
    /// 1-based line of its first character. Lines end with LF.
    pub start_line: u32,
    /// 1-based line of its last character.
    pub end_line: u32,
}

impl Finding {
    fn key(&self) -> (u32, &'static str, u32) {
        (self.start_line, self.label, self.end_line)
    }
}

impl Ord for Finding {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Finding {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A finding by bytes, before lines are known. Has no `Debug`, so that no offset can be printed.
struct Hit {
    label: &'static str,
    span: Range<usize>,
}

/// All secrets in `text`, which must be the complete decoded text of a file, diff or message.
///
/// Sorted; findings of one label that share a line are one. A finding that rests on a name alone is
/// left out where a more certain one covers the same text. Time is linear in the text; the flag is
/// looked at every 64 KiB.
///
/// # Errors
/// [`Error::Cancelled`] when `cancel` was set.
pub fn detect(text: &str, cancel: &Cancel) -> Result<Vec<Finding>, Error> {
    let reader = Reader::new(text.as_bytes());
    let hits = scan(&reader, text, cancel)?;
    Ok(place(text.as_bytes(), hits))
}

/// The label of every detector, in byte order, each once.
pub fn labels() -> impl Iterator<Item = &'static str> {
    let rules = rules::table().map_or(&[][..], |table| &table.rules);
    let labels: std::collections::BTreeSet<&'static str> = rules
        .iter()
        .map(|rule| rule.label)
        .chain([AWS_SECRET])
        .collect();
    labels.into_iter()
}

fn scan(reader: &Reader<'_>, text: &str, cancel: &Cancel) -> Result<Vec<Hit>, Error> {
    let table = rules::table().ok_or(Error::Internal("the secret rules do not fit the program"))?;
    let mut hits = Vec::new();
    let mut seen = vec![0; table.rules.len()];
    let mut done = 0;
    loop {
        cancel.check()?;
        let end = (done + CHUNK_BYTES).min(text.len());
        table.finder.find(text.as_bytes(), done..end, |at, id| {
            if let Some(anchor) = table.anchors.get(usize::from(id)) {
                hits.extend(look(table, reader, anchor, at, &mut seen));
            }
        });
        done = end;
        if done == text.len() {
            return Ok(hits);
        }
    }
}

/// Checks what stands at one anchor.
///
/// `seen` says per rule how far its runs have got.
fn look(
    table: &Table,
    text: &Reader<'_>,
    anchor: &Anchor,
    start: usize,
    seen: &mut [usize],
) -> Option<Hit> {
    let (rule, seen) = (table.rules.get(anchor.rule)?, seen.get_mut(anchor.rule)?);
    let there = if anchor.cased {
        text.holds(start, &anchor.text)
    } else {
        text.holds_in_any_case(start, &anchor.text)
    };
    if !there {
        return None;
    }
    let at = start..start + anchor.text.len();
    let mut label = rule.label;
    let span = match &rule.shape {
        Shape::Token(parts) => token::check(table, text, parts, &at, seen),
        Shape::Pem => keys::pem(text, &at),
        Shape::PemBase64 => keys::pem_base64(text, &at),
        Shape::Putty => keys::putty(text, &at),
        Shape::Jwk => keys::jwk(table, text, &at),
        Shape::Jwt => web::jwt(text, &at),
        Shape::Url => web::url(table, text, &at),
        Shape::Bearer => web::bearer(table, text, &at),
        Shape::DockerAuth => web::docker(text, &at),
        Shape::Password => assigned(table, text, assign::Kind::Password, &at, &mut label),
        Shape::Key => assigned(table, text, assign::Kind::Key, &at, &mut label),
    };
    span.map(|span| Hit { label, span })
}

/// The value assigned to a name; an AWS secret access key, which has no prefix, gets its own label.
fn assigned(
    table: &Table,
    text: &Reader<'_>,
    kind: assign::Kind,
    at: &Range<usize>,
    label: &mut &'static str,
) -> Option<Range<usize>> {
    let (span, aws) = assign::check(table, text, kind, at)?;
    if aws {
        *label = AWS_SECRET;
    }
    Some(span)
}

/// Turns byte ranges into lines, sorts and merges.
fn place(text: &[u8], mut hits: Vec<Hit>) -> Vec<Finding> {
    // Certain findings first where ranges start together, so that one look back suffices.
    hits.sort_by_key(|hit| (hit.span.start, hit.label == ASSIGNMENT));
    let certain: Vec<Range<usize>> = hits
        .iter()
        .filter(|hit| hit.label != ASSIGNMENT)
        .map(|hit| hit.span.clone())
        .collect();
    let covered = |span: &Range<usize>| {
        // Ranges are in order of their start; those that could overlap end the prefix.
        let before = certain.partition_point(|other| other.start < span.end);
        let near = certain
            .get(before.saturating_sub(8)..before)
            .unwrap_or_default();
        near.iter().any(|other| other.end > span.start)
    };
    hits.retain(|hit| hit.label != ASSIGNMENT || !covered(&hit.span));
    let (mut line, mut from) = (1_u32, 0);
    let mut findings: Vec<Finding> = Vec::with_capacity(hits.len());
    for hit in hits {
        let start_line = line.saturating_add(newlines(text, from, hit.span.start));
        (line, from) = (start_line, hit.span.start);
        let last = hit.span.end.saturating_sub(1);
        findings.push(Finding {
            label: hit.label,
            start_line,
            end_line: start_line.saturating_add(newlines(text, hit.span.start, last)),
        });
    }
    findings.sort_by_key(|finding| (finding.label, finding.start_line, finding.end_line));
    findings.dedup_by(|next, kept| {
        let same = next.label == kept.label && next.start_line <= kept.end_line;
        if same {
            kept.end_line = kept.end_line.max(next.end_line);
        }
        same
    });
    findings.sort_unstable();
    findings
}

fn newlines(text: &[u8], from: usize, to: usize) -> u32 {
    let between = text.get(from..to).unwrap_or_default();
    u32::try_from(n_line_ends(between)).unwrap_or(u32::MAX)
}
