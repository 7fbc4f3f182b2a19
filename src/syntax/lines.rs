//! Byte offsets to 1-based lines. A line ends at LF; everything else is ordinary text.

use std::ops::Range;

use crate::text::LineRange;

/// Where each line of a text begins.
pub(super) struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    /// Reads `text` once.
    pub(super) fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(ends.map(|(at, _)| at + 1))
            .collect();
        Self {
            starts,
            len: text.len(),
        }
    }

    /// Number of lines; a final LF does not start another one.
    pub(super) fn count(&self) -> u32 {
        let open = self.starts.last().is_some_and(|start| *start < self.len);
        let full = self.starts.len() - 1;
        u32::try_from(full + usize::from(open)).unwrap_or(u32::MAX)
    }

    /// The line that holds byte `at`.
    pub(super) fn line(&self, at: usize) -> u32 {
        let before = self.starts.partition_point(|start| *start <= at);
        u32::try_from(before).unwrap_or(u32::MAX)
    }

    /// The lines of a stretch; an empty one has the line it stands in.
    pub(super) fn range(&self, bytes: &Range<usize>) -> LineRange {
        let start = self.line(bytes.start);
        let end = self.line(bytes.end.saturating_sub(1).max(bytes.start));
        LineRange { start, end }
    }

    /// Bytes of a line, its LF included.
    pub(super) fn bytes(&self, line: u32) -> Range<usize> {
        let at = line as usize;
        let start = self.starts.get(at.saturating_sub(1)).copied();
        let end = self.starts.get(at).copied();
        start.unwrap_or(self.len)..end.unwrap_or(self.len)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_only() {
        let lines = Lines::new("a\r\nb\rc\n\nd");
        assert_eq!(lines.count(), 4);
        for (at, line) in [(0, 1), (2, 1), (3, 2), (6, 2), (7, 3), (8, 4), (9, 4)] {
            assert_eq!(lines.line(at), line, "byte {at}");
        }
        assert_eq!(lines.bytes(2), 3..7);
        assert_eq!(lines.bytes(4), 8..9);
    }

    #[test]
    fn a_final_lf_starts_no_line() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("\n", 1), ("\n\n", 2)] {
            assert_eq!(Lines::new(text).count(), count, "{text:?}");
        }
    }
}
