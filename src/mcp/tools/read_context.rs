//! `read_context`: a piece of a current resource as plain text, for clients that cannot read
//! resources.
//!
//! The reply is one text: a first line that says what was read and where to go on, then the
//! piece. Both together have at most `maxTokens` tokens, counted exactly on the complete text.
//! The piece ends at a line end; a line longer than the room is cut at a character.

use std::ops::Range;
use std::sync::Arc;

use serde_json::json;

use super::{Call, Count, Handler, Outcome, Prepared, Reply, Tool, failure};
use crate::arguments::{Fields, Rule};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorCode};
use crate::limits::{READ_TOKENS, RESOURCE_BYTES};
use crate::mcp::message::{Fault, FaultData};
use crate::mcp::resources::Document;
use crate::text::n_line_ends;

/// The entry for the table of tools. `cap` is the host's limit in tokens; `count` counts exactly
/// and on the calling thread.
#[must_use]
pub fn tool(cap: u64, count: Count) -> Tool {
    Tool {
        name: "read_context",
        title: "Read context",
        description: "Returns the text of a URI from the last pack_repository, plan_task_context or read_code_context, page by page. The first line tells the next offset; call again with it until it says end.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "uri": {"type": "string", "description": "A uri from the last result."},
                "offset": {"type": "integer", "minimum": 0, "maximum": RESOURCE_BYTES, "default": 0, "description": "Unicode scalars to skip: the next offset of the previous page."},
                "maxTokens": {"type": "integer", "minimum": 1, "maximum": cap, "default": READ_TOKENS.min(cap), "description": "Most tokens of this page."}
            },
            "required": ["uri"],
            "additionalProperties": false
        }),
        idempotent: true,
        handler: Handler::Beside(Box::new(move |call| prepare(call, cap, &count))),
        failure,
    }
}

fn prepare(call: &Call<'_>, cap: u64, count: &Count) -> Result<Prepared, Fault> {
    let fields = Fields::of(call.arguments, &["uri", "offset", "maxTokens"])?;
    let uri = fields.required("uri")?.text()?;
    let offset = match fields.optional("offset") {
        Some(field) => field.integer(0, RESOURCE_BYTES as u64)?,
        None => 0,
    };
    let max_tokens = match fields.optional("maxTokens") {
        Some(field) => field.capped(1, cap)?,
        None => READ_TOKENS.min(cap),
    };
    let Some(document) = call.shelf.bundle().and_then(|bundle| bundle.find(uri)) else {
        return Ok(Prepared::Reply(failure(ErrorCode::ResourceGone)));
    };
    if let Some(field) = fields.optional("offset") {
        field.integer(0, document.scalars())?;
    }
    let page = Page {
        uri: uri.to_owned(),
        document: Arc::clone(document),
        offset,
        max_tokens,
    };
    let count = Arc::clone(count);
    Ok(Prepared::work(move |cancel, _| {
        match page.cut(&*count, cancel) {
            Ok(Some(text)) => Outcome::from(Reply::Text {
                text,
                is_error: false,
            }),
            Ok(None) => Outcome::from(Reply::Fault(TOO_SMALL.into_fault())),
            Err(error) => Outcome::from(error),
        }
    }))
}

/// `maxTokens` that leaves no room for a single character.
struct TooSmall;
const TOO_SMALL: TooSmall = TooSmall;

impl TooSmall {
    fn into_fault(self) -> Fault {
        Fault {
            data: Some(FaultData::Field {
                field: "/maxTokens".to_owned(),
                rule: Rule::Range,
            }),
            ..Fault::new(
                -32602,
                "Invalid params: /maxTokens is too small for the first line and one character; use 200 or more",
            )
        }
    }
}

/// A counter, borrowed.
type Counting<'a> = dyn Fn(&str) -> Result<u64, Error> + 'a;

/// One page that was asked for.
struct Page {
    uri: String,
    document: Arc<Document>,
    /// Scalars before the page.
    offset: u64,
    max_tokens: u64,
}

impl Page {
    /// The longest page within the budget, `None` when not even one character fits.
    ///
    /// Bound: a try counts at most about twice the final page, unless one line is longer; there
    /// are about twenty tries.
    fn cut(&self, count: &Counting<'_>, cancel: &Cancel) -> Result<Option<String>, Error> {
        let text = self.document.text();
        let start = byte_of(text, self.offset);
        let first_line = line_ends(text.get(..start)) + 1;
        let fits = |end: usize| -> Result<Option<String>, Error> {
            cancel.check()?;
            let page = self.render(start..end, first_line);
            Ok((count(&page)? <= self.max_tokens).then_some(page))
        };
        if start == text.len() {
            return fits(start);
        }
        let search = Search {
            start,
            guess: usize::try_from(self.max_tokens.saturating_mul(4)).unwrap_or(text.len()),
        };
        let by_lines = search.longest(text.len(), &Lines(text), &fits)?;
        if by_lines.is_some() {
            return Ok(by_lines);
        }
        let line = Lines(text).at_or_after(start + 1);
        search.longest(line, &Characters(text), &fits)
    }

    fn render(&self, range: Range<usize>, first_line: usize) -> String {
        let text = self.document.text();
        let piece = text.get(range.clone()).unwrap_or_default();
        let lines = match piece.char_indices().next_back() {
            None => "no lines".to_owned(),
            Some((last, _)) => {
                let last_line = first_line + line_ends(piece.get(..last));
                format!("lines {first_line}-{last_line}")
            }
        };
        let next = if range.end == text.len() {
            "end".to_owned()
        } else {
            let next = self.offset + piece.chars().count() as u64;
            format!("next offset {next}")
        };
        let (uri, total) = (&self.uri, self.document.lines());
        format!("{uri} {lines} of {total}, {next}\n{piece}")
    }
}

/// Places where a page may end.
trait Ends {
    /// The first end at or after a position.
    fn at_or_after(&self, position: usize) -> usize;
    /// The last end at or before a position, 0 when there is none.
    fn at_or_before(&self, position: usize) -> usize;
}

/// After each LF, and at the end of the text.
struct Lines<'a>(&'a str);

impl Ends for Lines<'_> {
    fn at_or_after(&self, position: usize) -> usize {
        let from = position.saturating_sub(1);
        let rest = self.0.as_bytes().get(from..).unwrap_or_default();
        let found = rest.iter().position(|&byte| byte == b'\n');
        found.map_or(self.0.len(), |found| from + found + 1)
    }

    fn at_or_before(&self, position: usize) -> usize {
        if position >= self.0.len() {
            return self.0.len();
        }
        let before = self.0.as_bytes().get(..position).unwrap_or_default();
        let found = before.iter().rposition(|&byte| byte == b'\n');
        found.map_or(0, |found| found + 1)
    }
}

/// Between two characters.
struct Characters<'a>(&'a str);

impl Ends for Characters<'_> {
    fn at_or_after(&self, position: usize) -> usize {
        let mut places = position..self.0.len();
        places
            .find(|&place| self.0.is_char_boundary(place))
            .unwrap_or(self.0.len())
    }

    fn at_or_before(&self, position: usize) -> usize {
        let position = position.min(self.0.len());
        let mut places = (0..=position).rev();
        places
            .find(|&place| self.0.is_char_boundary(place))
            .unwrap_or(0)
    }
}

/// The search for the largest end that fits.
struct Search {
    start: usize,
    /// Bytes of the first try.
    guess: usize,
}

impl Search {
    /// The page of the largest end in `(start, limit]` that fits: doubles while it fits, then
    /// halves what is left.
    fn longest(
        &self,
        limit: usize,
        ends: &dyn Ends,
        fits: &dyn Fn(usize) -> Result<Option<String>, Error>,
    ) -> Result<Option<String>, Error> {
        let mut best = None;
        // `low` is the start or fits, `high` does not fit or is beyond the limit.
        let (mut low, mut high) = (self.start, limit + 1);
        let mut step = self.guess.max(1);
        while low < limit && high > limit {
            let end = ends.at_or_after(low.saturating_add(step).min(limit));
            match fits(end)? {
                Some(page) => {
                    best = Some(page);
                    low = end;
                    step = step.saturating_mul(2);
                }
                None => high = end,
            }
        }
        while low < limit {
            let mut end = ends.at_or_before(low + (high - low) / 2);
            if end <= low {
                end = ends.at_or_after(low + 1);
            }
            if end >= high {
                break;
            }
            match fits(end)? {
                Some(page) => {
                    best = Some(page);
                    low = end;
                }
                None => high = end,
            }
        }
        Ok(best)
    }
}

fn line_ends(text: Option<&str>) -> usize {
    n_line_ends(text.unwrap_or_default().as_bytes())
}

/// The byte position of the `offset`th scalar.
fn byte_of(text: &str, offset: u64) -> usize {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    text.char_indices()
        .nth(offset)
        .map_or(text.len(), |(position, _)| position)
}

#[cfg(test)]
mod tests;
