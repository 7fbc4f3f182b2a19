//! Cuts 64 bytes of mostly ASCII text at once, by algebra on bit masks.
//!
//! Bit `i` of a mask speaks of byte `i`; `mask << 1` says "the byte before is". The window begins
//! at a cut, and nothing in the pattern looks back, so no state is carried from one window to the
//! next. Cuts are reported only where the bytes of the window decide them; the caller takes one
//! piece with [`Splitter`](super::split::Splitter), which is exact for everything, where none is.

use crate::tokens::masks::{Masks, VIEW, WINDOW, classify, quotes};

/// The decided cuts of a window that begins at a cut, without that one, as bits.
///
/// `len`, at most 64, bytes are text; the rest is filling.
#[inline]
pub(super) fn cuts(window: &[u8; VIEW], len: usize) -> u64 {
    let masks = classify(window);
    let Masks {
        wide,
        letter,
        lower,
        digit,
        space,
        newline,
        white,
        any_quote,
    } = masks;
    let upper = letter & !lower;
    let blank = white & !newline;
    let punctuation = !(letter | digit | white);

    // A letter begins a piece after a digit or newline, at a camel border, and after punctuation
    // that is longer than one or led by a space; else the punctuation or blank goes with it.
    let letter_cuts = letter
        & (((digit | newline) << 1)
            | ((lower << 1) & upper)
            | ((punctuation << 1) & ((punctuation | space) << 2)));
    let punctuation_cuts = punctuation & !((punctuation | space) << 1);
    let newline_cuts = newline & !((white | punctuation) << 1);
    // Blanks: the first of a run, the first after the last newline, the last of a run.
    let blank_cuts = blank & (!(white << 1) | (newline << 1) | ((blank << 1) & !(white >> 1)));
    let mut cuts = letter_cuts | punctuation_cuts | newline_cuts | blank_cuts | by_threes(digit);

    // Punctuation's tail takes slashes behind newlines, and whether a newline behind blanks
    // behind a newline begins a piece depends on what is before all of them.
    let behind_tail = ((newline & (punctuation << 1)).wrapping_add(newline)) & !newline;
    let behind_blanks = ((blank & (newline << 1)).wrapping_add(blank)) & !blank;
    let mut unsure = wide | slashes(window, behind_tail) | (behind_blanks & newline);

    if any_quote {
        let apostrophes = quotes(window) & (letter << 1);
        contractions(window, apostrophes, &mut cuts, &mut unsure);
    }
    let decided = (unsure.trailing_zeros() as usize).min(len);
    cuts & below(decided) & !undecided_white(white, decided) & !1
}

/// Those of `places` from the first on that holds a slash. There are about as many as lines.
#[inline]
fn slashes(window: &[u8; VIEW], mut places: u64) -> u64 {
    while places != 0 {
        if window[places.trailing_zeros() as usize] == b'/' {
            return places;
        }
        places &= places - 1;
    }
    0
}

/// Cuts of runs of digits: at the first digit and every third one after it.
#[inline]
fn by_threes(digit: u64) -> u64 {
    let third = digit & (digit << 1) & (digit << 2);
    let mut begin = digit & !(digit << 1);
    let mut cuts = 0;
    while begin != 0 {
        cuts |= begin;
        begin = (begin << 3) & third;
    }
    cuts
}

/// The bits below `n`, at most 64.
#[inline]
fn below(n: usize) -> u64 {
    if n < 64 { (1 << n) - 1 } else { u64::MAX }
}

/// The white space, but for its first byte, that reaches up to `end`: what follows decides it.
#[inline]
fn undecided_white(white: u64, end: usize) -> u64 {
    let others = !white & below(end);
    let run = below(end) & !below(64 - others.leading_zeros() as usize);
    run & (run << 1)
}

/// Joins contractions to the words before them. `apostrophes` follow a letter.
#[inline(never)]
fn contractions(window: &[u8; VIEW], apostrophes: u64, cuts: &mut u64, unsure: &mut u64) {
    let (mut rest, mut end) = (apostrophes, 0);
    while rest != 0 {
        let at = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let Some(&[first, second]) = window
            .get(at + 1..WINDOW)
            .and_then(|after| after.first_chunk())
        else {
            *unsure |= 1 << at;
            return;
        };
        if first >= 0x80 {
            // Perhaps the long s.
            *unsure |= 1 << at;
            return;
        }
        let len = match (first | 0x20, second | 0x20) {
            (b's' | b't' | b'm' | b'd', _) => 2,
            (b'r' | b'v', b'e') | (b'l', b'l') => 3,
            _ => continue,
        };
        // Behind a contraction begins a new piece, and it may begin with an apostrophe.
        if at == end {
            continue;
        }
        end = at + len;
        *cuts &= !(below(end) & !below(at));
        if end < WINDOW {
            *cuts |= 1 << end;
        }
    }
}

#[cfg(test)]
mod tests;
