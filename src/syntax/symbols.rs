//! The declarations of a source file: a tree in source order, and finding one by its path.

use std::collections::BTreeMap;
use std::ops::Range;

use tree_sitter::Tree;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::path::RelPath;
use crate::syntax::grammar::{self, Grammar, Language};
use crate::syntax::lang::File;
use crate::syntax::outline;
use crate::syntax::parse::{self, Unparsed};
use crate::syntax::path::{self, SymbolPath};
use crate::syntax::stretch::slice;
use crate::text::{LineRange, Lines};

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A class, also an object or record that acts as one.
    Class,
    /// An interface or protocol.
    Interface,
    /// An enumeration.
    Enum,
    /// A structure or union.
    Struct,
    /// A trait or mixin.
    Trait,
    /// A type alias or associated type.
    Type,
    /// A namespace.
    Namespace,
    /// A module.
    Module,
    /// A function that is not a member.
    Function,
    /// A function that is a member.
    Method,
    /// A constructor.
    Constructor,
    /// A property with getter or setter.
    Accessor,
    /// A data member.
    Field,
    /// A constant or enumeration member.
    Constant,
    /// A variable of the file.
    Variable,
    /// A macro.
    Macro,
    /// A block of members for a type declared elsewhere.
    Impl,
}

impl Kind {
    /// The kind as written in results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Struct => "struct",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Namespace => "namespace",
            Self::Module => "module",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Accessor => "accessor",
            Self::Field => "field",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Macro => "macro",
            Self::Impl => "impl",
        }
    }
}

/// One symbol, which may be several declarations of one name side by side.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// What it is.
    pub kind: Kind,
    /// Complete lines, with attached comments, decorators and modifiers.
    pub lines: LineRange,
    /// Bytes of its name; of the first declaration where there are several.
    pub name: Range<usize>,
    /// Bytes from its first modifier to the end of its last declaration.
    pub bytes: Range<usize>,
    /// Declarations that make it up, at least 1.
    pub declarations: u32,
    /// Whether other files can see it, as far as its own declaration says.
    pub exported: bool,
    /// Whether its lines hold another symbol that it does not contain.
    pub shared_lines: bool,
    /// Index of the symbol it is listed under.
    pub parent: Option<u32>,
    /// Which of several symbols with this path it is, from 1; absent when it is the only one.
    pub ordinal: Option<u32>,
    /// Levels above it.
    pub depth: u16,
    pub(super) segments: Vec<Box<str>>,
    pub(super) seen_as: Option<Vec<Box<str>>>,
    pub(super) alias: Option<Box<str>>,
}

/// How well a file was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseState {
    /// Completely.
    Ok,
    /// With errors; `gaps` are the lines that were not understood, in order. Symbols that lie in
    /// them are not listed; one listed that reaches over them is what holds them.
    Recovered {
        /// Lines that were not understood, widened until what lies outside is sure.
        gaps: Vec<LineRange>,
    },
}

/// Why a file has no index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexFault {
    /// The language is not known, has no symbols, or its grammar is not built in.
    LanguageUnsupported,
    /// Parsing took longer than `limits::PARSE_TIME`.
    ParseTimeout,
    /// More symbols or deeper nesting than the limits allow.
    IndexLimit,
    /// More than a quarter of the file was not understood.
    ParseUnreliable {
        /// From the first to the last line that was not understood.
        lines: LineRange,
    },
}

/// The symbols of one file.
#[derive(Debug)]
pub struct Index {
    /// The language it was read as.
    pub language: Language,
    /// How well it was parsed.
    pub parse: ParseState,
    /// All symbols in source order; a parent stands before its members.
    pub symbols: Vec<Symbol>,
    /// Lines of the file.
    pub total_lines: u32,
    pub(super) tree: Tree,
    pub(super) grammar: &'static Grammar,
    pub(super) imports: Vec<Import>,
    /// Symbols by the last segment of their paths and by their aliases, in source order.
    names: BTreeMap<Box<str>, Vec<u32>>,
    /// Words in lines that may hide symbols, each with the first such lines.
    hidden: BTreeMap<Box<str>, LineRange>,
}

/// An import statement.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) lines: LineRange,
    pub(super) bytes: Range<usize>,
    pub(super) names: Vec<String>,
}

/// What a path stands for. Numbers are positions in [`Index::symbols`], in source order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Exactly one symbol.
    One(u32),
    /// Several.
    Ambiguous(Vec<u32>),
    /// Perhaps one that lies in lines that were not understood.
    Unreliable {
        /// The first such lines with its name.
        lines: LineRange,
    },
    /// None; `near` have the same last segment, at most five.
    None {
        /// Symbols with the same last segment.
        near: Vec<u32>,
    },
}

/// Most symbols named when none was found.
const NEAR: usize = 5;
/// Symbols of one name among which an alias is checked to be the only one of its path.
const ALIAS_CHECKED: usize = 64;

/// Lists the symbols of a file.
///
/// Apart from parsing, which has its deadline, the work is linear in the length of the text.
///
/// # Errors
/// [`Error::Cancelled`] when `cancel` is set.
pub fn index(
    path: &RelPath,
    text: &str,
    cancel: &Cancel,
) -> Result<Result<Index, IndexFault>, Error> {
    let language =
        grammar::language(path).filter(|language| language.lang().file != File::NoSymbols);
    let Some(language) = language else {
        return Ok(Err(IndexFault::LanguageUnsupported));
    };
    let parsed = match parse::parse(language, text, cancel)? {
        Ok(parsed) => parsed,
        Err(Unparsed::NoGrammar) => return Ok(Err(IndexFault::LanguageUnsupported)),
        Err(Unparsed::Timeout) => return Ok(Err(IndexFault::ParseTimeout)),
    };
    if let (true, Some(first), Some(last)) =
        (parsed.unreliable, parsed.gaps.first(), parsed.gaps.last())
    {
        let lines = LineRange {
            start: first.start,
            end: last.end,
        };
        return Ok(Err(IndexFault::ParseUnreliable { lines }));
    }
    let Some(found) = outline::read(&parsed, text, cancel)? else {
        return Ok(Err(IndexFault::IndexLimit));
    };
    let parse = if parsed.gaps.is_empty() {
        ParseState::Ok
    } else {
        ParseState::Recovered { gaps: found.gaps }
    };
    Ok(Ok(Index {
        language,
        parse,
        names: by_name(&found.symbols),
        hidden: words(&found.shadows, text, &parsed.lines),
        symbols: found.symbols,
        total_lines: u32::try_from(parsed.lines.n_lines()).unwrap_or(u32::MAX),
        tree: parsed.tree,
        grammar: parsed.grammar,
        imports: found.imports,
    }))
}

impl Index {
    /// The symbol at `id`.
    #[must_use]
    pub fn symbol(&self, id: u32) -> Option<&Symbol> {
        self.symbols.get(id as usize)
    }

    /// The symbols listed right under `parent`, or those of the file, in source order.
    pub fn members(&self, parent: Option<u32>) -> impl Iterator<Item = u32> {
        let members = (0_u32..).zip(&self.symbols);
        members
            .filter(move |(_, symbol)| symbol.parent == parent)
            .map(|(id, _)| id)
    }

    /// The segments of a symbol's path.
    #[must_use]
    pub fn segments(&self, id: u32) -> Vec<&str> {
        segments(&self.symbols, id)
    }

    /// The path of a symbol as written, with its ordinal; empty for a number out of range.
    #[must_use]
    pub fn path(&self, id: u32) -> String {
        let ordinal = self.symbol(id).and_then(|symbol| symbol.ordinal);
        path::written(self.segments(id).into_iter(), ordinal)
    }

    /// Other paths that find exactly this symbol.
    #[must_use]
    pub fn aliases(&self, id: u32) -> Vec<String> {
        let Some(alias) = self.symbol(id).and_then(|symbol| symbol.alias.as_deref()) else {
            return Vec::new();
        };
        if self
            .names
            .get(alias)
            .is_none_or(|equal| equal.len() > ALIAS_CHECKED)
        {
            return Vec::new();
        }
        let mut segments = self.segments(id);
        segments.pop();
        segments.push(alias);
        let written = path::written(segments.iter().copied(), None);
        let path = SymbolPath {
            segments: segments
                .iter()
                .map(|segment| (*segment).to_owned())
                .collect(),
            ordinal: None,
        };
        match self.find(&path) {
            Lookup::One(found) if found == id => vec![written],
            _ => Vec::new(),
        }
    }

    /// Finds the symbol of a path: those with exactly this path, else those whose path ends so.
    #[must_use]
    pub fn find(&self, path: &SymbolPath) -> Lookup {
        let Some(last) = path.segments.last() else {
            return Lookup::None { near: Vec::new() };
        };
        let near = self
            .names
            .get(last.as_str())
            .map(Vec::as_slice)
            .unwrap_or_default();
        let wanted = |symbol: &Symbol| match path.ordinal {
            None => true,
            Some(ordinal) => symbol.ordinal.unwrap_or(1) == ordinal,
        };
        let (mut whole, mut ending) = (Vec::new(), Vec::new());
        for id in near
            .iter()
            .copied()
            .filter(|id| self.symbol(*id).is_some_and(wanted))
        {
            match self.ends_with(id, &path.segments) {
                Some(true) => whole.push(id),
                Some(false) => ending.push(id),
                None => {}
            }
        }
        if whole.is_empty()
            && let Some(lines) = self.may_hide(last)
        {
            return Lookup::Unreliable { lines };
        }
        let found = if whole.is_empty() { ending } else { whole };
        match found.as_slice() {
            [] => Lookup::None {
                near: near.iter().copied().take(NEAR).collect(),
            },
            [one] => Lookup::One(*one),
            _ => Lookup::Ambiguous(found),
        }
    }

    /// The first lines that may hide a symbol with the last segment `name`.
    fn may_hide(&self, name: &str) -> Option<LineRange> {
        let mut lines = None;
        for word in name.split(|c| !is_word(c)).filter(|word| !word.is_empty()) {
            lines = Some(*self.hidden.get(word)?);
        }
        lines.or_else(|| {
            self.hidden
                .values()
                .min_by_key(|lines| lines.start)
                .copied()
        })
    }

    /// The first lines with errors that the lines of a symbol touch.
    #[must_use]
    pub fn touches_gap(&self, id: u32) -> Option<LineRange> {
        let lines = self.symbol(id)?.lines;
        match &self.parse {
            ParseState::Ok => None,
            ParseState::Recovered { gaps } => gaps.iter().copied().find(|gap| gap.meets(lines)),
        }
    }

    /// Whether the path of a symbol ends in `wanted`; if so, whether that is all of it.
    fn ends_with(&self, id: u32, wanted: &[String]) -> Option<bool> {
        let mut left = wanted;
        let mut at = Some(id);
        let mut own = true;
        while let Some(symbol) = at.and_then(|id| self.symbol(id)) {
            let seen = match &symbol.seen_as {
                Some(seen) if !own => seen,
                _ => &symbol.segments,
            };
            let alias = symbol
                .alias
                .as_deref()
                .filter(|_| own || symbol.seen_as.is_none());
            for (back, segment) in seen.iter().rev().enumerate() {
                let Some((last, before)) = left.split_last() else {
                    return Some(false);
                };
                let aliased = back == 0 && alias == Some(last.as_str());
                if **segment != **last && !aliased {
                    return None;
                }
                left = before;
            }
            own = false;
            at = symbol.parent;
        }
        left.is_empty().then_some(true)
    }
}

fn by_name(symbols: &[Symbol]) -> BTreeMap<Box<str>, Vec<u32>> {
    let mut names: BTreeMap<Box<str>, Vec<u32>> = BTreeMap::new();
    for (id, symbol) in (0_u32..).zip(symbols) {
        let last = symbol.segments.last();
        let alias = symbol.alias.as_ref().filter(|alias| last != Some(*alias));
        for name in last.into_iter().chain(alias) {
            names.entry(name.clone()).or_default().push(id);
        }
    }
    names
}

const fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// The words in some lines, each with the first of them.
fn words(ranges: &[LineRange], text: &str, lines: &Lines) -> BTreeMap<Box<str>, LineRange> {
    let mut found = BTreeMap::new();
    for range in ranges {
        let bytes = lines.range(range.start as usize, range.end as usize);
        let piece = slice(text, bytes.unwrap_or_default());
        for word in piece.split(|c| !is_word(c)).filter(|word| !word.is_empty()) {
            found.entry(word.into()).or_insert(*range);
        }
    }
    found
}

/// The segments of the path of `symbols[id]`.
pub(super) fn segments(symbols: &[Symbol], id: u32) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut at = symbols.get(id as usize);
    let mut own = true;
    while let Some(symbol) = at {
        let seen = match &symbol.seen_as {
            Some(seen) if !own => seen,
            _ => &symbol.segments,
        };
        found.extend(seen.iter().rev().map(AsRef::as_ref));
        own = false;
        at = symbol.parent.and_then(|id| symbols.get(id as usize));
    }
    found.reverse();
    found
}
