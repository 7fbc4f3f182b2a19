//! The one wildcard matcher, for ignore files and the host's patterns alike.
//!
//! A pattern is cut into segments and each segment into pieces. Matching goes back only to the
//! nearest star, at both levels, so the worst case is the product of the lengths of pattern and
//! path, never more. Everything is case-sensitive. A star and `?` also match a leading dot, and
//! nothing but `**` matches `/`.

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    segments: Vec<Segment>,
    directory_only: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// Exactly this name.
    Literal(Box<str>),
    /// A name that the pieces match.
    Pieces(Box<[Piece]>),
    /// `**`: any number of names, also none.
    AnyDepth,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Exactly this character.
    Char(char),
    /// `?`: any one character.
    One,
    /// `*`: any characters, also none.
    Star,
    /// `[...]`: one of these.
    Class {
        negated: bool,
        ranges: Box<[(char, char)]>,
    },
}

/// What is wrong with a pattern, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// 1-based position in characters.
    pub column: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl Glob {
    /// Compiles `pattern` by the rules of git's ignore files, without a leading `!`: a slash at the
    /// start or in the middle anchors it, one at the end restricts it to directories. Braces are
    /// ordinary characters.
    ///
    /// # Errors
    /// The first [`Fault`].
    pub fn new(pattern: &str) -> Result<Self, Fault> {
        let fault = |column, problem| Err(Fault { column, problem });
        let (body, directory_only) = match pattern.strip_suffix('/') {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        let anchored = body.contains('/');
        let relative = body.strip_prefix('/').unwrap_or(body);
        if relative.is_empty() {
            return fault(1, "is empty");
        }
        let mut column = 1 + usize::from(relative.len() < body.len());
        let mut segments = Vec::new();
        if !anchored {
            segments.push(Segment::AnyDepth);
        }
        let chars: Vec<char> = relative.chars().collect();
        let mut rest = chars.as_slice();
        loop {
            let length = segment_length(rest);
            let (part, after) = rest.split_at(length);
            let is_last = after.is_empty();
            if part == ['*', '*'] {
                if segments.last() != Some(&Segment::AnyDepth) {
                    segments.push(Segment::AnyDepth);
                }
                if is_last {
                    segments.push(Segment::Pieces([Piece::Star].into()));
                }
            } else {
                segments.push(segment(part, column, is_last)?);
            }
            match after.get(1..) {
                Some(next) => rest = next,
                None => break,
            }
            column += length + 1;
        }
        Ok(Self {
            segments,
            directory_only,
        })
    }

    /// A pattern that matches only the path made of `names`, whatever characters they hold.
    #[must_use]
    pub fn literal<'n>(names: impl Iterator<Item = &'n str>, directory_only: bool) -> Self {
        Self {
            segments: names.map(|name| Segment::Literal(name.into())).collect(),
            directory_only,
        }
    }

    /// Whether it matches directories only.
    #[must_use]
    pub fn directory_only(&self) -> bool {
        self.directory_only
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether the pattern matches the path made of `names`. Does not look at
    /// [`Glob::directory_only`].
    #[must_use]
    pub fn matches(&self, names: &[&str]) -> bool {
        star_match(
            &self.segments,
            names,
            |segment| matches!(segment, Segment::AnyDepth),
            |segment, name| segment.matches(name),
        )
    }

    /// Whether some path below the directory made of `names` could match.
    #[must_use]
    pub fn reaches_below(&self, names: &[&str]) -> bool {
        // The set of positions in the pattern that the names so far can lead to.
        let mut at = vec![false; self.segments.len() + 1];
        at[0] = true;
        for name in names {
            self.skip_any_depth(&mut at);
            let mut next = vec![false; at.len()];
            for (index, segment) in self.segments.iter().enumerate() {
                if at[index] && *segment == Segment::AnyDepth {
                    next[index] = true;
                } else if at[index] && segment.matches(name) {
                    next[index + 1] = true;
                }
            }
            if !next.contains(&true) {
                return false;
            }
            at = next;
        }
        at.iter().take(self.segments.len()).any(|&here| here)
    }

    fn skip_any_depth(&self, at: &mut [bool]) {
        for (index, segment) in self.segments.iter().enumerate() {
            if at[index] && *segment == Segment::AnyDepth {
                at[index + 1] = true;
            }
        }
    }
}

impl Segment {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::AnyDepth => false,
            Self::Literal(literal) => **literal == *name,
            Self::Pieces(pieces) => match &**pieces {
                [Piece::Star] => true,
                [Piece::Star, rest @ ..] if rest.iter().all(|p| matches!(p, Piece::Char(_))) => {
                    ends_with(name, rest)
                }
                pieces => {
                    let chars: Vec<char> = name.chars().collect();
                    star_match(
                        pieces,
                        &chars,
                        |piece| *piece == Piece::Star,
                        |piece, &c| piece.matches(c),
                    )
                }
            },
        }
    }
}

impl Piece {
    fn matches(&self, c: char) -> bool {
        match self {
            Self::Char(wanted) => *wanted == c,
            Self::One => true,
            Self::Star => false,
            Self::Class { negated, ranges } => {
                ranges.iter().any(|&(first, last)| first <= c && c <= last) != *negated
            }
        }
    }
}

fn ends_with(name: &str, suffix: &[Piece]) -> bool {
    let mut chars = name.chars();
    suffix.iter().rev().all(|piece| match piece {
        Piece::Char(wanted) => chars.next_back() == Some(*wanted),
        _ => false,
    })
}

/// Matches `pattern` against all of `subject`, where an element for which `is_star` holds takes
/// any number of elements and every other one takes one. Going back to the nearest star is enough.
fn star_match<P, S>(
    pattern: &[P],
    subject: &[S],
    is_star: impl Fn(&P) -> bool,
    one: impl Fn(&P, &S) -> bool,
) -> bool {
    let (mut p, mut s) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while let Some(item) = subject.get(s) {
        match pattern.get(p) {
            Some(star) if is_star(star) => {
                p += 1;
                back = Some((p, s));
            }
            Some(wanted) if one(wanted, item) => {
                p += 1;
                s += 1;
            }
            _ => match &mut back {
                Some((after_star, taken)) => {
                    *taken += 1;
                    (p, s) = (*after_star, *taken);
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(is_star)
}

/// Number of characters up to the next `/` that is not in a class.
fn segment_length(chars: &[char]) -> usize {
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        at += match c {
            '/' => return at,
            '[' => class(chars.get(at + 1..).unwrap_or_default()).map_or(1, |(_, n)| n + 1),
            '\\' if chars.get(at + 1).is_some_and(|&c| c != '/') => 2,
            _ => 1,
        };
    }
    chars.len()
}

fn segment(chars: &[char], column: usize, is_last: bool) -> Result<Segment, Fault> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '*' if pieces.last() == Some(&Piece::Star) => {}
            '*' => pieces.push(Piece::Star),
            '?' => pieces.push(Piece::One),
            '[' => {
                let (class, length) = class(chars.get(at..).unwrap_or_default()).ok_or(Fault {
                    column: column + at - 1,
                    problem: "has a [ without its ]",
                })?;
                pieces.push(class);
                at += length;
            }
            '\\' => match chars.get(at) {
                Some(&escaped) => {
                    pieces.push(Piece::Char(escaped));
                    at += 1;
                }
                // A slash needs no escape, so one before it means nothing.
                None if !is_last => {}
                None => {
                    return Err(Fault {
                        column: column + at - 1,
                        problem: "ends with a \\ that escapes nothing",
                    });
                }
            },
            c => pieces.push(Piece::Char(c)),
        }
    }
    let literal = pieces.iter().map(|piece| match piece {
        Piece::Char(c) => Some(*c),
        _ => None,
    });
    Ok(match literal.collect::<Option<String>>() {
        Some(text) => Segment::Literal(text.into()),
        None => Segment::Pieces(pieces.into()),
    })
}

/// A class from behind its `[`, and the number of characters up to and with its `]`.
fn class(chars: &[char]) -> Option<(Piece, usize)> {
    let negated = matches!(chars.first(), Some('!' | '^'));
    let start = usize::from(negated);
    let mut at = start;
    let mut ranges = Vec::new();
    loop {
        let mut first = *chars.get(at)?;
        if first == ']' && at > start {
            let ranges = ranges.into();
            return Some((Piece::Class { negated, ranges }, at + 1));
        }
        if first == '['
            && chars.get(at + 1) == Some(&':')
            && let Some((named, length)) = named_class(chars.get(at + 2..).unwrap_or_default())
        {
            ranges.extend_from_slice(named);
            at += 2 + length;
            continue;
        }
        if first == '\\' {
            at += 1;
            first = *chars.get(at)?;
        }
        at += 1;
        let mut last = first;
        if chars.get(at) == Some(&'-') && chars.get(at + 1).is_some_and(|&c| c != ']') {
            at += 1;
            last = *chars.get(at)?;
            if last == '\\' {
                at += 1;
                last = *chars.get(at)?;
            }
            at += 1;
        }
        ranges.push((first, last));
    }
}

/// The ranges of `[:name:]` from behind its colon, and the length with `:]`.
fn named_class(chars: &[char]) -> Option<(&'static [(char, char)], usize)> {
    let length = chars.iter().position(|&c| c == ':')?;
    if chars.get(length + 1) != Some(&']') {
        return None;
    }
    let name: String = chars.iter().take(length).collect();
    let ranges: &[(char, char)] = match name.as_str() {
        "alnum" => &[('a', 'z'), ('A', 'Z'), ('0', '9')],
        "alpha" => &[('a', 'z'), ('A', 'Z')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('a', 'f'), ('A', 'F')],
        _ => return None,
    };
    Some((ranges, length + 2))
}

#[cfg(test)]
mod tests;
