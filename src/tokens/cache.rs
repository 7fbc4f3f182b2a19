//! What one thread remembers of the pieces it has counted.
//!
//! Direct-mapped tables of exact copies: a slot holds the piece itself and its count, so that a
//! hit needs no further check and a miss never gives a wrong count. Memory is fixed.

use crate::tokens::layout::word_hash;

/// Slots for words of up to 15 bytes; 512 KiB, about what a core's second-level cache holds.
const WORDS: usize = 1 << 15;
/// Slots for longer pieces; 128 KiB.
const PHRASES: usize = 1 << 11;
/// Longest piece of the second table, in bytes. Its slots are one cache line.
pub(super) const PHRASE_BYTES: usize = 62;

/// Bits of a word's slot above its key, which hold the count.
const COUNT_SHIFT: u32 = 124;

/// A slot for a longer piece; empty when the length is 0.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Phrase {
    len: u8,
    count: u8,
    bytes: [u8; PHRASE_BYTES],
}

/// Counts of recent pieces.
pub(super) struct Cache {
    words: Box<[u128; WORDS]>,
    phrases: Box<[Phrase; PHRASES]>,
}

impl Cache {
    /// An empty cache. Its memory is touched only as it fills.
    pub(super) fn new() -> Self {
        let words = vec![0; WORDS].into_boxed_slice();
        let empty = Phrase {
            len: 0,
            count: 0,
            bytes: [0; PHRASE_BYTES],
        };
        let phrases = vec![empty; PHRASES].into_boxed_slice();
        Self {
            words: words.try_into().expect("made with this length"),
            phrases: phrases.try_into().expect("made with this length"),
        }
    }

    /// The count of a word, given by its key and the hash of that.
    #[inline]
    pub(super) fn word(&self, key: u128, hash: u64) -> Option<u32> {
        let slot = self.words[(hash >> 49) as usize % WORDS];
        if slot & ((1 << COUNT_SHIFT) - 1) == key {
            Some((slot >> COUNT_SHIFT) as u32)
        } else {
            None
        }
    }

    /// Remembers the count, 1 to 15, of a word.
    #[inline]
    pub(super) fn keep_word(&mut self, key: u128, hash: u64, count: u32) {
        self.words[(hash >> 49) as usize % WORDS] = key | u128::from(count) << COUNT_SHIFT;
    }

    /// The count of a piece of up to [`PHRASE_BYTES`] bytes, made by `count` if it is not known.
    #[inline]
    pub(super) fn phrase<E>(
        &mut self,
        bytes: &[u8],
        count: impl FnOnce() -> Result<u64, E>,
    ) -> Result<u64, E> {
        let slot = &mut self.phrases[phrase_home(bytes)];
        if usize::from(slot.len) == bytes.len() && slot.bytes.get(..bytes.len()) == Some(bytes) {
            return Ok(u64::from(slot.count));
        }
        let count = count()?;
        if let Some(copy) = slot.bytes.get_mut(..bytes.len()) {
            copy.copy_from_slice(bytes);
            slot.len = bytes.len() as u8;
            slot.count = count as u8;
        }
        Ok(count)
    }
}

/// The only slot where a longer piece may stand.
#[inline]
fn phrase_home(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut hash = 0_u64;
    for block in blocks {
        hash = hash.rotate_left(29) ^ word_hash(u128::from_le_bytes(*block));
    }
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    hash = hash.rotate_left(29) ^ word_hash(u128::from_le_bytes(last));
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize % PHRASES
}
