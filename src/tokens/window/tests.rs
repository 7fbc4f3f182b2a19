//! Windows against the exact splitter.

use super::*;
use crate::cancel::Cancel;
use crate::tokens::split::Splitter;

/// Every reported cut is a cut of the exact splitter, and none below the last one is missing.
fn check(text: &str) -> u64 {
    let mut window = [0; VIEW];
    let len = text.len().min(WINDOW);
    let filled = text.len().min(VIEW);
    window[..filled].copy_from_slice(&text.as_bytes()[..filled]);
    let found = cuts(&window, len);
    let cancel = Cancel::never();
    let splitter = Splitter::new(text, &cancel);
    let (mut expected, mut at) = (0_u64, 0);
    while at < text.len() {
        at = splitter.piece_end(at).unwrap();
        if at < len {
            expected |= 1 << at;
        }
    }
    let last = below(64 - found.leading_zeros() as usize);
    assert_eq!(
        found,
        expected & last,
        "{text:?}: {found:b}, exact {expected:b}"
    );
    found
}

#[test]
fn cuts_are_those_of_the_splitter() {
    let alphabet = [
        "a", "b", "Z", "Q", "1", "2", "345678", " ", "  ", "\t", "\n", "\r", "'", "'s", "'LL",
        "'re", "/", "//", ";", "(", "\u{B}", "\0", "é", "\u{3000}", "ſ", "word", "Camel",
    ];
    let mut state = 0x1234_5678_9ABC_DEF1_u64;
    for round in 0..400_000 {
        let mut text = String::new();
        let kinds = 2 + round % alphabet.len();
        while text.len() < 80 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(alphabet[(state >> 20) as usize % kinds.min(alphabet.len())]);
            if state >> 56 == 0 {
                break;
            }
        }
        check(&text);
    }
}

#[test]
fn plain_code_is_decided_nearly_to_the_end() {
    for code in [
        "    let mut total = self.items.iter().map(|item| item.len()).sum::<usize>();\n",
        "don't stop, it's HTTPServer's x123456\n\n    done(); // and so on until the end",
    ] {
        assert!(check(code) >= 1 << 60, "{code}");
    }
}
