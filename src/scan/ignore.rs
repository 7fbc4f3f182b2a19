//! The rules of one ignore file; answers with the rule that decided.
//!
//! Rules are sorted into tables by the name, extension or first directory they need, so that the
//! time of a question depends on the few rules that could match, not on the length of the file.

use std::collections::HashMap;

use crate::scan::glob::{Glob, Piece, Segment};

/// A compiled ignore file.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// Rules whose last segment is this name.
    by_name: HashMap<Box<str>, Vec<usize>>,
    /// Rules of the form `*.extension`.
    by_extension: HashMap<Box<str>, Vec<usize>>,
    /// Other rules whose first segment is this name.
    by_first: HashMap<Box<str>, Vec<usize>>,
    /// All other rules.
    rest: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Rule {
    glob: Glob,
    negated: bool,
    line: u32,
}

/// The rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Whether the rule takes back an earlier one (`!`).
    pub negated: bool,
    /// 1-based line in the file.
    pub line: u32,
    /// 0-based position among the rules of the file, blank lines and comments not counted.
    pub index: u32,
}

enum Key<'g> {
    Name(&'g str),
    Extension(String),
    First(&'g str),
    None,
}

impl RuleSet {
    /// Compiles the content of an ignore file. Lines may end in CRLF; a line that is not UTF-8 or
    /// whose pattern is broken matches nothing, as in git.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut set = Self::default();
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Ok(line) = std::str::from_utf8(line) {
                set.push(line, number);
            }
        }
        set
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    fn push(&mut self, line: &str, number: u32) {
        if line.starts_with('#') {
            return;
        }
        let (negated, pattern) = match line.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, line),
        };
        let Ok(glob) = Glob::new(trim_end(pattern)) else {
            return;
        };
        let index = self.rules.len();
        match key(&glob) {
            Key::Name(name) => self.by_name.entry(name.into()).or_default().push(index),
            Key::Extension(extension) => self
                .by_extension
                .entry(extension.into())
                .or_default()
                .push(index),
            Key::First(name) => self.by_first.entry(name.into()).or_default().push(index),
            Key::None => self.rest.push(index),
        }
        self.rules.push(Rule {
            glob,
            negated,
            line: number,
        });
    }

    /// The last rule that matches the path made of `names`, relative to the file's directory.
    #[must_use]
    pub fn last_match(&self, names: &[&str], is_directory: bool) -> Option<Hit> {
        let (first, name) = (names.first()?, names.last()?);
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let tables = [
            self.by_name.get(*name),
            extension.and_then(|extension| self.by_extension.get(extension)),
            self.by_first.get(*first),
            Some(&self.rest),
        ];
        let mut best: Option<usize> = None;
        for &index in tables.into_iter().flatten().flat_map(|t| t.iter().rev()) {
            if best.is_some_and(|best| index < best) {
                continue;
            }
            let matches = self.rules.get(index).is_some_and(|rule| {
                (is_directory || !rule.glob.directory_only()) && rule.glob.matches(names)
            });
            if matches {
                best = Some(index);
            }
        }
        let index = best?;
        let rule = self.rules.get(index)?;
        Some(Hit {
            negated: rule.negated,
            line: rule.line,
            index: u32::try_from(index).unwrap_or(u32::MAX),
        })
    }
}

/// Removes spaces at the end, unless a backslash stands before them.
fn trim_end(pattern: &str) -> &str {
    let trimmed = pattern.trim_end_matches(' ');
    let n_backslashes = trimmed.len() - trimmed.trim_end_matches('\\').len();
    if n_backslashes % 2 == 1 && trimmed.len() < pattern.len() {
        pattern.get(..=trimmed.len()).unwrap_or(pattern)
    } else {
        trimmed
    }
}

/// What a path must have for `glob` to match it.
fn key(glob: &Glob) -> Key<'_> {
    match glob.segments() {
        [.., Segment::Literal(name)] => Key::Name(name),
        [Segment::AnyDepth, Segment::Pieces(pieces)] => match &**pieces {
            [Piece::Star, Piece::Char('.'), extension @ ..] => extension
                .iter()
                .map(|piece| match piece {
                    Piece::Char(c) if *c != '.' => Some(*c),
                    _ => None,
                })
                .collect::<Option<String>>()
                .map_or(Key::None, Key::Extension),
            _ => Key::None,
        },
        [Segment::Literal(first), ..] => Key::First(first),
        _ => Key::None,
    }
}

#[cfg(test)]
mod tests;
