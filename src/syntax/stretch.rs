//! Stretches of a text.

use std::ops::Range;

/// The stretch `range` of `text`; nothing when it is not one.
pub(super) fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// `range` without white space at either end.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = slice(text, range.clone());
    let lead = piece.len() - piece.trim_start().len();
    let start = range.start + lead;
    start..start + piece.trim().len()
}
