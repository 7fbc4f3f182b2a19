//! What a symbol uses of its own file: file-level declarations and imports, two steps deep.
//!
//! Found by name alone. A local of the same name hides nothing, so the answer may hold more than
//! is needed, never less.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::limits::DEPENDENCIES;
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Index;
use crate::text::LineRange;

/// Steps from the symbol: what it uses, and what that uses.
const STEPS: usize = 2;

/// A same-file declaration or import that a symbol uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The declaration's position in [`Index::symbols`]; absent for an import.
    pub symbol: Option<u32>,
    /// Its complete lines.
    pub lines: LineRange,
}

/// A symbol uses more than `limits::DEPENDENCIES` declarations and imports of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DependencyLimit;

/// One thing that can be used: its lines, its text, and which symbol it is.
#[derive(Clone)]
struct Target {
    dependency: Dependency,
    bytes: Range<usize>,
}

impl Index {
    /// File-level declarations and imports of `text` whose names occur in the symbol, and those
    /// that occur in them, in source order. Lines within the symbol are left out.
    ///
    /// `text` is the text that was indexed.
    ///
    /// # Errors
    /// [`DependencyLimit`] when there are more than the limit.
    pub fn dependencies(&self, id: u32, text: &str) -> Result<Vec<Dependency>, DependencyLimit> {
        let Some(symbol) = self.symbol(id) else {
            return Ok(Vec::new());
        };
        let targets = self.targets();
        let own = symbol.lines;
        let mut found: BTreeMap<(LineRange, usize), Dependency> = BTreeMap::new();
        let mut looked: BTreeSet<usize> = BTreeSet::new();
        let mut wave = vec![symbol.bytes.clone()];
        for _ in 0..STEPS {
            let mut next = Vec::new();
            for name in wave.iter().flat_map(|bytes| self.names_in(bytes, text)) {
                for target in targets.get(name.as_str()).into_iter().flatten() {
                    if looked.insert(target.bytes.start) && !own.covers(target.dependency.lines) {
                        next.push(target.bytes.clone());
                        found.insert(
                            (target.dependency.lines, target.bytes.start),
                            target.dependency,
                        );
                    }
                }
            }
            if found.len() > DEPENDENCIES {
                return Err(DependencyLimit);
            }
            wave = next;
        }
        Ok(found.into_values().collect())
    }

    /// What can be used, by name.
    fn targets(&self) -> BTreeMap<&str, Vec<Target>> {
        let mut targets: BTreeMap<&str, Vec<Target>> = BTreeMap::new();
        for (id, symbol) in (0_u32..).zip(&self.symbols) {
            if let (None, [name]) = (symbol.parent, symbol.segments.as_slice()) {
                targets.entry(name).or_default().push(Target {
                    dependency: Dependency {
                        symbol: Some(id),
                        lines: symbol.lines,
                    },
                    bytes: symbol.bytes.clone(),
                });
            }
        }
        for import in &self.imports {
            for name in &import.names {
                targets.entry(name).or_default().push(Target {
                    dependency: Dependency {
                        symbol: None,
                        lines: import.lines,
                    },
                    bytes: import.bytes.clone(),
                });
            }
        }
        targets
    }

    /// The different identifiers in a stretch of the file.
    fn names_in(&self, bytes: &Range<usize>, text: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            let meets = node.start_byte() < bytes.end && bytes.start < node.end_byte();
            if meets && node.child_count() == 0 && self.grammar.is_identifier(node) {
                names.insert(slice(text, node.byte_range()).to_owned());
            }
            if meets && cursor.goto_first_child() {
                continue;
            }
            let done = node.start_byte() >= bytes.end;
            if done || !crate::syntax::parse::advance(&mut cursor, || {}) {
                return names;
            }
        }
    }
}
