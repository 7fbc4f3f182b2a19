//! `explain_selection`: why paths are in or out.

use std::sync::Arc;

use serde_json::json;

use super::{Call, Handler, Outcome, Prepared, Reply, Tool, failure};
use crate::arguments::Fields;
use crate::explain::explain;
use crate::limits::{EXPLAIN_PATHS, PATH_BYTES};
use crate::mcp::message::Fault;
use crate::options::HostOptions;

/// The entry for the table of tools.
#[must_use]
pub fn tool(host: Arc<HostOptions>) -> Tool {
    Tool {
        name: "explain_selection",
        title: "Explain selection",
        description: "Says for each path whether it is packed, at which stage and why, and where the deciding rule stands. \
Use it when an expected file is missing from a result. Returns no file text; changes nothing."
            .to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "paths": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1, "maxLength": PATH_BYTES},
                    "minItems": 1,
                    "maxItems": EXPLAIN_PATHS,
                    "uniqueItems": true,
                    "description": "Root-relative paths, literal."
                }
            },
            "required": ["paths"],
            "additionalProperties": false
        }),
        idempotent: true,
        handler: Handler::Compute(Box::new(move |call| prepare(call, &host))),
        failure,
    }
}

fn prepare(call: &Call<'_>, host: &Arc<HostOptions>) -> Result<Prepared, Fault> {
    let fields = Fields::of(call.arguments, &["paths"])?;
    let paths = fields.required("paths")?.paths(1, EXPLAIN_PATHS)?;
    let host = Arc::clone(host);
    Ok(Prepared::work(move |cancel, progress| {
        match explain(&host, &paths, progress, cancel) {
            Ok(explanation) => Reply::success(&explanation).into(),
            Err(error) => Outcome::from(error),
        }
    }))
}
