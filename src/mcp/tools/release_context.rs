//! `release_context`: drops the bundle of the last run, and what is remembered of files.
//!
//! Answered at once whatever runs. A running computation goes on and commits its own bundle; the
//! numbering of runs continues.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::{Handler, Reply, Tool, failure};
use crate::arguments::Fields;
use crate::mcp::resources::{Bundle, BundleKind};
use crate::memory::Memory;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    schema_version: u32,
    status: &'static str,
    released: Option<Released>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Released {
    run_id: String,
    kind: BundleKind,
    resources: usize,
}

/// The entry for the table of tools.
#[must_use]
pub fn tool(memory: Arc<Memory>) -> Tool {
    Tool {
        name: "release_context",
        title: "Release context",
        description: "Drops the cached result of the last pack_repository, plan_task_context or read_code_context from memory. Its URIs stop working; nothing on disk changes.".to_owned(),
        schema: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        idempotent: true,
        handler: Handler::Inline(Box::new(move |shelf, arguments| {
            Fields::of(arguments, &[])?;
            memory.clear();
            Ok(reply(shelf.release().as_ref()))
        })),
        failure,
    }
}

fn reply(bundle: Option<&Bundle>) -> Reply {
    Reply::success(&Output {
        schema_version: 1,
        status: if bundle.is_some() {
            "released"
        } else {
            "empty"
        },
        released: bundle.map(|bundle| Released {
            run_id: bundle.run().to_string(),
            kind: bundle.kind(),
            resources: bundle.documents().len(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::resources::{Document, RunId};

    #[test]
    fn replies() {
        let json = |reply| match reply {
            Reply::Structured {
                json,
                is_error: false,
            } => json.get().to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            json(reply(None)),
            r#"{"schemaVersion":1,"status":"empty","released":null}"#
        );
        let document = Document::new("code.json", "application/json", "{}", 1).unwrap();
        let bundle =
            Bundle::new(RunId::new(9), BundleKind::CodeContext, vec![document], 100).unwrap();
        assert_eq!(
            json(reply(Some(&bundle))),
            r#"{"schemaVersion":1,"status":"released","released":{"runId":"9","kind":"code_context","resources":1}}"#
        );
    }
}
