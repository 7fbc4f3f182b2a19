//! Places: what the lines of an answer are about. A match belongs to the innermost symbol that can
//! be addressed; outside of symbols it stands by its line.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::syntax::symbols::Index;
use crate::text::{LineRange, Lines};

use super::matcher::Hit;
use super::terms::piece;

/// Characters of a source line that are shown.
const SOURCE_CHARS: usize = 160;
/// Of those, the characters before a match in a longer line.
const BEFORE: usize = 60;

/// One line of an answer.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its lines in the file.
    pub(super) lines: LineRange,
    /// Kind and path of the symbol.
    pub(super) symbol: Option<Named>,
    /// `def` or `import`.
    pub(super) mark: &'static str,
    /// Matches of each term.
    pub(super) counts: Vec<u32>,
    /// The source line that says most.
    pub(super) source: String,
    /// For the order within the file; higher first.
    pub(super) score: f64,
}

/// A symbol as shown.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) kind: &'static str,
    pub(super) path: String,
}

impl Place {
    /// All matches.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().map(|&n| u64::from(n)).sum()
    }
}

/// The symbols of `index` around places that are asked for in ascending order.
struct Around {
    left: std::iter::Peekable<std::vec::IntoIter<(Range<usize>, u32)>>,
    open: Vec<(Range<usize>, u32)>,
}

impl Around {
    fn new(index: &Index, lines: &Lines) -> Self {
        Self {
            left: index.stretches(lines).into_iter().peekable(),
            open: Vec::new(),
        }
    }

    fn at(&mut self, offset: usize) -> Option<u32> {
        while let Some(next) = self.left.next_if(|(bytes, _)| bytes.start <= offset) {
            self.open.push(next);
        }
        while self.open.pop_if(|(bytes, _)| bytes.end <= offset).is_some() {}
        self.open.last().map(|(_, id)| *id)
    }
}

/// A symbol as it is shown.
pub(super) fn named(index: &Index, id: u32) -> Option<Named> {
    let symbol = index.symbol(id)?;
    Some(Named {
        kind: symbol.kind.as_str(),
        path: index.path(id),
    })
}

/// A match and what it is.
pub(super) struct Marked {
    pub(super) hit: Hit,
    /// `def`, `import` or nothing.
    pub(super) mark: &'static str,
}

/// What a place is known by while matches are put together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Symbol(u32),
    Line(u32),
}

struct Gathering {
    place: Place,
    /// Matches of each term on the line at hand, and of the best line so far.
    line: u32,
    here: f64,
    terms_here: Vec<bool>,
    best: f64,
    best_hit: Range<usize>,
}

/// Puts the matches of a file together, in ascending order of places. `weights` says how much a
/// term tells.
pub(super) fn gather(
    text: &str,
    index: Option<&Index>,
    hits: &[Marked],
    weights: &[f64],
) -> Vec<Place> {
    let lines = Lines::new(text);
    let mut around = index.map(|index| Around::new(index, &lines));
    let mut found: BTreeMap<Key, Gathering> = BTreeMap::new();
    for Marked { hit, mark } in hits {
        let line = u32::try_from(lines.line_of(hit.bytes.start)).unwrap_or(u32::MAX);
        let id = around
            .as_mut()
            .and_then(|around| around.at(hit.bytes.start));
        let key = id.map_or(Key::Line(line), Key::Symbol);
        let symbol = || named(index?, id?);
        let gathering = found.entry(key).or_insert_with(|| Gathering {
            place: Place {
                lines: id.and_then(|id| index?.symbol(id)).map_or(
                    LineRange {
                        start: line,
                        end: line,
                    },
                    |symbol| symbol.lines,
                ),
                symbol: symbol(),
                mark: "",
                counts: vec![0; weights.len()],
                source: String::new(),
                score: 0.0,
            },
            line: 0,
            here: 0.0,
            terms_here: Vec::new(),
            best: -1.0,
            best_hit: hit.bytes.clone(),
        });
        gathering.take(hit, mark, line, weights);
    }
    let mut places: Vec<Place> = Vec::with_capacity(found.len());
    for gathering in found.into_values() {
        let mut place = gathering.place;
        place.source = source(text, &lines, &gathering.best_hit);
        places.push(place);
    }
    places.sort_by_key(|place| (place.lines.start, std::cmp::Reverse(place.lines.end)));
    places
}

impl Gathering {
    fn take(&mut self, hit: &Hit, mark: &'static str, line: u32, weights: &[f64]) {
        if let Some(count) = self.place.counts.get_mut(hit.term) {
            *count = count.saturating_add(1);
        }
        if self.line != line {
            (self.line, self.here) = (line, 0.0);
            self.terms_here = vec![false; weights.len()];
        }
        if let (Some(seen), Some(weight)) =
            (self.terms_here.get_mut(hit.term), weights.get(hit.term))
            && !std::mem::replace(seen, true)
        {
            self.here += weight;
        }
        // A definition says more than any use.
        let here = self.here + if mark == "def" { 1e6 } else { 0.0 };
        if here > self.best {
            (self.best, self.best_hit) = (here, hit.bytes.clone());
        }
        if mark == "def" || self.place.mark.is_empty() {
            self.place.mark = mark;
        }
    }
}

/// The line that holds the match at `hit`, without indentation, cut around it when it is long.
pub(super) fn source(text: &str, lines: &Lines, hit: &Range<usize>) -> String {
    let range = lines.around(hit.start);
    let line = piece(text, range.clone());
    let lead = line.len() - line.trim_start().len();
    let line = line.trim();
    let at = hit.start.saturating_sub(range.start + lead);
    let column = line.get(..at).map_or(0, |before| before.chars().count());
    let n_chars = line.chars().count();
    let skip = if n_chars <= SOURCE_CHARS {
        0
    } else {
        column.saturating_sub(BEFORE).min(n_chars - SOURCE_CHARS)
    };
    let shown = line.chars().skip(skip).take(SOURCE_CHARS);
    shown
        .map(|c| {
            if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
                ' '
            } else {
                c
            }
        })
        .collect()
}
