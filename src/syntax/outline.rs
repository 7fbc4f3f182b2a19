//! Reads the symbols out of a tree: one walk, then lines, groups, ordinals.

use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::{INDEX_DEPTH, INDEX_SYMBOLS};
use crate::syntax::doubt;
use crate::syntax::lang::{Declared, Exported, Group, Inner, Opened, Role, Site};
use crate::syntax::parse::{Parsed, Watch, advance};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::{Import, Kind, Symbol};
use crate::text::{LineRange, Lines};

/// Bytes before a name that are searched for words like `pub`.
const MODIFIER_BYTES: usize = 256;

/// What a file declares.
pub(super) struct Outline {
    pub(super) symbols: Vec<Symbol>,
    pub(super) imports: Vec<Import>,
    /// Lines about which nothing is said; symbols that lie in them are left out.
    pub(super) gaps: Vec<LineRange>,
    /// Lines that may hide symbols.
    pub(super) shadows: Vec<LineRange>,
}

/// Reads all symbols; nothing when they are more or deeper than the limits allow.
pub(super) fn read(parsed: &Parsed, text: &str, cancel: &Cancel) -> Result<Option<Outline>, Error> {
    let n_lines = parsed.lines.n_lines() + 2;
    let mut reader = Reader {
        parsed,
        text,
        symbols: Vec::new(),
        groups: Vec::new(),
        starts: Vec::new(),
        imports: Vec::new(),
        exports: Vec::new(),
        attached: vec![None; n_lines],
        latest: BTreeMap::new(),
        over_limit: false,
    };
    reader.walk(cancel)?;
    if reader.over_limit {
        return Ok(None);
    }
    reader.take_attached_lines();
    reader.mark_exports();
    let mut symbols = reader.symbols;
    number_equal_paths(&mut symbols);
    let (mut gaps, mut shadows) = (Vec::new(), Vec::new());
    if !parsed.gaps.is_empty() {
        let doubt = doubt::doubt(&parsed.gaps, &symbols, text, &parsed.lines);
        symbols = kept(symbols, &doubt.sure);
        (gaps, shadows) = (doubt.gaps, doubt.shadows);
    }
    mark_shared_lines(&mut symbols, &parsed.lines);
    Ok(Some(Outline {
        symbols,
        imports: reader.imports,
        gaps,
        shadows,
    }))
}

/// The symbols that are sure; what a sure symbol is a member of is sure, too.
fn kept(symbols: Vec<Symbol>, sure: &[bool]) -> Vec<Symbol> {
    let mut ids = Vec::with_capacity(symbols.len());
    let mut found: Vec<Symbol> = Vec::with_capacity(symbols.len());
    for (mut symbol, sure) in symbols.into_iter().zip(sure) {
        ids.push(u32::try_from(found.len()).unwrap_or(u32::MAX));
        if *sure {
            symbol.parent = symbol.parent.and_then(|id| ids.get(id as usize).copied());
            found.push(symbol);
        }
    }
    found
}

/// What is known about where the cursor stands.
#[derive(Clone, Copy)]
struct Level<'tree> {
    node: Node<'tree>,
    scope: Inner,
    parent: Option<u32>,
    depth: u16,
    outer: Option<Node<'tree>>,
    /// The innermost node above that is no wrapper: declarations side by side share it.
    block: usize,
    open: Option<Opened>,
    /// Inside a function that was never closed: only what is indented no further than the function
    /// is taken, as standing beside it.
    unclosed: Option<usize>,
}

/// A name in an export list and what it is exported as.
struct Export {
    name: String,
    alias: Option<String>,
}

struct Reader<'a> {
    parsed: &'a Parsed,
    text: &'a str,
    symbols: Vec<Symbol>,
    /// How each symbol's latest declaration joins the next, and the block it stands in.
    groups: Vec<(Group, usize)>,
    /// First byte of each symbol's first declaration.
    starts: Vec<usize>,
    imports: Vec<Import>,
    exports: Vec<Export>,
    /// Indentation of lines, by number, that belong to what follows them.
    attached: Vec<Option<usize>>,
    /// The latest symbol under each parent.
    latest: BTreeMap<Option<u32>, u32>,
    over_limit: bool,
}

impl<'a> Reader<'a> {
    fn walk(&mut self, cancel: &Cancel) -> Result<(), Error> {
        let parsed = self.parsed;
        let mut cursor = parsed.tree.walk();
        let mut watch = Watch::new(cancel);
        let mut levels = vec![Level {
            node: cursor.node(),
            scope: Inner::Module,
            parent: None,
            depth: 0,
            outer: None,
            block: cursor.node().id(),
            open: None,
            unclosed: None,
        }];
        loop {
            watch.tick()?;
            let node = cursor.node();
            let here = levels.last().copied();
            let below = here.and_then(|here| self.visit(node, here));
            if self.over_limit {
                return Ok(());
            }
            if let Some(below) = below
                && cursor.goto_first_child()
            {
                levels.push(below);
            } else if !advance(&mut cursor, || {
                levels.pop();
            }) {
                return Ok(());
            }
        }
    }

    /// Takes what a node declares. Answers what is known below it, unless nothing there counts.
    fn visit<'tree>(&mut self, node: Node<'tree>, here: Level<'tree>) -> Option<Level<'tree>> {
        let plain = Level {
            node,
            outer: None,
            block: node.id(),
            ..here
        };
        if let Some(open) = here.open.filter(|open| open.id == node.id()) {
            return Some(Level {
                scope: open.inner,
                open: None,
                ..plain
            });
        }
        let role = self
            .parsed
            .grammar
            .rule(node)
            .map_or(Role::Through, |rule| rule.role);
        match role {
            Role::Through => Some(plain),
            Role::Opaque => None,
            Role::Attached => {
                self.attach(node);
                None
            }
            Role::Import => {
                self.import(node, here);
                None
            }
            Role::Exports => {
                self.export(node);
                None
            }
            Role::Wraps => {
                let outer = here.outer.or(Some(node));
                let site = self.site(node, here, Kind::Variable, Inner::Nothing);
                match self.declare(&site, here) {
                    Some(below) => below,
                    None => {
                        let opened = (self.parsed.grammar.lang().opens)(node, self.text);
                        let open = opened.filter(|_| here.scope == Inner::Module).or(here.open);
                        Some(Level {
                            outer,
                            open,
                            block: here.block,
                            ..plain
                        })
                    }
                }
            }
            Role::Declares(kind, inner) => {
                let deeper = |indent| self.indentation(here.outer.unwrap_or(node)) > indent;
                if here.unclosed.is_some_and(deeper) {
                    return None;
                }
                let row = kind;
                let kind = match (here.scope, kind) {
                    (Inner::Type, Kind::Function) => Kind::Method,
                    (Inner::Type, Kind::Variable) => Kind::Field,
                    _ => kind,
                };
                let site = self.site(node, here, kind, inner);
                let local = here.scope.is_body() && row != Kind::Function;
                let below = self.declare(&site, here);
                below.unwrap_or_else(|| (!local).then_some(plain))
            }
        }
    }

    fn site<'tree>(
        &self,
        node: Node<'tree>,
        here: Level<'tree>,
        kind: Kind,
        inner: Inner,
    ) -> Site<'tree, 'a> {
        Site {
            node,
            text: self.text,
            kind,
            inner,
            scope: here.scope,
            parent: here.node,
            outer: here.outer,
        }
    }

    /// Adds what a site declares; nothing when that is nothing. Else what is known below it.
    #[expect(
        clippy::option_option,
        reason = "nothing declared differs from nothing below"
    )]
    fn declare<'tree>(
        &mut self,
        site: &Site<'tree, '_>,
        here: Level<'tree>,
    ) -> Option<Option<Level<'tree>>> {
        let mut found = (self.parsed.grammar.lang().declare)(site);
        found.retain(|one| one.segments.iter().all(|segment| !segment.is_empty()));
        let n_found = found.len();
        found.retain(|one| here.scope.takes(site.kind, one));
        if found.len() < n_found {
            return Some(None);
        }
        let mut below = None;
        for declared in found {
            let (inner, open, beside) = (declared.inner, declared.open, declared.beside);
            let id = self.add(site.node, site.whole(), declared, here);
            if self.over_limit {
                return Some(None);
            }
            let level = Level {
                node: site.node,
                scope: inner,
                parent: Some(id),
                depth: here.depth + 1,
                outer: None,
                block: site.node.id(),
                open: open.map(|id| Opened { id, inner }),
                unclosed: None,
            };
            let same = Level {
                node: site.node,
                block: site.node.id(),
                open: None,
                ..here
            };
            below = Some(if beside {
                let outer = Some(site.whole());
                Some(Level { outer, ..same })
            } else if inner.is_body() && is_unclosed(site.node) {
                let unclosed = Some(self.indentation(site.whole()));
                Some(Level {
                    unclosed,
                    outer: None,
                    ..same
                })
            } else {
                (inner != Inner::Nothing).then_some(level)
            });
        }
        below
    }

    /// How far the line on which a node begins is indented.
    fn indentation(&self, node: Node<'_>) -> usize {
        let line = slice(self.text, self.parsed.lines.around(node.start_byte()));
        line.len() - line.trim_start().len()
    }

    fn add(&mut self, node: Node<'_>, whole: Node<'_>, declared: Declared, here: Level<'_>) -> u32 {
        let whole = if declared.own_lines { node } else { whole };
        let end = whole.end_byte().max(declared.end);
        let text = slice(self.text, whole.start_byte()..end);
        let bytes = whole.start_byte()..whole.start_byte() + text.trim_end().len();
        let lines = self.parsed.lines.covering(&bytes);
        let joined = self.joins(&declared, here);
        if let Some(id) = joined
            && let Some(symbol) = self.symbols.get_mut(id as usize)
        {
            symbol.lines.end = symbol.lines.end.max(lines.end);
            symbol.bytes.end = symbol.bytes.end.max(bytes.end);
            symbol.declarations += 1;
            symbol.kind = declared.kind;
            if let Some(group) = self.groups.get_mut(id as usize) {
                *group = (declared.group, here.block);
            }
            return id;
        }
        let id = u32::try_from(self.symbols.len()).unwrap_or(u32::MAX);
        if self.symbols.len() >= INDEX_SYMBOLS || usize::from(here.depth) >= INDEX_DEPTH {
            self.over_limit = true;
            return id;
        }
        let exported = declared
            .exported
            .unwrap_or_else(|| self.is_exported(whole, &declared));
        self.groups.push((declared.group, here.block));
        self.starts.push(bytes.start);
        self.latest.insert(here.parent, id);
        self.symbols.push(Symbol {
            kind: declared.kind,
            lines,
            name: declared.name,
            bytes,
            declarations: 1,
            exported,
            shared_lines: false,
            parent: here.parent,
            ordinal: None,
            depth: here.depth,
            segments: boxed(declared.segments),
            seen_as: declared.seen_as.map(boxed),
            alias: declared.alias.map(String::into_boxed_str),
        });
        id
    }

    /// The symbol before this declaration that it belongs to: the same name, side by side in one
    /// block, both accessors, or a run of signatures with the implementation that ends it.
    fn joins(&self, declared: &Declared, here: Level<'_>) -> Option<u32> {
        let id = *self.latest.get(&here.parent)?;
        let before = self.symbols.get(id as usize)?;
        let (group, block) = *self.groups.get(id as usize)?;
        let fits = block == here.block
            && matches!(
                (group, declared.group),
                (Group::Accessor, Group::Accessor)
                    | (Group::Signature, Group::Signature | Group::Implementation)
            );
        let same = before
            .segments
            .iter()
            .map(AsRef::as_ref)
            .eq(declared.segments.iter().map(String::as_str));
        (fits && same).then_some(id)
    }

    fn is_exported(&self, whole: Node<'_>, declared: &Declared) -> bool {
        let name_start = declared.name.start;
        let head_start = whole
            .start_byte()
            .max(name_start.saturating_sub(MODIFIER_BYTES));
        let head = || slice(self.text, head_start..name_start).split_whitespace();
        let name = declared
            .segments
            .last()
            .map(String::as_str)
            .unwrap_or_default();
        match self.parsed.grammar.lang().exported {
            Exported::Wrapped => whole.kind() == "export_statement",
            Exported::With(words) => head().any(|word| words.contains(&word)),
            Exported::Without(words) => !head().any(|word| words.contains(&word)),
            Exported::Capital => name.chars().next().is_some_and(char::is_uppercase),
            Exported::NoUnderscore => !name.starts_with('_') || name.ends_with("__"),
        }
    }

    /// Marks the lines of a comment or attribute that has its lines for itself.
    fn attach(&mut self, node: Node<'_>) {
        let lines = &self.parsed.lines;
        let text = slice(self.text, node.byte_range());
        let bytes = node.start_byte()..node.start_byte() + text.trim_end().len();
        let range = lines.covering(&bytes);
        let first = lines.around(bytes.start);
        let indent = bytes.start - first.start;
        // An interpreter line and documentation of the file itself belong to nothing after them.
        let interpreter = bytes.start == 0 && text.starts_with("#!");
        let of_file = text.starts_with("//!") || text.starts_with("/*!");
        if interpreter || of_file || !slice(self.text, first.start..bytes.start).trim().is_empty() {
            return;
        }
        let end = lines
            .around(bytes.end.saturating_sub(1).max(bytes.start))
            .end;
        let alone = slice(self.text, bytes.end..end).trim().is_empty();
        let end = range.end + u32::from(alone);
        for line in range.start..end {
            if let Some(mark) = self.attached.get_mut(line as usize) {
                *mark = Some(indent);
            }
        }
    }

    fn import(&mut self, node: Node<'_>, here: Level<'_>) {
        let bytes = here.outer.unwrap_or(node).byte_range();
        let len = slice(self.text, bytes.clone()).trim_end().len();
        let bytes = bytes.start..bytes.start + len;
        self.imports.push(Import {
            lines: self.parsed.lines.covering(&bytes),
            bytes,
            names: (self.parsed.grammar.lang().imported)(node, self.text),
        });
    }

    fn export(&mut self, node: Node<'_>) {
        let text = |field: &str| {
            let child = node.child_by_field_name(field);
            child.map(|child| slice(self.text, child.byte_range()).to_owned())
        };
        if let Some(name) = text("name").or_else(|| text("fun")) {
            let alias = text("alias");
            self.exports.push(Export { name, alias });
        }
    }

    /// Lets each symbol begin with the lines attached to it: those right above it with one
    /// indentation, which is not deeper than its own.
    fn take_attached_lines(&mut self) {
        let mut begins = Vec::with_capacity(self.attached.len());
        let (mut begin, mut above) = (0_u32, None);
        for (line, attached) in (0_u32..).zip(&self.attached) {
            // Where a declaration on this line begins, and how far what is above it is indented.
            begins.push((begin, above));
            if above != *attached {
                begin = if attached.is_some() { line } else { line + 1 };
            }
            above = *attached;
            if attached.is_none() {
                begin = line + 1;
            }
        }
        for symbol in &mut self.symbols {
            let first = symbol.lines.start as usize;
            let bytes = self.parsed.lines.range(first, first).unwrap_or_default();
            let line = slice(self.text, bytes);
            let indent = line.len() - line.trim_start().len();
            if let Some((begin, Some(above))) = begins.get(symbol.lines.start as usize)
                && *above <= indent
            {
                symbol.lines.start = *begin;
            }
        }
    }

    fn mark_exports(&mut self) {
        if self.exports.is_empty() {
            return;
        }
        let exports: BTreeMap<&str, Option<&str>> = self
            .exports
            .iter()
            .map(|export| (export.name.as_str(), export.alias.as_deref()))
            .collect();
        for symbol in self
            .symbols
            .iter_mut()
            .filter(|symbol| symbol.parent.is_none())
        {
            let [name] = symbol.segments.as_slice() else {
                continue;
            };
            if let Some(alias) = exports.get(name.as_ref()) {
                symbol.exported = true;
                if symbol.alias.is_none() {
                    symbol.alias = alias.map(Into::into);
                }
            }
        }
    }
}

/// Whether the end of a function's body was made up by the parser.
fn is_unclosed(node: Node<'_>) -> bool {
    let body = node
        .child_by_field_name("body")
        .filter(|body| body.has_error());
    let last = body.and_then(|body| body.child(body.child_count().saturating_sub(1)));
    last.is_some_and(|last| last.is_missing())
}

fn boxed(segments: Vec<String>) -> Vec<Box<str>> {
    segments.into_iter().map(String::into_boxed_str).collect()
}

/// Gives ordinals to symbols whose paths are equal.
///
/// Paths are compared by numbers: each different pair of what is above and the own name gets one,
/// so that deep nesting costs no more than the names themselves.
fn number_equal_paths(symbols: &mut [Symbol]) {
    let mut numbers: BTreeMap<(u32, Box<str>), u32> = BTreeMap::new();
    let mut seen: Vec<u32> = Vec::with_capacity(symbols.len());
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut number = |above: u32, segments: &[Box<str>]| {
        segments.iter().fold(above, |above, segment| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX) + 1;
            *numbers.entry((above, segment.clone())).or_insert(next)
        })
    };
    for (at, symbol) in symbols.iter().enumerate() {
        let above = symbol
            .parent
            .and_then(|id| seen.get(id as usize))
            .copied()
            .unwrap_or_default();
        let own = number(above, &symbol.segments);
        groups.entry(own).or_default().push(at);
        seen.push(
            symbol
                .seen_as
                .as_ref()
                .map_or(own, |seen| number(above, seen)),
        );
    }
    for group in groups.into_values().filter(|group| group.len() > 1) {
        for (ordinal, at) in (1_u32..).zip(group) {
            if let Some(symbol) = symbols.get_mut(at) {
                symbol.ordinal = Some(ordinal);
            }
        }
    }
}

/// Marks symbols whose lines hold a neighbour, or the head of what they are in.
fn mark_shared_lines(symbols: &mut [Symbol], lines: &Lines) {
    let mut latest: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    for at in 0..symbols.len() {
        let Some(symbol) = symbols.get(at) else {
            return;
        };
        let (range, parent) = (symbol.lines, symbol.parent);
        let above = parent.and_then(|id| symbols.get(id as usize));
        let mut shared = above.is_some_and(|above| {
            let line = range.start as usize;
            line == lines.line_of(above.name.start) || line <= lines.line_of(above.bytes.start)
        });
        if let Some(before) = latest.insert(parent, at)
            && let Some(before) = symbols.get_mut(before)
            && before.lines.end >= range.start
        {
            before.shared_lines = true;
            shared = true;
        }
        if shared && let Some(symbol) = symbols.get_mut(at) {
            symbol.shared_lines = true;
        }
    }
}
