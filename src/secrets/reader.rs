//! The text under scan: reads that cannot panic, and a count of the work done.
//!
//! Every check reads through this type, so the number of steps is known and a test can show that
//! it grows with the length of the text and not faster, whatever the text holds.

use std::cell::Cell;

use crate::secrets::class::Class;

/// The complete text under scan.
pub(super) struct Reader<'t> {
    bytes: &'t [u8],
    steps: Cell<u64>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self {
            bytes,
            steps: Cell::new(0),
        }
    }

    /// Bytes looked at so far by the checks.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    fn count(&self, n: usize) {
        self.steps.set(self.steps.get() + n as u64);
    }

    /// The byte at `at`; NUL past the end.
    pub(super) fn at(&self, at: usize) -> u8 {
        self.count(1);
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The byte before `at`; NUL at the start.
    pub(super) fn before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |at| self.at(at))
    }

    /// The bytes of `start..end`, cut to the text.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'t [u8] {
        let end = end.min(self.bytes.len());
        let slice = self.bytes.get(start..end).unwrap_or_default();
        self.count(slice.len());
        slice
    }

    /// Whether exactly `text` stands at `at`.
    pub(super) fn holds(&self, at: usize, text: &[u8]) -> bool {
        self.slice(at, at.saturating_add(text.len())) == text
    }

    /// Whether `text` stands at `at`, in any case of its letters.
    pub(super) fn holds_in_any_case(&self, at: usize, text: &[u8]) -> bool {
        self.slice(at, at.saturating_add(text.len()))
            .eq_ignore_ascii_case(text)
    }

    /// Where the run of `keep` bytes that starts at `from` ends, at most `most` bytes on.
    pub(super) fn run(&self, from: usize, most: usize, keep: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let len = rest.iter().take(most).take_while(|&&b| keep(b)).count();
        self.count(len + 1);
        from + len
    }

    /// Where the run of `keep` bytes that ends at `to` starts, at most `most` bytes back.
    pub(super) fn run_back(&self, to: usize, most: usize, keep: impl Fn(u8) -> bool) -> usize {
        let head = self.bytes.get(..to).unwrap_or_default();
        let len = head
            .iter()
            .rev()
            .take(most)
            .take_while(|&&b| keep(b))
            .count();
        self.count(len + 1);
        to - len
    }

    /// Past the blanks at `from`, at most 32 of them.
    pub(super) fn skip_blanks(&self, from: usize) -> usize {
        self.run(from, 32, |b| b == b' ' || b == b'\t')
    }

    /// Whether a token may start at `at`: the text before is not a letter or digit, unless that
    /// letter belongs to an escape such as `\n` or `%3D`.
    pub(super) fn boundary(&self, at: usize) -> bool {
        let last = self.before(at);
        if !last.is_ascii_alphanumeric() {
            return true;
        }
        let second = self.before(at.saturating_sub(1));
        let third = self.before(at.saturating_sub(2));
        (second == b'\\' && matches!(last, b'n' | b'r' | b't'))
            || (third == b'%' && Class::Hex.has(second) && Class::Hex.has(last))
    }
}
