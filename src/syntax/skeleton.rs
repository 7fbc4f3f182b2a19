//! Cuts the bodies of functions out of a source file and leaves everything else as it is.
//!
//! A marker names the source lines it stands for, as a comment of the language, so that a reader
//! knows what to ask for. What is kept is kept byte for byte: kept stretches and cut stretches,
//! put together, are the file.

use std::ops::Range;

use tree_sitter::Node;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::path::RelPath;
use crate::reason::Reason;
use crate::syntax::grammar::{self, Grammar};
use crate::syntax::lang::{Comment, Cut as Part, Inner, Opened, Role, child_of};
use crate::syntax::outline;
use crate::syntax::parse::{self, Parsed, Unparsed, Watch, advance};
use crate::syntax::stretch::{slice, trimmed};
use crate::text::{LineRange, Lines};

/// Bytes of a body that are counted to see whether a marker is shorter. A marker is far smaller.
const COUNTED_BYTES: usize = 256;
/// What bodies stand between.
const DELIMITERS: [(&str, &str); 3] = [("{", "}"), ("(", ")"), ("do", "end")];

/// A source file without the bodies of its functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// What is left, with a marker in place of each body.
    pub text: String,
    /// What was cut, in source order; never empty.
    pub cuts: Vec<Cut>,
}

/// A stretch that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of the source that were cut.
    pub source: Range<usize>,
    /// Bytes of the marker in the skeleton.
    pub output: Range<usize>,
    /// First source line with text that was cut, 1-based.
    pub first_line: u32,
    /// Last source line with text that was cut, 1-based.
    pub last_line: u32,
}

/// Makes the skeleton of a file, or says why its full text must stand in: no grammar, too much of
/// it could not be parsed, parsing took longer than `limits::PARSE_TIME`, nothing saved.
///
/// `count` counts tokens; the skeleton has fewer than `text`. Apart from parsing, the work is
/// linear in the length of the text.
///
/// # Errors
/// [`Error::Cancelled`] when `cancel` is set.
pub fn skeleton(
    path: &RelPath,
    text: &str,
    count: &mut dyn FnMut(&str) -> u64,
    cancel: &Cancel,
) -> Result<Result<Skeleton, Reason>, Error> {
    let Some(language) = grammar::language(path) else {
        return Ok(Err(Reason::SkeletonUnsupportedLanguage));
    };
    let parsed = match parse::parse(language, text, cancel)? {
        Ok(parsed) if parsed.unreliable => return Ok(Err(Reason::SkeletonParseError)),
        Ok(parsed) => parsed,
        Err(Unparsed::NoGrammar) => return Ok(Err(Reason::SkeletonUnsupportedLanguage)),
        Err(Unparsed::Timeout) => return Ok(Err(Reason::SkeletonTimeout)),
    };
    let gaps = if parsed.gaps.is_empty() {
        Vec::new()
    } else {
        match outline::read(&parsed, text, cancel)? {
            Some(outline) => outline.gaps,
            None => return Ok(Err(Reason::SkeletonParseError)),
        }
    };
    let mut cutter = Cutter {
        text,
        gaps: &gaps,
        parsed: &parsed,
        count,
        scan_left: text.len().saturating_mul(4),
        planned: Vec::new(),
    };
    cutter.walk(cancel)?;
    let planned = cutter.planned;
    if planned.is_empty() {
        return Ok(Err(Reason::SkeletonNotSmaller));
    }
    let skeleton = assemble(text, planned);
    cancel.check()?;
    if count(&skeleton.text) >= count(text) {
        return Ok(Err(Reason::SkeletonNotSmaller));
    }
    Ok(Ok(skeleton))
}

/// A stretch to cut and what stands in for it.
struct Planned {
    source: Range<usize>,
    lines: LineRange,
    marker: String,
}

/// What is known about where the cursor stands.
#[derive(Clone, Copy)]
struct Level {
    /// In nothing that declares.
    free: bool,
    /// A node below that holds declarations and is not cut.
    open: Option<Opened>,
}

struct Cutter<'a> {
    text: &'a str,
    parsed: &'a Parsed,
    /// Lines about which nothing is said.
    gaps: &'a [LineRange],
    count: &'a mut dyn FnMut(&str) -> u64,
    /// Bytes that may still be looked at in bodies with errors.
    scan_left: usize,
    planned: Vec<Planned>,
}

impl Cutter<'_> {
    fn grammar(&self) -> &'static Grammar {
        self.parsed.grammar
    }

    fn lines(&self) -> &Lines {
        &self.parsed.lines
    }

    fn walk(&mut self, cancel: &Cancel) -> Result<(), Error> {
        let parsed = self.parsed;
        let mut cursor = parsed.tree.walk();
        let mut watch = Watch::new(cancel);
        let mut levels = vec![Level {
            free: true,
            open: None,
        }];
        loop {
            watch.tick()?;
            let node = cursor.node();
            let below = levels
                .last()
                .copied()
                .and_then(|here| self.visit(node, here));
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

    /// Cuts what the table says. Answers what holds below, if that is to be looked at.
    fn visit(&mut self, node: Node<'_>, here: Level) -> Option<Level> {
        let Some(rule) = self.grammar().rule(node) else {
            return Some(here);
        };
        let free = here.free;
        let open = (self.grammar().lang().opens)(node, self.text)
            .filter(|open| free || open.inner == Inner::Constructor)
            .or(here.open);
        let below = Level {
            free: free && !matches!(rule.role, Role::Declares(..) | Role::Opaque),
            open,
        };
        if let Some(open) = open.filter(|open| open.id == node.id()) {
            return Some(Level {
                free: open.inner == Inner::Module,
                open: None,
            });
        }
        if matches!(rule.cut, Part::Nothing)
            || !(self.grammar().lang().is_function)(node, self.text)
        {
            return Some(below);
        }
        let Some((body, planned)) = self.plan(node, rule.cut) else {
            return Some(below);
        };
        // A function that wraps the file is not a body: the file's declarations are in it.
        if free && rule.role == Role::Opaque && planned.source.len() * 2 > self.text.len() {
            return Some(here);
        }
        if !self.gaps.is_empty() && !self.is_sure(node, body) {
            return Some(below);
        }
        if self.saves(&planned) {
            self.planned.push(planned);
        }
        None
    }

    /// What would be cut of `node`, and the node of its body.
    fn plan<'tree>(&self, node: Node<'tree>, part: Part) -> Option<(Node<'tree>, Planned)> {
        match part {
            Part::Nothing => None,
            Part::Field(field) => self.delimited(node.child_by_field_name(field)?),
            Part::Child(kind) => {
                let mut cursor = node.walk();
                let body = node
                    .children(&mut cursor)
                    .take(64)
                    .find(|child| child.kind() == kind);
                self.delimited(body?)
            }
            Part::Around(kind) => self.around(node, kind),
            Part::Indented(field) => self.indented(node, node.child_by_field_name(field)?),
            Part::Until(field) => self.until_end(node, node.child_by_field_name(field)?),
            Part::Bytes(find, lead, tail) => Some((node, self.replaced(find(node)?, lead, tail)?)),
        }
    }

    /// The inside of a node that is braces or parentheses.
    /// An expression in parentheses is replaced by braces, which can be empty.
    fn delimited<'tree>(&self, body: Node<'tree>) -> Option<(Node<'tree>, Planned)> {
        // A body may be a block behind a word such as `async`.
        let plain = slice(self.text, body.byte_range()).starts_with(['{', '(']);
        let body = child_of(body, "block").filter(|_| !plain).unwrap_or(body);
        let bytes = body.byte_range();
        let mut planned = self.between(bytes.clone())?;
        if body.kind() == "parenthesized_expression" {
            planned.marker = format!("{{{}}}", planned.marker);
            planned.source = bytes;
        } else if slice(self.text, bytes).starts_with('(') && body.child(0)?.kind() != "(" {
            return None;
        }
        Some((body, planned))
    }

    /// The inside of the braces around the first child of `kind`.
    fn around<'tree>(&self, node: Node<'tree>, kind: &str) -> Option<(Node<'tree>, Planned)> {
        let mut cursor = node.walk();
        let mut open = None;
        let mut body = None;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "{" if body.is_none() => open = Some(child.start_byte()),
                "}" if body.is_some() => {
                    let planned = self.between(open?..child.end_byte())?;
                    return body.map(|body| (body, planned));
                }
                found if found == kind && body.is_none() => body = Some(child),
                _ => {}
            }
        }
        None
    }

    /// The inside of `bytes`, which must begin and end with delimiters.
    fn between(&self, bytes: Range<usize>) -> Option<Planned> {
        let piece = slice(self.text, bytes.clone());
        let pair = |(open, close): &(&str, &str)| {
            piece.len() >= open.len() + close.len()
                && piece.starts_with(open)
                && piece.ends_with(close)
        };
        let (open, close) = DELIMITERS.iter().copied().find(pair)?;
        let inside = bytes.start + open.len()..bytes.end - close.len();
        let content = trimmed(self.text, inside.clone());
        if content.is_empty() {
            return None;
        }
        let source = match self.grammar().lang().comment {
            Comment::Block(..) => inside.clone(),
            Comment::Line(_) => inside.start..content.end,
        };
        let trail = slice(self.text, source.end..inside.end);
        self.planned(source, content, " ", trail)
    }

    /// An indented block behind a colon. A documentation string at its start is kept.
    fn indented<'tree>(
        &self,
        node: Node<'tree>,
        body: Node<'tree>,
    ) -> Option<(Node<'tree>, Planned)> {
        let end = trimmed(self.text, body.byte_range()).end;
        if let Some(doc) = doc_string(body) {
            let content = trimmed(self.text, doc.end_byte()..end);
            let same_line = !slice(self.text, doc.end_byte()..content.start).contains('\n');
            let code = same_line && !slice(self.text, content.clone()).starts_with('#');
            if content.is_empty() || code {
                return None;
            }
            let planned = self.planned(doc.end_byte()..end, content, "  ", "\n")?;
            return Some((body, planned));
        }
        let mut cursor = node.walk();
        let before = node
            .children(&mut cursor)
            .filter(|child| child.end_byte() <= body.start_byte());
        let (mut start, mut lead) = (None, " ...  ");
        for child in before {
            match child.kind() {
                ":" => start = Some((child.end_byte(), child.end_position().row)),
                "comment" if start.is_some_and(|(_, row)| row == child.start_position().row) => {
                    start = Some((child.end_byte(), child.end_position().row));
                    lead = "...  ";
                }
                _ => {}
            }
        }
        let (start, _) = start?;
        let content = trimmed(self.text, start..end);
        let from = if lead.starts_with(' ') {
            start
        } else {
            content.start
        };
        let planned = self.planned(from..end, content, lead, "\n")?;
        Some((body, planned))
    }

    /// From the end of the signature to the end of the body; a closing word follows.
    fn until_end<'tree>(
        &self,
        node: Node<'tree>,
        body: Node<'tree>,
    ) -> Option<(Node<'tree>, Planned)> {
        let mut cursor = node.walk();
        let mut start = None;
        let mut next = None;
        for child in node.children(&mut cursor) {
            if child.end_byte() <= body.start_byte() && child.kind() != "comment" {
                start = Some(child.end_byte());
            } else if child.start_byte() >= body.end_byte() && next.is_none() {
                next = Some(child);
            }
        }
        let (start, next) = (start?, next.filter(|next| !next.is_missing())?);
        let content = trimmed(self.text, start..body.end_byte());
        if content.is_empty() || body.start_byte() < content.start {
            return None;
        }
        let trail = slice(self.text, content.end..next.start_byte());
        let planned = self.planned(start..content.end, content, " ", trail)?;
        Some((body, planned))
    }

    /// A marker between `lead` and `tail` in place of `source`, without the white space at its end.
    fn replaced(&self, source: Range<usize>, lead: &str, tail: &str) -> Option<Planned> {
        let content = trimmed(self.text, source.clone());
        if content.is_empty() {
            return None;
        }
        let source = source.start..content.end;
        let behind = slice(self.text, source.end..self.text.len());
        let trail = if tail.is_empty() { behind } else { tail };
        let mut planned = self.planned(source, content, lead, trail)?;
        planned.marker.truncate(planned.marker.trim_end().len());
        planned.marker.push_str(tail);
        Some(planned)
    }

    /// A marker for `content` in place of `source`. `trail` is what follows the cut: a marker
    /// that runs to the end of the line needs one.
    fn planned(
        &self,
        source: Range<usize>,
        content: Range<usize>,
        lead: &str,
        trail: &str,
    ) -> Option<Planned> {
        let lines = self.lines().covering(&content);
        let numbers = if lines.start == lines.end {
            lines.start.to_string()
        } else {
            format!("{}-{}", lines.start, lines.end)
        };
        let marker = match self.grammar().lang().comment {
            Comment::Block(open, close) => format!("{lead}{open} {numbers} {close} "),
            Comment::Line(mark) => {
                let white = trail.trim_start_matches([' ', '\t', '\r']);
                if !white.starts_with('\n') {
                    return None;
                }
                format!("{lead}{mark} {numbers}")
            }
        };
        Some(Planned {
            source,
            lines,
            marker,
        })
    }

    /// Whether the marker has fewer tokens than what it replaces, with a neighbour on each side.
    fn saves(&mut self, planned: &Planned) -> bool {
        let source = &planned.source;
        let before = slice(self.text, source.start.saturating_sub(1)..source.start);
        let after = slice(self.text, source.end..source.end + 1);
        let mut end = source.end.min(source.start + COUNTED_BYTES);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let piece = slice(self.text, source.start..end);
        let whole = if end == source.end { after } else { "" };
        let full = (self.count)(&format!("{before}{piece}{whole}"));
        let short = (self.count)(&format!("{before}{}{after}", planned.marker));
        short < full
    }

    /// Whether a body in a file with errors is what it seems: none of them in it or its owner, and
    /// an end where its layout says.
    fn is_sure(&mut self, owner: Node<'_>, body: Node<'_>) -> bool {
        let lines = self.lines().covering(&owner.byte_range());
        let at = self.gaps.partition_point(|gap| gap.end < lines.start);
        let met = self.gaps.get(at).is_some_and(|gap| gap.meets(lines));
        !met && !body.has_error() && self.is_sound(owner, body)
    }

    /// Whether a body ends where its braces say: it closes at the indentation
    /// of the line where its owner begins, and every line within stands further in. Otherwise it
    /// may have swallowed what follows it.
    fn is_sound(&mut self, owner: Node<'_>, body: Node<'_>) -> bool {
        let Some(scan_left) = self.scan_left.checked_sub(body.byte_range().len()) else {
            return false;
        };
        self.scan_left = scan_left;
        let text = self.text;
        let line = self.lines().around(owner.start_byte()).start;
        let indent = indentation(slice(text, line..text.len()));
        let start = body.start_byte();
        let mut within = slice(text, start..body.end_byte())
            .lines()
            .skip(1)
            .peekable();
        while let Some(line) = within.next() {
            let outside = indentation(line) <= indent && !line.trim().is_empty();
            let last = within.peek().is_none();
            if last && line.trim_start().starts_with('}') {
                return indentation(line) == indent;
            }
            let directive = line.starts_with('#') || line.trim_end().ends_with(':');
            if outside && !directive {
                return false;
            }
        }
        !slice(text, start..body.end_byte()).starts_with('{')
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The documentation string at the start of a block.
fn doc_string(body: Node<'_>) -> Option<Node<'_>> {
    let statement = body.named_child(0)?;
    let string = statement.named_child(0)?;
    let is_doc = statement.kind() == "expression_statement"
        && matches!(string.kind(), "string" | "concatenated_string")
        && statement.named_child_count() == 1;
    is_doc.then_some(statement)
}

fn assemble(text: &str, planned: Vec<Planned>) -> Skeleton {
    let mut out = String::with_capacity(text.len());
    let mut cuts = Vec::with_capacity(planned.len());
    let mut at = 0;
    for cut in planned {
        out.push_str(slice(text, at..cut.source.start));
        let start = out.len();
        out.push_str(&cut.marker);
        at = cut.source.end;
        cuts.push(Cut {
            source: cut.source,
            output: start..out.len(),
            first_line: cut.lines.start,
            last_line: cut.lines.end,
        });
    }
    out.push_str(slice(text, at..text.len()));
    Skeleton { text: out, cuts }
}
