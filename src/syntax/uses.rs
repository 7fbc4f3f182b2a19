//! Where names stand in a file that was indexed: the stretches of symbols, and the uses of a name.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::lang::Role;
use crate::syntax::stretch::slice;
use crate::syntax::symbols::{Index, Kind, Symbol};
use crate::text::{LineRange, Lines};

/// Bytes that one node of a tree and its entry in its parent take, roughly.
const NODE_BYTES: usize = 24;
/// Bytes that one symbol takes with its names, roughly.
const SYMBOL_BYTES: usize = 240;

/// What an occurrence of a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The name of a symbol where it is declared.
    Definition,
    /// Part of an import statement.
    Import,
    /// Anything else in code.
    Reference,
}

impl Index {
    /// The bytes of each symbol with its number, by first byte, outer ones first. Comments and
    /// attributes on lines of its own belong to a symbol.
    #[must_use]
    pub fn stretches(&self, lines: &Lines) -> Vec<(Range<usize>, u32)> {
        let whole = |symbol: &Symbol| {
            let LineRange { start, end } = symbol.lines;
            let found = lines.range(start as usize, end as usize);
            found
                .filter(|_| !symbol.shared_lines)
                .unwrap_or_else(|| symbol.bytes.clone())
        };
        let mut found: Vec<(Range<usize>, u32)> =
            self.symbols.iter().map(whole).zip(0_u32..).collect();
        found.sort_by_key(|(bytes, id)| (bytes.start, std::cmp::Reverse(bytes.end), *id));
        found
    }

    /// What the word at `bytes` is, if it is a name in code: neither in a comment nor in a string.
    #[must_use]
    pub fn use_of(&self, bytes: &Range<usize>, text: &str) -> Option<Use> {
        let root = self.tree.root_node();
        let node = root.descendant_for_byte_range(bytes.start, bytes.end)?;
        if !self.is_name(node, bytes, text) {
            return None;
        }
        let defines = |range: &Range<usize>| range.start <= bytes.start && bytes.end <= range.end;
        if self.symbols.iter().any(|symbol| defines(&symbol.name)) {
            return Some(Use::Definition);
        }
        let imports = self.imports.iter().any(|import| defines(&import.bytes));
        Some(if imports { Use::Import } else { Use::Reference })
    }

    /// The kind and lines of a declaration of the name at `bytes` that no path leads to, such as a
    /// method of a class in a function.
    #[must_use]
    pub fn local_definition(
        &self,
        bytes: &Range<usize>,
        lines: &Lines,
    ) -> Option<(Kind, LineRange)> {
        let root = self.tree.root_node();
        let name = root.descendant_for_byte_range(bytes.start, bytes.end)?;
        let mut node = name.parent()?;
        // Some grammars have a declarator between a declaration and its name.
        for _ in 0..3 {
            let Role::Declares(kind, _) = self.grammar.rule(node)?.role else {
                node = node.parent()?;
                continue;
            };
            let own = node.child_by_field_name("name")?;
            let is_own = own.byte_range() == name.byte_range();
            return is_own.then(|| (kind, lines.covering(&node.byte_range())));
        }
        None
    }

    /// Whether a node is the name at `bytes`. Some grammars keep a sigil or the text of a macro in
    /// one leaf with it.
    fn is_name(&self, node: Node<'_>, bytes: &Range<usize>, text: &str) -> bool {
        if node.child_count() > 0 {
            return false;
        }
        let kind = node.kind();
        if kind.ends_with("preproc_arg") {
            return is_code(slice(text, node.start_byte()..bytes.start));
        }
        let own = slice(text, node.byte_range());
        let exact = own.trim_start_matches(['$', '@', '#', ':', '?']) == slice(text, bytes.clone());
        let named = self.grammar.is_identifier(node)
            || kind.contains("identifier")
            || kind.ends_with("name")
            || matches!(kind, "constant" | "variable" | "atom" | "constructor");
        exact && named
    }

    /// The symbols whose own name, or other name, `fits`, in source order.
    pub fn named<'i>(&'i self, fits: impl Fn(&str) -> bool + 'i) -> impl Iterator<Item = u32> + 'i {
        let all = (0_u32..).zip(&self.symbols);
        all.filter(move |(_, symbol)| {
            let own = symbol.segments.last().into_iter().chain(&symbol.alias);
            own.into_iter().any(|name| fits(name))
        })
        .map(|(id, _)| id)
    }

    /// Bytes of memory that this index takes, roughly.
    #[must_use]
    pub fn weight(&self) -> usize {
        let nodes = self.tree.root_node().descendant_count();
        nodes * NODE_BYTES + self.symbols.len() * SYMBOL_BYTES
    }
}

/// Whether what follows `before` in the body of a macro is neither string nor comment.
fn is_code(before: &str) -> bool {
    let quotes = before.matches('"').count() - before.matches("\\\"").count();
    let comment = before
        .rfind("/*")
        .is_some_and(|open| before.get(open..).is_some_and(|rest| !rest.contains("*/")));
    quotes.is_multiple_of(2) && !comment && !before.contains("//")
}
