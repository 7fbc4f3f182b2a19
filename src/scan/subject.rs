//! A path prepared for being matched against many patterns.
//!
//! A wildcard is matched by a set of positions in the name, one bit each, that every piece of the
//! pattern moves on. Nothing is ever tried twice, so the time is linear in the pattern whatever it
//! holds. The places of each character are worked out once for a name, when first needed.
//!
//! Work is counted, and a cancel flag looked at now and then. Once it is set everything answers
//! "no match" at once: whoever asked looks at the flag before using an answer.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use crate::cancel::Cancel;

/// Steps of work between two looks at the cancel flag: some tens of microseconds.
const STEPS: usize = 1 << 14;
/// Words of a set that need no allocation: names of up to 255 characters.
const SHORT: usize = 4;

/// Whether upper and lower case are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Letters {
    /// Every letter is itself.
    #[default]
    Exact,
    /// ASCII letters match in either case, as git does with `core.ignorecase`.
    Folded,
}

impl Letters {
    /// `text` in the form in which it is compared.
    #[must_use]
    pub fn form(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Folded if text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                Cow::Owned(text.to_ascii_lowercase())
            }
            _ => Cow::Borrowed(text),
        }
    }
}

/// A path as names, and the work done on it.
#[derive(Debug)]
pub struct Subject<'n> {
    names: Vec<Name<'n>>,
    meter: Meter<'n>,
}

/// The names of a path below some directory.
#[derive(Clone, Copy, Debug)]
pub struct Names<'s> {
    pub(super) names: &'s [Name<'s>],
    pub(super) meter: &'s Meter<'s>,
}

/// One name.
#[derive(Debug)]
pub(super) struct Name<'n> {
    text: Cow<'n, str>,
    letters: Letters,
    table: OnceCell<Table>,
}

/// Where in a name each character stands.
#[derive(Debug)]
struct Table {
    /// Number of characters.
    n_chars: usize,
    /// Words of one set: a bit for each character and one for the end.
    n_words: usize,
    /// The different characters, sorted.
    chars: Vec<char>,
    /// A set of places for each of `chars`, then the set of all places.
    places: Vec<u64>,
}

/// Counts steps of work.
#[derive(Debug)]
pub(super) struct Meter<'c> {
    steps: Cell<usize>,
    stopped: Cell<bool>,
    cancel: &'c Cancel,
}

impl<'n> Subject<'n> {
    /// The path made of `names`.
    #[must_use]
    pub fn new(
        names: impl IntoIterator<Item = &'n str>,
        letters: Letters,
        cancel: &'n Cancel,
    ) -> Self {
        let name = |text| Name {
            text: letters.form(text),
            letters,
            table: OnceCell::new(),
        };
        Self {
            names: names.into_iter().map(name).collect(),
            meter: Meter {
                steps: Cell::new(0),
                stopped: Cell::new(false),
                cancel,
            },
        }
    }

    /// The same path with letters as `letters` says.
    #[must_use]
    pub fn with(&self, letters: Letters) -> Subject<'_> {
        let texts = self.names.iter().map(|name| &*name.text);
        Subject::new(texts, letters, self.meter.cancel)
    }

    /// All names.
    #[must_use]
    pub fn names(&self) -> Names<'_> {
        self.below(0)
    }

    /// The names behind the first `depth`.
    #[must_use]
    pub fn below(&self, depth: usize) -> Names<'_> {
        Names {
            names: self.names.get(depth..).unwrap_or_default(),
            meter: &self.meter,
        }
    }
}

impl<'s> Names<'s> {
    /// The names of each directory above, without none and without the whole.
    pub(super) fn above(self) -> impl Iterator<Item = Self> {
        (1..self.names.len()).map(move |length| Self {
            names: self.names.get(..length).unwrap_or_default(),
            meter: self.meter,
        })
    }
}

impl Meter<'_> {
    /// Notes `steps` of work and says whether to stop.
    pub(super) fn stops(&self, steps: usize) -> bool {
        let sum = self.steps.get().saturating_add(steps);
        if sum < STEPS {
            self.steps.set(sum);
        } else {
            self.steps.set(0);
            self.stopped.set(self.stopped.get() || self.cancel.is_set());
        }
        self.stopped.get()
    }
}

impl Name<'_> {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn letters(&self) -> Letters {
        self.letters
    }

    /// The set that holds only the start of the name.
    pub(super) fn start(&self) -> Positions<'_> {
        let table = self.table.get_or_init(|| Table::new(&self.text));
        let mut positions = Positions {
            table,
            short: [0; SHORT],
            long: if table.n_words > SHORT {
                vec![0; table.n_words]
            } else {
                Vec::new()
            },
        };
        if let Some(first) = positions.words().first_mut() {
            *first = 1;
        }
        positions
    }
}

impl Table {
    fn new(text: &str) -> Self {
        let mut chars: Vec<char> = text.chars().collect();
        let n_chars = chars.len();
        let n_words = n_chars / 64 + 1;
        chars.sort_unstable();
        chars.dedup();
        let mut places = vec![0; (chars.len() + 1) * n_words];
        for (place, c) in text.chars().enumerate() {
            let own = chars.binary_search(&c).unwrap_or(chars.len());
            for set in [own, chars.len()] {
                places[set * n_words + place / 64] |= 1 << (place % 64);
            }
        }
        Self {
            n_chars,
            n_words,
            chars,
            places,
        }
    }

    fn set(&self, index: usize) -> &[u64] {
        let start = index * self.n_words;
        self.places.get(start..start + self.n_words).unwrap_or(&[])
    }
}

/// A set of positions in a name up to which a pattern has matched.
pub(super) struct Positions<'t> {
    table: &'t Table,
    short: [u64; SHORT],
    long: Vec<u64>,
}

impl<'t> Positions<'t> {
    fn words(&mut self) -> &mut [u64] {
        if self.long.is_empty() {
            &mut self.short[..self.table.n_words]
        } else {
            &mut self.long
        }
    }

    /// Moves over one character that stands at one of `places`.
    fn step(&mut self, places: &[u64]) {
        let mut carry = 0;
        for (word, places) in self.words().iter_mut().zip(places) {
            let moved = *word & places;
            *word = (moved << 1) | carry;
            carry = moved >> 63;
        }
    }

    /// Moves over the character `c`.
    pub(super) fn step_char(&mut self, c: char) {
        let table: &'t Table = self.table;
        match table.chars.binary_search(&c) {
            Ok(index) => self.step(table.set(index)),
            Err(_) => self.words().fill(0),
        }
    }

    /// Moves over any one character.
    pub(super) fn step_any(&mut self) {
        let table: &'t Table = self.table;
        self.step(table.set(table.chars.len()));
    }

    /// Moves over one of the characters that `holds` is true for.
    pub(super) fn step_where(&mut self, holds: impl Fn(char) -> bool) {
        let table: &'t Table = self.table;
        let mut places = vec![0; table.n_words];
        for (index, _) in table.chars.iter().enumerate().filter(|(_, c)| holds(**c)) {
            for (word, more) in places.iter_mut().zip(table.set(index)) {
                *word |= more;
            }
        }
        self.step(&places);
    }

    /// Moves over any number of characters.
    pub(super) fn skip(&mut self) {
        let n_chars = self.table.n_chars;
        let words = self.words();
        let Some(first) = words.iter().position(|word| *word != 0) else {
            return;
        };
        words[first] |= !0 << words[first].trailing_zeros();
        words[first + 1..].fill(!0);
        if let Some(last) = words.last_mut() {
            *last &= !0 >> (63 - n_chars % 64);
        }
    }

    /// Whether nothing can match any more.
    pub(super) fn is_empty(&mut self) -> bool {
        self.words().iter().all(|word| *word == 0)
    }

    /// Whether the end of the name is reached.
    pub(super) fn ends(&mut self) -> bool {
        let n_chars = self.table.n_chars;
        self.words()
            .last()
            .is_some_and(|last| last >> (n_chars % 64) & 1 == 1)
    }
}
