//! The best choice of forms under a token budget, exactly.
//!
//! Segments of a document add up, so what a choice costs is a sum over its paths, and so is what
//! it achieves. That makes it a knapsack in which each path takes one of at most three forms.
//! Choices are compared by a scale of counts, most important first:
//!
//! 1. for each priority from the highest down, the number of satisfied demands;
//! 2. for each priority from the highest down, the number of `either` demands delivered in full;
//! 3. fewer tokens;
//! 4. the larger form at the first path, in byte order, at which two choices differ.
//!
//! Rules 1 to 3 are counts, the tokens that a choice saves being the last of them, and a choice has
//! the sum of the counts of its paths. The counts together are one number, written with a digit for
//! each count; where that is longer than a machine word it is cut into words. Why a table over
//! rooms finds the best choice, and not just a good one:
//!
//! - With one word, `best(i, r)`, the largest number that the paths from `i` on can have in a room
//!   of `r` tokens, is the largest over the forms of path `i` of the form's own number and
//!   `best(i + 1, r - tokens)`. Forms that reach it stay open for that path and room, others are
//!   closed. What remains, read from the first path and the whole room on, is every choice with the
//!   largest number and no other.
//! - With more words, that is done for the most important word first. A choice that is best by all
//!   words is best by this one, so it lies within the open forms, and the next word decides among
//!   those alone, and so on. Paths and rooms that no open form leads to are left out on the way, so
//!   that the words after the first have little left to do.
//!
//! Of what is open in the end, the largest form is taken at each path from the first on: rule 4.
//!
//! Time is (paths) x (tokens) x (forms) for a word, memory one byte for each path and token. 128
//! paths in a room of 16,000 tokens take two megabytes.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cancel::Cancel;
use crate::error::Error;

use super::request::Mode;

/// In which form a path stands in the document. A later one is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Not at all.
    None,
    /// Declarations only.
    Skeleton,
    /// The complete text.
    Full,
}

impl Form {
    /// Whether this form is what a demand of that mode asks for.
    #[must_use]
    pub fn satisfies(self, mode: Mode) -> bool {
        match self {
            Self::None => false,
            Self::Skeleton => mode != Mode::Full,
            Self::Full => true,
        }
    }
}

/// One path, what its forms cost and who wants it.
#[derive(Clone, Debug)]
pub struct Item {
    /// The smallest form that is enough for the required demands, [`Form::None`] without any.
    pub least: Form,
    /// Tokens of the skeleton's segment, where there is a skeleton.
    pub skeleton: Option<u64>,
    /// Tokens of the complete text's segment; without one the path cannot be had at all.
    pub full: Option<u64>,
    /// Priority and mode of each optional demand.
    pub optional: Vec<(u8, Mode)>,
}

impl Item {
    /// Tokens of the path in `form`; nothing for a form it does not have.
    #[must_use]
    pub fn tokens(&self, form: Form) -> u64 {
        match form {
            Form::None => 0,
            Form::Skeleton => self.skeleton.unwrap_or_default(),
            Form::Full => self.full.unwrap_or_default(),
        }
    }

    /// The cheapest form that is enough for the required demands; the larger one of equals.
    /// [`Form::None`] when there is no such form.
    #[must_use]
    pub fn cheapest(&self) -> Form {
        self.forms().first().copied().unwrap_or(Form::None)
    }

    /// The forms the path may take, in ascending order of size and of tokens. A form is left out
    /// when a larger one costs no more, because that satisfies at least as much.
    fn forms(&self) -> Vec<Form> {
        let mut forms: Vec<Form> = Vec::new();
        for form in [Form::Full, Form::Skeleton, Form::None] {
            let exists = match form {
                Form::Full => self.full.is_some(),
                Form::Skeleton => self.skeleton.is_some(),
                Form::None => true,
            };
            let saves = forms
                .last()
                .is_none_or(|&larger| self.tokens(form) < self.tokens(larger));
            if form >= self.least && exists && saves {
                forms.push(form);
            }
        }
        forms.reverse();
        forms
    }

    /// What `form` achieves more than the cheapest form does. A larger form never achieves less.
    fn gain(&self, form: Form) -> BTreeMap<Digit, u64> {
        let least = self.cheapest();
        let mut gain = BTreeMap::new();
        for &(priority, mode) in &self.optional {
            let is_full = |form| form == Form::Full && mode == Mode::Either;
            let satisfied = form.satisfies(mode) && !least.satisfies(mode);
            let in_full = is_full(form) && !is_full(least);
            for (rule, _) in (0..)
                .zip([satisfied, in_full])
                .filter(|&(_, gained)| gained)
            {
                *gain.entry(Digit::new(rule, priority)).or_default() += 1;
            }
        }
        gain
    }
}

/// One of the counts by which choices are compared. Ordered by importance, the first decides first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Digit {
    /// 0 for satisfied demands, 1 for `either` demands in full, 2 for saved tokens.
    rule: u8,
    /// How far the priority is below the highest possible one.
    below: u8,
}

impl Digit {
    const SAVED: Self = Self::new(2, u8::MAX);

    const fn new(rule: u8, priority: u8) -> Self {
        Self {
            rule,
            below: u8::MAX - priority,
        }
    }
}

/// A form that a path may take, and what that is worth.
#[derive(Debug)]
struct Way {
    form: Form,
    /// Tokens more than the cheapest form.
    tokens: u64,
    /// What it achieves more than the cheapest form, and what it saves against the largest.
    counts: BTreeMap<Digit, u64>,
}

/// The ways of a path with `spare` tokens beyond its cheapest form, in ascending order of size. The
/// first is the cheapest form. A larger one that achieves nothing more is left out, and so is one
/// that does not fit.
fn ways(item: &Item, spare: u64) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    for form in item.forms() {
        let tokens = item.tokens(form) - item.tokens(item.cheapest());
        let counts = item.gain(form);
        let is_more = ways.last().is_none_or(|smaller| counts != smaller.counts);
        if is_more && tokens <= spare {
            ways.push(Way {
                form,
                tokens,
                counts,
            });
        }
    }
    let most = ways.last().map_or(0, |largest| largest.tokens);
    for way in ways.iter_mut().filter(|way| way.tokens < most) {
        way.counts.insert(Digit::SAVED, most - way.tokens);
    }
    ways
}

/// Several counts in one number.
type Word = u64;

/// How counts are written as a few words that compare and add like them.
///
/// A count that can reach `n` over all paths is a digit of radix `n + 1`; digits fill a word from
/// the most important down as long as the product of their radices fits. No digit can pass its
/// radix, so adding words never carries from one digit or word to the next, and comparing words
/// one by one is comparing counts one by one.
#[derive(Debug)]
struct Scale {
    /// The worth of one of each count of a word, by word, the most important first.
    words: Vec<BTreeMap<Digit, Word>>,
}

impl Scale {
    /// The scale for the sums of the counts of one way of each path.
    fn new(paths: &[Vec<Way>]) -> Self {
        let mut words: Vec<Vec<(Digit, Word)>> = Vec::new();
        let mut product = Word::MAX;
        for (digit, n) in largest(paths) {
            let radix = n.saturating_add(1);
            match (product.checked_mul(radix), words.last_mut()) {
                (Some(larger), Some(word)) => {
                    product = larger;
                    word.push((digit, radix));
                }
                _ => {
                    product = radix;
                    words.push(vec![(digit, radix)]);
                }
            }
        }
        let worths = |word: Vec<(Digit, Word)>| {
            let mut worths = BTreeMap::new();
            let mut worth = 1;
            for (digit, radix) in word.into_iter().rev() {
                worths.insert(digit, worth);
                worth *= radix;
            }
            worths
        };
        Self {
            words: words.into_iter().map(worths).collect(),
        }
    }
}

/// The largest sum that each count can have.
fn largest(paths: &[Vec<Way>]) -> BTreeMap<Digit, u64> {
    let mut sums: BTreeMap<Digit, u64> = BTreeMap::new();
    for ways in paths {
        let mut most: BTreeMap<Digit, u64> = BTreeMap::new();
        for (&digit, &n) in ways.iter().flat_map(|way| &way.counts) {
            let count = most.entry(digit).or_default();
            *count = n.max(*count);
        }
        for (digit, n) in most {
            let sum = sums.entry(digit).or_default();
            *sum = sum.saturating_add(n);
        }
    }
    sums
}

/// The counts of a way that belong to a word.
fn worth(word: &BTreeMap<Digit, Word>, way: &Way) -> Word {
    let counts = way.counts.iter();
    counts
        .filter_map(|(digit, &n)| Some(n * word.get(digit)?))
        .sum()
}

/// The form of each of `items`, which are in byte order of their paths, by the rules of this
/// module, in a room of `room` tokens. `None` when not even the required demands fit.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn choose(items: &[Item], room: u64, cancel: &Cancel) -> Result<Option<Vec<Form>>, Error> {
    let least = |item: &Item| (item.cheapest() >= item.least).then(|| item.tokens(item.cheapest()));
    let least: Option<u64> = items.iter().map(least).sum();
    let Some(spare) = least.and_then(|least| room.checked_sub(least)) else {
        return Ok(None);
    };
    let paths: Vec<Vec<Way>> = items.iter().map(|item| ways(item, spare)).collect();
    let scale = Scale::new(&paths);
    let mut table = Table::new(&paths, spare);
    for (i, word) in scale.words.iter().enumerate() {
        if i > 0 {
            table.narrow(cancel)?;
        }
        table.decide(|way| worth(word, way), cancel)?;
    }
    Ok(Some(table.read()))
}

/// Which ways are open for each path in each room: how many tokens are left, beyond the cheapest
/// forms, for this path and those after it.
struct Table<'a> {
    paths: &'a [Vec<Way>],
    /// Rooms in the table: 0 up to this one, not included.
    width: usize,
    /// For each path and room a bit for each way.
    open: Vec<u8>,
    /// For each path the rooms that choices can come to.
    rooms: Vec<Range<usize>>,
}

impl<'a> Table<'a> {
    /// Everything that fits is open.
    fn new(paths: &'a [Vec<Way>], spare: u64) -> Self {
        let most = |ways: &Vec<Way>| ways.last().map_or(0, |largest| to_usize(largest.tokens));
        let sum = paths.iter().map(most).fold(0, usize::saturating_add);
        let width = to_usize(spare).min(sum).saturating_add(1);
        let mut open = vec![0; width.saturating_mul(paths.len())];
        let mut rooms = Vec::with_capacity(paths.len());
        let mut lowest = width - 1;
        for (row, ways) in open.chunks_exact_mut(width).zip(paths) {
            for (way, bit) in ways.iter().zip(BITS) {
                for open in row.iter_mut().skip(to_usize(way.tokens)) {
                    *open |= bit;
                }
            }
            rooms.push(lowest..width);
            lowest = lowest.saturating_sub(most(ways));
        }
        Self {
            paths,
            width,
            open,
            rooms,
        }
    }

    /// Closes every way that is not best by `worth` among what is open.
    fn decide(&mut self, worth: impl Fn(&Way) -> Word, cancel: &Cancel) -> Result<(), Error> {
        let mut best = vec![0; self.width];
        let rows = self.open.chunks_exact_mut(self.width).zip(&self.rooms);
        for ((row, rooms), ways) in rows.zip(self.paths).rev() {
            cancel.check()?;
            let way = |way: &Way| (to_usize(way.tokens), worth(way));
            match ways.as_slice() {
                [a, b] => decide(row, &mut best, rooms.clone(), [way(a), way(b)]),
                [a, b, c] => decide(row, &mut best, rooms.clone(), [way(a), way(b), way(c)]),
                // One way, which is worth nothing more than itself: nothing to decide.
                _ => {}
            }
        }
        Ok(())
    }

    /// Closes everything that no choice comes to.
    fn narrow(&mut self, cancel: &Cancel) -> Result<(), Error> {
        let mut reached = vec![false; self.width];
        if let Some(whole) = reached.last_mut() {
            *whole = true;
        }
        let mut next = self.width - 1..self.width;
        let rows = self.open.chunks_exact_mut(self.width).zip(&mut self.rooms);
        for ((row, rooms), ways) in rows.zip(self.paths) {
            cancel.check()?;
            *rooms = next;
            next = self.width..0;
            // In ascending order, because what is reached for the next path is never above.
            for room in rooms.clone() {
                if !std::mem::take(&mut reached[room]) {
                    row[room] = 0;
                    continue;
                }
                for (way, bit) in ways.iter().zip(BITS) {
                    if row[room] & bit != 0 {
                        let left = room - to_usize(way.tokens);
                        reached[left] = true;
                        next = next.start.min(left)..next.end.max(left + 1);
                    }
                }
            }
        }
        Ok(())
    }

    /// The choice that takes the largest open form at each path, from the first on.
    fn read(&self) -> Vec<Form> {
        let mut room = self.width - 1;
        let rows = self.open.chunks_exact(self.width).zip(self.paths);
        let largest = |(row, ways): (&[u8], &Vec<Way>)| {
            let mut open = ways.iter().zip(BITS).rev();
            let way = open.find(|(_, bit)| row[room] & bit != 0)?.0;
            room -= to_usize(way.tokens);
            Some(way.form)
        };
        rows.map(largest)
            .map(|form| form.unwrap_or(Form::None))
            .collect()
    }
}

/// The bit of each of a path's ways.
const BITS: [u8; 3] = [1, 2, 4];

/// Closes what is not best in one row. `best` holds the best of the paths behind by room, and
/// afterwards that of this path and those behind.
fn decide<const N: usize>(
    row: &mut [u8],
    best: &mut [Word],
    rooms: Range<usize>,
    ways: [(usize, Word); N],
) {
    // In descending order, because a room is decided by rooms that are not above.
    for room in rooms.rev() {
        let (mut most, mut kept) = (0, 0);
        // Without branches, since which way is best is as good as random.
        for ((tokens, worth), bit) in ways.into_iter().zip(BITS) {
            let is_open = row[room] & bit != 0;
            let sum = best[room.saturating_sub(tokens)] + worth;
            let sum = if is_open { sum } else { 0 };
            let others = if sum > most { 0 } else { kept };
            kept = others | if sum >= most { bit } else { 0 };
            most = if sum > most { sum } else { most };
        }
        row[room] &= kept;
        best[room] = most;
    }
}

/// A number of tokens as a position; what does not fit is beyond every table.
fn to_usize(tokens: u64) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
