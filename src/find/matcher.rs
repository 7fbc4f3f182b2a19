//! What a query looks for in the text of a file, without a syntax tree.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::REGEX_BYTES;
use crate::syntax::path::parse_symbol_path;

use super::request::{Mode, SearchRequest};
use super::terms::{self, Term, is_word, part_at, piece, prefix, stem};

/// Bytes of text between two looks at the cancel flag.
const BLOCK: usize = 256 * 1024;
/// Hits between two looks at the cancel flag.
const HITS_PER_CHECK: usize = 1024;

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Where it stands.
    pub(super) bytes: Range<usize>,
    /// Which term it is of; for names see [`Name`].
    pub(super) term: usize,
}

/// What is looked for.
#[derive(Debug)]
pub(super) enum Matcher {
    /// Any of these terms.
    Words(Words),
    /// A name.
    Name(Name),
    /// Text or a regular expression.
    Pattern(Pattern),
}

/// Terms, and where in a text one of them could begin.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) terms: Vec<Term>,
    starts: Option<Regex>,
}

/// A name, alone or at the end of a symbol path. Its hits are of term [`Name::EXACT`],
/// [`Name::FOLDED`] (another case) or [`Name::PART`] (inside a longer name).
#[derive(Debug)]
pub(super) struct Name {
    /// The segments, the last one being the name.
    pub(super) segments: Vec<String>,
    starts: Regex,
}

impl Name {
    pub(super) const EXACT: usize = 0;
    pub(super) const FOLDED: usize = 1;
    pub(super) const PART: usize = 2;

    /// The name itself.
    pub(super) fn last(&self) -> &str {
        self.segments.last().map(String::as_str).unwrap_or_default()
    }
}

/// A regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// Whether a match may span lines.
    across_lines: bool,
}

impl Matcher {
    /// What `request` looks for when it is read as `mode`.
    ///
    /// # Errors
    /// What is wrong with the query, to be read after its field.
    pub(super) fn new(request: &SearchRequest, mode: Mode) -> Result<Self, String> {
        let query = request.query.as_str();
        match mode {
            Mode::Auto | Mode::Words => {
                Words::new(query, request.case_sensitive == Some(true)).map(Self::Words)
            }
            Mode::Symbol | Mode::References => {
                let fold = request.case_sensitive.unwrap_or(mode == Mode::References);
                Name::new(query, fold).map(Self::Name)
            }
            Mode::Text | Mode::Regex => Pattern::new(request, mode).map(Self::Pattern),
        }
    }

    /// Kinds of hits.
    pub(super) fn n_terms(&self) -> usize {
        match self {
            Self::Words(words) => words.terms.len(),
            Self::Name(_) => 3,
            Self::Pattern(_) => 1,
        }
    }

    /// Calls `each` with every hit, in order.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn look(
        &self,
        text: &str,
        each: &mut dyn FnMut(Hit),
        cancel: &Cancel,
    ) -> Result<(), Error> {
        if let Self::Pattern(pattern) = self
            && pattern.across_lines
        {
            return pattern.look_across(text, each, cancel);
        }
        let mut start = 0;
        while start < text.len() {
            cancel.check()?;
            let end = block_end(text, start);
            let block = piece(text, start..end);
            let mut each = |hit: Hit| {
                each(Hit {
                    bytes: hit.bytes.start + start..hit.bytes.end + start,
                    ..hit
                });
            };
            match self {
                Self::Words(words) => words.look(block, &mut each, cancel)?,
                Self::Name(name) => name.look(block, &mut each, cancel)?,
                Self::Pattern(pattern) => pattern.look(block, &mut each, cancel)?,
            }
            start = end;
        }
        Ok(())
    }
}

/// The end of the lines from `start` on that make up a block.
fn block_end(text: &str, start: usize) -> usize {
    let after = text.as_bytes().get(start + BLOCK..).unwrap_or_default();
    let line = after.iter().position(|&byte| byte == b'\n');
    line.map_or(text.len(), |line| start + BLOCK + line + 1)
}

impl Words {
    fn new(query: &str, case: bool) -> Result<Self, String> {
        let terms = terms::terms(query);
        let mut starts: Vec<String> = terms
            .iter()
            .map(|term| {
                if term.whole {
                    &term.text
                } else {
                    prefix(&term.text)
                }
            })
            .map(regex::escape)
            .collect();
        starts.sort_unstable();
        starts.dedup();
        let _ = case;
        let ascii = starts.iter().all(|start| start.is_ascii());
        let flags = if ascii { "i-u" } else { "i" };
        let starts = if starts.is_empty() {
            None
        } else {
            let pattern = format!("(?{flags}:{})", starts.join("|"));
            Some(compile(RegexBuilder::new(&pattern))?)
        };
        Ok(Self { terms, starts })
    }

    fn look(&self, text: &str, each: &mut dyn FnMut(Hit), cancel: &Cancel) -> Result<(), Error> {
        let Some(starts) = &self.starts else {
            return Ok(());
        };
        let (mut at, mut n_hits) = (0, 0);
        while let Some(found) = starts.find_at(text, at) {
            n_hits += 1;
            if n_hits % HITS_PER_CHECK == 0 {
                cancel.check()?;
            }
            at = self.take(text, found.start(), each).max(
                found.start()
                    + piece(text, found.start()..text.len())
                        .chars()
                        .next()
                        .map_or(1, char::len_utf8),
            );
        }
        Ok(())
    }

    /// Takes what begins at `start`. Answers where to go on.
    fn take(&self, text: &str, start: usize, each: &mut dyn FnMut(Hit)) -> usize {
        let Some(part) = part_at(text, start) else {
            return start;
        };
        let own = stem(piece(text, part.clone()));
        let of_part = self
            .terms
            .iter()
            .position(|term| !term.whole && term.text == own);
        let hit = of_part.map(|term| Hit {
            bytes: part.clone(),
            term,
        });
        let whole = self
            .terms
            .iter()
            .any(|term| term.whole)
            .then(|| word_at(text, start))
            .flatten();
        let of_word = whole.and_then(|word| {
            let folded = piece(text, word.clone()).to_lowercase();
            let term = self
                .terms
                .iter()
                .position(|term| term.whole && term.text == folded)?;
            Some(Hit { bytes: word, term })
        });
        let ended = hit.is_some();
        for hit in of_word.into_iter().chain(hit) {
            each(hit);
        }
        if ended { part.end } else { start }
    }
}

/// The whole identifier that begins at `start`, if one does.
fn word_at(text: &str, start: usize) -> Option<Range<usize>> {
    let before = text.get(..start)?.chars().next_back();
    if before.is_some_and(is_word) {
        return None;
    }
    let rest = text.get(start..)?;
    let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    (len > 0).then(|| start..start + len)
}

impl Name {
    fn new(query: &str, exact: bool) -> Result<Self, String> {
        let segments = segments(query).ok_or("must be a name or symbol path in this mode")?;
        let last = segments.last().cloned().unwrap_or_default();
        let mut builder = RegexBuilder::new(&regex::escape(&last));
        builder.case_insensitive(!exact);
        Ok(Self {
            segments,
            starts: compile(builder)?,
        })
    }

    fn look(&self, text: &str, each: &mut dyn FnMut(Hit), cancel: &Cancel) -> Result<(), Error> {
        for (n_hits, found) in self.starts.find_iter(text).enumerate() {
            if n_hits % HITS_PER_CHECK == 0 {
                cancel.check()?;
            }
            let bytes = found.range();
            let word = |c: Option<char>| c.is_some_and(is_word);
            let before = text
                .get(..bytes.start)
                .and_then(|text| text.chars().next_back());
            let after = text.get(bytes.end..).and_then(|text| text.chars().next());
            let inside = (word(before) && word(found.as_str().chars().next()))
                || (word(after) && word(found.as_str().chars().next_back()));
            let term = if inside {
                Self::PART
            } else if found.as_str() == self.last() {
                Self::EXACT
            } else {
                Self::FOLDED
            };
            each(Hit { bytes, term });
        }
        Ok(())
    }
}

/// The segments of a name or symbol path, however its languages separate them; `None` when the
/// query is something else.
pub(super) fn segments(query: &str) -> Option<Vec<String>> {
    let query = query.trim().trim_end_matches("()").trim_end_matches('!');
    if query.contains('"') {
        return parse_symbol_path(query).ok().map(|path| path.segments);
    }
    let separated = query.replace("->", ".").replace("::", ".");
    let separated = separated.replace(['\\', '/'], ".");
    let mut found: Vec<String> = Vec::new();
    for segment in separated.split('.') {
        // A `#` separates names, or begins a private one; behind a name and before digits it is
        // an ordinal.
        let (private, rest) = match segment.strip_prefix('#') {
            Some(rest) => ("#", rest),
            None => ("", segment),
        };
        let mut names = rest.split('#');
        found.push(format!("{private}{}", names.next().unwrap_or_default()));
        let more =
            names.filter(|name| name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_digit()));
        found.extend(more.map(str::to_owned));
    }
    let is_name = |segment: &String| {
        let name = segment
            .trim_start_matches(['#', '$', '@'])
            .trim_end_matches(['?', '!', '=']);
        let mut chars = name.chars();
        chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
            && chars.all(|c| is_word(c) || c == '$')
    };
    found.iter().all(is_name).then_some(found)
}

impl Pattern {
    fn new(request: &SearchRequest, mode: Mode) -> Result<Self, String> {
        let query = request.query.as_str();
        let source = match mode {
            Mode::Text => regex::escape(query),
            _ => query.to_owned(),
        };
        let fold = !request
            .case_sensitive
            .unwrap_or_else(|| has_capital(query, mode));
        let mut builder = RegexBuilder::new(&source);
        builder.case_insensitive(fold).multi_line(true);
        Ok(Self {
            regex: compile(builder)?,
            across_lines: spans_lines(query, mode),
        })
    }

    /// Matches within lines: the text of one line at a time is all that there is.
    fn look(&self, text: &str, each: &mut dyn FnMut(Hit), cancel: &Cancel) -> Result<(), Error> {
        let (mut at, mut n_lines) = (0, 0);
        while at < text.len() {
            // No line before the one in which a match begins can have one for itself.
            let Some(found) = self.regex.find_at(text, at) else {
                break;
            };
            n_lines += 1;
            if n_lines % HITS_PER_CHECK == 0 {
                cancel.check()?;
            }
            let start = text.get(..found.start()).and_then(|text| text.rfind('\n'));
            let start = start.map_or(0, |end| end + 1).max(at);
            let rest = text.get(start..).unwrap_or_default();
            let len = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..len).unwrap_or_default();
            for found in self.regex.find_iter(line) {
                each(Hit {
                    bytes: start + found.start()..start + found.end(),
                    term: 0,
                });
            }
            at = start + len + 1;
        }
        Ok(())
    }

    fn look_across(
        &self,
        text: &str,
        each: &mut dyn FnMut(Hit),
        cancel: &Cancel,
    ) -> Result<(), Error> {
        for found in self.regex.find_iter(text) {
            cancel.check()?;
            each(Hit {
                bytes: found.range(),
                term: 0,
            });
        }
        Ok(())
    }
}

/// Whether a query has a capital letter that is looked for, not one of an escape.
fn has_capital(query: &str, mode: Mode) -> bool {
    let mut chars = query.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if mode == Mode::Regex => {
                chars.next();
            }
            c if c.is_uppercase() => return true,
            _ => {}
        }
    }
    false
}

/// Whether a query asks for matches over several lines: it names a line end, or lets `.` be one.
fn spans_lines(query: &str, mode: Mode) -> bool {
    if mode == Mode::Text {
        return query.contains('\n');
    }
    let flags = |group: &str| {
        let flags = group.split([':', ')', '-']).next().unwrap_or_default();
        flags.chars().all(|c| c.is_ascii_alphabetic()) && flags.contains('s')
    };
    query.contains('\n') || query.contains("\\n") || query.split("(?").skip(1).any(flags)
}

fn compile(mut builder: RegexBuilder) -> Result<Regex, String> {
    builder.size_limit(REGEX_BYTES);
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            format!("must be a regular expression of at most {REGEX_BYTES} bytes when compiled")
        }
        error => {
            // The last line is the parser's fixed sentence; those before quote the query.
            let text = error.to_string();
            let why = text
                .lines()
                .next_back()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            format!("must be a regular expression: {why}")
        }
    })
}
