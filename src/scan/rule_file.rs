//! Reading one rule file within the limits, and noting what of it is not in force.
//!
//! 1. The rule files of one directory are [`RULE_BYTES`] and [`RULES`] together; those of all
//!    directories on the way to one file are [`HELD_RULE_BYTES`].
//! 2. Lines within the limits hold, what is behind them does not, and the file is named.
//! 3. A rule file that is there and cannot be used is named, too.

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::rc::Rc;

use crate::limits::{HELD_RULE_BYTES, RULE_BYTES, RULES};
use crate::reason::{IdleRules, Reason, RuleLocation, RuleSource};
use crate::scan::ignore::{Hit, RuleSet};
use crate::scan::read::read_open;
use crate::scan::subject::Letters;

/// The rules of one file and the name it is shown under.
pub(super) struct RuleFile {
    pub(super) rules: RuleSet,
    shown: Option<String>,
    _hold: Hold,
}

/// Bytes of rule files that are in memory, given back when the rules go.
struct Hold {
    n_bytes: usize,
    all: Rc<Cell<usize>>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.all.set(self.all.get().saturating_sub(self.n_bytes));
    }
}

/// What is common to all rule files of a run.
pub(super) struct Shelf {
    held: Rc<Cell<usize>>,
    letters: Letters,
}

/// What the rule files of one directory may still take.
pub(super) struct Room<'s> {
    shelf: &'s Shelf,
    n_bytes: usize,
    n_rules: usize,
}

impl Shelf {
    pub(super) fn new(letters: Letters) -> Self {
        Self {
            held: Rc::default(),
            letters,
        }
    }

    pub(super) fn letters(&self) -> Letters {
        self.letters
    }

    /// Room for the files of one directory.
    pub(super) fn room(&self) -> Room<'_> {
        Room {
            shelf: self,
            n_bytes: RULE_BYTES,
            n_rules: RULES,
        }
    }
}

impl Room<'_> {
    /// The rules in a file that was opened, or what that failed with; `shown` is its name in
    /// results. Nothing if there are none in force.
    pub(super) fn read(
        &mut self,
        opened: Result<(File, u64), Reason>,
        shown: Option<String>,
        idle: &mut Vec<IdleRules>,
    ) -> Option<RuleFile> {
        let mut note = |reason, line| {
            idle.push(IdleRules {
                file: shown.clone(),
                line,
                reason,
            });
        };
        let held = &self.shelf.held;
        let left = HELD_RULE_BYTES.saturating_sub(held.get()).min(self.n_bytes);
        let read = match opened {
            Err(Reason::NotFound) => return None,
            Err(reason) => Err(reason),
            Ok((file, size)) if size <= left as u64 => read_open(file, size).map(|all| (all, None)),
            Ok((file, _)) => beginning(file, left),
        };
        let (bytes, cut) = match read {
            Ok((bytes, _)) if is_utf16(&bytes) => {
                note(Reason::UnsupportedEncoding, None);
                return None;
            }
            Ok(read) => read,
            Err(reason) => {
                note(reason, None);
                return None;
            }
        };
        let (rules, over) = RuleSet::parse_at_most(&bytes, self.shelf.letters, self.n_rules);
        if let Some(line) = over.or(cut) {
            note(Reason::FileTooLarge, Some(line).filter(|line| *line > 1));
        }
        if rules.is_empty() {
            return None;
        }
        self.n_bytes -= bytes.len();
        self.n_rules -= rules.len();
        held.set(held.get() + bytes.len());
        Some(RuleFile {
            rules,
            shown,
            _hold: Hold {
                n_bytes: bytes.len(),
                all: Rc::clone(held),
            },
        })
    }
}

/// The whole lines within the first `left` bytes, and the 1-based line that follows them.
fn beginning(file: File, left: usize) -> Result<(Vec<u8>, Option<u32>), Reason> {
    let mut bytes = Vec::new();
    let read = file.take(left as u64).read_to_end(&mut bytes);
    read.map_err(|_| Reason::ReadFailed)?;
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
    let n_lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
    Ok((bytes, u32::try_from(n_lines + 1).ok()))
}

/// Whether the text is UTF-16, with or without a mark: no rule of it could match anything.
fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
        || matches!(bytes, [0, _, ..] | [_, 0, ..])
}

impl RuleFile {
    /// Where a rule of this file stands.
    pub(super) fn location(&self, hit: Hit) -> RuleLocation {
        RuleLocation {
            source: RuleSource::IgnoreFile,
            file: self.shown.clone(),
            line: Some(hit.line),
            index: None,
        }
    }
}
