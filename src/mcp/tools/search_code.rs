//! `search_code`: where in the selected files a name, a text or an answer stands, as text.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Call, Handler, Outcome, Prepared, Reply, Tool, failure};
use crate::find::request::{Mode, least_tokens, parse_search};
use crate::find::search;
use crate::limits::{FIND_OFFSET, FIND_TOKENS, QUERY_BYTES, SEARCH_PATHS};
use crate::mcp::message::Fault;
use crate::memory::Memory;
use crate::options::HostOptions;

/// The entry for the table of tools.
#[must_use]
pub fn tool(host: Arc<HostOptions>, memory: Arc<Memory>) -> Tool {
    Tool {
        name: "search_code",
        title: "Search code",
        description: "Finds code; each line is start-end, kind, symbol, matches | source. Give the lines or the symbol to read_code_context. \
auto: a name finds its definition, other queries the best symbols for their words. references: uses of a name. text, regex: exact totals."
            .to_owned(),
        schema: schema(host.caps.tokens),
        idempotent: true,
        handler: Handler::Find(Box::new(move |call| prepare(call, &host, &memory))),
        failure,
    }
}

fn schema(cap: u64) -> Value {
    let modes = Mode::ALL.map(|(name, _)| name);
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": QUERY_BYTES, "description": "Words, Type.member, or a pattern."},
            "mode": {"type": "string", "enum": modes, "default": "auto"},
            "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": SEARCH_PATHS, "description": "Globs such as src/** or !tests/."},
            "caseSensitive": {"type": "boolean"},
            "maxTokens": {"type": "integer", "minimum": least_tokens(cap), "maximum": cap, "default": FIND_TOKENS.default.min(cap)},
            "offset": {"type": "integer", "minimum": 0, "maximum": FIND_OFFSET, "default": 0, "description": "The next offset of the last answer."}
        },
        "required": ["query"],
        "additionalProperties": false
    })
}

fn prepare(
    call: &Call<'_>,
    host: &Arc<HostOptions>,
    memory: &Arc<Memory>,
) -> Result<Prepared, Fault> {
    let request = parse_search(call.arguments, &host.caps)?;
    let (host, memory) = (Arc::clone(host), Arc::clone(memory));
    Ok(Prepared::work(move |cancel, progress| {
        match search(&host, &memory, &request, progress, cancel) {
            Ok(text) => Reply::Text {
                text,
                is_error: false,
            }
            .into(),
            Err(error) => Outcome::from(error),
        }
    }))
}
