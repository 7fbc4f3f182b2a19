//! Each form of merging against the plainest one.

use super::*;

/// Merges by looking at every pair each time.
fn plainly(piece: &[u8]) -> u64 {
    let mut ids: Vec<u32> = piece.iter().map(|&byte| vocab::byte(byte)).collect();
    while let Some((merged, at)) = ids
        .windows(2)
        .enumerate()
        .map(|(at, pair)| (vocab::pair(pair[0], pair[1]), at))
        .filter(|&(merged, _)| merged != NO_TOKEN)
        .min()
    {
        ids[at] = merged;
        ids.remove(at + 1);
    }
    ids.len() as u64
}

/// Repeatable pieces of `len` bytes over alphabets of every size.
fn pieces(n: usize, len: impl Fn(usize) -> usize) -> impl Iterator<Item = Vec<u8>> {
    let alphabet = b"aeiotnshrdlu-=_*AEX.0123456789 \n\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80";
    let mut state = 0x9E37_79B9_u64;
    (0..n).map(move |round| {
        let kinds = 1 + round % alphabet.len();
        let from = round / 7 % alphabet.len();
        (0..len(round))
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let pick = (state >> 20) as usize % kinds;
                alphabet[(from + pick) % alphabet.len()]
            })
            .collect()
    })
}

#[test]
fn words() {
    for word in pieces(30_000, |round| 2 + round % (WORD_BYTES - 1)) {
        assert_eq!(u64::from(count_word(&word)), plainly(&word), "{word:?}");
    }
}

#[test]
fn windows_and_heap() {
    let (mut merger, cancel) = (Merger::new(), Cancel::never());
    for piece in pieces(1_500, |round| 1 + round % 700) {
        let expected = plainly(&piece);
        assert_eq!(
            merger.count(&piece, &cancel).unwrap(),
            expected,
            "{piece:?}"
        );
        assert_eq!(
            count_by_heap(&piece, &cancel).unwrap(),
            expected,
            "{piece:?}"
        );
    }
}

#[test]
fn long_pieces_are_joined_from_windows() {
    let (mut merger, cancel) = (Merger::new(), Cancel::never());
    for piece in pieces(80, |round| 5_000 + 1_000 * (round % 40)) {
        let joined = merger
            .count_by_windows(&piece, WINDOW, MARGIN, &cancel)
            .unwrap();
        // Never the heap, so linear.
        assert_eq!(joined, Some(count_by_heap(&piece, &cancel).unwrap()));
    }
}

/// Windows so small that what follows does change the tokens that were kept.
#[test]
fn a_wrong_join_is_noticed() {
    let (mut merger, cancel) = (Merger::new(), Cancel::never());
    let (mut joined, mut refused) = (0, 0);
    for piece in pieces(4_000, |round| 40 + round % 300) {
        match merger.count_by_windows(&piece, 12, 2, &cancel).unwrap() {
            Some(count) => {
                joined += 1;
                assert_eq!(count, plainly(&piece), "{piece:?}");
            }
            None => refused += 1,
        }
    }
    assert!(joined > 100 && refused > 100, "{joined} and {refused}");
}
