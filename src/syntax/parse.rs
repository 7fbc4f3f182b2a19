//! Runs a parser within its deadline and says which lines it did not understand.
//!
//! The deadline and the caller's flag are looked at from inside the parser, so that no input can
//! hold a worker. The clock is used here and nowhere else in this module's row; where the system
//! has one, it is the thread's own processor time, so that a busy machine changes no result.

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Point, Tree, TreeCursor};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::PARSE_TIME;
use crate::syntax::grammar::{self, Grammar, Language};
use crate::syntax::lang::{File, Role};
use crate::syntax::stretch::slice;
use crate::text::{LineRange, Lines, n_line_ends};

/// Script blocks read in one markup file; real ones have one or two.
const SCRIPT_BLOCKS: usize = 16;
/// Nodes between two looks at the caller's flag.
const NODES_PER_CHECK: u32 = 4_096;

/// A file and its tree.
pub(super) struct Parsed {
    /// The tree, in bytes of the complete file.
    pub(super) tree: Tree,
    /// The grammar that made it, which may not be the one the file name suggests.
    pub(super) grammar: &'static Grammar,
    /// Lines that were not understood, merged, in order.
    pub(super) gaps: Vec<LineRange>,
    /// Bytes that were not understood.
    gap_bytes: usize,
    /// Whether those are more than a quarter of the file.
    pub(super) unreliable: bool,
    /// Where lines begin.
    pub(super) lines: Lines,
}

/// Why there is no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unparsed {
    /// No grammar for the language is built in.
    NoGrammar,
    /// The deadline passed.
    Timeout,
}

/// Looks at the caller's flag once in a while.
pub(super) struct Watch<'a> {
    cancel: &'a Cancel,
    left: u32,
}

impl<'a> Watch<'a> {
    /// Watches `cancel`.
    pub(super) fn new(cancel: &'a Cancel) -> Self {
        Self { cancel, left: 0 }
    }

    /// Counts one node.
    pub(super) fn tick(&mut self) -> Result<(), Error> {
        if self.left == 0 {
            self.left = NODES_PER_CHECK;
            return self.cancel.check();
        }
        self.left -= 1;
        Ok(())
    }
}

/// Time spent on a file.
struct Stopwatch {
    begun: Instant,
    #[cfg(unix)]
    used: Duration,
}

impl Stopwatch {
    fn start() -> Self {
        Self {
            begun: Instant::now(),
            #[cfg(unix)]
            used: processor_time(),
        }
    }

    /// Whether more than `time` was spent. The thread's own time is never more than what passed,
    /// and asking for it costs twenty times as much, so it is asked for last.
    fn is_over(&self, time: Duration) -> bool {
        if self.begun.elapsed() <= time {
            return false;
        }
        #[cfg(unix)]
        let over = processor_time().saturating_sub(self.used) > time;
        #[cfg(not(unix))]
        let over = true;
        over
    }
}

/// Processor time of this thread so far.
#[cfg(unix)]
fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Parses a file: at most `PARSE_TIME`, whatever the input.
///
/// What does not parse is read by a second grammar where there is one (C++ for C, typed for plain
/// JavaScript), which counts when it leaves less unread.
pub(super) fn parse(
    language: Language,
    text: &str,
    cancel: &Cancel,
) -> Result<Result<Parsed, Unparsed>, Error> {
    let watch = Stopwatch::start();
    let scripts = match language.lang().file {
        File::Scripts => Some(script_blocks(text, language.name() == "astro")),
        File::Source | File::NoSymbols => None,
    };
    let chosen = scripts
        .as_ref()
        .map_or(language, |scripts| scripts.language);
    let ranges = scripts.map(|scripts| scripts.ranges).unwrap_or_default();
    let Some(first) = grammar::grammar(chosen) else {
        return Ok(Err(Unparsed::NoGrammar));
    };
    let tree = match run(first, text, &ranges, &watch, cancel)? {
        Ok(tree) => tree,
        Err(unparsed) => return Ok(Err(unparsed)),
    };
    let parsed = examine(tree, first, text, cancel)?;
    let second = first.fallback().filter(|_| !parsed.gaps.is_empty());
    if let Some(second) = second
        && let Ok(tree) = run(second, text, &ranges, &watch, cancel)?
    {
        let other = examine(tree, second, text, cancel)?;
        if other.gap_bytes < parsed.gap_bytes {
            return Ok(Ok(other));
        }
    }
    Ok(Ok(parsed))
}

fn run(
    grammar: &'static Grammar,
    text: &str,
    ranges: &[tree_sitter::Range],
    clock: &Stopwatch,
    cancel: &Cancel,
) -> Result<Result<Tree, Unparsed>, Error> {
    cancel.check()?;
    let mut parser = Parser::new();
    if u32::try_from(text.len()).is_err() {
        return Ok(Err(Unparsed::Timeout));
    }
    if parser.set_language(grammar.language()).is_err()
        || parser.set_included_ranges(ranges).is_err()
    {
        return Err(Error::Internal("a grammar does not fit the parser"));
    }
    let mut watch = |_: &ParseState| {
        if cancel.is_set() || clock.is_over(PARSE_TIME) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let bytes = text.as_bytes();
    let mut input = |at: usize, _: Point| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut input, None, Some(options));
    cancel.check()?;
    Ok(tree.ok_or(Unparsed::Timeout))
}

fn examine(
    tree: Tree,
    grammar: &'static Grammar,
    text: &str,
    cancel: &Cancel,
) -> Result<Parsed, Error> {
    let lines = Lines::new(text);
    let (gaps, gap_bytes) = gaps(&tree, grammar, text, &lines, cancel)?;
    let unreliable = gap_bytes.saturating_mul(4) > text.len();
    Ok(Parsed {
        tree,
        grammar,
        gaps,
        gap_bytes,
        unreliable,
        lines,
    })
}

/// Lines that were not understood: tokens passed over and tokens made up. Complete declarations
/// that the parser found between passed-over tokens are understood.
fn gaps(
    tree: &Tree,
    grammar: &Grammar,
    text: &str,
    lines: &Lines,
    cancel: &Cancel,
) -> Result<(Vec<LineRange>, usize), Error> {
    let mut found = Vec::new();
    let mut n_bytes = 0;
    let mut cursor = tree.walk();
    let mut watch = Watch::new(cancel);
    // How many errors the cursor is inside of, a level each.
    let mut inside: Vec<bool> = vec![false];
    loop {
        watch.tick()?;
        let node = cursor.node();
        let in_error = inside.last().copied().unwrap_or_default();
        let below = node.is_error() || node.has_error();
        let made_up = node.is_missing() || (node.is_error() && node.child_count() == 0);
        if made_up || (in_error && !below && !is_declaration(node, grammar)) {
            let bytes = content(text, node.byte_range());
            n_bytes += bytes.len();
            found.push(lines.covering(&bytes));
        }
        if below && cursor.goto_first_child() {
            inside.push(node.is_error());
        } else if !advance(&mut cursor, || {
            inside.pop();
        }) {
            break;
        }
    }
    found.sort_unstable();
    Ok((merged(found), n_bytes))
}

/// `bytes` without white space at its end, which some grammars count in.
fn content(text: &str, bytes: Range<usize>) -> Range<usize> {
    let len = slice(text, bytes.clone()).trim_end().len();
    bytes.start..bytes.start + len
}

fn is_declaration(node: Node<'_>, grammar: &Grammar) -> bool {
    let role = grammar.rule(node).map(|rule| rule.role);
    matches!(
        role,
        Some(Role::Declares(..) | Role::Wraps | Role::Import | Role::Attached)
    )
}

fn merged(sorted: Vec<LineRange>) -> Vec<LineRange> {
    let mut gaps: Vec<LineRange> = Vec::new();
    for gap in sorted {
        match gaps.last_mut() {
            Some(last) if gap.start <= last.end.saturating_add(1) => {
                last.end = last.end.max(gap.end)
            }
            _ => gaps.push(gap),
        }
    }
    gaps
}

/// Moves to the next node that is not below this one; calls `up` for every level left.
/// Says whether there is one.
pub(super) fn advance(cursor: &mut TreeCursor<'_>, mut up: impl FnMut()) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
        up();
    }
    true
}

struct Scripts {
    language: Language,
    ranges: Vec<tree_sitter::Range>,
}

/// The stretches of a markup file that are source in the language of the first one: what stands
/// between fences at its start, which is typed, and its script blocks.
fn script_blocks(text: &str, has_front: bool) -> Scripts {
    let mut language = None;
    let mut ranges = Vec::new();
    let mut at = 0;
    if let Some(front) = front(text).filter(|_| has_front) {
        at = front.end;
        language = Some(Language::TYPESCRIPT);
        ranges.push(included(text, front));
    }
    while let Some(open) = text.get(at..).and_then(|rest| rest.find("<script")) {
        let tag = at + open;
        let rest = text.get(tag..).unwrap_or_default();
        let Some(head) = rest.find('>') else { break };
        let start = tag + head + 1;
        let body = text.get(start..).unwrap_or_default();
        let Some(len) = body.find("</script") else {
            break;
        };
        let attributes = slice(text, tag..tag + head);
        let typed = ["\"ts\"", "'ts'", "=ts", "\"tsx\"", "typescript"];
        let own = if typed.iter().any(|word| attributes.contains(word)) {
            Language::TYPESCRIPT
        } else {
            Language::JAVASCRIPT
        };
        // What is typed can be plain as well.
        let fits = *language.get_or_insert(own) == own || has_front;
        if fits && ranges.len() < SCRIPT_BLOCKS {
            ranges.push(included(text, start..start + len));
        }
        at = start + len;
    }
    if ranges.is_empty() {
        ranges.push(included(text, 0..0));
    }
    Scripts {
        language: language.unwrap_or(Language::JAVASCRIPT),
        ranges,
    }
}

/// The bytes between a line `---` that nothing stands before and the next one.
fn front(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let mut lines = slice(text, start..text.len()).split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == "---")?;
    let start = start + first.len();
    let mut end = start;
    for line in lines {
        if line.trim_end() == "---" {
            return Some(start..end);
        }
        end += line.len();
    }
    None
}

fn included(text: &str, bytes: Range<usize>) -> tree_sitter::Range {
    tree_sitter::Range {
        start_byte: bytes.start,
        end_byte: bytes.end,
        start_point: point(text, bytes.start),
        end_point: point(text, bytes.end),
    }
}

fn point(text: &str, at: usize) -> Point {
    let head = slice(text, 0..at);
    let row = n_line_ends(head.as_bytes());
    let column = head.len() - head.rfind('\n').map_or(0, |end| end + 1);
    Point::new(row, column)
}
