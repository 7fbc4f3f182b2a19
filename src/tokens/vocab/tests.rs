//! The embedded tables against the reference's own vocabulary.

use std::collections::HashSet;

use super::*;
use crate::cancel::Cancel;
use crate::tokens::bpe::{Merger, count_word};
use crate::tokens::layout::{TOKENS, WORD_BYTES, word_hash, word_key};

fn in_set(word: &[u8]) -> bool {
    let mut text = [0; 16];
    text[..word.len()].copy_from_slice(word);
    let key = word_key(u128::from_le_bytes(text), word.len());
    is_token(key, word_hash(key), word.len())
}

#[test]
fn every_token_is_one_and_nothing_else_is() {
    let reference = tiktoken_rs::o200k_base_singleton();
    let tokens: Vec<Vec<u8>> = (0..TOKENS as u32)
        .map(|rank| reference.decode_bytes(&[rank]).unwrap())
        .collect();
    let known: HashSet<&[u8]> = tokens.iter().map(Vec::as_slice).collect();
    let (mut merger, never) = (Merger::new(), Cancel::never());
    for token in &tokens {
        assert_eq!(merger.count(token, &never).unwrap(), 1, "{token:?}");
        if (2..=WORD_BYTES).contains(&token.len()) {
            assert!(in_set(token), "{token:?}");
            assert_eq!(count_word(token), 1, "{token:?}");
            for byte in [b'a', b'\0', 0xFF] {
                let mut other = token.clone();
                other[0] = byte;
                assert_eq!(
                    in_set(&other),
                    known.contains(other.as_slice()),
                    "{other:?}"
                );
                *other.last_mut().unwrap() = byte;
                assert_eq!(
                    in_set(&other),
                    known.contains(other.as_slice()),
                    "{other:?}"
                );
            }
        }
    }
}

#[cfg(feature = "verify")]
#[test]
fn the_tokens_of_the_tables_are_those_of_the_reference() {
    let reference = tiktoken_rs::o200k_base().unwrap();
    for (text, rank) in super::texts().into_iter().zip(0..) {
        assert_eq!(text, reference.decode_bytes(&[rank]).unwrap(), "{rank}");
    }
}
