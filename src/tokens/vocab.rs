//! The vocabulary: tables made by the build script, embedded and used in place.
//!
//! Nothing is constructed at run time; the first lookup only touches file pages. Reads go through
//! little-endian words, so the tables are the same on every machine. Also here: the check of a
//! ranks file given by the host, and the door to the reference tokenizer where it is built in.

use std::fs::File;
use std::io::Read;
use std::path::Path;
#[cfg(feature = "verify")]
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::tokens::layout::{
    CLASS_BLOCK, CLASS_INDEX, FILTER_WORDS, LONG_BUCKETS, NO_TOKEN, PAIR_SLOTS, RANKS_BYTES,
    RANKS_SHA256, SHORT_BUCKETS, SHORT_WORD_BYTES, filter_bits, pair_hash, pair_home, pair_key,
    short_key, slot_key, slot_merged, word_home,
};
#[cfg(feature = "verify")]
use crate::tokens::layout::{TOKENS, pair_of};

/// A table that begins at a cache line, so that no entry lies across two.
#[repr(C, align(64))]
struct Aligned<const N: usize>([u8; N]);

macro_rules! table {
    ($name:ident, $file:literal, $entry:literal, $length:expr) => {
        static $name: &[[u8; $entry]; $length] = {
            static BLOB: Aligned<{ $entry * $length }> =
                Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $file)));
            BLOB.0
                .as_chunks()
                .0
                .first_chunk()
                .expect("the blob has this many entries")
        };
    };
}

table!(BYTES, "bytes.bin", 4, 256);
table!(BYTE_PAIRS, "byte_pairs.bin", 4, 65_536);
table!(PAIRS, "pairs.bin", 8, PAIR_SLOTS);
table!(FILTER, "filter.bin", 8, FILTER_WORDS);
table!(SHORT, "short.bin", 64, SHORT_BUCKETS);
table!(LONG, "long.bin", 64, LONG_BUCKETS);
static CLASSES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));

/// The id of a single byte.
#[inline]
pub(super) fn byte(byte: u8) -> u32 {
    u32::from_le_bytes(BYTES[usize::from(byte)])
}

/// What two adjacent bytes merge to, or [`NO_TOKEN`].
#[inline]
pub(super) fn byte_pair(left: u8, right: u8) -> u32 {
    u32::from_le_bytes(BYTE_PAIRS[usize::from(u16::from_be_bytes([left, right]))])
}

/// What two adjacent tokens merge to, or [`NO_TOKEN`]. The result is also the rank of the merge.
#[inline]
pub(super) fn pair(left: u32, right: u32) -> u32 {
    let key = pair_key(left, right);
    let hash = pair_hash(key);
    let (word, bits) = filter_bits(hash);
    if u64::from_le_bytes(FILTER[word % FILTER_WORDS]) & bits != bits {
        return NO_TOKEN;
    }
    let mut at = pair_home(hash);
    loop {
        let slot = u64::from_le_bytes(PAIRS[at % PAIR_SLOTS]);
        if slot == 0 {
            return NO_TOKEN;
        }
        if slot_key(slot) == key {
            return slot_merged(slot);
        }
        at += 1;
    }
}

/// Whether a word of 2 to 15 bytes, given by key and hash of its key, is a token.
#[inline]
pub(super) fn is_token(key: u128, hash: u64, len: usize) -> bool {
    if len <= SHORT_WORD_BYTES {
        let (home, key) = (word_home(hash, SHORT_BUCKETS), short_key(key));
        search(SHORT, home, |slot: &[u8; 8]| {
            match u64::from_le_bytes(*slot) {
                0 => Slot::Free,
                found if found == key => Slot::Match,
                _ => Slot::Other,
            }
        })
    } else {
        let home = word_home(hash, LONG_BUCKETS);
        search(LONG, home, |slot: &[u8; 16]| {
            match u128::from_le_bytes(*slot) {
                0 => Slot::Free,
                found if found == key => Slot::Match,
                _ => Slot::Other,
            }
        })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Free,
    Match,
    Other,
}

/// Looks through buckets from `home` on. A bucket with a free slot ends the search; the build
/// script made sure that there is one.
#[inline]
fn search<const WIDTH: usize, const BUCKETS: usize>(
    table: &[[u8; 64]; BUCKETS],
    home: usize,
    look: impl Fn(&[u8; WIDTH]) -> Slot,
) -> bool {
    let (tail, head) = (&table[home..], &table[..home]);
    for bucket in tail.iter().chain(head) {
        let slots = bucket.as_chunks::<WIDTH>().0;
        let mut free = false;
        for slot in slots {
            match look(slot) {
                Slot::Match => return true,
                seen => free |= seen == Slot::Free,
            }
        }
        if free {
            return false;
        }
    }
    false
}

/// The classes of a code point, as flags of [`crate::tokens::layout`].
#[inline]
pub(super) fn class(code: u32) -> u8 {
    let code = code as usize;
    let block = CLASSES.get(code / CLASS_BLOCK).copied().unwrap_or(0);
    let at = CLASS_INDEX + usize::from(block) * CLASS_BLOCK + code % CLASS_BLOCK;
    CLASSES.get(at).copied().unwrap_or(0)
}

/// Accepts the `o200k_base` ranks file and nothing else.
///
/// The program always counts with its embedded tables. A host that names a ranks file learns here
/// whether it is the one those tables were made from. Reads at most the length of that file.
///
/// # Errors
/// [`Error::Configuration`] when the file cannot be read or is another one.
pub fn check_ranks_file(path: &Path) -> Result<(), Error> {
    let unreadable = |_| Error::Configuration("the tokenizer file could not be read".to_owned());
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_file() && metadata.len() == RANKS_BYTES as u64 {
        let mut bytes = Vec::with_capacity(RANKS_BYTES + 1);
        let mut file = File::open(path)
            .map_err(unreadable)?
            .take(RANKS_BYTES as u64 + 1);
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let digest = Sha256::digest(&bytes);
        let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if found == RANKS_SHA256 {
            return Ok(());
        }
    }
    Err(Error::Configuration(format!(
        "the tokenizer file must be the o200k_base ranks file with SHA-256 {RANKS_SHA256}"
    )))
}

/// The count of the reference tokenizer, or `None` where it is not built in.
///
/// Constructs the reference on first use (about 0.1 s and 46 MB) from the tokens of the embedded
/// tables, so that the program does not hold the ranks a second time; a test compares these with
/// the reference's own. Panics on a run of more than 999,998 blanks, which the caller keeps away.
#[cfg(feature = "verify")]
pub(super) fn reference_count(text: &str) -> Option<u64> {
    static REFERENCE: OnceLock<Option<tiktoken_rs::CoreBPE>> = OnceLock::new();
    let make = || {
        let ranks = texts().into_iter().zip(0..).collect();
        let none = std::iter::empty().collect();
        tiktoken_rs::CoreBPE::new(ranks, none, tiktoken_rs::O200K_BASE_PAT_STR).ok()
    };
    let reference = REFERENCE.get_or_init(make).as_ref()?;
    Some(reference.encode_ordinary(text).len() as u64)
}

/// The bytes of every token, in the order of their ids: those of the two tokens it is merged from.
#[cfg(feature = "verify")]
fn texts() -> Vec<Vec<u8>> {
    let mut halves = vec![None; TOKENS];
    for slot in PAIRS
        .iter()
        .map(|slot| u64::from_le_bytes(*slot))
        .filter(|&slot| slot != 0)
    {
        if let Some(entry) = halves.get_mut(slot_merged(slot) as usize) {
            *entry = Some(pair_of(slot_key(slot)));
        }
    }
    let mut texts = vec![Vec::new(); TOKENS];
    for one in 0..=u8::MAX {
        if let Some(text) = texts.get_mut(byte(one) as usize) {
            text.push(one);
        }
    }
    for (id, halves) in halves.into_iter().enumerate() {
        let text = |half: u32| texts.get(half as usize).map_or(&[][..], Vec::as_slice);
        // Both halves were merged before the whole, so their ids are smaller.
        if let Some(merged) = halves.map(|(left, right)| [text(left), text(right)].concat())
            && let Some(place) = texts.get_mut(id)
        {
            *place = merged;
        }
    }
    texts
}

/// The count of the reference tokenizer, or `None` where it is not built in.
#[cfg(not(feature = "verify"))]
pub(super) fn reference_count(_text: &str) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests;
