//! What is asked for: tasks and the files they need, checked once.
//!
//! [`parse`] is the only maker of a [`Request`], so whatever holds one may rely on its rules:
//!
//! 1. `maxTokens` from 1 to the host's cap, `maxReadBytes` and `maxAttempts` within their limits;
//! 2. 1 to 16 tasks with different names of 1 to 64 bytes;
//! 3. at most 128 items a list, each path once a list and not in both lists of one task;
//! 4. at most 128 different paths altogether;
//! 5. the request, written as compact JSON with every member, is at most 1 MiB.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::arguments::{Argument, Field, Fields, Invalid, Rule};
use crate::limits::{
    PLAN_ATTEMPTS, PLAN_BYTES, PLAN_PATHS, PLAN_READ_BYTES, PRIORITY, Range, TASK_ID_BYTES,
    TASK_ITEMS, TASKS, VOLUME_TOKENS,
};
use crate::options::Caps;
use crate::path::RelPath;

/// In which form a task wants a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The complete text and nothing less.
    Full,
    /// Declarations are enough.
    Skeleton,
    /// Declarations are enough, the complete text is better. Optional files only.
    Either,
}

/// The modes of a required file, by name.
pub const REQUIRED_MODES: [(&str, Mode); 2] = [("full", Mode::Full), ("skeleton", Mode::Skeleton)];
/// The modes of an optional file, by name.
pub const OPTIONAL_MODES: [(&str, Mode); 3] = [
    ("full", Mode::Full),
    ("skeleton", Mode::Skeleton),
    ("either", Mode::Either),
];

/// A checked request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    pub(super) max_tokens: u64,
    pub(super) tasks: Vec<Task>,
    pub(super) max_read_bytes: u64,
    pub(super) max_attempts: u64,
}

/// One task and the files it wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) required: Vec<Wish>,
    pub(super) optional: Vec<Wish>,
}

/// One file that a task wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Wish {
    pub(super) path: RelPath,
    pub(super) mode: Mode,
    /// Only for an optional file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) priority: Option<u8>,
}

impl Request {
    /// Tokens the document may have, at most the host's cap.
    #[must_use]
    pub fn max_tokens(&self) -> u64 {
        self.max_tokens
    }

    /// The different paths of all tasks.
    #[must_use]
    pub fn paths(&self) -> BTreeSet<&RelPath> {
        self.tasks
            .iter()
            .flat_map(|task| task.required.iter().chain(&task.optional))
            .map(|wish| &wish.path)
            .collect()
    }
}

/// Checks the arguments of a request against the rules above and the host's caps.
///
/// # Errors
/// The first rule that is broken, in the order of the members as documented.
pub fn parse(arguments: &Argument, caps: &Caps) -> Result<Request, Invalid> {
    let fields = Fields::of(
        arguments,
        &["maxTokens", "tasks", "maxReadBytes", "maxAttempts"],
    )?;
    let cap = caps.tokens.min(VOLUME_TOKENS.max);
    let max_tokens = fields.required("maxTokens")?.capped(1, cap)?;
    let list = fields.required("tasks")?;
    let tasks = tasks(&list)?;
    let within = |name: &str, range: Range| match fields.optional(name) {
        Some(field) => field.integer(range.min, range.max),
        None => Ok(range.default),
    };
    let request = Request {
        max_tokens,
        tasks,
        max_read_bytes: within("maxReadBytes", PLAN_READ_BYTES)?,
        max_attempts: within("maxAttempts", PLAN_ATTEMPTS)?,
    };
    if request.paths().len() > PLAN_PATHS {
        let problem = format!("must name at most {PLAN_PATHS} different paths");
        return Err(list.invalid(Rule::Count, problem));
    }
    // Strings, numbers and lists always serialise.
    let n_bytes = serde_json::to_string(&request).map_or(usize::MAX, |json| json.len());
    if n_bytes > PLAN_BYTES {
        return Err(Invalid {
            field: String::new(),
            rule: Rule::Size,
            problem: format!("must have at most {PLAN_BYTES} bytes of JSON"),
        });
    }
    Ok(request)
}

fn tasks(list: &Field<'_>) -> Result<Vec<Task>, Invalid> {
    let mut ids = BTreeSet::new();
    let mut tasks = Vec::new();
    for item in list.list(1, TASKS)? {
        let fields = item.fields(&["id", "required", "optional"])?;
        let field = fields.required("id")?;
        let id = field.text_within(1, TASK_ID_BYTES)?;
        if !ids.insert(id) {
            return Err(field.invalid(Rule::Unique, "repeats an earlier item"));
        }
        let required = wishes(&fields, &REQUIRED, &BTreeSet::new())?;
        let taken = required.iter().map(|wish| &wish.path).collect();
        let optional = wishes(&fields, &OPTIONAL, &taken)?;
        tasks.push(Task {
            id: id.to_owned(),
            required,
            optional,
        });
    }
    Ok(tasks)
}

/// One of the two lists of a task.
struct List {
    name: &'static str,
    members: &'static [&'static str],
    modes: &'static [(&'static str, Mode)],
    priority: Option<Range>,
}

const REQUIRED: List = List {
    name: "required",
    members: &["path", "mode"],
    modes: &REQUIRED_MODES,
    priority: None,
};
const OPTIONAL: List = List {
    name: "optional",
    members: &["path", "mode", "priority"],
    modes: &OPTIONAL_MODES,
    priority: Some(PRIORITY),
};

/// The items of one list of a task; `taken` are the paths of its other list.
fn wishes(
    task: &Fields<'_>,
    list: &List,
    taken: &BTreeSet<&RelPath>,
) -> Result<Vec<Wish>, Invalid> {
    let mut wishes: Vec<Wish> = Vec::new();
    let mut seen = BTreeSet::new();
    let items = match task.optional(list.name) {
        Some(field) => field.list(0, TASK_ITEMS)?,
        None => Vec::new(),
    };
    for item in items {
        let fields = item.fields(list.members)?;
        let field = fields.required("path")?;
        let path = field.path()?;
        if taken.contains(&path) {
            let problem = "must not stand in required and optional of one task";
            return Err(field.invalid(Rule::Conflict, problem));
        }
        if !seen.insert(path.clone()) {
            return Err(field.invalid(Rule::Unique, "repeats an earlier item"));
        }
        let mode = fields.required("mode")?.choice(list.modes)?;
        let priority = match (list.priority, fields.optional("priority")) {
            (Some(range), Some(field)) => Some(field.integer(range.min, range.max)?),
            (range, _) => range.map(|range| range.default),
        };
        wishes.push(Wish {
            path,
            mode,
            priority: priority.map(|one| u8::try_from(one).unwrap_or(u8::MAX)),
        });
    }
    Ok(wishes)
}

#[cfg(test)]
mod tests;
