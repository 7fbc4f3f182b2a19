//! `list_files`: directories and files with their sizes, as text.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Call, Handler, Outcome, Prepared, Reply, Tool, failure};
use crate::find::list::{Listing, list};
use crate::find::request::{least_tokens, parse_list};
use crate::limits::{FIND_TOKENS, LIST_DEPTH};
use crate::mcp::message::Fault;
use crate::memory::Memory;
use crate::options::HostOptions;

/// The entry for the table of tools.
#[must_use]
pub fn tool(host: Arc<HostOptions>, memory: Arc<Memory>) -> Tool {
    Tool {
        name: "list_files",
        title: "List files",
        description: "Lists directories and files with lines and sizes, as deep as maxTokens allows. Start here, or with search_code, when no path is known. Names what is left out and why.".to_owned(),
        schema: schema(host.caps.tokens),
        idempotent: true,
        handler: Handler::Find(Box::new(move |call| prepare(call, &host, &memory))),
        failure,
    }
}

fn schema(cap: u64) -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Directory; default the root."},
            "depth": {"type": "integer", "minimum": LIST_DEPTH.min, "maximum": LIST_DEPTH.max},
            "glob": {"type": "string", "description": "Such as *.rs or !tests/."},
            "maxTokens": {"type": "integer", "minimum": least_tokens(cap), "maximum": cap, "default": FIND_TOKENS.default.min(cap)},
            "tokens": {"type": "boolean", "description": "Tokens instead of bytes."}
        },
        "additionalProperties": false
    })
}

fn prepare(
    call: &Call<'_>,
    host: &Arc<HostOptions>,
    memory: &Arc<Memory>,
) -> Result<Prepared, Fault> {
    let request = parse_list(call.arguments, &host.caps)?;
    let (host, memory) = (Arc::clone(host), Arc::clone(memory));
    Ok(Prepared::work(move |cancel, progress| {
        let (text, is_error) = match list(&host, &memory, &request, progress, cancel) {
            Ok(Listing::Shown(text)) => (text, false),
            Ok(Listing::Missing(text)) => (text, true),
            Err(error) => return Outcome::from(error),
        };
        Reply::Text { text, is_error }.into()
    }))
}
