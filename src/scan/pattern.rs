//! The patterns a host gives for include, ignore and full text.
//!
//! They are anchored like the lines of an ignore file (`/x` and `a/b` at the root, `x` at any
//! depth, `x/` only directories) and know two forms more: `{a,b}` and `@(a|b)` (also `?(a|b)`).
//! A pattern is also tried as a literal path, and only as that where such a path exists, so that
//! `src/[id]/page.tsx` means the file of that name.

use crate::error::Error;
use crate::limits::PATTERN_BYTES;
use crate::path::RelPath;
use crate::scan::glob::{Fault, Glob};
use crate::scan::subject::Names;

/// Alternatives that one pattern may expand to. Protects memory from `{a,b}{a,b}{a,b}...`.
const ALTERNATIVES: usize = 1_024;
/// Characters of all alternatives together.
const EXPANDED_CHARS: usize = 4 * 1024 * 1024;
/// Nesting of braces and parentheses.
const NESTING: usize = 16;
/// Characters of the longest name in `[:name:]`.
const CLASS_NAME: usize = 6;

/// One pattern of the host.
#[derive(Clone, Debug)]
pub struct HostPattern {
    negated: bool,
    globs: Vec<Glob>,
    /// The pattern read as a path, where it holds wildcards.
    literal: Option<(RelPath, Glob)>,
}

/// Which readings of a pattern count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As a wildcard and as a path: whether the path exists is not known, or it does not.
    Both,
    /// Only as a path, since that path exists.
    Literal,
}

impl HostPattern {
    /// Compiles one pattern; `what` names the option in errors.
    ///
    /// # Errors
    /// [`Error::Pattern`] with the column of the first fault.
    pub fn new(what: &'static str, pattern: &str) -> Result<Self, Error> {
        Self::compile(pattern).map_err(|fault| Error::Pattern {
            what,
            pattern: pattern.to_owned(),
            problem: format!("column {} {}", fault.column, fault.problem),
        })
    }

    fn compile(pattern: &str) -> Result<Self, Fault> {
        if pattern.len() > PATTERN_BYTES {
            return Err(Fault {
                column: 1,
                problem: "begins a pattern of more than 65536 bytes",
            });
        }
        let (negated, body) = match pattern.strip_prefix('!') {
            Some(body) => (true, body),
            None => (false, pattern),
        };
        let body = body.strip_prefix("./").unwrap_or(body);
        let column = 1 + pattern.chars().count() - body.chars().count();
        if body.trim_matches('/').is_empty() {
            return Err(Fault {
                column,
                problem: "is empty",
            });
        }
        if body.split('/').any(|segment| segment == "..") {
            return Err(Fault {
                column,
                problem: "must not leave the root with ..",
            });
        }
        let chars: Vec<char> = body.chars().collect();
        let mut expander = Expander {
            chars: &chars,
            at: 0,
            column,
        };
        let alternatives = expander.sequence(&[], 0)?;
        // Columns of an alternative are those of the pattern only where nothing was expanded.
        let place = |fault: Fault| match alternatives.as_slice() {
            [only] if only == body => column + fault.column - 1,
            _ => column,
        };
        let globs = alternatives
            .iter()
            .map(|alternative| {
                Glob::new(alternative).map_err(|fault| Fault {
                    column: place(fault),
                    ..fault
                })
            })
            .collect::<Result<_, _>>()?;
        let literal = body
            .contains(['*', '?', '[', ']', '{', '}', '(', ')', '\\'])
            .then(|| RelPath::new(body.trim_matches('/')).ok())
            .flatten()
            .map(|path| {
                let glob = Glob::literal(path.segments(), body.ends_with('/'));
                (path, glob)
            });
        Ok(Self {
            negated,
            globs,
            literal,
        })
    }

    /// Whether the pattern begins with `!`.
    #[must_use]
    pub fn negated(&self) -> bool {
        self.negated
    }

    /// The path that decides about the [`Reading`], for patterns with wildcards.
    #[must_use]
    pub fn literal(&self) -> Option<&RelPath> {
        self.literal.as_ref().map(|(path, _)| path)
    }

    fn readings(&self, reading: Reading) -> impl Iterator<Item = &Glob> {
        let globs = match (reading, &self.literal) {
            (Reading::Literal, Some(_)) => &[],
            _ => self.globs.as_slice(),
        };
        globs
            .iter()
            .chain(self.literal.iter().map(|(_, glob)| glob))
    }

    /// Whether the pattern matches the path made of `names` itself.
    #[must_use]
    pub fn matches(&self, names: Names<'_>, is_directory: bool, reading: Reading) -> bool {
        self.readings(reading)
            .any(|glob| (is_directory || !glob.directory_only()) && glob.matches(names))
    }

    /// Whether the pattern matches the directory made of `names` in a way that selects all that is
    /// below it. A star at the end does not: `src/*` names the files in `src` and no deeper ones.
    #[must_use]
    pub fn selects_content(&self, names: Names<'_>, reading: Reading) -> bool {
        self.readings(reading)
            .any(|glob| (glob.directory_only() || glob.ends_literally()) && glob.matches(names))
    }

    /// Whether the pattern could match something below the directory made of `names`.
    #[must_use]
    pub fn reaches_below(&self, names: Names<'_>, reading: Reading) -> bool {
        self.readings(reading).any(|glob| glob.reaches_below(names))
    }
}

/// Cuts a list at its commas, except inside braces, brackets and parentheses and behind a
/// backslash. Spaces around an item are removed, empty items left out.
#[must_use]
pub fn split_list(list: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut item = String::new();
    let mut depth = 0_usize;
    let mut chars = list.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                item.push(c);
                item.extend(chars.next());
                continue;
            }
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(std::mem::take(&mut item));
                continue;
            }
            _ => {}
        }
        item.push(c);
    }
    items.push(item);
    items
        .iter()
        .map(|item| item.trim())
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Expands braces and alternatives into plain patterns.
struct Expander<'c> {
    chars: &'c [char],
    at: usize,
    /// Column of the first character.
    column: usize,
}

impl Expander<'_> {
    fn fault<T>(&self, at: usize, problem: &'static str) -> Result<T, Fault> {
        Err(Fault {
            column: self.column + at,
            problem,
        })
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Reads up to one of `ends`, which is not consumed, or to the end if there are none.
    fn sequence(&mut self, ends: &[char], nesting: usize) -> Result<Vec<String>, Fault> {
        let mut results = vec![String::new()];
        while let Some(c) = self.peek(0) {
            if ends.contains(&c) {
                break;
            }
            let start = self.at;
            let next = self.peek(1);
            match (c, next) {
                ('\\', Some(escaped)) => {
                    self.at += 2;
                    append(&mut results, &['\\', escaped]);
                }
                ('[', _) => {
                    let length = self.class_length()?;
                    let class = self.chars.get(start..start + length).unwrap_or_default();
                    self.at += length;
                    append(&mut results, class);
                }
                ('+' | '*' | '!', Some('(')) => {
                    return self.fault(start, "uses a repetition or negation in parentheses, which is not supported; @(a|b) and {a,b} are");
                }
                ('{', _) | ('@' | '?', Some('(')) => {
                    let choices = self.choices(nesting)?;
                    let n_results = results.len() * choices.len();
                    if n_results > ALTERNATIVES {
                        return self.fault(start, "expands to more than 1024 alternatives");
                    }
                    if n_results * self.chars.len() > EXPANDED_CHARS {
                        return self.fault(start, "expands to more than 4194304 characters");
                    }
                    results = results
                        .iter()
                        .flat_map(|head| choices.iter().map(move |tail| format!("{head}{tail}")))
                        .collect();
                }
                _ => {
                    self.at += 1;
                    append(&mut results, &[c]);
                }
            }
        }
        Ok(results)
    }

    /// Reads `{a,b}`, `@(a|b)` or `?(a|b)`.
    fn choices(&mut self, nesting: usize) -> Result<Vec<String>, Fault> {
        let start = self.at;
        if nesting == NESTING {
            return self.fault(start, "is nested too deeply");
        }
        let opening = self.peek(0);
        let is_brace = opening == Some('{');
        let (between, end) = if is_brace { (',', '}') } else { ('|', ')') };
        self.at += if is_brace { 1 } else { 2 };
        let mut choices = Vec::new();
        let mut n_parts = 0;
        loop {
            choices.extend(self.sequence(&[between, end], nesting + 1)?);
            n_parts += 1;
            if choices.len() > ALTERNATIVES {
                return self.fault(start, "expands to more than 1024 alternatives");
            }
            match self.peek(0) {
                None if is_brace => return self.fault(start, "has a { without its }"),
                None => return self.fault(start, "has a ( without its )"),
                Some(c) => {
                    self.at += 1;
                    if c == end {
                        break;
                    }
                }
            }
        }
        if is_brace && n_parts == 1 {
            // As in a shell, braces without a comma are ordinary characters.
            choices = choices.iter().map(|one| format!("{{{one}}}")).collect();
        }
        if opening == Some('?') {
            choices.push(String::new());
        }
        Ok(choices)
    }

    /// Length of the class that begins here, brackets included.
    fn class_length(&self) -> Result<usize, Fault> {
        let mut at = self.at + 1;
        if matches!(self.chars.get(at), Some('!' | '^')) {
            at += 1;
        }
        let first = at;
        while let Some(c) = self.chars.get(at) {
            match c {
                ']' if at > first => return Ok(at + 1 - self.at),
                '\\' => at += 2,
                '[' if self.chars.get(at + 1) == Some(&':') => {
                    // No name of a class is longer than this.
                    let rest = self.chars.get(at + 2..).unwrap_or_default();
                    let mut pairs = rest.windows(2).take(CLASS_NAME + 1);
                    let end = pairs.position(|pair| pair == [':', ']']);
                    at += end.map_or(1, |length| length + 4);
                }
                _ => at += 1,
            }
        }
        self.fault(self.at, "has a [ without its ]")
    }
}

fn append(results: &mut [String], chars: &[char]) {
    for result in results {
        result.extend(chars);
    }
}

#[cfg(test)]
mod tests;
