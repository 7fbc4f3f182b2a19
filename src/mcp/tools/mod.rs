//! The tool interface, and the tools that need nothing but the bundle.
//!
//! A tool is an entry of a table: what clients see, and a handler. Handlers that compute are
//! split in two. *Preparing* runs on the main loop, must be quick, checks the arguments and
//! clones what the work needs. The *work* runs on a worker, sees no state, looks at its
//! [`Cancel`] in every loop, raises its [`Progress`], and gives an [`Outcome`]: a reply, and for
//! a run that succeeded the new bundle. The server commits the bundle and queues the reply in one
//! step, unless the request was cancelled or timed out meanwhile.

#[cfg(feature = "crib")]
pub mod docs;
pub mod explain_selection;
pub mod list_files;
pub mod pack_repository;
pub mod plan_task_context;
pub mod read_code_context;
pub mod read_context;
pub mod release_context;
pub mod search_code;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::Fault;
use super::resources::{Bundle, RunId};
use super::state::Shelf;
use crate::arguments::Argument;
use crate::cancel::Cancel;
use crate::error::{Error, ErrorCode};
use crate::memory::Memory;
use crate::options::HostOptions;
use crate::progress::Progress;
use crate::tokens::count::with_counter;

/// Counts the tokens of a text exactly, on the calling thread alone. Fails when the vocabulary
/// cannot be used.
pub type Count = Arc<dyn Fn(&str) -> Result<u64, Error> + Send + Sync>;

/// One entry of the table of tools.
pub struct Tool {
    /// Name, `[a-z0-9_]`, at most 40 characters.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it does and when to use it: ASCII, under 2 KiB, the decisive sentence first.
    pub description: String,
    /// JSON schema of the arguments: an object without combinators, see [`check_schema`].
    pub schema: Value,
    /// Whether calling it twice with the same arguments is the same as once.
    pub idempotent: bool,
    /// What happens on a call.
    pub handler: Handler,
    /// The reply that says why there is no result: the repository's envelope is [`failure`].
    pub failure: fn(Refusal) -> Reply,
}

/// How a tool is run.
pub enum Handler {
    /// At once on the main loop: microseconds, no work.
    Inline(Inline),
    /// On a worker and inside the pool, one at a time: the computing tools. Prepared twice: when the
    /// call arrives, so that bad arguments need not wait, and when its turn comes.
    Compute(Prepare),
    /// On a worker and inside the pool, beside a computation: listing and searching.
    Find(Prepare),
    /// On a worker, outside the pool and beside a computation: reads.
    Beside(Prepare),
    /// The same for tools that answer bad arguments with a result instead of an error.
    Lenient(PrepareLenient),
}

/// Answers at once. May release the bundle.
pub type Inline = Box<dyn Fn(&mut Shelf, &Argument) -> Result<Reply, Fault> + Send>;
/// Checks the arguments and makes the work. Changes nothing.
pub type Prepare = Box<dyn Fn(&Call<'_>) -> Result<Prepared, Fault> + Send>;
/// Makes the work from the JSON of the arguments, an object of which nothing is checked, or
/// replies what is wrong with it.
pub type PrepareLenient = Box<dyn Fn(&str) -> Prepared + Send>;
/// What runs on a worker.
pub type Work = Box<dyn FnOnce(&Cancel, &Progress) -> Outcome + Send>;

/// What preparing may look at.
pub struct Call<'a> {
    /// The arguments; an empty object when the call has none.
    pub arguments: &'a Argument,
    /// Bundle, and what became of earlier runs.
    pub shelf: &'a Shelf,
    /// The number this run will have if it succeeds with a bundle.
    pub run: RunId,
}

/// What preparing results in.
pub enum Prepared {
    /// Work for a worker.
    Work(Work),
    /// A reply that needs none and takes no place.
    Reply(Reply),
}

impl Prepared {
    /// Work for a worker.
    pub fn work(work: impl FnOnce(&Cancel, &Progress) -> Outcome + Send + 'static) -> Self {
        Self::Work(Box::new(work))
    }
}

/// What work results in.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub reply: Reply,
    /// The new bundle of a run that succeeded. Ignored beside a reply that fails.
    pub bundle: Option<Bundle>,
}

impl From<Error> for Outcome {
    /// The repository tools' failure for an error. That of a cancelled run is never sent.
    fn from(error: Error) -> Self {
        failure(&error).into()
    }
}

impl From<Reply> for Outcome {
    fn from(reply: Reply) -> Self {
        Self {
            reply,
            bundle: None,
        }
    }
}

/// The answer to a tool call, before it is written for a revision.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A JSON value, as text and as structured content.
    Structured {
        /// Compact JSON of an object.
        json: Box<RawValue>,
        /// Whether the call failed.
        is_error: bool,
    },
    /// Text alone.
    Text {
        /// The text.
        text: String,
        /// Whether the call failed.
        is_error: bool,
    },
    /// A JSON-RPC error, for arguments that turn out wrong only while working.
    Fault(Fault),
}

impl Reply {
    /// A result. `value` must be an object of strings, numbers, lists and objects.
    pub fn success(value: &impl Serialize) -> Self {
        Self::structured(value, false)
    }

    /// A result that says why there is none.
    pub fn error(value: &impl Serialize) -> Self {
        Self::structured(value, true)
    }

    /// Whether the call did what it should.
    #[must_use]
    pub fn is_success(&self) -> bool {
        match self {
            Self::Structured { is_error, .. } | Self::Text { is_error, .. } => !is_error,
            Self::Fault(_) => false,
        }
    }

    fn structured(value: &impl Serialize, is_error: bool) -> Self {
        match serde_json::value::to_raw_value(value) {
            Ok(json) => Self::Structured { json, is_error },
            Err(_) => Self::Fault(Fault::INTERNAL),
        }
    }
}

/// The table of the repository server.
#[must_use]
pub fn repository(host: &Arc<HostOptions>) -> Vec<Tool> {
    let count: Count = Arc::new(|text| Ok(with_counter(|counter| counter.count(text))));
    let memory = Arc::new(Memory::new());
    vec![
        list_files::tool(Arc::clone(host), Arc::clone(&memory)),
        search_code::tool(Arc::clone(host), Arc::clone(&memory)),
        pack_repository::tool(Arc::clone(host)),
        plan_task_context::tool(Arc::clone(host)),
        read_code_context::tool(Arc::clone(host), Arc::clone(&memory)),
        explain_selection::tool(Arc::clone(host)),
        read_context::tool(host.caps.tokens, count),
        release_context::tool(memory),
    ]
}

/// The table of the documentation server. The service is looked for in `user_data`, or where it
/// usually is below `home`. `None` when this build has no documentation tools.
#[cfg(feature = "crib")]
#[must_use]
pub fn documentation(user_data: Option<PathBuf>, home: Option<PathBuf>) -> Option<Vec<Tool>> {
    Some(docs::tools(user_data, home))
}

/// The table of the documentation server: `None`, since this build has no documentation tools.
#[cfg(not(feature = "crib"))]
#[must_use]
pub fn documentation(_user_data: Option<PathBuf>, _home: Option<PathBuf>) -> Option<Vec<Tool>> {
    None
}

/// Why a call gives no result.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The code.
    pub code: ErrorCode,
    /// Fixed words, limits and counts.
    pub message: Cow<'static, str>,
}

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Self {
            code,
            message: Cow::Borrowed(code.message()),
        }
    }
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code(),
            message: error.advice(),
        }
    }
}

/// The repository tools' error result.
#[must_use]
pub fn failure(refusal: impl Into<Refusal>) -> Reply {
    let refusal = refusal.into();
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Failure {
        schema_version: u32,
        status: &'static str,
        error: Detail,
    }
    #[derive(Serialize)]
    struct Detail {
        code: &'static str,
        message: Cow<'static, str>,
    }
    Reply::error(&Failure {
        schema_version: 1,
        status: "error",
        error: Detail {
            code: refusal.code.as_str(),
            message: refusal.message,
        },
    })
}

/// Says what in a tool's entry some client would refuse, for the tests of every product: name,
/// description and a schema in the subset that all known clients accept.
///
/// # Errors
/// The first objection.
pub fn check(tool: &Tool) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if tool.name.is_empty() || tool.name.len() > 40 || !tool.name.bytes().all(is_plain) {
        return Err("name".to_owned());
    }
    if !tool.description.is_ascii() || tool.description.is_empty() || tool.description.len() > 2048
    {
        return Err("description".to_owned());
    }
    if tool.schema.get("type") != Some(&Value::from("object"))
        || !tool.schema.get("properties").is_some_and(Value::is_object)
    {
        return Err("the root must be an object with properties".to_owned());
    }
    check_schema(&tool.schema, "")
}

/// Checks one schema and those inside it: one type each, items for arrays, no combinators,
/// references or formats.
///
/// # Errors
/// The place and the objection.
pub fn check_schema(schema: &Value, place: &str) -> Result<(), String> {
    const KEYWORDS: [&str; 15] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "uniqueItems",
        "default",
        "description",
    ];
    const TYPES: [&str; 5] = ["object", "array", "string", "integer", "boolean"];
    let objection = |what: &str| Err(format!("{place}: {what}"));
    let Some(members) = schema.as_object() else {
        return objection("not an object");
    };
    if let Some(unknown) = members.keys().find(|key| !KEYWORDS.contains(&key.as_str())) {
        return objection(unknown);
    }
    let kind = members.get("type").and_then(Value::as_str);
    if !kind.is_some_and(|kind| TYPES.contains(&kind)) {
        return objection("type must be one name");
    }
    if let Some(properties) = members.get("properties") {
        if kind != Some("object") {
            return objection("properties beside another type");
        }
        for (name, inner) in properties.as_object().into_iter().flatten() {
            check_schema(inner, &format!("{place}/{name}"))?;
        }
    }
    match (kind, members.get("items")) {
        (Some("array"), None) => objection("an array needs items"),
        (_, Some(items)) => check_schema(items, &format!("{place}/items")),
        _ => Ok(()),
    }
}
