//! Byte-pair merging: how many tokens a piece becomes that is not a token itself.
//!
//! Merging takes the pair with the lowest rank, the leftmost of equals, until none is left. Two
//! forms do this on arrays: [`count_word`] in registers for short words, [`Merger`] for windows of
//! up to 512 bytes. Longer pieces are encoded window by window: a sequence of tokens is the
//! encoding of its bytes exactly when each two neighbours are the encoding of theirs (the first
//! merge across a border would happen there too). So the encoding of a window may be continued by
//! that of the next one, which begins at a token's border well before the first one's end, once
//! the two tokens at the seam are checked. Memory is constant and time linear. Should a check ever
//! fail, the piece is merged as a whole with a heap, which is exact for everything and takes
//! O(n log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::tokens::layout::{LONGEST_TOKEN, NO_TOKEN, WORD_BYTES};
use crate::tokens::vocab;

/// Bytes of one window.
const WINDOW: usize = 512;
/// Bytes at the end of a window whose tokens may still change with what follows.
const MARGIN: usize = 128;
/// Keys of merges under one minimum.
const BLOCK: usize = 16;
/// Bits of a position in a window.
const POSITION_BITS: u32 = WINDOW.trailing_zeros();

/// Tokens of a word of 2 to 15 bytes.
pub(super) fn count_word(word: &[u8]) -> u32 {
    debug_assert!((2..=WORD_BYTES).contains(&word.len()));
    let mut ids = [0; 16];
    // Rank and position of the merge that begins at each byte; the position breaks ties.
    let mut keys = [NO_TOKEN; 16];
    for (id, &byte) in ids.iter_mut().zip(word) {
        *id = vocab::byte(byte);
    }
    for (at, (key, pair)) in (0..).zip(keys.iter_mut().zip(word.windows(2))) {
        *key = word_merge(vocab::byte_pair(pair[0], pair[1]), at);
    }
    // The bytes at which a token begins, and a sentinel behind the last.
    let mut begins = (2_u32 << word.len().min(WORD_BYTES)) - 1;
    loop {
        let best = keys.iter().copied().fold(NO_TOKEN, u32::min);
        if best == NO_TOKEN {
            return begins.count_ones() - 1;
        }
        let (merged, at) = (best >> 4, best & 15);
        let right = next_begin(begins, at);
        begins &= !(1 << right);
        ids[at as usize & 15] = merged;
        keys[right as usize & 15] = NO_TOKEN;
        let after = next_begin(begins, at);
        keys[at as usize & 15] = if begins >> after == 1 {
            NO_TOKEN
        } else {
            word_merge(vocab::pair(merged, ids[after as usize & 15]), at)
        };
        let before = begins & ((1 << at) - 1);
        if before != 0 {
            let left = before.ilog2();
            keys[left as usize & 15] =
                word_merge(vocab::pair(ids[left as usize & 15], merged), left);
        }
    }
}

/// The key of a merge in a word.
#[inline]
fn word_merge(merged: u32, at: u32) -> u32 {
    if merged == NO_TOKEN {
        NO_TOKEN
    } else {
        merged << 4 | at
    }
}

/// The first token behind the one at `at`; the sentinel is always there.
#[inline]
fn next_begin(begins: u32, at: u32) -> u32 {
    (begins & (u32::MAX << 1 << at)).trailing_zeros()
}

/// Scratch space for merging pieces of any length.
pub(super) struct Merger {
    ids: [u32; WINDOW],
    /// Rank and position of the merge that begins at each byte.
    keys: [u32; WINDOW],
    /// The smallest key of each block.
    best: [u32; WINDOW / BLOCK],
    /// Where the token that begins at a byte ends.
    end: [u16; WINDOW],
    /// Where the token before the one that begins at a byte begins.
    left: [u16; WINDOW],
}

/// A window's tokens up to its margin.
#[derive(Clone, Copy, Default)]
struct Kept {
    count: u64,
    /// Bytes of all kept tokens.
    bytes: usize,
    /// Bytes of the last of them.
    last: usize,
    /// Bytes of the first of them.
    first: usize,
}

impl Merger {
    /// Empty scratch space.
    pub(super) fn new() -> Self {
        Self {
            ids: [0; WINDOW],
            keys: [NO_TOKEN; WINDOW],
            best: [NO_TOKEN; WINDOW / BLOCK],
            end: [0; WINDOW],
            left: [0; WINDOW],
        }
    }

    /// Tokens of a piece of at least one byte. Looks at `cancel` at least every 64 KiB.
    pub(super) fn count(&mut self, piece: &[u8], cancel: &Cancel) -> Result<u64, Error> {
        match self.count_by_windows(piece, WINDOW, MARGIN, cancel)? {
            Some(count) => Ok(count),
            None => count_by_heap(piece, cancel),
        }
    }

    /// The windowed form; `None` when two windows could not be joined.
    fn count_by_windows(
        &mut self,
        piece: &[u8],
        window: usize,
        margin: usize,
        cancel: &Cancel,
    ) -> Result<Option<u64>, Error> {
        let (mut total, mut base) = (0, 0);
        let mut before = Kept::default();
        let mut repeats = false;
        loop {
            cancel.check()?;
            let rest = &piece[base..];
            if rest.len() <= window {
                let tail = self.encode(rest, rest.len());
                let joined = self.joins(piece, base, before.last, tail.first);
                return Ok(joined.then_some(total + tail.count));
            }
            let again = base > 0 && is_repeated(piece, base - before.bytes, base, window);
            if !(again && repeats) {
                let kept = self.encode(&rest[..window], window - margin);
                if kept.bytes == 0 || !self.joins(piece, base, before.last, kept.first) {
                    return Ok(None);
                }
                // From here on a window equal to the one before it has the same tokens, and the
                // seam between two such windows has been checked.
                repeats = again;
                before = kept;
            }
            total += before.count;
            base += before.bytes;
        }
    }

    /// Whether the tokens of `before` bytes and of `after` bytes that meet at `seam` stay apart.
    fn joins(&mut self, piece: &[u8], seam: usize, before: usize, after: usize) -> bool {
        if before == 0 {
            return true;
        }
        let both = self.encode(&piece[seam - before..seam + after], before + after);
        both.count == 2 && both.first == before
    }

    /// Merges the bytes of one window; reports the tokens that end within the first `keep` bytes.
    fn encode(&mut self, bytes: &[u8], keep: usize) -> Kept {
        self.merge(bytes);
        let mut kept = Kept::default();
        while kept.bytes < bytes.len() {
            let end = usize::from(self.end[kept.bytes]);
            if end > keep {
                break;
            }
            kept.last = end - kept.bytes;
            kept.bytes = end;
            kept.count += 1;
        }
        kept.first = usize::from(self.end[0]);
        kept
    }

    /// Merges 1 to [`WINDOW`] bytes.
    fn merge(&mut self, bytes: &[u8]) {
        let n = bytes.len();
        for (at, &byte) in bytes.iter().enumerate() {
            self.ids[at] = vocab::byte(byte);
            self.end[at] = at as u16 + 1;
            self.left[at] = (at as u16).saturating_sub(1);
        }
        for (at, pair) in bytes.windows(2).enumerate() {
            self.keys[at] = window_merge(vocab::byte_pair(pair[0], pair[1]), at);
        }
        let blocks = n.div_ceil(BLOCK);
        self.keys[n - 1..blocks * BLOCK].fill(NO_TOKEN);
        for block in 0..blocks {
            self.refresh(block);
        }
        loop {
            let best = self.best[..blocks].iter().copied().fold(NO_TOKEN, u32::min);
            if best == NO_TOKEN {
                return;
            }
            self.apply(best, n);
        }
    }

    /// Does one merge and brings the keys around it up to date.
    fn apply(&mut self, best: u32, n: usize) {
        let merged = best >> POSITION_BITS;
        let at = best as usize % WINDOW;
        let right = usize::from(self.end[at]);
        let after = usize::from(self.end[right]);
        self.ids[at] = merged;
        self.end[at] = after as u16;
        self.keys[right] = NO_TOKEN;
        self.keys[at] = NO_TOKEN;
        if after < n {
            self.left[after] = at as u16;
            self.keys[at] = window_merge(vocab::pair(merged, self.ids[after]), at);
        }
        self.refresh(at / BLOCK);
        if right / BLOCK != at / BLOCK {
            self.refresh(right / BLOCK);
        }
        if at > 0 {
            let left = usize::from(self.left[at]);
            self.keys[left] = window_merge(vocab::pair(self.ids[left], merged), left);
            self.refresh(left / BLOCK);
        }
    }

    /// Finds the smallest key of a block again.
    #[inline]
    fn refresh(&mut self, block: usize) {
        let keys = &self.keys.as_chunks::<BLOCK>().0[block];
        self.best[block] = keys.iter().copied().fold(NO_TOKEN, u32::min);
    }
}

/// The key of a merge in a window.
#[inline]
fn window_merge(merged: u32, at: usize) -> u32 {
    if merged == NO_TOKEN {
        NO_TOKEN
    } else {
        merged << POSITION_BITS | at as u32
    }
}

/// Whether the windows at `first` and `second` hold the same bytes.
fn is_repeated(piece: &[u8], first: usize, second: usize, window: usize) -> bool {
    piece[first..first + window] == piece[second..second + window]
}

/// A place in the linked list of tokens that the heap works on.
struct Part {
    id: u32,
    /// What this token and the next one merge to.
    merged: u32,
    next: usize,
    left: usize,
}

/// Tokens of a piece, by a heap of merges. Any length; O(n log n) time, about 40 bytes a byte.
fn count_by_heap(piece: &[u8], cancel: &Cancel) -> Result<u64, Error> {
    let n = piece.len();
    let mut parts = Vec::with_capacity(n);
    let mut heap = BinaryHeap::new();
    for (at, &byte) in piece.iter().enumerate() {
        if at % WINDOW == 0 {
            cancel.check()?;
        }
        let merged = piece
            .get(at + 1)
            .map_or(NO_TOKEN, |&next| vocab::byte_pair(byte, next));
        let left = at.wrapping_sub(1);
        parts.push(Part {
            id: vocab::byte(byte),
            merged,
            next: at + 1,
            left,
        });
        if merged != NO_TOKEN {
            heap.push(Reverse((merged, at)));
        }
    }
    let (mut count, mut steps) = (n as u64, 0_usize);
    while let Some(Reverse((merged, at))) = heap.pop() {
        steps += 1;
        if steps.is_multiple_of(WINDOW) {
            cancel.check()?;
        }
        // Entries are never taken out when a pair changes, so this one may be out of date.
        if parts[at].merged != merged {
            continue;
        }
        count -= 1;
        let right = parts[at].next;
        let (after, left) = (parts[right].next, parts[at].left);
        parts[right].merged = NO_TOKEN;
        parts[at].id = merged;
        parts[at].next = after;
        parts[at].merged = NO_TOKEN;
        if after < n {
            parts[after].left = at;
            parts[at].merged = vocab::pair(merged, parts[after].id);
            if parts[at].merged != NO_TOKEN {
                heap.push(Reverse((parts[at].merged, at)));
            }
        }
        if left < n {
            parts[left].merged = vocab::pair(parts[left].id, merged);
            if parts[left].merged != NO_TOKEN {
                heap.push(Reverse((parts[left].merged, left)));
            }
        }
    }
    Ok(count)
}

/// Two tokens fit a window, so that a seam can be checked.
const _: () = assert!(2 * LONGEST_TOKEN <= WINDOW && MARGIN + LONGEST_TOKEN < WINDOW);

#[cfg(test)]
mod tests;
