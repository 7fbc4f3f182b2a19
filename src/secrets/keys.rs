//! Private keys: PEM and its relatives, PuTTY files, JSON web keys.
//!
//! A marker alone is no secret, parsers and manuals are full of them; a key is a marker followed by
//! key material. Material is looked for only up to the next marker, so keys cost linear time.

use std::ops::Range;

use crate::secrets::base64::{contains, decode};
use crate::secrets::class::Class;
use crate::secrets::random::{distinct, placeholder, randomness};
use crate::secrets::reader::Reader;
use crate::secrets::rules::Table;

/// Longest key material looked at. An 16,384-bit RSA key has 13 KB.
const MATERIAL_BYTES: usize = 64 * 1024;

/// A private key block whose begin marker starts at `hit`: PEM, OpenPGP armor, SSH2.
pub(super) fn pem(text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let kind = text.slice(hit.end, hit.end + 64);
    let dash = kind.iter().position(|&b| b == b'-')?;
    let kind = kind.get(..dash)?;
    if !contains(kind, b"PRIVATE KEY") || kind.contains(&b'\n') {
        return None;
    }
    let after = text.run(hit.end + dash, 8, |b| b == b'-');
    let (found, end) = material(text, after);
    found.then_some(hit.start..end)
}

/// Whether key material stands at `from`, and where it ends: at the line of the end marker if there
/// is one, else at the last character that belongs.
///
/// Material may be broken by anything that a program or document puts between the lines: escapes
/// such as `\n`, quotes, plus signs, comment marks, indentation.
fn material(text: &Reader<'_>, from: usize) -> (bool, usize) {
    let (mut at, mut total, mut last) = (from, 0, from);
    while at < from + MATERIAL_BYTES {
        let end = text.run(at, MATERIAL_BYTES, |b| Class::Base64.has(b));
        if end > at {
            let run = text.slice(at, end);
            if run.len() >= 16 && distinct(run) >= 8 {
                total += run.len();
                last = end;
            }
            at = end;
            continue;
        }
        match text.at(at) {
            b'\\' if text.at(at + 1) == b'u' => at += 6,
            b'\\' if matches!(text.at(at + 1), b'n' | b'r' | b't') => at += 2,
            b'%' if Class::Hex.has(text.at(at + 1)) => at += 3,
            b'-' if text.holds(at, b"----") => {
                let marker = text.run(at, 8, |b| matches!(b, b'-' | b' '));
                if text.holds(marker, b"END") {
                    last = marker;
                }
                break;
            }
            b'.' if text.holds(at, b"...") => break,
            b' ' | b'\t' | b'\r' | b'\n' | b'\\' | b'"' | b'\'' | b'`' | b',' | b';' | b':'
            | b'-' | b'.' | b'#' | b'*' | b'|' | b'>' | b'@' | b'(' | b')' | b'_' | b'&' => at += 1,
            _ => break,
        }
    }
    (total >= 44, last)
}

/// Base64 text whose start decodes to the begin marker of a private key.
pub(super) fn pem_base64(text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let end = text.run(hit.start, 256, |b| Class::Base64.has(b));
    let head = decode(text.slice(hit.start, end.min(hit.start + 80)));
    let found = contains(&head, b"PRIVATE KEY") && end - hit.start >= 96;
    (found && text.boundary(hit.start)).then_some(hit.start..end)
}

/// A PuTTY key file with its private lines.
pub(super) fn putty(text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let head = text.slice(hit.end, hit.end + 4096);
    let next = head
        .windows(hit.len())
        .position(|part| part == b"PuTTY-User-Key-File-")
        .unwrap_or(head.len());
    let head = head.get(..next)?;
    let lines = b"Private-Lines:";
    let at = head.windows(lines.len()).position(|part| part == lines)?;
    let (found, end) = material(text, hit.end + at + lines.len());
    found.then_some(hit.start..end)
}

/// The private member `"d"` of a JSON web key, with `"kty"` near it.
pub(super) fn jwk(table: &Table, text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let colon = text.skip_blanks(hit.end);
    let quote = text.skip_blanks(colon + 1);
    if text.at(colon) != b':' || text.at(quote) != b'"' {
        return None;
    }
    let end = text.run(quote + 1, 2048, |b| Class::Base64Url.has(b));
    let value = text.slice(quote + 1, end);
    if value.len() < 40 || randomness(table, value) < 25 || placeholder(value) {
        return None;
    }
    let around = text.slice(hit.start.saturating_sub(2048), end + 2048);
    contains(around, b"\"kty\"").then_some(hit.start..end)
}
