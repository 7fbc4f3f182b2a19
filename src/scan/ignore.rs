//! The rules of one ignore file; answers with the rule that decided.
//!
//! All patterns stand in one piece of memory. Rules are sorted into tables by the name, extension
//! or first directory they need, so that the time of a question depends on the few rules that could
//! match, not on the length of the file; at worst it is linear in the file and the path.

use crate::limits::RULES;
use crate::scan::glob::{Kind, Pattern, Store};
use crate::scan::subject::{Letters, Names};

/// A compiled ignore file.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    store: Store,
    rules: Vec<Rule>,
    /// Rules whose last segment is a name, in the order of these names.
    by_name: Vec<u32>,
    /// Rules of the form `*.extension`, in the order of the extensions.
    by_extension: Vec<u32>,
    /// Other rules whose first segment is a name, in the order of these names.
    by_first: Vec<u32>,
    /// All other rules.
    rest: Vec<u32>,
    letters: Letters,
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    /// Position of the first segment; the rule ends where the next one begins.
    start: u32,
    line: u32,
    negated: bool,
    directory_only: bool,
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

/// What a path must have for a rule to match it.
enum Key<'r> {
    Name(&'r str),
    Extension(&'r str),
    First(&'r str),
    None,
}

impl RuleSet {
    /// Compiles the content of an ignore file. Lines may end in CRLF; a line that is not UTF-8 or
    /// whose pattern is broken matches nothing, as in git.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        Self::parse_at_most(bytes, Letters::Exact, RULES).0
    }

    /// Compiles at most `max_rules` rules, and gives the 1-based line of the first rule that is
    /// over. Time and memory are linear in `bytes`.
    #[must_use]
    pub fn parse_at_most(bytes: &[u8], letters: Letters, max_rules: usize) -> (Self, Option<u32>) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut set = Self {
            letters,
            ..Self::default()
        };
        let mut over = None;
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Ok(line) = std::str::from_utf8(line)
                && !set.push(line, number, max_rules)
            {
                over = Some(number);
                break;
            }
        }
        set.sort();
        (set, over)
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Adds the rule in `line`, if there is one; false when it would be one too many.
    fn push(&mut self, line: &str, number: u32, max_rules: usize) -> bool {
        if line.starts_with('#') {
            return true;
        }
        let (negated, pattern) = match line.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, line),
        };
        let (n_bytes, start) = (self.store.text.len(), self.store.segments.len());
        let Ok(directory_only) = self.store.add(trim_end(pattern), self.letters) else {
            return true;
        };
        if self.rules.len() == max_rules {
            self.store.text.truncate(n_bytes);
            self.store.segments.truncate(start);
            return false;
        }
        self.rules.push(Rule {
            start: place(start),
            line: number,
            negated,
            directory_only,
        });
        true
    }

    /// Fills the tables. Equal keys keep the order of the rules.
    fn sort(&mut self) {
        let mut tables: [Vec<u32>; 4] = Default::default();
        for index in 0..place(self.rules.len()) {
            let table = match self.key(index) {
                Key::Name(_) => 0,
                Key::Extension(_) => 1,
                Key::First(_) => 2,
                Key::None => 3,
            };
            tables[table].push(index);
        }
        for table in &mut tables[..3] {
            table.sort_by(|&a, &b| self.key_text(a).cmp(self.key_text(b)));
        }
        for table in &mut tables {
            table.shrink_to_fit();
        }
        [self.by_name, self.by_extension, self.by_first, self.rest] = tables;
        self.rules.shrink_to_fit();
        self.store.text.shrink_to_fit();
        self.store.segments.shrink_to_fit();
    }

    fn pattern(&self, index: u32) -> Pattern<'_> {
        let at = |index: usize| self.rules.get(index).map(|rule| rule.start as usize);
        let start = at(index as usize).unwrap_or_default();
        let end = at(index as usize + 1).unwrap_or(self.store.segments.len());
        Pattern {
            text: &self.store.text,
            segments: self.store.segments.get(start..end).unwrap_or_default(),
        }
    }

    /// What a path must have for the rule to match it.
    fn key(&self, index: u32) -> Key<'_> {
        let pattern = self.pattern(index);
        let n_segments = pattern.segments.len();
        let first = pattern.segment(0);
        match (first, pattern.segment(n_segments.saturating_sub(1))) {
            (_, Some((Kind::Literal, name))) => Key::Name(name),
            (Some((Kind::AnyDepth, _)), Some((Kind::Suffix, suffix))) if n_segments == 2 => {
                match suffix.strip_prefix('.') {
                    Some(extension) if !extension.contains('.') => Key::Extension(extension),
                    _ => Key::None,
                }
            }
            (Some((Kind::Literal, name)), _) => Key::First(name),
            _ => Key::None,
        }
    }

    fn key_text(&self, index: u32) -> &str {
        match self.key(index) {
            Key::Name(text) | Key::Extension(text) | Key::First(text) => text,
            Key::None => "",
        }
    }

    /// The rules of a sorted table that have this key.
    fn with_key<'t>(&self, table: &'t [u32], key: &str) -> &'t [u32] {
        let start = table.partition_point(|&index| self.key_text(index) < key);
        let table = table.get(start..).unwrap_or_default();
        let end = table.partition_point(|&index| self.key_text(index) == key);
        table.get(..end).unwrap_or_default()
    }

    /// The last rule that matches the path made of `names`, relative to the file's directory.
    #[must_use]
    pub fn last_match(&self, names: Names<'_>, is_directory: bool) -> Option<Hit> {
        let first = names.names.first()?.text();
        let name = names.names.last()?.text();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let by_extension = extension.map_or(&[][..], |key| self.with_key(&self.by_extension, key));
        let tables = [
            self.with_key(&self.by_name, name),
            by_extension,
            self.with_key(&self.by_first, first),
            &self.rest,
        ];
        let mut best: Option<(u32, Rule)> = None;
        for table in tables {
            let later = table
                .iter()
                .rev()
                .take_while(|&&index| best.is_none_or(|(best, _)| index > best));
            for &index in later {
                let Some(&rule) = self.rules.get(index as usize) else {
                    break;
                };
                if names.meter.stops(1) {
                    return None;
                }
                if (is_directory || !rule.directory_only) && self.pattern(index).matches(names) {
                    best = Some((index, rule));
                    break;
                }
            }
        }
        best.map(|(index, rule)| Hit {
            negated: rule.negated,
            line: rule.line,
            index,
        })
    }
}

fn place(at: usize) -> u32 {
    u32::try_from(at).expect("the length of a rule file is limited")
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

#[cfg(test)]
mod tests;
