//! The one wildcard matcher, for ignore files and the host's patterns alike.
//!
//! A pattern is cut into segments. A segment is matched against a name in time linear in the
//! segment, see [`crate::scan::subject`]; over segments, matching goes back only to the nearest
//! `**`, so the worst case is the product of the lengths of pattern and path, never more. A star
//! and `?` also match a leading dot, and nothing but `**` matches `/`.

use std::ops::ControlFlow;

use crate::scan::subject::{Letters, Name, Names};

mod piece;

use piece::{Class, Piece};

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    text: Box<str>,
    segments: Box<[Segment]>,
    directory_only: bool,
}

/// One segment of a pattern; its text stands elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    kind: Kind,
    start: u32,
    end: u32,
}

/// What a segment matches, and what its text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Exactly the name that is the text.
    Literal,
    /// `**`: any number of names, also none. No text.
    AnyDepth,
    /// `*`: any one name. No text.
    Any,
    /// Names that begin with the text.
    Prefix,
    /// Names that end with the text.
    Suffix,
    /// Names that the wildcards in the text match.
    Wild,
}

/// The segments of a pattern with their text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern<'p> {
    pub(super) text: &'p str,
    pub(super) segments: &'p [Segment],
}

/// Segments of many patterns, in one piece of memory each for text and segments.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    pub(super) text: String,
    pub(super) segments: Vec<Segment>,
}

/// What is wrong with a pattern, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// 1-based position in characters.
    pub column: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl Store {
    /// Adds the segments of `pattern`, see [`Glob::new`], and says whether it matches directories
    /// only. Time is linear in the pattern. Adds nothing when there is a fault.
    pub(super) fn add(&mut self, pattern: &str, letters: Letters) -> Result<bool, Fault> {
        let (n_bytes, n_segments) = (self.text.len(), self.segments.len());
        let added = self.add_segments(pattern, letters);
        if added.is_err() {
            self.text.truncate(n_bytes);
            self.segments.truncate(n_segments);
        }
        added
    }

    fn add_segments(&mut self, pattern: &str, letters: Letters) -> Result<bool, Fault> {
        let (body, directory_only) = match pattern.strip_suffix('/') {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        let relative = body.strip_prefix('/').unwrap_or(body);
        if relative.is_empty() {
            return Err(Fault {
                column: 1,
                problem: "is empty",
            });
        }
        let first = self.segments.len();
        if !body.contains('/') {
            self.push(Kind::AnyDepth, "");
        }
        let mut rest = relative;
        loop {
            let length = segment_length(rest).map_err(|(at, problem)| {
                let before = body.len() - rest.len() + at;
                let before = body.get(..before).unwrap_or_default();
                Fault {
                    column: 1 + before.chars().count(),
                    problem,
                }
            })?;
            let (part, after) = rest.split_at(length);
            let next = after.strip_prefix('/');
            if part == "**" {
                let behind = self.segments.get(first..).unwrap_or_default();
                if behind.last().is_none_or(|last| last.kind != Kind::AnyDepth) {
                    self.push(Kind::AnyDepth, "");
                }
                if next.is_none() {
                    self.push(Kind::Any, "");
                }
            } else {
                // A slash needs no escape, so a backslash before it means nothing.
                self.add_segment(part, letters);
            }
            match next {
                Some(next) => rest = next,
                None => return Ok(directory_only),
            }
        }
    }

    fn push(&mut self, kind: Kind, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.close(kind, start);
    }

    /// Ends a segment whose text begins at `start`.
    fn close(&mut self, kind: Kind, start: usize) {
        let place = |at: usize| u32::try_from(at).expect("patterns are far below 4 GiB");
        self.segments.push(Segment {
            kind,
            start: place(start),
            end: place(self.text.len()),
        });
    }

    fn add_segment(&mut self, part: &str, letters: Letters) {
        let start = self.text.len();
        let (mut star_before, mut star_behind, mut plain) = (false, false, true);
        for (piece, _) in piece::pieces(part) {
            match piece {
                Piece::Char(c) => {
                    plain &= !star_behind;
                    self.text.push(folded(c, letters));
                }
                Piece::Star if self.text.len() == start => star_before = true,
                Piece::Star => star_behind = true,
                Piece::One | Piece::Class(_) => plain = false,
            }
        }
        let kind = match (star_before, star_behind) {
            _ if !plain => Kind::Wild,
            (false, false) => Kind::Literal,
            (true, false) if self.text.len() == start => Kind::Any,
            (true, false) => Kind::Suffix,
            (false, true) => Kind::Prefix,
            (true, true) => Kind::Wild,
        };
        if kind == Kind::Wild {
            self.text.truncate(start);
            let mut last_star = false;
            for (piece, written) in piece::pieces(part) {
                let star = matches!(piece, Piece::Star);
                match piece {
                    Piece::Star if last_star => {}
                    Piece::Class(_) => self.text.push_str(written),
                    _ => self.text.push_str(&letters.form(written)),
                }
                last_star = star;
            }
        }
        self.close(kind, start);
    }
}

fn folded(c: char, letters: Letters) -> char {
    match letters {
        Letters::Exact => c,
        Letters::Folded => c.to_ascii_lowercase(),
    }
}

/// Length in bytes up to the next `/` that is not in a class, or where what is wrong.
fn segment_length(rest: &str) -> Result<usize, (usize, &'static str)> {
    let mut at = 0;
    loop {
        let here = rest.get(at..).unwrap_or_default();
        if here.is_empty() || here.starts_with('/') {
            return Ok(at);
        }
        if here.starts_with("\\/") {
            return Ok(at + 1);
        }
        let (_, length) = piece::next(here).map_err(|problem| (at, problem))?;
        at += length;
    }
}

impl Glob {
    /// Compiles `pattern` by the rules of git's ignore files, without a leading `!`: a slash at the
    /// start or in the middle anchors it, one at the end restricts it to directories. Braces are
    /// ordinary characters.
    ///
    /// # Errors
    /// The first [`Fault`].
    pub fn new(pattern: &str) -> Result<Self, Fault> {
        let mut store = Store::default();
        let directory_only = store.add(pattern, Letters::Exact)?;
        Ok(Self::of(store, directory_only))
    }

    /// A pattern that matches only the path made of `names`, whatever characters they hold.
    #[must_use]
    pub fn literal<'n>(names: impl Iterator<Item = &'n str>, directory_only: bool) -> Self {
        let mut store = Store::default();
        for name in names {
            store.push(Kind::Literal, name);
        }
        Self::of(store, directory_only)
    }

    fn of(store: Store, directory_only: bool) -> Self {
        Self {
            text: store.text.into(),
            segments: store.segments.into(),
            directory_only,
        }
    }

    /// Whether it matches directories only.
    #[must_use]
    pub fn directory_only(&self) -> bool {
        self.directory_only
    }

    pub(super) fn ends_literally(&self) -> bool {
        let last = self.segments.last();
        last.is_some_and(|last| last.kind == Kind::Literal)
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern {
            text: &self.text,
            segments: &self.segments,
        }
    }

    /// Whether the pattern matches the path made of `names`. Does not look at
    /// [`Glob::directory_only`].
    #[must_use]
    pub fn matches(&self, names: Names<'_>) -> bool {
        self.pattern().matches(names)
    }

    /// Whether some path below the directory made of `names` could match.
    #[must_use]
    pub fn reaches_below(&self, names: Names<'_>) -> bool {
        let pattern = self.pattern();
        // The set of positions in the pattern that the names so far can lead to.
        let mut at = vec![false; self.segments.len() + 1];
        at[0] = true;
        for name in names.names {
            for (index, segment) in self.segments.iter().enumerate() {
                if at[index] && segment.kind == Kind::AnyDepth {
                    at[index + 1] = true;
                }
            }
            let mut next = vec![false; at.len()];
            for (index, &segment) in self.segments.iter().enumerate() {
                if at[index] && segment.kind == Kind::AnyDepth {
                    next[index] = true;
                } else if at[index] && pattern.one(segment, name, names) {
                    next[index + 1] = true;
                }
            }
            if names.meter.stops(at.len()) || !next.contains(&true) {
                return false;
            }
            at = next;
        }
        at.iter().take(self.segments.len()).any(|&here| here)
    }
}

impl<'p> Pattern<'p> {
    /// What the segment at `index` matches, and its text.
    pub(super) fn segment(&self, index: usize) -> Option<(Kind, &'p str)> {
        let segment = *self.segments.get(index)?;
        Some((segment.kind, self.text_of(segment)))
    }

    fn text_of(&self, segment: Segment) -> &'p str {
        let range = segment.start as usize..segment.end as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// Whether the pattern matches all of `names`.
    pub(super) fn matches(&self, names: Names<'_>) -> bool {
        let depth = |segment: &Segment| segment.kind == Kind::AnyDepth;
        let Some(first) = self.segments.iter().position(depth) else {
            return self.segments.len() == names.names.len()
                && self.run(self.segments, names.names, names);
        };
        let last = self.segments.iter().rposition(depth).unwrap_or(first);
        // What stands before the first `**` and behind the last one has its fixed place.
        let (head, middle) = self.segments.split_at(first);
        let (middle, tail) = middle.split_at(last + 1 - first);
        let Some(n_free) = names.names.len().checked_sub(head.len() + tail.len()) else {
            return false;
        };
        let (front, back) = names.names.split_at(head.len());
        let (free, back) = back.split_at(n_free);
        self.run(tail, back, names)
            && self.run(head, front, names)
            && self.chunks(middle, free, names)
    }

    /// Whether each segment matches the name in its place.
    fn run(&self, segments: &[Segment], run: &[Name<'_>], all: Names<'_>) -> bool {
        let mut pairs = segments.iter().zip(run).rev();
        pairs.all(|(&segment, name)| self.one(segment, name, all))
    }

    /// Whether the runs of segments between `**`s, which stand at both ends of `middle`, are found
    /// in `free` one behind the other. The first place of each is good enough.
    fn chunks(&self, middle: &[Segment], mut free: &[Name<'_>], all: Names<'_>) -> bool {
        let chunks = middle.split(|segment| segment.kind == Kind::AnyDepth);
        for chunk in chunks.filter(|chunk| !chunk.is_empty()) {
            let mut places = free.windows(chunk.len());
            let Some(place) = places.position(|run| self.run(chunk, run, all)) else {
                return false;
            };
            free = free.get(place + chunk.len()..).unwrap_or_default();
        }
        true
    }

    /// Whether one segment matches one name.
    fn one(&self, segment: Segment, name: &Name<'_>, all: Names<'_>) -> bool {
        let text = self.text_of(segment);
        let found = match segment.kind {
            Kind::AnyDepth => false,
            Kind::Any => true,
            Kind::Literal => text == name.text(),
            Kind::Prefix => name.text().starts_with(text),
            Kind::Suffix => name.text().ends_with(text),
            Kind::Wild => wild(text, name, all),
        };
        found && !all.meter.stops(1)
    }
}

/// Whether the wildcards in `text` match all of `name`. Ends as soon as nothing can match any
/// more, which is after as many pieces as the name has characters.
fn wild(text: &str, name: &Name<'_>, all: Names<'_>) -> bool {
    let first = text.chars().next();
    let plain = first.filter(|first| !matches!(first, '*' | '?' | '[' | '\\'));
    if plain.is_some_and(|first| !name.text().starts_with(first)) {
        return false;
    }
    let mut positions = name.start();
    let walked = piece::pieces(text).try_for_each(|(piece, written)| {
        match piece {
            Piece::Char(c) => positions.step_char(c),
            Piece::One => positions.step_any(),
            Piece::Star => positions.skip(),
            Piece::Class(class) => positions.step_where(|c| holds(class, c, name.letters())),
        }
        if positions.is_empty() || all.meter.stops(written.len()) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    walked.is_continue() && positions.ends()
}

/// Whether a class matches `c`, which in folded form is never upper case.
fn holds(class: Class<'_>, c: char, letters: Letters) -> bool {
    let upper = c.to_ascii_uppercase();
    let other = (letters == Letters::Folded && upper != c).then_some(upper);
    class.ranges().any(|(first, last)| {
        [Some(c), other]
            .iter()
            .flatten()
            .any(|c| (first..=last).contains(c))
    }) != class.negated
}

#[cfg(test)]
mod tests;
