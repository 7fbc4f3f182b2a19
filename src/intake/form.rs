//! In which form an accepted file is shown: in full or as a skeleton.

use crate::cancel::Cancel;
use crate::error::Error;
use crate::reason::Reason;
use crate::syntax::skeleton;
use crate::text::{self, Lines, Origin};

use super::Accepted;

/// A text to show, and how it came about.
#[derive(Clone, Debug)]
pub struct Body {
    /// The text, exactly as shown.
    pub text: String,
    /// How the source was found in its bytes.
    pub origin: Origin,
    /// Why it is what it is: one of the accepted reasons.
    pub reason: Reason,
    /// Source lines replaced by markers, 1-based and inclusive, in order.
    pub elided: Vec<(u32, u32)>,
    /// Source line of each line of `text`; empty when line n of the text is line n of the source.
    numbers: Vec<u32>,
    /// Lines of the source.
    pub n_source_lines: u32,
}

/// Which form is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The source as it is.
    Full,
    /// Declarations only, where that is possible and pays.
    Skeleton,
}

impl Wanted {
    /// What a run wants of its files.
    #[must_use]
    pub const fn of_run(compress: bool) -> Self {
        if compress { Self::Skeleton } else { Self::Full }
    }
}

impl Body {
    /// The body of `accepted` in the wanted form; the host's full-text exception wins.
    ///
    /// `count` gives the tokens of a text.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn new(
        accepted: Accepted,
        wanted: Wanted,
        count: &mut dyn FnMut(&str) -> u64,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        if wanted == Wanted::Full || accepted.keep_full.is_some() {
            let reason = if accepted.keep_full.is_some() {
                Reason::KeepFull
            } else {
                Reason::Full
            };
            return Ok(Self::full(accepted.text, accepted.origin, reason));
        }
        Ok(
            match skeleton::skeleton(&accepted.path, &accepted.text, count, cancel)? {
                Ok(cut) => Self::cut(&accepted.text, accepted.origin, cut),
                Err(reason) => Self::full(accepted.text, accepted.origin, reason),
            },
        )
    }

    /// The complete source.
    #[must_use]
    pub fn full(text: String, origin: Origin, reason: Reason) -> Self {
        let n_source_lines = to_u32(text::n_lines(&text));
        Self {
            text,
            origin,
            reason,
            elided: Vec::new(),
            numbers: Vec::new(),
            n_source_lines,
        }
    }

    fn cut(source: &str, origin: Origin, skeleton: skeleton::Skeleton) -> Self {
        let lines = Lines::new(source);
        let mut numbers = Vec::new();
        // Each line of the skeleton begins in a kept stretch or in a marker; `shift` is how far
        // the kept stretch at hand is behind the source, in bytes.
        let mut cuts = skeleton.cuts.iter().peekable();
        let mut shift = 0_isize;
        let mut start = 0;
        for line in skeleton.text.split_inclusive('\n') {
            while let Some(cut) = cuts.next_if(|cut| cut.output.end <= start) {
                shift = cut.source.end.cast_signed() - cut.output.end.cast_signed();
            }
            let number = match cuts.peek() {
                Some(cut) if cut.output.start <= start => cut.first_line,
                _ => to_u32(lines.line_of(start.saturating_add_signed(shift))),
            };
            numbers.push(number);
            start += line.len();
        }
        let elided = skeleton
            .cuts
            .iter()
            .map(|cut| (cut.first_line, cut.last_line))
            .collect();
        Self {
            text: skeleton.text,
            origin,
            reason: Reason::Skeleton,
            elided,
            numbers,
            n_source_lines: to_u32(lines.n_lines()),
        }
    }

    /// Whether the text is a skeleton.
    #[must_use]
    pub fn is_skeleton(&self) -> bool {
        self.reason == Reason::Skeleton
    }

    /// Source line of each of the lines `from..to` (0-based) of the text.
    #[must_use]
    pub fn source_lines(&self, from: usize, to: usize) -> Vec<u32> {
        (from..to).map(|line| self.source_line(line)).collect()
    }

    /// 1-based source line of line `line` (0-based) of the text.
    #[must_use]
    pub fn source_line(&self, line: usize) -> u32 {
        let same = || to_u32(line).saturating_add(1);
        self.numbers.get(line).copied().unwrap_or_else(same)
    }
}

/// A file has far fewer lines than `u32::MAX`, since its size is limited.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
