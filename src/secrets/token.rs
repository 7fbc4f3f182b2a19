//! Tokens that their prefix gives away: an anchor and runs of known classes and lengths.

use std::ops::Range;

use crate::secrets::base64::contains;
use crate::secrets::class::Class;
use crate::secrets::random::{credible, randomness};
use crate::secrets::reader::Reader;
use crate::secrets::rules::{Part, Table};

/// So much base64 before an anchor means that the anchor is part of it.
const BLOB_BYTES: usize = 32;

/// The token around the anchor `hit`, if its parts are all there and may be random.
///
/// Runs are taken as long as they go and never shortened. `seen` is where the runs of this rule
/// have got to: an anchor inside one of them is part of that token, and not looked at again.
pub(super) fn check(
    table: &Table,
    text: &Reader<'_>,
    parts: &[Part],
    hit: &Range<usize>,
    seen: &mut usize,
) -> Option<Range<usize>> {
    let inner = matches!(parts.first(), Some(Part::Before(..)));
    if !inner && (hit.start < *seen || !text.boundary(hit.start)) {
        return None;
    }
    let (mut start, mut end, mut from) = (hit.start, hit.end, hit.end);
    let mut body = hit.end;
    for part in parts {
        match *part {
            Part::Run(class, least, most) => {
                from = end;
                end = text.run(end, most + 1, |b| class.has(b));
                *seen = end.max(*seen);
                if !(least..=most).contains(&(end - from)) {
                    return None;
                }
            }
            Part::Text(expected) => {
                if !text.holds(end, expected) {
                    return None;
                }
                end += expected.len();
            }
            Part::Before(class, least, most) => {
                start = text.run_back(hit.start, most + 1, |b| class.has(b));
                body = start;
                if !(least..=most).contains(&(hit.start - start)) {
                    return None;
                }
            }
            Part::Starts(expected) => {
                if !text.holds(start, expected) {
                    return None;
                }
            }
            Part::Contains(expected) if !contains(text.slice(from, end), expected) => return None,
            Part::Lacks(expected) if contains(text.slice(from, end), expected) => return None,
            Part::Contains(_) | Part::Lacks(_) => {}
        }
    }
    let next = text.at(end);
    let ends = !next.is_ascii_alphanumeric() && next != b'_';
    if !ends || !text.boundary(start) || inside_blob(text, start) {
        return None;
    }
    let body = text.slice(body, end);
    let judged = credible(body) && (body.len() < 24 || randomness(table, body) >= 18);
    judged.then_some(start..end)
}

/// Whether `at` lies inside encoded data, where every short anchor comes up by chance.
fn inside_blob(text: &Reader<'_>, at: usize) -> bool {
    if !matches!(text.before(at), b'/' | b'+') {
        return false;
    }
    let start = text.run_back(at, BLOB_BYTES, |b| Class::Base64.has(b));
    let before = text.slice(start, at);
    before.len() == BLOB_BYTES
        && before.iter().any(u8::is_ascii_digit)
        && before.iter().any(u8::is_ascii_uppercase)
}
