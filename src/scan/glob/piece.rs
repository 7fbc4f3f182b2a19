//! The pieces that a segment of a pattern is written in. Everything here is linear: nothing is
//! looked at more than once for a piece, and a class without its end is a fault at once.

/// What one piece of a pattern matches.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'p> {
    /// Exactly this character.
    Char(char),
    /// `?`: any one character.
    One,
    /// `*`: any characters, also none.
    Star,
    /// `[...]`: one of these.
    Class(Class<'p>),
}

/// A class of characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class<'p> {
    /// Whether it stands for all other characters.
    pub(super) negated: bool,
    /// What stands between the brackets, without `!` or `^`.
    body: &'p str,
}

/// The first piece of `text`, which is not empty, and its length in bytes.
pub(super) fn next(text: &str) -> Result<(Piece<'_>, usize), &'static str> {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or_default();
    Ok(match first {
        '*' => (Piece::Star, 1),
        '?' => (Piece::One, 1),
        '[' => {
            let (class, length) = class(chars.as_str()).ok_or("has a [ without its ]")?;
            (Piece::Class(class), 1 + length)
        }
        '\\' => {
            let escaped = chars.next().ok_or("ends with a \\ that escapes nothing")?;
            (Piece::Char(escaped), 1 + escaped.len_utf8())
        }
        c => (Piece::Char(c), c.len_utf8()),
    })
}

/// The pieces of `text`, each as written, up to one that is broken.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = (Piece<'_>, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, length) = next(rest).ok()?;
        let (written, after) = rest.split_at(length);
        rest = after;
        Some((piece, written))
    })
}

/// A class from behind its `[`, and the number of bytes up to and with its `]`.
fn class(text: &str) -> Option<(Class<'_>, usize)> {
    let negated = text.starts_with(['!', '^']);
    let start = usize::from(negated);
    let mut items = Items {
        rest: text.get(start..)?,
        first: true,
    };
    while items.next().is_some() {}
    let body = text.get(start..text.len() - items.rest.len())?;
    let end = items.rest.starts_with(']');
    end.then(|| (Class { negated, body }, start + body.len() + 1))
}

impl<'p> Class<'p> {
    /// The characters from one to another that the class names.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (char, char)> + use<'p> {
        let items = Items {
            rest: self.body,
            first: true,
        };
        items.flat_map(|item| {
            let (range, named) = match item {
                Item::Range(first, last) => (Some((first, last)), &[][..]),
                Item::Named(ranges) => (None, ranges),
            };
            range.into_iter().chain(named.iter().copied())
        })
    }
}

enum Item {
    Range(char, char),
    Named(&'static [(char, char)]),
}

/// Reads the items of a class and stops before its `]` or a broken item.
struct Items<'p> {
    rest: &'p str,
    first: bool,
}

impl Items<'_> {
    /// One character, from behind a backslash if there is one.
    fn char(text: &str) -> Option<(char, &str)> {
        let mut chars = text.strip_prefix('\\').unwrap_or(text).chars();
        let c = chars.next()?;
        Some((c, chars.as_str()))
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.rest.starts_with(']') && !self.first {
            return None;
        }
        self.first = false;
        let named = self.rest.strip_prefix("[:").and_then(named_class);
        if let Some((ranges, length)) = named {
            self.rest = self.rest.get(2 + length..)?;
            return Some(Item::Named(ranges));
        }
        let (first, rest) = Self::char(self.rest)?;
        self.rest = rest;
        let mut last = first;
        if let Some(behind) = rest.strip_prefix('-')
            && !behind.is_empty()
            && !behind.starts_with(']')
        {
            // A backslash at the very end leaves the class without its end.
            let Some((end, rest)) = Self::char(behind) else {
                self.rest = "";
                return None;
            };
            (last, self.rest) = (end, rest);
        }
        Some(Item::Range(first, last))
    }
}

/// The ranges of `[:name:]` from behind its colon, and the length with `:]`.
fn named_class(text: &str) -> Option<(&'static [(char, char)], usize)> {
    const NAMES: [(&str, &[(char, char)]); 12] = [
        ("alnum:]", &[('a', 'z'), ('A', 'Z'), ('0', '9')]),
        ("alpha:]", &[('a', 'z'), ('A', 'Z')]),
        ("blank:]", &[(' ', ' '), ('\t', '\t')]),
        ("cntrl:]", &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')]),
        ("digit:]", &[('0', '9')]),
        ("graph:]", &[('!', '~')]),
        ("lower:]", &[('a', 'z')]),
        ("print:]", &[(' ', '~')]),
        ("punct:]", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
        ("space:]", &[(' ', ' '), ('\t', '\r')]),
        ("upper:]", &[('A', 'Z')]),
        ("xdigit:]", &[('0', '9'), ('a', 'f'), ('A', 'F')]),
    ];
    let (name, ranges) = NAMES.iter().find(|(name, _)| text.starts_with(name))?;
    Some((ranges, name.len()))
}
