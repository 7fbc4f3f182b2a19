//! How far an error reaches: which lines of a file with errors nothing is said about.
//!
//! A parser that meets what it does not know goes on as best it can, and what it makes of the
//! lines around it may be wrong without a mark: a class that ends early, members that became
//! functions of the file, a function that swallowed the next. The layout of the source is the
//! second witness. What the tree says of a declaration is sure when its lines agree: it ends at
//! its own indentation, what is in it stands further in, and it stands in what the indentation
//! says. Everything else is widened to whole items of its level and left alone. A file in which
//! all is understood is never looked at here.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::syntax::stretch::slice;
use crate::syntax::symbols::{Kind, Symbol};
use crate::text::{LineRange, Lines};

/// Columns between tabulator stops.
const TAB: usize = 8;
/// First words of lines that continue what stands before them at the same indentation.
const CONTINUED: [&str; 13] = [
    "else", "elif", "elsif", "except", "finally", "catch", "rescue", "ensure", "end", "done", "fi",
    "esac", "where",
];
/// Words that make a label out of a line in what they stand in.
const LABELS: [&str; 7] = [
    "public",
    "private",
    "protected",
    "signals",
    "slots",
    "case",
    "default",
];

/// First words of directives.
const DIRECTIVES: [&str; 18] = [
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "elifdef",
    "elifndef",
    "define",
    "undef",
    "include",
    "include_next",
    "import",
    "pragma",
    "error",
    "warning",
    "region",
    "endregion",
];

/// What is not sure.
pub(super) struct Doubt {
    /// Lines about which nothing is said, merged, in order; never empty.
    pub(super) gaps: Vec<LineRange>,
    /// Lines that may hide a declaration: those, and what unsure declarations seem to span.
    pub(super) shadows: Vec<LineRange>,
    /// Whether each symbol is sure.
    pub(super) sure: Vec<bool>,
}

/// One line as the layout sees it.
#[derive(Clone, Copy)]
struct Line {
    /// Columns before its text; nothing where it says nothing: blank, a comment, a directive.
    indent: Option<usize>,
    /// Whether it belongs to what stands before it at the same indentation.
    continues: bool,
}

/// The layout of a file. Lines are counted from 0 here.
struct Layout {
    lines: Vec<Line>,
    /// The first line behind each that belongs to nothing that begins on it.
    stops: Vec<usize>,
    /// The nearest line before each that is indented less.
    outer: Vec<Option<usize>>,
}

/// Finds what is not sure in a file with errors in the lines `errors`, which are not empty.
///
/// The work is linear in the text, times the depth of symbols.
pub(super) fn doubt(errors: &[LineRange], symbols: &[Symbol], text: &str, lines: &Lines) -> Doubt {
    let layout = Layout::new(text, lines);
    let spans: Vec<Span> = symbols
        .iter()
        .map(|symbol| Span::new(symbol, lines))
        .collect();
    let owners = owners(&spans, layout.lines.len());
    let mut sound = Vec::with_capacity(symbols.len());
    for (symbol, span) in symbols.iter().zip(&spans) {
        let parent = symbol.parent.map(|id| id as usize);
        let parent = parent.and_then(|id| symbols.get(id).zip(spans.get(id)));
        let inside = |owner: u32| is_within(symbols, symbol.parent, owner);
        let fits = layout.is_closed(span, symbol, text, lines)
            && layout.is_nested(span, parent)
            && layout
                .outer_line(span.first)
                .and_then(|line| owners.get(line).copied().flatten())
                .is_none_or(inside);
        sound.push(fits);
    }
    let flat = symbols
        .iter()
        .zip(&spans)
        .filter(|(symbol, _)| is_flat(symbol));
    let mut flat_ends: Vec<usize> = flat.map(|(_, span)| span.last).collect();
    flat_ends.sort_unstable();
    let mut found = Vec::new();
    let mut shadows = Vec::new();
    for (span, _) in spans.iter().zip(&sound).filter(|(_, sound)| !**sound) {
        let end = layout.end_of(span);
        found.push(span.first..end + 1);
        shadows.push(span.first..end.max(span.last) + 1);
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut wide = merged(found);
    let mut margins = BTreeMap::new();
    let mut widened: Vec<Range<usize>> = Vec::new();
    for error in errors {
        let first = (error.start as usize).saturating_sub(1);
        let last = (error.end as usize).saturating_sub(1);
        let within = |range: &Range<usize>| range.start <= first && last < range.end;
        let at = wide.partition_point(|range| range.start <= first);
        let covered = at.checked_sub(1).and_then(|at| wide.get(at));
        if covered.is_some_and(within) || widened.last().is_some_and(within) {
            continue;
        }
        let holder = holder(
            symbols,
            &spans,
            &sound,
            owners.get(first).copied().flatten(),
            first..last + 1,
        );
        let margin = *margins
            .entry(holder)
            .or_insert_with(|| layout.margin(holder.and_then(|id| spans.get(id as usize))));
        let bounds = holder
            .and_then(|id| spans.get(id as usize))
            .map_or(0..layout.lines.len(), |span| span.head + 1..span.last + 1);
        let mut item = layout.item(first..last + 1, margin, &bounds);
        // An end too many: something before it may have ended too early.
        if layout.line(first).continues
            && let Some(end) = flat_ends
                .get(..flat_ends.partition_point(|end| *end < item.start))
                .and_then(<[usize]>::last)
        {
            item.start = end + 1;
        }
        widened.push(item);
    }
    wide.extend(widened);
    wide.sort_unstable_by_key(|range| (range.start, range.end));
    let gaps = merged(wide);
    shadows.extend(gaps.iter().cloned());
    shadows.sort_unstable_by_key(|range| (range.start, range.end));
    let mut sure: Vec<bool> = Vec::with_capacity(symbols.len());
    for ((symbol, span), sound) in symbols.iter().zip(&spans).zip(&sound) {
        let above = symbol
            .parent
            .is_none_or(|id| sure.get(id as usize).copied().unwrap_or_default());
        let first = (symbol.lines.start as usize)
            .saturating_sub(1)
            .min(span.first);
        let head = first..span.head + 1;
        let at = gaps.partition_point(|gap| gap.end <= head.start);
        let clear = gaps.get(at).is_none_or(|gap| gap.start >= head.end);
        let at = gaps.partition_point(|gap| gap.end <= span.last);
        let ends = gaps.get(at).is_none_or(|gap| gap.start > span.last);
        sure.push(above && *sound && clear && ends);
    }
    Doubt {
        gaps: numbered(&gaps),
        shadows: numbered(&merged(shadows)),
        sure,
    }
}

/// The lines of a symbol.
struct Span {
    first: usize,
    /// The last line of its head: the line of its name.
    head: usize,
    last: usize,
}

impl Span {
    fn new(symbol: &Symbol, lines: &Lines) -> Self {
        let first = lines.line_of(symbol.bytes.start).saturating_sub(1);
        let end = symbol.bytes.end.saturating_sub(1).max(symbol.bytes.start);
        let last = lines.line_of(end).saturating_sub(1);
        let name = lines.line_of(symbol.name.start).saturating_sub(1);
        Self {
            first,
            head: name.clamp(first, last),
            last,
        }
    }
}

/// The innermost symbol that holds the beginning of each line, by line.
fn owners(spans: &[Span], n_lines: usize) -> Vec<Option<u32>> {
    let mut owners = vec![None; n_lines];
    for (id, span) in (0_u32..).zip(spans) {
        let lines = owners.get_mut(span.first..=span.last);
        lines
            .into_iter()
            .flatten()
            .for_each(|owner| *owner = Some(id));
    }
    owners
}

/// Whether `owner` is `from` or above it.
fn is_within(symbols: &[Symbol], from: Option<u32>, owner: u32) -> bool {
    above(symbols, from).any(|id| id == owner)
}

fn above(symbols: &[Symbol], from: Option<u32>) -> impl Iterator<Item = u32> {
    std::iter::successors(from, |id| symbols.get(*id as usize)?.parent)
}

/// The innermost sound symbol that holds `range` between its head and its last line.
fn holder(
    symbols: &[Symbol],
    spans: &[Span],
    sound: &[bool],
    owner: Option<u32>,
    range: Range<usize>,
) -> Option<u32> {
    above(symbols, owner).find(|id| {
        let at = *id as usize;
        let fits = |span: &Span| span.head < range.start && range.end <= span.last;
        sound.get(at).copied().unwrap_or_default() && spans.get(at).is_some_and(fits)
    })
}

impl Layout {
    fn new(text: &str, lines: &Lines) -> Self {
        let lines: Vec<Line> = (1..=lines.n_lines())
            .map(|number| {
                let bytes = lines.range(number, number).unwrap_or_default();
                Line::new(slice(text, bytes))
            })
            .collect();
        let n_lines = lines.len();
        let mut stops = vec![n_lines; n_lines];
        let mut outer = vec![None; n_lines];
        // Lines that nothing has stopped yet, each indented no less than the one before.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(indent) = line.indent else { continue };
            while let Some(&(before, its)) = open.last()
                && (its > indent || its == indent && !line.continues)
            {
                if let Some(stop) = stops.get_mut(before) {
                    *stop = at;
                }
                open.pop();
            }
            let less = open.iter().rev().find(|(_, its)| *its < indent);
            if let Some(found) = outer.get_mut(at) {
                *found = less.map(|(before, _)| *before);
            }
            // A line that continues what is open stands for it.
            if line.continues && open.last().is_some_and(|(_, its)| *its == indent) {
                continue;
            }
            open.push((at, indent));
        }
        Self {
            lines,
            stops,
            outer,
        }
    }

    fn line(&self, at: usize) -> Line {
        self.lines.get(at).copied().unwrap_or(Line {
            indent: None,
            continues: false,
        })
    }

    fn outer_line(&self, at: usize) -> Option<usize> {
        self.outer.get(at).copied().flatten()
    }

    /// The last line that what begins at `span` reaches by its layout.
    fn end_of(&self, span: &Span) -> usize {
        let same = self.line(span.head).indent == self.line(span.first).indent;
        let from = if same { span.head } else { span.first };
        let stop = self.stops.get(from).copied().unwrap_or(self.lines.len());
        let said = (span.head..stop)
            .rev()
            .find(|at| self.line(*at).indent.is_some());
        said.unwrap_or(span.head)
    }

    /// Whether a symbol ends where its layout says.
    fn is_closed(&self, span: &Span, symbol: &Symbol, text: &str, lines: &Lines) -> bool {
        let bytes = symbol.bytes.clone();
        let source = slice(text, bytes.clone());
        let Some(indent) = self.line(span.first).indent else {
            return span.first == span.last || source.starts_with('#');
        };
        let end = self.end_of(span);
        if span.first == span.last {
            let before = slice(text, lines.around(bytes.start).start..bytes.start);
            let complete = source.ends_with([';', ',']);
            return end == span.last || complete || !before.trim().is_empty();
        }
        let last = self.line(span.last);
        let within = || {
            let lines = self.lines.get(span.first..=span.last).unwrap_or_default();
            let mut said = lines.iter().filter_map(|line| line.indent);
            said.all(|its| its >= indent)
        };
        if is_flat(symbol) && end < span.last {
            return last.continues && last.indent == Some(indent) && within();
        }
        if symbol.declarations > 1 {
            return within();
        }
        end == span.last && last.indent.is_none_or(|its| its >= indent)
    }

    /// Whether a symbol stands further in than what it is a member of.
    fn is_nested(&self, span: &Span, parent: Option<(&Symbol, &Span)>) -> bool {
        let Some((parent, above)) = parent else {
            return true;
        };
        let indent = |span: &Span| self.line(span.first).indent;
        let further = match is_flat(parent) {
            true => indent(span) >= indent(above),
            false => indent(span) > indent(above),
        };
        span.first <= above.head || further || indent(span).is_none()
    }

    /// The least indentation of what stands in `span`, or in the file.
    fn margin(&self, span: Option<&Span>) -> usize {
        let range = span.map_or(0..self.lines.len(), |span| span.head + 1..span.last);
        let lines = self.lines.get(range).unwrap_or_default();
        let said = lines.iter().filter(|line| !line.continues);
        said.filter_map(|line| line.indent)
            .min()
            .unwrap_or_default()
    }

    /// `range` widened to complete items at `margin`, within `bounds`.
    fn item(&self, range: Range<usize>, margin: usize, bounds: &Range<usize>) -> Range<usize> {
        let begins = |at: usize| {
            let line = self.line(at);
            !line.continues && line.indent.is_some_and(|indent| indent <= margin)
        };
        let mut start = range.start;
        while start > bounds.start && !begins(start) {
            start -= 1;
        }
        let mut end = range.end;
        while end < bounds.end && !begins(end) {
            end += 1;
        }
        // What stands between items belongs to the next one.
        while end > range.end && self.line(end - 1).indent.is_none() {
            end -= 1;
        }
        start..end
    }
}

/// Whether the members of a symbol may stand at its own indentation.
fn is_flat(symbol: &Symbol) -> bool {
    matches!(symbol.kind, Kind::Namespace | Kind::Module)
}

impl Line {
    fn new(text: &str) -> Self {
        let rest = text.trim_start_matches([' ', '\t', '\u{c}']);
        let said = rest.trim_end();
        let silent = said.is_empty()
            || ["//", "/*", "*/", "* ", "--"]
                .iter()
                .any(|mark| said.starts_with(mark))
            || said == "*"
            || is_directive(said)
            || is_label(said);
        let word = said
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default();
        let lead = slice(text, 0..text.len() - rest.len());
        Self {
            indent: (!silent).then(|| columns(lead)),
            continues: said.starts_with(['}', ')', ']', '{']) || CONTINUED.contains(&word),
        }
    }
}

/// Whether a line is a directive, an attribute or a comment; `#name` is a member in some languages.
fn is_directive(said: &str) -> bool {
    let Some(rest) = said.strip_prefix('#') else {
        return false;
    };
    let rest = rest.trim_start_matches([' ', '\t']);
    let word = rest
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    rest.is_empty()
        || rest.len() + 1 < said.len()
        || rest.starts_with(['!', '[', '#', '-', '=', ':'])
        || DIRECTIVES.contains(&word)
}

fn is_label(said: &str) -> bool {
    let word = said.split([' ', ':']).next().unwrap_or_default();
    said.ends_with(':') && LABELS.contains(&word)
}

/// Columns that white space takes.
fn columns(white: &str) -> usize {
    white.chars().fold(0, |column, c| match c {
        '\t' => (column / TAB + 1) * TAB,
        _ => column + 1,
    })
}

fn merged(sorted: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for range in sorted {
        match found.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => found.push(range),
        }
    }
    found
}

fn numbered(ranges: &[Range<usize>]) -> Vec<LineRange> {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let lines = |range: &Range<usize>| LineRange {
        start: number(range.start + 1),
        end: number(range.end),
    };
    ranges.iter().map(lines).collect()
}
