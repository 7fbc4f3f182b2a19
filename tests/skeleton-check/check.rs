//! What must hold for the skeleton and the index of any source file, checked on one file.
//!
//! Hard properties, each a violation when broken:
//! 1. kept stretches and cut stretches, put together, are the file;
//! 2. the skeleton has fewer tokens than the file;
//! 3. no cut touches an import, or the signature of a definition at file or member level, where
//!    the tree around it has no error;
//! 4. a symbol's bytes are one node of the tree, or a run of neighbours; its name lies in them;
//! 5. a symbol's bytes parse again as a symbol of the same path and kind, standing alone in what
//!    it is a member of;
//! 6. no panic, and no more time than the deadline of the parser allows with room to spare.
//!
//! Only counted: whether the index lists a definition that the query names. Queries name uses and
//! parameters of some languages too, and what a macro stands for.
//!
//! One syntax error can change what the parser makes of distant lines, so that in a file that has
//! one, 4 and 5 are only counted.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use moon_repomix::cancel::Cancel;
use moon_repomix::path::RelPath;
use moon_repomix::reason::Reason;
use moon_repomix::syntax::grammar;
use moon_repomix::syntax::skeleton::{Cut, Skeleton, skeleton};
use moon_repomix::syntax::symbols::{Index, index};
use moon_repomix::tokens::count::with_counter;
use tree_sitter::{Node, Parser, QueryCursor, StreamingIterator, Tree};

use super::languages::{self, Spec};

/// Time for one file: two parses within their deadline, and linear walks on a busy machine.
const FILE_TIME: Duration = Duration::from_secs(2);

/// A definition or import that was found, and whether it is still there.
pub(crate) struct Found {
    /// Whether it is an import or an export of names, not a definition.
    pub(crate) import: bool,
    /// Its text as it is looked for in another packer's output: for a definition the signature
    /// without decorators before it and signs at its end, white space folded.
    pub(crate) text: String,
    /// Whether no cut touches it.
    pub(crate) kept: bool,
    /// The line on which it begins.
    pub(crate) line: usize,
}

/// What was found in one file.
pub(crate) struct Report {
    /// Language by the name of the file.
    pub(crate) language: &'static str,
    /// What a packed document holds: the skeleton, or the file.
    pub(crate) left: String,
    /// Whether that is a skeleton.
    pub(crate) skeleton: bool,
    /// Whether the parser's deadline passed.
    pub(crate) timeout: bool,
    /// Tokens of the file.
    pub(crate) full_tokens: u64,
    /// Tokens of `left`.
    pub(crate) left_tokens: u64,
    /// Definitions and imports at file or member level.
    pub(crate) found: Vec<Found>,
    /// Named definitions at file or member level: line, name, and whether the index lists them.
    pub(crate) named: Vec<(usize, String, bool)>,
    /// Symbols that were checked.
    pub(crate) symbols: usize,
    /// Symbols of a file with syntax errors for which 4 or 5 does not hold.
    pub(crate) differ: usize,
    /// Hard properties that do not hold: line and what.
    pub(crate) violations: Vec<(usize, String)>,
    /// Time for skeleton and index.
    pub(crate) elapsed: Duration,
}

/// The specifications, each made once.
pub(crate) struct Specs(BTreeMap<&'static str, Spec>);

impl Specs {
    /// Those whose grammars are built in.
    pub(crate) fn new() -> Self {
        let names = languages::NAMES.iter().copied();
        Self(
            names
                .filter_map(|name| Some((name, languages::spec(name)?)))
                .collect(),
        )
    }
}

/// Tokens of a text.
pub(crate) fn tokens(text: &str) -> u64 {
    with_counter(|counter| counter.count(text))
}

/// `text` with each run of white space made one space.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks one file; nothing when its language is not known.
pub(crate) fn check(name: &str, text: &str, specs: &Specs) -> Option<Report> {
    let path = RelPath::new(name).ok()?;
    let language = grammar::language(&path)?.name();
    let start = Instant::now();
    let made = catch_unwind(AssertUnwindSafe(|| {
        let mut count = tokens;
        let cut = skeleton(&path, text, &mut count, &Cancel::never());
        (cut, index(&path, text, &Cancel::never()))
    }));
    let mut report = Report {
        language,
        left: text.to_owned(),
        skeleton: false,
        timeout: false,
        full_tokens: tokens(text),
        left_tokens: 0,
        found: Vec::new(),
        named: Vec::new(),
        symbols: 0,
        differ: 0,
        violations: Vec::new(),
        elapsed: start.elapsed(),
    };
    if report.elapsed > FILE_TIME {
        report
            .violations
            .push((1, format!("{:?} for one file", report.elapsed)));
    }
    let mut cuts = Vec::new();
    let mut symbols = None;
    match made {
        Ok((Ok(cut), Ok(index))) => {
            report.timeout = matches!(cut, Err(Reason::SkeletonTimeout));
            if let Ok(skeleton) = cut {
                reassembles(text, &skeleton, &mut report.violations);
                (report.left, cuts, report.skeleton) = (skeleton.text, skeleton.cuts, true);
            }
            symbols = index.ok();
        }
        _ => report.violations.push((1, "panic or error".to_owned())),
    }
    report.left_tokens = tokens(&report.left);
    if report.skeleton && report.left_tokens >= report.full_tokens {
        report
            .violations
            .push((1, "the skeleton has no fewer tokens".to_owned()));
    }
    if let Some((spec, tree)) = parse(language, text, specs) {
        definitions(spec, &tree, text, &cuts, &mut report);
        if let Some(index) = symbols {
            let name = format!("a.{}", spec.extension);
            let path = RelPath::new(&name).ok()?;
            let mut differ = Vec::new();
            report.symbols = check_symbols(&path, text, &tree, &index, &mut differ);
            report.named = named(spec, &tree, text, &index);
            if tree.root_node().has_error() {
                report.differ = differ.len();
            } else {
                report.violations.extend(differ);
            }
        }
    }
    Some(report)
}

fn reassembles(text: &str, skeleton: &Skeleton, violations: &mut Vec<(usize, String)>) {
    let mut back = String::new();
    let mut at = 0;
    for cut in &skeleton.cuts {
        back += &skeleton.text[at..cut.output.start];
        back += &text[cut.source.clone()];
        at = cut.output.end;
    }
    back += &skeleton.text[at..];
    if back != text {
        violations.push((1, "kept and cut stretches are not the file".to_owned()));
    }
}

/// The tree with the fewest errors among those of the language and the one tried after it.
fn parse<'a>(name: &str, text: &str, specs: &'a Specs) -> Option<(&'a Spec, Tree)> {
    let first = specs.0.get(name)?;
    let second = first.second.and_then(|name| specs.0.get(name));
    let read = |spec: &'a Spec| {
        let mut parser = Parser::new();
        parser.set_language(&spec.grammar).ok()?;
        Some((spec, parser.parse(text, None)?))
    };
    let one = read(first)?;
    if !one.1.root_node().has_error() {
        return Some(one);
    }
    match second.and_then(read) {
        Some(two) if error_bytes(&two.1) < error_bytes(&one.1) => Some(two),
        _ => Some(one),
    }
}

fn error_bytes(tree: &Tree) -> usize {
    let mut found = 0;
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.is_error() || node.is_missing() {
            found += node.byte_range().len() + 1;
        } else if node.has_error() {
            let mut cursor = node.walk();
            open.extend(node.children(&mut cursor));
        }
    }
    found
}

/// The first byte of each line.
fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(at, _)| at + 1))
        .collect()
}

fn line(starts: &[usize], at: usize) -> usize {
    starts.partition_point(|start| *start <= at)
}

fn definitions(spec: &Spec, tree: &Tree, text: &str, cuts: &[Cut], report: &mut Report) {
    let names = spec.query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut captures = cursor.captures(&spec.query, tree.root_node(), text.as_bytes());
    let mut seen = BTreeMap::new();
    while let Some((found, at)) = captures.next() {
        let capture = found.captures()[*at];
        let name = names[capture.index as usize];
        let import = name == "import";
        if !import && !name.starts_with("definition.") {
            continue;
        }
        let node = holder(spec, capture.node);
        if above(node).any(|above| spec.functions.contains(&above.kind())) {
            continue;
        }
        let end = if import {
            node.end_byte()
        } else {
            signature_end(spec, capture.node, node)
        };
        // An error at the top of the file is no reason to doubt what stands beside it.
        let firm = !node.has_error()
            && above(node)
                .filter(|above| above.parent().is_some())
                .all(|above| !above.is_error());
        let own = capture.node.start_byte().min(end);
        seen.insert((node.start_byte(), end, import), (firm, own));
    }
    let starts = line_starts(text);
    for ((start, end, import), (firm, own)) in seen {
        let signature = text[start..end].trim_end();
        let end = start + signature.len();
        let kept = !cuts
            .iter()
            .any(|cut| cut.source.start < end && start < cut.source.end);
        let line = line(&starts, start);
        if !kept && firm {
            let first = signature.lines().next().unwrap_or_default();
            report.violations.push((line, format!("cut: {first}")));
        }
        report.found.push(Found {
            import,
            text: folded(text[own.min(end)..end].trim_end_matches([':', '{', '=', '>', ' '])),
            kept,
            line,
        });
    }
}

/// The definitions that the query names, and whether the index has a symbol of that name there.
fn named(spec: &Spec, tree: &Tree, text: &str, index: &Index) -> Vec<(usize, String, bool)> {
    let starts = line_starts(text);
    let captures = spec.query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&spec.query, tree.root_node(), text.as_bytes());
    let mut found = BTreeMap::new();
    while let Some(one) = matches.next() {
        let (mut node, mut name) = (None, None);
        for capture in one.captures() {
            match captures[capture.index as usize] {
                "name" => name = Some(capture.node),
                kind if kind.starts_with("definition.") => node = Some(capture.node),
                _ => {}
            }
        }
        let (Some(node), Some(name)) = (node, name) else {
            continue;
        };
        let inside = above(holder(spec, node)).any(|above| spec.functions.contains(&above.kind()));
        if inside || is_doubtful(tree.root_node(), &node.byte_range()) {
            continue;
        }
        let at = line(&starts, name.start_byte());
        let word = text[name.byte_range()].trim_matches(['"', '\'', '`']);
        let listed = (0_u32..).zip(&index.symbols).any(|(id, symbol)| {
            let lines = symbol.lines.start as usize..=symbol.lines.end as usize;
            lines.contains(&at) && index.segments(id).last().is_some_and(|last| *last == word)
        });
        found.insert(name.start_byte(), (at, word.to_owned(), listed));
    }
    found.into_values().collect()
}

fn above(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), Node::parent)
}

/// The outermost node that the definition begins with.
fn holder<'tree>(spec: &Spec, node: Node<'tree>) -> Node<'tree> {
    let mut at = node;
    while let Some(above) = at
        .parent()
        .filter(|above| spec.holders.contains(&above.kind()))
    {
        let same = std::iter::successors(at.prev_named_sibling(), Node::prev_named_sibling)
            .any(|before| before.kind() == at.kind());
        if same {
            break;
        }
        at = above;
    }
    at
}

/// Where the signature ends: before the body of the definition, or else of the first function in
/// it, without comments between.
fn signature_end(spec: &Spec, node: Node<'_>, holder: Node<'_>) -> usize {
    let own = own_end(spec, node);
    if let Some(end) = own.filter(|_| spec.functions.contains(&node.kind())) {
        return end;
    }
    let first = first_function(spec, holder).unwrap_or(holder.end_byte());
    own.unwrap_or(holder.end_byte()).min(first)
}

/// Where the signature of the first function in `holder` ends.
fn first_function(spec: &Spec, holder: Node<'_>) -> Option<usize> {
    let mut open = vec![holder];
    while let Some(at) = open.pop() {
        if spec.functions.contains(&at.kind()) {
            return Some(own_end(spec, at).unwrap_or(at.start_byte()));
        }
        let mut cursor = at.walk();
        let children: Vec<_> = at.children(&mut cursor).collect();
        open.extend(children.into_iter().rev());
    }
    None
}

/// The end of what stands before the body of a node.
fn own_end(spec: &Spec, node: Node<'_>) -> Option<usize> {
    let mut cursor = node.walk();
    let children: Vec<_> = node.children(&mut cursor).collect();
    let by_field = node.child_by_field_name("body");
    let by_kind = children
        .iter()
        .copied()
        .find(|child| spec.bodies.contains(&child.kind()));
    let body = by_field.or(by_kind)?;
    let before = children
        .into_iter()
        .filter(|child| child.end_byte() <= body.start_byte() && !child.is_extra());
    before.map(|child| child.end_byte()).max()
}

fn trimmed_end(text: &str, range: Range<usize>) -> usize {
    range.start + text[range].trim_end().len()
}

fn check_symbols(
    path: &RelPath,
    text: &str,
    tree: &Tree,
    index: &Index,
    violations: &mut Vec<(usize, String)>,
) -> usize {
    let starts = line_starts(text);
    let mut checked = 0;
    for (id, symbol) in (0_u32..).zip(&index.symbols) {
        let bytes = symbol.bytes.clone();
        let at = line(&starts, bytes.start);
        let mut fail = |what: &str| violations.push((at, format!("{what}: {}", index.path(id))));
        if index.touches_gap(id).is_some() || is_doubtful(tree.root_node(), &bytes) {
            continue;
        }
        checked += 1;
        if symbol.name.start < bytes.start || symbol.name.end > bytes.end {
            fail("the name lies outside");
        }
        if at < symbol.lines.start as usize
            || line(&starts, bytes.end - 1) != symbol.lines.end as usize
        {
            fail("lines and bytes differ");
        }
        let again = |with: With| {
            let alone = alone(tree.root_node(), text, &bytes, with)?;
            let again = index_of(path, &alone)?;
            let mut all = (0_u32..).zip(&again.symbols);
            Some(all.any(|(other, found)| {
                found.kind == symbol.kind && again.segments(other) == index.segments(id)
            }))
        };
        match again(With::Nothing) {
            Some(true) => {}
            _ if again(With::Members) == Some(true) => {}
            Some(false) => fail(&format!("does not parse again ({})", symbol.kind.as_str())),
            None => fail("no node, no run of nodes, or no index"),
        }
    }
    checked
}

/// Whether the parser did not understand something in the bytes, or in what they are a member of:
/// what stands there may belong elsewhere. Errors elsewhere in the file are no reason to doubt.
fn is_doubtful(root: Node<'_>, bytes: &Range<usize>) -> bool {
    let node = root.descendant_for_byte_range(bytes.start, bytes.end - 1);
    node.is_none_or(|node| {
        let mut all = std::iter::once(node).chain(above(node));
        all.any(|node| node.is_error() || (node.has_error() && node.parent().is_some()))
    })
}

fn index_of(path: &RelPath, text: &str) -> Option<Index> {
    index(path, text, &Cancel::never()).ok()?.ok()
}

/// Ends of the names of nodes that hold members side by side.
const LISTS: &[&str] = &[
    "body",
    "block",
    "_list",
    "statements",
    "parameters",
    "declarations",
];

/// What stands beside a symbol that is read again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum With {
    /// Nothing.
    Nothing,
    /// The other members of what it is a member of, which some grammars need to tell what it is.
    Members,
}

/// The bytes in what they are a member of, without the other members; nothing when they are not
/// one node or a run of neighbours.
fn alone(root: Node<'_>, text: &str, bytes: &Range<usize>, with: With) -> Option<String> {
    let mut head = String::new();
    let mut tails = Vec::new();
    let mut at = root;
    let end = |node: Node<'_>| trimmed_end(text, node.byte_range());
    loop {
        let mut cursor = at.walk();
        let children: Vec<_> = at.children(&mut cursor).collect();
        let below = children
            .iter()
            .copied()
            .find(|child| child.start_byte() <= bytes.start && end(*child) >= bytes.end);
        let first = children
            .iter()
            .position(|child| child.start_byte() == bytes.start);
        let last = children.iter().rposition(|child| end(*child) == bytes.end);
        let whole = at.start_byte() == bytes.start && end(at) == bytes.end;
        let run = whole || first.zip(last).is_some_and(|(first, last)| first <= last);
        let holds = ["object", "table_constructor"].contains(&at.kind())
            || LISTS.iter().any(|word| at.kind().ends_with(word));
        let list = at.parent().is_none() || (holds && with == With::Nothing);
        // What opens a block of source in markup stays.
        let opening = children.iter().rposition(|child| child.kind() == "php_tag");
        let members = children
            .iter()
            .skip(opening.map_or(0, |at| at + 1))
            .filter(|child| child.is_named());
        let (mut from, mut to) = (bytes.start, bytes.end);
        if let Some(below) = below.filter(|_| !run) {
            (from, to) = (below.start_byte(), below.end_byte());
        }
        if list && !whole {
            from = members
                .clone()
                .map(Node::start_byte)
                .min()
                .unwrap_or(from)
                .min(from);
            to = members.map(Node::end_byte).max().unwrap_or(to).max(to);
        }
        if !whole {
            head += &text[at.start_byte()..from];
            tails.push(&text[to..at.end_byte().max(to)]);
        }
        if run {
            tails.reverse();
            return Some(head + &text[bytes.clone()] + &tails.concat());
        }
        at = below?;
    }
}
