//! `plan_task_context`: one shared document for several tasks under a hard budget.

use std::mem;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Call, Handler, Outcome, Prepared, Reply, Tool, failure};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::{
    PATH_BYTES, PLAN_ATTEMPTS, PLAN_READ_BYTES, PRIORITY, TASK_ID_BYTES, TASK_ITEMS, TASKS,
};
use crate::mcp::message::Fault;
use crate::mcp::resources::{Bundle, BundleKind, Document, RunId};
use crate::options::HostOptions;
use crate::plan::request::{self, OPTIONAL_MODES, REQUIRED_MODES, Request};
use crate::plan::{self, Planned, Success};
use crate::progress::Progress;

/// The entry for the table of tools.
#[must_use]
pub fn tool(host: Arc<HostOptions>) -> Tool {
    Tool {
        name: "plan_task_context",
        title: "Plan task context",
        description: "Builds one document that holds the files several tasks need and never passes maxTokens: required files always, optional ones by priority, the best choice that fits. \
Use it when you know which files matter. Fails without a document when something required is missing or does not fit, and says what. \
Returns URIs of the document and of audit.json: read them with read_context. Replaces the previous result."
            .to_owned(),
        schema: schema(host.caps.tokens),
        idempotent: true,
        handler: Handler::Compute(Box::new(move |call| prepare(call, &host))),
        failure,
    }
}

fn schema(cap: u64) -> Value {
    let path = json!({"type": "string", "minLength": 1, "maxLength": PATH_BYTES});
    let required: Vec<&str> = REQUIRED_MODES.iter().map(|(name, _)| *name).collect();
    let optional: Vec<&str> = OPTIONAL_MODES.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "properties": {
            "maxTokens": {"type": "integer", "minimum": 1, "maximum": cap, "description": "Hard budget of the document."},
            "tasks": {
                "type": "array",
                "minItems": 1,
                "maxItems": TASKS,
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "minLength": 1, "maxLength": TASK_ID_BYTES},
                        "required": {
                            "type": "array",
                            "maxItems": TASK_ITEMS,
                            "items": {
                                "type": "object",
                                "properties": {"path": path, "mode": {"type": "string", "enum": required}},
                                "required": ["path", "mode"],
                                "additionalProperties": false
                            }
                        },
                        "optional": {
                            "type": "array",
                            "maxItems": TASK_ITEMS,
                            "items": {
                                "type": "object",
                                "properties": {
                                    "path": path,
                                    "mode": {"type": "string", "enum": optional, "description": "either: full if it fits, else skeleton."},
                                    "priority": {"type": "integer", "minimum": PRIORITY.min, "maximum": PRIORITY.max, "default": PRIORITY.default}
                                },
                                "required": ["path", "mode"],
                                "additionalProperties": false
                            }
                        }
                    },
                    "required": ["id"],
                    "additionalProperties": false
                }
            },
            "maxReadBytes": {"type": "integer", "minimum": PLAN_READ_BYTES.min, "maximum": PLAN_READ_BYTES.max, "default": PLAN_READ_BYTES.default},
            "maxAttempts": {"type": "integer", "minimum": PLAN_ATTEMPTS.min, "maximum": PLAN_ATTEMPTS.max, "default": PLAN_ATTEMPTS.default}
        },
        "required": ["maxTokens", "tasks"],
        "additionalProperties": false
    })
}

fn prepare(call: &Call<'_>, host: &Arc<HostOptions>) -> Result<Prepared, Fault> {
    let request = request::parse(call.arguments, &host.caps)?;
    let (host, run) = (Arc::clone(host), call.run);
    Ok(Prepared::work(move |cancel, progress| {
        run_plan(&host, &request, run, progress, cancel).unwrap_or_else(Outcome::from)
    }))
}

fn run_plan(
    host: &HostOptions,
    request: &Request,
    run: RunId,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let mut success = match plan::plan(host, request, progress, cancel)? {
        Planned::Success(success) => success,
        Planned::Failure(failed) => return Ok(Reply::error(&failed).into()),
    };
    let documents = vec![
        Document::new(
            success.name(),
            success.style.mime_type(),
            mem::take(&mut success.text),
            success.tokens,
        )?,
        Document::new(
            Success::audit_name(),
            "application/json",
            mem::take(&mut success.audit),
            success.audit_tokens,
        )?,
    ];
    let bundle = Bundle::new(
        run,
        BundleKind::TaskContext,
        documents,
        host.caps.output_bytes,
    )?;
    let mut resources = bundle.describe();
    let run_id = run.to_string();
    let reply = Reply::success(&success.result(&run_id, resources.next(), resources.next()));
    drop(resources);
    Ok(Outcome {
        reply,
        bundle: Some(bundle),
    })
}
