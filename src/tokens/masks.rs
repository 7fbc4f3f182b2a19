//! The classes of the 64 bytes of a window, as bit masks.
//!
//! Plain 64-bit words do the work of vector registers, so this is the same on every machine.

/// Bytes of one window.
pub(super) const WINDOW: usize = 64;
/// Bytes of a window and those behind it, so that 16 can be loaded from each place in it.
pub(super) const VIEW: usize = WINDOW + 16;

/// The classes of the ASCII bytes of a window: bit `i` speaks of byte `i`. The bits of other bytes
/// mean nothing, except in `wide`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks {
    /// Bytes of characters that are not ASCII.
    pub(super) wide: u64,
    /// Letters.
    pub(super) letter: u64,
    /// Small letters.
    pub(super) lower: u64,
    /// Digits.
    pub(super) digit: u64,
    /// Spaces.
    pub(super) space: u64,
    /// CR and LF.
    pub(super) newline: u64,
    /// White space, spaces and newlines included.
    pub(super) white: u64,
    /// Whether there are apostrophes.
    pub(super) any_quote: bool,
}

/// Finds the classes of the bytes of a window, eight at a time.
#[inline]
pub(super) fn classify(window: &[u8; VIEW]) -> Masks {
    let mut masks = Masks::default();
    let (mut wide, mut quote) = (0, 0);
    for (at, word) in words(window).enumerate() {
        let low = word & !HIGH;
        let letter = within(low | each(0x20), b'a', b'z');
        let space = equal(low, b' ');
        let set = |mask: &mut u64, bits: u64| *mask |= gather(bits) << (8 * at);
        set(&mut masks.letter, letter);
        set(&mut masks.lower, letter & (word << 2));
        set(&mut masks.digit, within(low, b'0', b'9'));
        set(&mut masks.space, space);
        set(&mut masks.newline, equal(low, b'\n') | equal(low, b'\r'));
        set(&mut masks.white, within(low, b'\t', b'\r') | space);
        wide |= word;
        quote |= equal(low, b'\'');
    }
    // These are rare enough to be looked for only where they are.
    if wide & HIGH != 0 {
        masks.wide = find(window, |word| word);
    }
    masks.any_quote = quote & HIGH != 0;
    masks
}

/// The apostrophes of a window.
pub(super) fn quotes(window: &[u8; VIEW]) -> u64 {
    find(window, |word| equal(word & !HIGH, b'\'') & !word)
}

/// The bytes of a window whose highest bit `test` sets.
#[inline]
fn find(window: &[u8; VIEW], test: impl Fn(u64) -> u64) -> u64 {
    words(window)
        .enumerate()
        .fold(0, |mask, (at, word)| mask | gather(test(word)) << (8 * at))
}

/// The bytes of a window by eights.
#[inline]
fn words(window: &[u8; VIEW]) -> impl Iterator<Item = u64> {
    let words = window.as_chunks().0.iter().take(WINDOW / 8);
    words.map(|word| u64::from_le_bytes(*word))
}

/// The highest bit of each byte.
const HIGH: u64 = each(0x80);

/// Eight times the same byte.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Sets the highest bit of the bytes, all below 128, from `first` to `last`. Other bits are noise.
#[inline]
fn within(bytes: u64, first: u8, last: u8) -> u64 {
    (bytes + each(0x80 - first)) & !(bytes + each(0x7F - last))
}

/// Sets the highest bit of the bytes, all below 128, that are `byte`. Other bits are noise.
#[inline]
fn equal(bytes: u64, byte: u8) -> u64 {
    !((bytes ^ each(byte)) + each(0x7F))
}

/// Collects the highest bits of eight bytes into one.
///
/// Bit `8 i + 7` times bit `57 - 7 i` of the factor lands at bit `64 + i`, and no two products
/// meet. The upper half of the long product also keeps the compiler from spreading this over
/// vectors, which have no such multiplication.
#[inline]
fn gather(bits: u64) -> u64 {
    let product = u128::from(bits & HIGH) * 0x0204_0810_2040_8100_u128;
    u64::from((product >> 64) as u8)
}

#[cfg(test)]
mod tests {
    use super::{Masks, VIEW, WINDOW, classify, quotes};

    #[test]
    fn masks_are_the_definition_on_every_byte() {
        for byte in 0..=255_u8 {
            for at in 0..WINDOW {
                let mut view = [b'.'; VIEW];
                view[at] = byte;
                let of = |member: bool| u64::from(member) << at;
                let mut masks = classify(&view);
                assert_eq!(quotes(&view), of(byte == b'\''));
                if byte >= 0x80 {
                    // The other bits of this byte mean nothing.
                    masks = Masks {
                        wide: masks.wide,
                        ..Masks::default()
                    };
                }
                let expected = Masks {
                    wide: of(byte >= 0x80),
                    letter: of(byte.is_ascii_alphabetic()),
                    lower: of(byte.is_ascii_lowercase()),
                    digit: of(byte.is_ascii_digit()),
                    space: of(byte == b' '),
                    newline: of(matches!(byte, b'\r' | b'\n')),
                    white: of(matches!(byte, b'\t'..=b'\r' | b' ')),
                    any_quote: byte == b'\'',
                };
                assert_eq!(masks, expected, "{byte:#x}");
            }
        }
    }
}
