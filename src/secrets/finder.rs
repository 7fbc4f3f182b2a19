//! Where in a text the anchors of the rules may begin.
//!
//! The classes of three bytes say at nearly every place of ordinary text that no anchor begins
//! there. What they say does not depend on the places before, unlike the state of an automaton, so
//! that a processor looks at several places at once. What passes is compared with the few anchors
//! that begin with such bytes.

use std::collections::BTreeMap;
use std::ops::Range;

/// Classes of bytes: each letter whatever its case, digits, and five more.
const CLASSES: u16 = 32;
/// Where the class of the last of three bytes stands in a key; the others stand below.
const LAST: u32 = 10;
/// Keys of three bytes.
const KEYS: usize = 1 << 15;

/// The class of each byte, in place for the last of three.
const CLASS: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let class = match byte as u8 {
            letter @ b'a'..=b'z' => letter - b'a',
            letter @ b'A'..=b'Z' => letter - b'A',
            b'0'..=b'9' => 26,
            b'-' => 27,
            b'_' => 28,
            b'/' => 29,
            b' ' => 30,
            _ => 31,
        };
        table[byte] = (class as u16) << LAST;
        byte += 1;
    }
    table
};

/// An index of anchors by their first three bytes.
#[derive(Debug)]
pub(super) struct Finder {
    /// For each key one more than the place of its anchors in `anchors`, or 0 when it has none.
    begins: Box<[u8; KEYS]>,
    /// Anchors that begin alike.
    anchors: Vec<Vec<u16>>,
}

impl Finder {
    /// An index of `anchors`; nothing when one of them has less than two bytes, or they begin in
    /// too many ways.
    pub(super) fn new<'a>(anchors: impl IntoIterator<Item = &'a [u8]>) -> Option<Self> {
        let mut by_key: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        for (id, anchor) in anchors.into_iter().enumerate() {
            let id = u16::try_from(id).ok()?;
            match *anchor {
                // Any third byte may follow.
                [a, b] => (0..CLASSES).for_each(|class| {
                    let key = next(next(0, a), b) >> 5 | class << LAST;
                    by_key.entry(key).or_default().push(id);
                }),
                [a, b, c, ..] => by_key.entry(key(a, b, c)).or_default().push(id),
                _ => return None,
            }
        }
        let mut lists: BTreeMap<Vec<u16>, u8> = BTreeMap::new();
        let mut begins = Box::new([0; KEYS]);
        for (key, list) in by_key {
            let place = u8::try_from(lists.len() + 1).ok()?;
            *begins.get_mut(usize::from(key))? = *lists.entry(list).or_insert(place);
        }
        let mut anchors = vec![Vec::new(); lists.len()];
        for (list, place) in lists {
            *anchors.get_mut(usize::from(place) - 1)? = list;
        }
        Some(Self { begins, anchors })
    }

    /// Calls `each` with every place in `range` of `text` at which an anchor may begin, and the
    /// anchor; in order of places.
    pub(super) fn find(&self, text: &[u8], range: Range<usize>, mut each: impl FnMut(usize, u16)) {
        let piece = text.get(range.start..text.len().min(range.end + 2));
        let Some([a, b, rest @ ..]) = piece else {
            return;
        };
        let mut key = next(next(0, *a), *b);
        for (offset, &byte) in rest.iter().enumerate() {
            key = next(key, byte);
            let place = self.place(key);
            if place != 0 {
                self.all(place, |id| each(range.start + offset, id));
            }
        }
        // Behind the text nothing follows: only an anchor of two bytes fits its last two.
        let last = text.len() - 2;
        if range.contains(&last) {
            self.all(self.place(next(key, 0)), |id| each(last, id));
        }
    }

    fn place(&self, key: u16) -> u8 {
        self.begins
            .get(usize::from(key))
            .copied()
            .unwrap_or_default()
    }

    #[cold]
    fn all(&self, place: u8, each: impl FnMut(u16)) {
        let list = usize::from(place)
            .checked_sub(1)
            .and_then(|at| self.anchors.get(at));
        list.into_iter().flatten().copied().for_each(each);
    }
}

/// The key of the last three bytes, one byte on.
fn next(key: u16, byte: u8) -> u16 {
    key >> 5 | CLASS.get(usize::from(byte)).copied().unwrap_or_default()
}

fn key(a: u8, b: u8, c: u8) -> u16 {
    [a, b, c].into_iter().fold(0, next)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Finder;

    const ANCHORS: [&[u8]; 7] = [b"SK", b"Q~", b"sk-", b"key", b"keys", b"://", b"-----BEGIN"];

    fn stands(text: &[u8], at: usize, id: u16) -> bool {
        let anchor = ANCHORS[usize::from(id)];
        let there = text[at..].get(..anchor.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(anchor))
    }

    /// What the finder names and is there, in a text looked through in two pieces.
    fn found(text: &[u8], cut: usize) -> Vec<(usize, u16)> {
        let finder = Finder::new(ANCHORS).unwrap();
        let mut found = Vec::new();
        for range in [0..cut, cut..text.len()] {
            finder.find(text, range, |at, id| {
                if stands(text, at, id) {
                    found.push((at, id));
                }
            });
        }
        found
    }

    fn expected(text: &[u8]) -> Vec<(usize, u16)> {
        let all = (0..text.len()).flat_map(|at| (0..7).map(move |id| (at, id)));
        all.filter(|&(at, id)| stands(text, at, id)).collect()
    }

    #[test]
    fn at_the_ends() {
        for text in [
            "", "S", "SK", "xsk", "q~", "Q~x", "key", "keys", "ke", "sk-",
        ] {
            let text = text.as_bytes();
            for cut in 0..=text.len() {
                assert_eq!(found(text, cut), expected(text), "{text:?} {cut}");
            }
        }
        assert!(Finder::new([b"x".as_slice()]).is_none());
    }

    proptest! {
        #[test]
        fn every_anchor_is_found(text in "([kK][eE][yY]s?|[sS][kK]-?|Q~|://|-----BEGIN|\\PC){0,20}", cut in 0..100_usize) {
            let text = text.as_bytes();
            prop_assert_eq!(found(text, cut.min(text.len())), expected(text));
        }
    }
}
