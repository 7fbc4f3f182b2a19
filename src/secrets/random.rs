//! Tells random text from words, counters and placeholders.
//!
//! Entropy alone cannot: a long identifier has as much of it as a short key. What sets random text
//! apart is its neighbours: letter pairs that no word has, and letters next to digits. Words of
//! any language written in ASCII, identifiers and paths have few of either.

use crate::secrets::rules::Table;

/// Text that a person puts where a secret belongs. Compared in lower case.
const PLACEHOLDERS: [&[u8]; 22] = [
    b"example",
    b"placeholder",
    b"changeme",
    b"change-me",
    b"change_me",
    b"your_",
    b"your-",
    b"yourpass",
    b"yoursecret",
    b"dummy",
    b"redacted",
    b"sample",
    b"insert",
    b"replace",
    b"xxxx",
    b"abcdef",
    b"123456",
    b"qwerty",
    b"foobar",
    b"deadbeef",
    b"....",
    b"****",
];

/// Whether `text` holds a word that stands for a secret, as in `your-api-key-here`.
pub(super) fn placeholder(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    PLACEHOLDERS
        .iter()
        .any(|word| lower.windows(word.len()).any(|part| part == *word))
}

/// How many different bytes `text` has.
pub(super) fn distinct(text: &[u8]) -> u32 {
    let mut seen = [false; 256];
    for &b in text {
        if let Some(seen) = seen.get_mut(usize::from(b)) {
            *seen = true;
        }
    }
    seen.iter().map(|&seen| u32::from(seen)).sum()
}

/// Whether the part of a token that should be random may be: no placeholder, no counting row,
/// no few characters repeated. Meant for tokens that a prefix already gives away.
pub(super) fn credible(body: &[u8]) -> bool {
    let few = match body.len() {
        0..=11 => 4,
        12..=19 => 6,
        _ => 8,
    };
    if distinct(body) < few || placeholder(body) {
        return false;
    }
    let (mut rows, mut longest, mut repeated) = (0, 0, 0);
    for pair in body.windows(2) {
        let [a, b] = pair else { continue };
        if *b == a.wrapping_add(1) {
            rows += 1;
        }
        repeated = if a == b { repeated + 1 } else { 0 };
        longest = longest.max(repeated);
    }
    rows * 3 < body.len() && longest * 3 < body.len()
}

/// How random the neighbours in `text` are, from 0 (words) to 100 (noise).
///
/// A pair of letters that words do not have counts one, a letter beside a digit one, a change from
/// capital to small or back inside letters a quarter beyond the first of a word.
pub(super) fn randomness(table: &Table, text: &[u8]) -> u32 {
    let (mut points, mut pairs) = (0_u32, 0_u32);
    for pair in text.windows(2) {
        let [a, b] = pair else { continue };
        pairs += 1;
        let letters = (a.is_ascii_alphabetic(), b.is_ascii_alphabetic());
        let digits = (a.is_ascii_digit(), b.is_ascii_digit());
        points += match (letters, digits) {
            ((true, true), _) if a.is_ascii_lowercase() && b.is_ascii_uppercase() => 25,
            ((true, true), _) if !table.common_pair(*a, *b) => 100,
            ((true, _), (_, true)) | ((_, true), (true, _)) => 100,
            (_, (true, true)) => 40,
            _ => 0,
        };
    }
    points.checked_div(pairs).unwrap_or(0)
}
