//! The pre-tokenizer: cuts text exactly where the vocabulary's pattern does.
//!
//! Tokens never cross these cuts. The pattern's alternatives, tried in this order at each place:
//!
//! 1. `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` and a contraction
//! 2. `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` and a contraction
//! 3. `\p{N}{1,3}`
//! 4. ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
//! 5. `\s*[\r\n]+`
//! 6. `\s+(?!\S)`
//! 7. `\s+`
//!
//! where a contraction is `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`. The work for one piece is at most twice
//! its length and that of the piece behind it, so that splitting a text is linear.

use crate::cancel::Cancel;
use crate::error::Error;
use crate::tokens::layout::{LETTER, LOWER, NEWLINE, NUMBER, PREFIX, PUNCTUATION, SPACE, UPPER};
use crate::tokens::vocab;

/// Bytes between two looks at the cancel flag inside one piece.
const CHECK_BYTES: usize = 64 * 1024;

/// The classes of the ASCII characters; the same values as in the table of all code points.
static ASCII: [u8; 128] = ascii_classes();

const fn ascii_classes() -> [u8; 128] {
    let mut classes = [0; 128];
    let mut code = 0;
    while code < 128 {
        classes[code] = match code as u8 {
            b'A'..=b'Z' => UPPER | LETTER,
            b'a'..=b'z' => LOWER | LETTER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => SPACE | NEWLINE,
            b' ' | b'\t' | 0x0B | 0x0C => SPACE | PREFIX,
            _ => PUNCTUATION | PREFIX,
        };
        code += 1;
    }
    classes
}

/// A text being cut.
pub(super) struct Splitter<'text> {
    bytes: &'text [u8],
    cancel: &'text Cancel,
}

/// A run of characters of one set.
struct Run {
    end: usize,
    /// Where the last character of the marked set inside the run ends.
    marked: Option<usize>,
}

impl<'text> Splitter<'text> {
    /// Cuts `text`; looks at `cancel` at least every 64 KiB.
    pub(super) fn new(text: &'text str, cancel: &'text Cancel) -> Self {
        Self {
            bytes: text.as_bytes(),
            cancel,
        }
    }

    /// The flag given with the text.
    pub(super) fn cancel(&self) -> &'text Cancel {
        self.cancel
    }

    /// Where the piece that begins at `start`, a cut before the end of the text, ends.
    pub(super) fn piece_end(&self, start: usize) -> Result<usize, Error> {
        let (first, len) = self.class_at(start);
        if first & LETTER != 0 {
            return self.word(start, start);
        }
        if first & PREFIX != 0 {
            let (next, _) = self.class_at(start + len);
            if next & (UPPER | LOWER) != 0 {
                return self.word(start, start + len);
            }
            if first & LOWER != 0 {
                return Ok(self.contraction(start + len));
            }
        }
        if first & NUMBER != 0 {
            return Ok(self.number(start + len));
        }
        let spaced = first & SPACE != 0 && self.bytes.get(start) == Some(&b' ');
        if first & PUNCTUATION != 0 || spaced && self.class_at(start + len).0 & PUNCTUATION != 0 {
            let run = self.run(start + len, PUNCTUATION, 0)?;
            return self.tail(run.end);
        }
        self.blank(start)
    }

    /// Alternatives 1 and 2. The letters begin at `letters`, behind a prefix unless at `start`.
    fn word(&self, start: usize, letters: usize) -> Result<usize, Error> {
        let upper = self.run(letters, UPPER, LOWER)?;
        let lower = self.run(upper.end, LOWER, 0)?;
        if lower.end > upper.end {
            return Ok(self.contraction(lower.end));
        }
        // No lower-case letter follows: the first set gives back characters up to the last one
        // that is also in the second.
        if let Some(end) = upper.marked {
            return Ok(self.contraction(end));
        }
        // A prefix that is a mark serves as the letter itself before alternative 2 is tried.
        if letters > start && self.class_at(start).0 & LOWER != 0 {
            return Ok(self.contraction(letters));
        }
        Ok(self.contraction(upper.end))
    }

    /// The end of a contraction at `at`, or `at`.
    fn contraction(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let Some((b'\'', rest)) = rest.split_first() else {
            return at;
        };
        match *rest {
            [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => at + 2,
            // U+017F, the long s, is an `s` when case does not matter.
            [0xC5, 0xBF, ..]
            | [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..]
            | [b'l' | b'L', b'l' | b'L', ..] => at + 3,
            _ => at,
        }
    }

    /// Alternative 3; the first digit ends at `at`.
    fn number(&self, at: usize) -> usize {
        let (second, len) = self.class_at(at);
        if second & NUMBER == 0 {
            return at;
        }
        let (third, more) = self.class_at(at + len);
        if third & NUMBER == 0 {
            at + len
        } else {
            at + len + more
        }
    }

    /// The newlines and slashes that punctuation ending at `at` swallows.
    fn tail(&self, at: usize) -> Result<usize, Error> {
        let mut end = at;
        for chunk in self.bytes.get(at..).unwrap_or_default().chunks(CHECK_BYTES) {
            let inside = chunk
                .iter()
                .position(|byte| !matches!(byte, b'\r' | b'\n' | b'/'));
            end += inside.unwrap_or(chunk.len());
            if inside.is_some() {
                break;
            }
            self.cancel.check()?;
        }
        Ok(end)
    }

    /// Alternatives 5 to 7.
    fn blank(&self, start: usize) -> Result<usize, Error> {
        let run = self.run(start, SPACE, NEWLINE)?;
        if let Some(end) = run.marked {
            return Ok(end);
        }
        let (_, first) = self.class_at(start);
        if run.end == self.bytes.len() || run.end == start + first {
            return Ok(run.end);
        }
        let mut last = run.end - 1;
        while self.bytes.get(last).is_some_and(|byte| byte & 0xC0 == 0x80) {
            last -= 1;
        }
        Ok(last)
    }

    /// The characters of the set `mask` from `start` on.
    fn run(&self, start: usize, mask: u8, marks: u8) -> Result<Run, Error> {
        let (mut end, mut marked) = (start, None);
        loop {
            let pause = end + CHECK_BYTES;
            while end < pause {
                let (class, len) = self.class_at(end);
                if class & mask == 0 {
                    return Ok(Run { end, marked });
                }
                end += len;
                if class & marks != 0 {
                    marked = Some(end);
                }
            }
            self.cancel.check()?;
        }
    }

    /// Classes and length of the character at `at`; no classes at the end of the text.
    #[inline]
    fn class_at(&self, at: usize) -> (u8, usize) {
        match self.bytes.get(at) {
            Some(&byte) if byte < 128 => (ASCII[usize::from(byte)], 1),
            Some(&byte) => self.wide_class_at(at, byte),
            None => (0, 0),
        }
    }

    /// The same for a character of 2 to 4 bytes that begins with `lead`.
    fn wide_class_at(&self, at: usize, lead: u8) -> (u8, usize) {
        let bits = |ahead: usize| {
            let byte = self.bytes.get(at + ahead).copied().unwrap_or(0x80);
            u32::from(byte & 0x3F)
        };
        let lead_bits = u32::from(lead);
        if lead < 0xE0 {
            (vocab::class((lead_bits & 0x1F) << 6 | bits(1)), 2)
        } else if lead < 0xF0 {
            let code = (lead_bits & 0x0F) << 12 | bits(1) << 6 | bits(2);
            (vocab::class(code), 3)
        } else {
            let code = (lead_bits & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3);
            (vocab::class(code), 4)
        }
    }
}

#[cfg(test)]
mod tests;
