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
//! Why a table over token counts finds the best choice, and not just a good one: comparing vectors
//! of counts member by member is a total order, and adding the same vector to both sides never
//! turns a comparison around. So among choices for the paths from `i` on that cost exactly `c`,
//! only a best one can be part of a best choice for the paths from `i - 1` on, and `best(i, c)`,
//! the largest vector at that exact cost, follows from `best(i + 1, ..)` by trying each form of
//! path `i`. The answer has the largest vector of `best(0, ..)` at the smallest cost that has it:
//! rules 1 to 3. All best choices now have this one vector and this one cost. Paths are entered
//! into the table last to first, and of equal forms the table keeps the largest, so reading it
//! from the first path on takes, path by path, the largest form that still leads to a best choice:
//! rule 4.
//!
//! Time is (paths) x (tokens) x (forms), memory one byte for each path and token and one vector
//! for each token. 128 paths with every priority in a room of 16,000 tokens take a few megabytes.

use std::cmp::Ordering;
use std::collections::BTreeMap;

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
    /// 0 for satisfied demands, 1 for `either` demands in full.
    rule: u8,
    /// How far the priority is below the highest possible one.
    below: u8,
}

impl Digit {
    const fn new(rule: u8, priority: u8) -> Self {
        Self {
            rule,
            below: u8::MAX - priority,
        }
    }
}

/// How vectors of counts are written as a few machine words that compare and add like them.
///
/// A count that can reach `n` over all paths is a digit of radix `n + 1`; digits fill a word from
/// the most important down as long as the product of their radices fits. No digit can pass its
/// radix, so adding words never carries from one digit or word to the next, and comparing words
/// one by one is comparing counts one by one.
#[derive(Debug)]
struct Scale {
    n_words: usize,
    places: BTreeMap<Digit, Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    word: usize,
    worth: u64,
}

impl Scale {
    /// The scale for counts that each reach at most the number given.
    fn new(largest: &BTreeMap<Digit, u64>) -> Self {
        let mut words: Vec<Vec<(Digit, u64)>> = Vec::new();
        let mut product = u64::MAX;
        for (&digit, &n) in largest {
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
        let mut places = BTreeMap::new();
        for (word, digits) in words.iter().enumerate() {
            let mut worth = 1;
            for &(digit, radix) in digits.iter().rev() {
                places.insert(digit, Place { word, worth });
                worth *= radix;
            }
        }
        Self {
            n_words: words.len(),
            places,
        }
    }

    /// The counts of one path as words.
    fn words(&self, counts: &BTreeMap<Digit, u64>) -> Vec<u64> {
        let mut words = vec![0; self.n_words];
        for (digit, n) in counts {
            if let Some(place) = self.places.get(digit) {
                words[place.word] += n * place.worth;
            }
        }
        words
    }
}

/// A form of a path beyond its cheapest one.
#[derive(Debug)]
struct Upgrade {
    form: Form,
    /// Tokens more than the cheapest form; above zero.
    tokens: usize,
    /// What it achieves more than the cheapest form.
    gain: Vec<u64>,
}

/// The form of each of `items`, which are in byte order of their paths, by the rules of this
/// module, in a room of `room` tokens. `None` when not even the required demands fit.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn choose(items: &[Item], room: u64, cancel: &Cancel) -> Result<Option<Vec<Form>>, Error> {
    let mut forms: Vec<Form> = items.iter().map(Item::cheapest).collect();
    if items
        .iter()
        .zip(&forms)
        .any(|(item, &form)| form < item.least)
    {
        return Ok(None);
    }
    let least: u64 = items
        .iter()
        .zip(&forms)
        .map(|(item, &form)| item.tokens(form))
        .sum();
    let Some(spare) = room.checked_sub(least) else {
        return Ok(None);
    };
    let scale = scale(items);
    let mut table = Table::new(&scale, spare, upgrades(items, &scale, spare));
    table.fill(cancel)?;
    table.read(&mut forms);
    Ok(Some(forms))
}

/// The scale of everything that is not yet achieved by the cheapest forms.
fn scale(items: &[Item]) -> Scale {
    let mut largest = BTreeMap::new();
    for (digit, n) in items.iter().flat_map(|item| item.gain(Form::Full)) {
        *largest.entry(digit).or_default() += n;
    }
    Scale::new(&largest)
}

/// What each path can be raised to. An upgrade that achieves nothing more than a smaller form
/// would only cost tokens and is left out, and so is one that does not fit.
fn upgrades(items: &[Item], scale: &Scale, spare: u64) -> Vec<Vec<Upgrade>> {
    let raise = |item: &Item| {
        let mut forms = item.forms().into_iter();
        let cheapest = forms.next().unwrap_or(Form::None);
        let mut before = vec![0; scale.n_words];
        let mut upgrades: Vec<Upgrade> = Vec::new();
        for form in forms {
            let gain = scale.words(&item.gain(form));
            let tokens = item.tokens(form) - item.tokens(cheapest);
            if gain == before || tokens > spare {
                continue;
            }
            before.clone_from(&gain);
            upgrades.push(Upgrade {
                form,
                tokens: usize::try_from(tokens).unwrap_or(usize::MAX),
                gain,
            });
        }
        upgrades
    };
    items.iter().map(raise).collect()
}

/// The table of the best vectors at each exact cost.
struct Table {
    upgrades: Vec<Vec<Upgrade>>,
    n_words: usize,
    /// Costs that are looked at: 0 up to this one, not included.
    width: usize,
    /// The best vector at each cost, for the paths entered so far.
    words: Vec<u64>,
    /// Whether any choice has this cost.
    reached: Vec<bool>,
    /// For each path and cost, 0 for the cheapest form or the number of the upgrade.
    taken: Vec<u8>,
}

impl Table {
    fn new(scale: &Scale, spare: u64, upgrades: Vec<Vec<Upgrade>>) -> Self {
        let most: usize = upgrades
            .iter()
            .filter_map(|one| one.last())
            .fold(0, |sum, last| sum.saturating_add(last.tokens));
        let width = usize::try_from(spare)
            .unwrap_or(usize::MAX)
            .min(most)
            .saturating_add(1);
        let mut reached = vec![false; width];
        reached[0] = true;
        Self {
            n_words: scale.n_words,
            width,
            words: vec![0; width * scale.n_words],
            reached,
            taken: vec![0; width * upgrades.len()],
            upgrades,
        }
    }

    /// Enters the paths, last to first.
    fn fill(&mut self, cancel: &Cancel) -> Result<(), Error> {
        let mut top = 0;
        for path in (0..self.upgrades.len()).rev() {
            cancel.check()?;
            let upgrades = std::mem::take(&mut self.upgrades[path]);
            if let Some(last) = upgrades.last() {
                top = (top + last.tokens).min(self.width - 1);
                self.enter(path, &upgrades, top);
            }
            self.upgrades[path] = upgrades;
        }
        Ok(())
    }

    /// Enters one path: costs from `top` down, so that each looks at smaller costs as they were
    /// before this path.
    fn enter(&mut self, path: usize, upgrades: &[Upgrade], top: usize) {
        let taken = &mut self.taken[path * self.width..][..=top];
        for (cost, taken) in taken.iter_mut().enumerate().rev() {
            let mut best = self.reached[cost].then_some((cost, None));
            for (number, upgrade) in (1..).zip(upgrades) {
                let Some(from) = cost.checked_sub(upgrade.tokens) else {
                    break;
                };
                if !self.reached[from] {
                    continue;
                }
                let better = best.is_none_or(|(other, gain)| {
                    let other = sum(&self.words, self.n_words, other, gain);
                    let this = sum(&self.words, self.n_words, from, Some(&upgrade.gain));
                    this.cmp(other) != Ordering::Less
                });
                if better {
                    best = Some((from, Some(&upgrade.gain)));
                    *taken = number;
                }
            }
            if let Some((from, Some(gain))) = best {
                self.reached[cost] = true;
                for (i, more) in gain.iter().enumerate() {
                    self.words[cost * self.n_words + i] =
                        self.words[from * self.n_words + i] + more;
                }
            }
        }
    }

    /// Raises `forms`, which are the cheapest, to the best choice.
    fn read(&self, forms: &mut [Form]) {
        let vector = |cost| sum(&self.words, self.n_words, cost, None);
        let mut cost = 0;
        for other in (1..self.width).filter(|&other| self.reached[other]) {
            if vector(other).cmp(vector(cost)) == Ordering::Greater {
                cost = other;
            }
        }
        for (path, (form, upgrades)) in forms.iter_mut().zip(&self.upgrades).enumerate() {
            let taken = usize::from(self.taken[path * self.width + cost]);
            if let Some(upgrade) = taken.checked_sub(1).and_then(|number| upgrades.get(number)) {
                *form = upgrade.form;
                cost -= upgrade.tokens;
            }
        }
    }
}

/// The vector at a cost, with `gain` added.
fn sum<'a>(
    words: &'a [u64],
    n_words: usize,
    cost: usize,
    gain: Option<&'a Vec<u64>>,
) -> impl Iterator<Item = u64> {
    let gain = gain.map_or(&[][..], Vec::as_slice);
    words[cost * n_words..][..n_words]
        .iter()
        .enumerate()
        .map(|(i, word)| word + gain.get(i).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests;
