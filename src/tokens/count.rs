//! The exact counter.
//!
//! A text is cut into pieces; a piece is looked up in the thread's cache, else in the set of
//! tokens, else merged. Nothing is estimated, and text that looks like a special token counts as
//! the ordinary text it is. Time is linear in the text for every input.

use std::cell::RefCell;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::tokens::bpe::{self, Merger};
use crate::tokens::cache::{Cache, PHRASE_BYTES};
use crate::tokens::layout::{LONGEST_TOKEN, WORD_BYTES, word_hash, word_key};
use crate::tokens::masks::{VIEW, WINDOW};
use crate::tokens::seam;
use crate::tokens::split::Splitter;
use crate::tokens::vocab;
use crate::tokens::window;

/// Bytes between two looks at the cancel flag.
const CHECK_BYTES: usize = 64 * 1024;
/// Bytes of one part of a text counted in parallel: some milliseconds of work.
const PART_BYTES: usize = 1024 * 1024;

/// Counts tokens; keeps what it learns about words from one text to the next.
///
/// About 0.7 MiB, most of it touched only as it fills. Use one per thread, see [`with_counter`].
pub struct Counter {
    cache: Cache,
    merger: Box<Merger>,
    never: Cancel,
}

/// The running counts of a text at the ends of its lines.
///
/// Each [`Cut`] is a place that the tokens of the text do not cross. So, exactly:
///
/// 1. `text[a.offset..b.offset]` counted alone has `b.running - a.running` tokens, for any two
///    cuts `a` before `b`, and for the beginning of the text (offset 0, running 0) as `a`.
/// 2. Such a part may follow any text that ends in CR or LF, and the counts add, if the part's
///    first line is not blank and does not begin with `/`; white space before the `/` is allowed.
/// 3. The same holds for whole texts: `count(a) + count(b)` is the count of `a` and `b` joined if
///    `a` ends in CR or LF and `b` begins with a character that is neither white space nor `/`, or
///    with white space other than CR and LF and then a character that is not white space.
///
/// Nothing may be said of other places, of a part before a blank line, or of a part that a text
/// without a newline at its end precedes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Tokens of the whole text.
    pub total: u64,
    /// The cuts in ascending order: each one directly behind a CR or LF, and the end of the text.
    /// Not every newline has one, since tokens may hold several newlines and what is around them.
    pub cuts: Vec<Cut>,
}

/// A place in a text where it can be parted without counting again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of the text before the cut.
    pub offset: usize,
    /// Tokens of the text before the cut.
    pub running: u64,
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

impl Counter {
    /// A counter that has seen nothing yet. Takes some microseconds.
    #[must_use]
    pub fn new() -> Self {
        Self {
            cache: Cache::new(),
            merger: Box::new(Merger::new()),
            never: Cancel::never(),
        }
    }

    /// Tokens of `text`.
    pub fn count(&mut self, text: &str) -> u64 {
        let never = self.never.clone();
        self.count_checked(text, &never)
            .expect("only cancellation fails, and nobody holds this flag")
    }

    /// Tokens of `text`; looks at `cancel` at least every 64 KiB.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once `cancel` is set.
    pub fn count_checked(&mut self, text: &str, cancel: &Cancel) -> Result<u64, Error> {
        let mut total = 0;
        self.walk(text, cancel, |_, tokens| total += tokens)?;
        Ok(total)
    }

    /// Tokens of `text` if they are at most `cap`. Stops soon after it is clear that they are not.
    pub fn count_limited(&mut self, text: &str, cap: u64) -> Option<u64> {
        let never = self.never.clone();
        let splitter = Splitter::new(text, &never);
        let (mut total, mut at) = (0, 0);
        while at < text.len() {
            // No token is longer than LONGEST_TOKEN, so a long rest cannot fit: this also bounds
            // the work on one giant piece.
            let rest = (text.len() - at).div_ceil(LONGEST_TOKEN) as u64;
            if total + rest > cap {
                return None;
            }
            let (next, tokens) = self.step(&splitter, text.as_bytes(), at, |_, _| {}).ok()?;
            total += tokens;
            at = next;
        }
        (total <= cap).then_some(total)
    }

    /// Tokens of `text`, in total and at the ends of its lines; looks at `cancel` at least every
    /// 64 KiB.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once `cancel` is set.
    pub fn profile(&mut self, text: &str, cancel: &Cancel) -> Result<Profile, Error> {
        let bytes = text.as_bytes();
        let mut profile = Profile::default();
        self.walk(text, cancel, |end, tokens| {
            profile.total += tokens;
            if end < bytes.len() && matches!(bytes[end - 1], b'\r' | b'\n') {
                let cut = Cut {
                    offset: end,
                    running: profile.total,
                };
                profile.cuts.push(cut);
            }
        })?;
        let end = Cut {
            offset: bytes.len(),
            running: profile.total,
        };
        profile.cuts.push(end);
        Ok(profile)
    }

    /// Calls `each` with the end and the tokens of every piece of `text`, in order.
    #[inline]
    fn walk(
        &mut self,
        text: &str,
        cancel: &Cancel,
        mut each: impl FnMut(usize, u64),
    ) -> Result<(), Error> {
        let splitter = Splitter::new(text, cancel);
        let mut at = 0;
        while at < text.len() {
            cancel.check()?;
            let pause = text.len().min(at + CHECK_BYTES);
            while at < pause {
                (at, _) = self.step(&splitter, text.as_bytes(), at, &mut each)?;
            }
        }
        Ok(())
    }

    /// Counts the pieces of the window that begins at the cut `at`, or one piece where nothing in
    /// the window is decided. Returns where the next window begins and the tokens before that.
    #[inline]
    fn step(
        &mut self,
        splitter: &Splitter<'_>,
        text: &[u8],
        at: usize,
        mut each: impl FnMut(usize, u64),
    ) -> Result<(usize, u64), Error> {
        let rest = &text[at..];
        let filled;
        let view = match rest.first_chunk() {
            Some(view) => view,
            None => {
                filled = fill(rest);
                &filled
            }
        };
        // Wide characters are never decided in a window, and they come in crowds.
        let mut cuts = if (view[0] | view[1]) < 0x80 {
            window::cuts(view, rest.len().min(WINDOW))
        } else {
            0
        };
        if cuts == 0 {
            let end = splitter.piece_end(at)?;
            let tokens = self.piece(&text[at..end], splitter.cancel())?;
            each(end, tokens);
            return Ok((end, tokens));
        }
        let (mut start, mut total) = (0, 0);
        while cuts != 0 {
            let end = cuts.trailing_zeros() as usize;
            cuts &= cuts - 1;
            let tokens = match end - start {
                1 => 1,
                len @ 2..=WORD_BYTES => u64::from(self.word(word_at(view, start), len)),
                _ => self.phrase(&view[start..end], splitter.cancel())?,
            };
            total += tokens;
            each(at + end, tokens);
            start = end;
        }
        Ok((at + start, total))
    }

    /// Tokens of a piece.
    fn piece(&mut self, piece: &[u8], cancel: &Cancel) -> Result<u64, Error> {
        match piece.len() {
            0 | 1 => Ok(piece.len() as u64),
            len @ 2..=WORD_BYTES => {
                let mut word = [0; WORD_BYTES + 1];
                word[..len].copy_from_slice(piece);
                Ok(u64::from(self.word(u128::from_le_bytes(word), len)))
            }
            _ => self.phrase(piece, cancel),
        }
    }

    /// Tokens of a word of `len` bytes, 1 to 15: the lower bytes of `bytes`.
    #[inline]
    fn word(&mut self, bytes: u128, len: usize) -> u32 {
        let (mask, length) = KEYS[len % KEYS.len()];
        let key = (bytes & mask) | length;
        let hash = word_hash(key);
        match self.cache.word(key, hash) {
            Some(count) => count,
            None => self.new_word(key, hash, len),
        }
    }

    /// Tokens of a word that the cache does not hold.
    #[inline(never)]
    fn new_word(&mut self, key: u128, hash: u64, len: usize) -> u32 {
        let count = if vocab::is_token(key, hash, len) {
            1
        } else {
            bpe::count_word(&key.to_le_bytes()[..len])
        };
        self.cache.keep_word(key, hash, count);
        count
    }

    /// Tokens of a longer piece.
    #[inline(never)]
    fn phrase(&mut self, piece: &[u8], cancel: &Cancel) -> Result<u64, Error> {
        let Self { cache, merger, .. } = self;
        if piece.len() <= PHRASE_BYTES {
            cache.phrase(piece, || merger.count(piece, cancel))
        } else {
            merger.count(piece, cancel)
        }
    }
}

/// What makes a key of a word's bytes and those behind it, by length.
static KEYS: [(u128, u128); WORD_BYTES + 1] = {
    let mut keys = [(0, 0); WORD_BYTES + 1];
    let mut len = 0;
    while len < keys.len() {
        keys[len] = ((1 << (8 * len)) - 1, word_key(0, len));
        len += 1;
    }
    keys
};

/// The last bytes of a text, fewer than a view, and zeros.
#[inline(never)]
fn fill(rest: &[u8]) -> [u8; VIEW] {
    let mut filled = [0; VIEW];
    for (copy, byte) in filled.iter_mut().zip(rest) {
        *copy = *byte;
    }
    filled
}

/// The 16 bytes from `start`, a place inside the window, on.
#[inline]
fn word_at(view: &[u8; VIEW], start: usize) -> u128 {
    view[start % WINDOW..]
        .first_chunk()
        .map_or(0, |bytes| u128::from_le_bytes(*bytes))
}

/// Runs `work` with this thread's counter, which is kept for later calls.
///
/// Threads of a pool reuse what they learned across files and requests. A call from inside `work`
/// gets a counter of its own for that call.
pub fn with_counter<R>(work: impl FnOnce(&mut Counter) -> R) -> R {
    thread_local! {
        static COUNTER: RefCell<Option<Counter>> = const { RefCell::new(None) };
    }
    COUNTER.with(|kept| match kept.try_borrow_mut() {
        Ok(mut kept) => work(kept.get_or_insert_default()),
        Err(_) => work(&mut Counter::new()),
    })
}

/// Tokens of one large text, counted by all threads of the current rayon pool.
///
/// The text is parted where counts add, see [`Profile`]; without such places one thread counts it
/// alone. Small texts are counted at once.
///
/// # Errors
/// [`Error::Cancelled`] once `cancel` is set.
pub fn count_in_parallel(text: &str, cancel: &Cancel) -> Result<u64, Error> {
    seam::parts(text, PART_BYTES)
        .into_par_iter()
        .map(|part| with_counter(|counter| counter.count_checked(part, cancel)))
        .sum()
}

#[cfg(test)]
mod tests;
