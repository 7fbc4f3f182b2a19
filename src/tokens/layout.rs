//! Sizes, bit layouts and hashes of the embedded tables.
//!
//! Shared by the build script, which writes the tables, and by the counter, which reads them in
//! place, so that the two cannot disagree. All tables are little-endian.

/// SHA-256 of the only ranks file this program works with.
pub(crate) const RANKS_SHA256: &str =
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";
/// Bytes of that file.
pub(crate) const RANKS_BYTES: usize = 3_613_922;
/// Tokens in the vocabulary. A token's id is its rank: lower merges first.
pub(crate) const TOKENS: usize = 199_998;
/// Bytes of the longest token.
pub(crate) const LONGEST_TOKEN: usize = 128;

/// The entry of a table of token ids that stands for "no token".
pub(crate) const NO_TOKEN: u32 = u32::MAX;
/// Bits of a token id.
const ID_BITS: u32 = 18;

/// Slots of the table of merges: left, right and merged id in one word, zero when free.
pub(crate) const PAIR_SLOTS: usize = 1 << 18;
/// Words of the filter that most pairs without a merge fail.
pub(crate) const FILTER_WORDS: usize = 1 << 15;

/// Longest word, in bytes, that fits one key of the token set and of the count cache.
pub(crate) const WORD_BYTES: usize = 15;
/// Longest word of the set with 8-byte keys.
pub(crate) const SHORT_WORD_BYTES: usize = 7;
/// Buckets of eight 8-byte keys, for tokens of 2 to 7 bytes.
pub(crate) const SHORT_BUCKETS: usize = 22_000;
/// Buckets of four 16-byte keys, for tokens of 8 to 15 bytes.
pub(crate) const LONG_BUCKETS: usize = 24_000;

/// Member of the set that begins a word: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
pub(crate) const UPPER: u8 = 1;
/// Member of the set that ends a word: `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
pub(crate) const LOWER: u8 = 2;
/// `\p{L}`.
pub(crate) const LETTER: u8 = 4;
/// `\p{N}`.
pub(crate) const NUMBER: u8 = 8;
/// `\s`, CR and LF included.
pub(crate) const SPACE: u8 = 16;
/// `[\r\n]`.
pub(crate) const NEWLINE: u8 = 32;
/// `[^\s\p{L}\p{N}]`, combining marks included.
pub(crate) const PUNCTUATION: u8 = 64;
/// `[^\r\n\p{L}\p{N}]`, what may stand before a word.
pub(crate) const PREFIX: u8 = 128;
/// Code points in one block of the class table.
pub(crate) const CLASS_BLOCK: usize = 256;
/// Blocks that cover Unicode: the length of the class table's index.
pub(crate) const CLASS_INDEX: usize = 0x11_0000 / CLASS_BLOCK;

/// The key of a pair of adjacent tokens.
#[inline]
pub(crate) const fn pair_key(left: u32, right: u32) -> u64 {
    ((left as u64) << ID_BITS) | right as u64
}

/// The pair that a key stands for.
#[inline]
pub(crate) const fn pair_of(key: u64) -> (u32, u32) {
    ((key >> ID_BITS) as u32, (key & ((1 << ID_BITS) - 1)) as u32)
}

/// A slot of the table of merges. Never zero, since merged ids are above every byte's id.
#[inline]
pub(crate) const fn pair_slot(key: u64, merged: u32) -> u64 {
    (key << ID_BITS) | merged as u64
}

/// The key a slot holds.
#[inline]
pub(crate) const fn slot_key(slot: u64) -> u64 {
    slot >> ID_BITS
}

/// The merged token a slot holds.
#[inline]
pub(crate) const fn slot_merged(slot: u64) -> u32 {
    (slot & ((1 << ID_BITS) - 1)) as u32
}

/// Spreads a pair's key over 64 bits; the upper ones are the good ones.
#[inline]
pub(crate) const fn pair_hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The slot where the search for a pair begins.
#[inline]
pub(crate) const fn pair_home(hash: u64) -> usize {
    (hash >> 46) as usize
}

/// The word of the filter and the two bits in it that a pair sets.
#[inline]
pub(crate) const fn filter_bits(hash: u64) -> (usize, u64) {
    let bits = (1 << ((hash >> 43) & 63)) | (1 << ((hash >> 37) & 63));
    ((hash >> 49) as usize, bits)
}

/// The key of a word of 1 to [`WORD_BYTES`] bytes: `text` holds the word's bytes from the lowest
/// up and zeros above. The length in the top byte tells words apart that end in zero bytes.
#[inline]
pub(crate) const fn word_key(text: u128, len: usize) -> u128 {
    text | ((len as u128) << 120)
}

/// The 8-byte form of the key of a word of at most [`SHORT_WORD_BYTES`] bytes.
#[inline]
pub(crate) const fn short_key(key: u128) -> u64 {
    (key as u64) | ((key >> 64) as u64)
}

/// Spreads a word's key over 64 bits; the upper ones are the good ones.
#[inline]
pub(crate) const fn word_hash(key: u128) -> u64 {
    let low = (key as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let high = ((key >> 64) as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    low ^ high
}

/// The bucket, of `buckets`, where the search for a word begins.
#[inline]
pub(crate) const fn word_home(hash: u64, buckets: usize) -> usize {
    (((hash >> 32) * buckets as u64) >> 32) as usize
}
