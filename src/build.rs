//! Turns the ranks asset into the table blobs that `tokens` embeds and uses in place.
//!
//! Everything the counter needs is derived here once, so that the program constructs nothing
//! when it starts. The output depends on the asset and on the pinned `regex-syntax` alone.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use regex_syntax::hir::{Class, HirKind};
use sha2::{Digest, Sha256};

#[expect(dead_code, reason = "the counter uses the rest")]
#[path = "tokens/layout.rs"]
mod layout;

use layout::{CLASS_BLOCK, CLASS_INDEX, NO_TOKEN};

type Outcome<T> = Result<T, Box<dyn Error>>;

const ASSET: &str = "assets/tokenizer-o200k_base.tiktoken";

fn main() -> Outcome<()> {
    println!("cargo::rerun-if-changed={ASSET}");
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-changed=src/tokens/layout.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);

    let tokens = read_ranks(Path::new(ASSET))?;
    let bytes = byte_ids(&tokens)?;
    let merges = derive_merges(&tokens, &bytes)?;

    write_ids(&out.join("bytes.bin"), &bytes)?;
    write_ids(&out.join("byte_pairs.bin"), &byte_pairs(&bytes, &merges))?;
    write_words(&out.join("pairs.bin"), &pair_table(&merges)?)?;
    write_words(&out.join("filter.bin"), &pair_filter(&merges))?;
    let (short, long) = token_sets(&tokens)?;
    write_words(&out.join("short.bin"), &short)?;
    let long: Vec<u8> = long.iter().flat_map(|key| key.to_le_bytes()).collect();
    fs::write(out.join("long.bin"), long)?;
    fs::write(out.join("classes.bin"), class_table()?)?;
    Ok(())
}

/// The tokens' bytes in order of rank.
fn read_ranks(path: &Path) -> Outcome<Vec<Vec<u8>>> {
    let text = fs::read(path)?;
    let digest: String = Sha256::digest(&text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if digest != layout::RANKS_SHA256 || text.len() != layout::RANKS_BYTES {
        return Err(format!("{ASSET} is not the o200k_base ranks file").into());
    }
    let mut tokens = Vec::with_capacity(layout::TOKENS);
    for line in std::str::from_utf8(&text)?.lines() {
        let (token, rank) = line.split_once(' ').ok_or("a line without a rank")?;
        if rank.parse() != Ok(tokens.len()) {
            return Err("ranks do not count up from zero".into());
        }
        tokens.push(decode_base64(token.as_bytes())?);
    }
    if tokens.len() != layout::TOKENS
        || tokens.iter().map(Vec::len).max() != Some(layout::LONGEST_TOKEN)
    {
        return Err("unexpected number or length of tokens".into());
    }
    Ok(tokens)
}

fn decode_base64(text: &[u8]) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut value, mut bits) = (0_u32, 0);
    for &digit in text.iter().filter(|&&digit| digit != b'=') {
        let digit = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err("a character that is not base64".into()),
        };
        value = ((value << 6) | u32::from(digit)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((value >> bits) as u8);
        }
    }
    Ok(bytes)
}

/// The ids of the 256 single bytes.
fn byte_ids(tokens: &[Vec<u8>]) -> Outcome<Vec<u32>> {
    let mut ids = vec![NO_TOKEN; 256];
    for (id, token) in tokens.iter().enumerate() {
        if let [byte] = token[..] {
            ids[usize::from(byte)] = id as u32;
        }
    }
    if ids.contains(&NO_TOKEN) {
        return Err("a byte without a token".into());
    }
    Ok(ids)
}

/// The one pair that makes each longer token.
///
/// A token's bytes, merged by lower ranks alone, must end as two parts. Whenever these bytes
/// become one token in any text, merging inside them has gone the same way, so no other pair
/// ever stands for the token, and a table of pairs of ids replaces one keyed by bytes.
fn derive_merges(tokens: &[Vec<u8>], bytes: &[u32]) -> Outcome<HashMap<u64, u32>> {
    let mut merges = HashMap::with_capacity(tokens.len());
    for (id, token) in tokens.iter().enumerate() {
        if token.len() < 2 {
            continue;
        }
        let mut parts: Vec<u32> = token.iter().map(|&byte| bytes[usize::from(byte)]).collect();
        let pair_of = |pair: &[u32]| layout::pair_key(pair[0], pair[1]);
        while let Some((merged, at)) = parts
            .windows(2)
            .enumerate()
            .filter_map(|(at, pair)| Some((*merges.get(&pair_of(pair))?, at)))
            .min()
        {
            parts[at] = merged;
            parts.remove(at + 1);
        }
        if parts.len() != 2 || merges.insert(pair_of(&parts), id as u32).is_some() {
            return Err(format!("token {id} is not made by one pair").into());
        }
    }
    Ok(merges)
}

/// What each two adjacent bytes merge to, indexed by the first byte times 256 plus the second.
fn byte_pairs(bytes: &[u32], merges: &HashMap<u64, u32>) -> Vec<u32> {
    let pairs = bytes
        .iter()
        .flat_map(|&left| bytes.iter().map(move |&right| (left, right)));
    pairs
        .map(|(left, right)| {
            *merges
                .get(&layout::pair_key(left, right))
                .unwrap_or(&NO_TOKEN)
        })
        .collect()
}

/// The merges by ascending rank: the order in which they enter the tables, most common first.
fn by_rank(merges: &HashMap<u64, u32>) -> Vec<(u64, u32)> {
    let mut sorted: Vec<_> = merges.iter().map(|(&key, &merged)| (key, merged)).collect();
    sorted.sort_by_key(|&(_, merged)| merged);
    sorted
}

fn pair_table(merges: &HashMap<u64, u32>) -> Outcome<Vec<u64>> {
    let mut table = vec![0; layout::PAIR_SLOTS];
    if merges.len() * 10 > table.len() * 8 {
        return Err("the table of merges is too full".into());
    }
    for (key, merged) in by_rank(merges) {
        let mut at = layout::pair_home(layout::pair_hash(key));
        while table[at] != 0 {
            at = (at + 1) % table.len();
        }
        table[at] = layout::pair_slot(key, merged);
        let found = (layout::slot_key(table[at]), layout::slot_merged(table[at]));
        if found != (key, merged) {
            return Err("a merge does not fit its slot".into());
        }
    }
    Ok(table)
}

fn pair_filter(merges: &HashMap<u64, u32>) -> Vec<u64> {
    let mut filter = vec![0; layout::FILTER_WORDS];
    for (key, _) in by_rank(merges) {
        let (word, bits) = layout::filter_bits(layout::pair_hash(key));
        filter[word] |= bits;
    }
    filter
}

/// The tokens of 2 to 7 and of 8 to 15 bytes, in buckets of 64 bytes that fill from the front.
fn token_sets(tokens: &[Vec<u8>]) -> Outcome<(Vec<u64>, Vec<u128>)> {
    let mut short = vec![0; layout::SHORT_BUCKETS * 8];
    let mut long = vec![0; layout::LONG_BUCKETS * 4];
    for token in tokens {
        if token.len() < 2 || token.len() > layout::WORD_BYTES {
            continue;
        }
        let mut text = [0; 16];
        text[..token.len()].copy_from_slice(token);
        let key = layout::word_key(u128::from_le_bytes(text), token.len());
        let hash = layout::word_hash(key);
        if token.len() <= layout::SHORT_WORD_BYTES {
            let home = layout::word_home(hash, layout::SHORT_BUCKETS);
            insert(&mut short, home * 8, layout::short_key(key));
        } else {
            let home = layout::word_home(hash, layout::LONG_BUCKETS);
            insert(&mut long, home * 4, key);
        }
    }
    if !short.contains(&0) || !long.contains(&0) {
        return Err("a token set is too full".into());
    }
    Ok((short, long))
}

/// Puts `key` into the first free slot from `home` on, wrapping around.
fn insert<Key: Default + PartialEq>(table: &mut [Key], home: usize, key: Key) {
    let free = |slot: &Key| *slot == Key::default();
    let after = table[home..].iter().position(free).map(|at| home + at);
    if let Some(at) = after.or_else(|| table[..home].iter().position(free)) {
        table[at] = key;
    }
}

/// The classes of every code point: one block number per 256 code points, then the blocks.
fn class_table() -> Outcome<Vec<u8>> {
    let pinned = regex_syntax::parse(r"\p{age=16.0}").is_ok();
    if !pinned || regex_syntax::parse(r"\p{age=17.0}").is_ok() {
        return Err("the vocabulary's pattern is defined on Unicode 16.0".into());
    }
    let mut classes = vec![0_u8; 0x11_0000];
    for (pattern, flag) in [
        (r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", layout::UPPER),
        (r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", layout::LOWER),
        (r"\p{L}", layout::LETTER),
        (r"\p{N}", layout::NUMBER),
        (r"\s", layout::SPACE),
        (r"[\r\n]", layout::NEWLINE),
        (r"[^\s\p{L}\p{N}]", layout::PUNCTUATION),
        (r"[^\r\n\p{L}\p{N}]", layout::PREFIX),
    ] {
        let hir = regex_syntax::parse(pattern)?;
        let HirKind::Class(Class::Unicode(class)) = hir.kind() else {
            return Err(format!("{pattern} is not a class of code points").into());
        };
        for range in class.iter() {
            for code in u32::from(range.start())..=u32::from(range.end()) {
                classes[code as usize] |= flag;
            }
        }
    }

    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut table = Vec::with_capacity(CLASS_INDEX);
    for block in classes.chunks(CLASS_BLOCK) {
        let number = blocks.iter().position(|known| *known == block);
        if number.is_none() {
            blocks.push(block);
        }
        table.push(u8::try_from(number.unwrap_or(blocks.len() - 1))?);
    }
    table.extend(blocks.concat());
    Ok(table)
}

fn write_ids(path: &Path, ids: &[u32]) -> Outcome<()> {
    let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    Ok(fs::write(path, bytes)?)
}

fn write_words(path: &Path, words: &[u64]) -> Outcome<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(fs::write(path, bytes)?)
}
