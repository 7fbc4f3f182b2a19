//! The audit of a plan: what became of every path, every demand and every task, and what it cost.
//!
//! The same structure is a document of its own beside a context, with one fact a line, and a part
//! of the answer when there is no context. It holds no source text.

use serde::Serialize;

use crate::intake::{FindingOut, Security};
use crate::reason::{Reason, RuleLocation, Stage};
use crate::render::Style;
use crate::render::lines::Lines;
use crate::text::Origin;

use super::choose::Form;
use super::gather::{File, Outcome};
use super::request::{Mode, Request};
use super::wants::{Demand, List, Want};

/// The audit, members in documented order.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    schema_version: u32,
    kind: &'static str,
    status: &'static str,
    encoding: &'static str,
    style: Style,
    budget: Budget,
    limits: Limits,
    security: Security,
    files: Vec<FileOut>,
    tasks: Vec<TaskOut>,
}

/// Tokens, as decimal strings.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Budget {
    max_tokens: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_tokens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_tokens: Option<String>,
    frame_tokens: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Limits {
    max_read_bytes: String,
    read_bytes: String,
    max_attempts: u64,
    attempts: u64,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileOut {
    path: String,
    delivered: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Stage>,
    reason: Reason,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleLocation>,
    #[serde(flatten)]
    costs: Costs,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elided: Vec<(u32, u32)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingOut>,
    demands: Vec<DemandOut>,
}

/// What is known of a file that was read and is clean.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Costs {
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skeleton_tokens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_tokens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_bytes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_lines: Option<u32>,
    #[serde(flatten)]
    origin: Option<Origin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_characters: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
struct DemandOut {
    task: String,
    list: List,
    mode: Mode,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    satisfied: bool,
    /// Why not, where the path is delivered in another form.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
}

#[derive(Clone, Debug, Serialize)]
struct TaskOut {
    id: String,
    status: &'static str,
    required: Tally,
    optional: Tally,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Tally {
    total: usize,
    satisfied: usize,
}

/// Everything an audit is made of.
pub(super) struct Facts<'a> {
    pub(super) status: &'static str,
    pub(super) style: Style,
    pub(super) request: &'a Request,
    pub(super) wants: &'a [Want],
    /// What became of each want; those without an outcome were not looked at and are not shown.
    pub(super) outcomes: &'a [Option<Outcome>],
    /// The delivered form of each want.
    pub(super) forms: &'a [Form],
    /// Why files that could be delivered are not: a reason of the stage `budget`, or `None` where
    /// nothing is against the file itself.
    pub(super) missing: Option<Reason>,
    pub(super) required_tokens: Option<u64>,
    pub(super) context_tokens: Option<u64>,
    pub(super) frame_tokens: u64,
    pub(super) max_read_bytes: u64,
    pub(super) read_bytes: u64,
    pub(super) attempts: u64,
    pub(super) security: Security,
}

impl Audit {
    pub(super) fn new(facts: Facts<'_>) -> Self {
        let files = facts.wants.iter().zip(facts.outcomes).zip(facts.forms);
        let files = files.filter_map(|((want, outcome), &form)| {
            let outcome = outcome.as_ref()?;
            Some(file(&facts, want, outcome, form))
        });
        Self {
            schema_version: 1,
            kind: "task_audit",
            status: facts.status,
            encoding: "o200k_base",
            style: facts.style,
            budget: Budget {
                max_tokens: facts.request.max_tokens.to_string(),
                required_tokens: facts.required_tokens.map(|n| n.to_string()),
                context_tokens: facts.context_tokens.map(|n| n.to_string()),
                frame_tokens: facts.frame_tokens.to_string(),
            },
            limits: Limits {
                max_read_bytes: facts.max_read_bytes.to_string(),
                read_bytes: facts.read_bytes.to_string(),
                max_attempts: facts.request.max_attempts,
                attempts: facts.attempts,
            },
            files: files.collect(),
            tasks: tasks(&facts),
            security: facts.security,
        }
    }

    /// The audit as a document.
    pub(super) fn text(&self) -> String {
        Lines::new()
            .member("schemaVersion", &self.schema_version)
            .member("kind", &self.kind)
            .member("status", &self.status)
            .member("encoding", &self.encoding)
            .member("style", &self.style)
            .member("budget", &self.budget)
            .member("limits", &self.limits)
            .member("security", &self.security)
            .list("files", &self.files)
            .list("tasks", &self.tasks)
            .finish()
    }
}

fn file(facts: &Facts<'_>, want: &Want, outcome: &Outcome, form: Form) -> FileOut {
    let demands = want.demands.iter();
    let shown = FileOut {
        path: want.path.as_str().to_owned(),
        delivered: match form {
            Form::None => "none",
            Form::Skeleton => "skeleton",
            Form::Full => "full",
        },
        stage: None,
        reason: Reason::Skeleton,
        rule: None,
        costs: Costs::default(),
        elided: Vec::new(),
        findings: Vec::new(),
        demands: demands
            .map(|demand| demand_out(facts, demand, form))
            .collect(),
    };
    match (outcome, form) {
        (Err(skipped), _) => FileOut {
            stage: Some(skipped.omission.reason.stage()),
            reason: skipped.omission.reason,
            rule: skipped.omission.rule.clone(),
            findings: skipped.findings.iter().map(FindingOut::from).collect(),
            ..shown
        },
        (Ok(file), Form::None) => {
            let reason = facts.missing.unwrap_or(match file.skeleton {
                Some(_) => Reason::Skeleton,
                None => file.full_reason,
            });
            FileOut {
                stage: Some(reason.stage()),
                reason,
                costs: costs(file, form),
                ..shown
            }
        }
        (Ok(file), Form::Skeleton) => FileOut {
            costs: costs(file, form),
            elided: file.elided.clone(),
            ..shown
        },
        (Ok(file), Form::Full) => FileOut {
            reason: file.full_reason,
            costs: costs(file, form),
            ..shown
        },
    }
}

fn costs(file: &File, delivered: Form) -> Costs {
    let other = |form: Form| {
        let segment = file.segment(form).filter(|_| form != delivered)?;
        Some(segment.tokens.to_string())
    };
    let segment = file.segment(delivered);
    Costs {
        tokens: segment.map(|segment| segment.tokens.to_string()),
        skeleton_tokens: other(Form::Skeleton),
        full_tokens: other(Form::Full),
        source_bytes: Some(file.source_bytes.to_string()),
        source_lines: Some(file.source_lines),
        origin: Some(file.origin),
        replaced_characters: segment.map(|segment| segment.n_replaced).filter(|&n| n > 0),
    }
}

fn demand_out(facts: &Facts<'_>, demand: &Demand, form: Form) -> DemandOut {
    let satisfied = form.satisfies(demand.mode);
    let task = facts.request.tasks.get(demand.task);
    DemandOut {
        task: task.map(|task| task.id.clone()).unwrap_or_default(),
        list: demand.list,
        mode: demand.mode,
        priority: demand.priority,
        satisfied,
        reason: facts.missing.filter(|_| !satisfied && form > Form::None),
    }
}

fn tasks(facts: &Facts<'_>) -> Vec<TaskOut> {
    let failed = facts.context_tokens.is_none();
    let mut tasks: Vec<TaskOut> = facts
        .request
        .tasks
        .iter()
        .map(|task| TaskOut {
            id: task.id.clone(),
            status: "failed",
            required: Tally::default(),
            optional: Tally::default(),
        })
        .collect();
    for (want, form) in facts.wants.iter().zip(facts.forms) {
        for demand in &want.demands {
            let Some(task) = tasks.get_mut(demand.task) else {
                continue;
            };
            let tally = match demand.list {
                List::Required => &mut task.required,
                List::Optional => &mut task.optional,
            };
            tally.total += 1;
            tally.satisfied += usize::from(form.satisfies(demand.mode));
        }
    }
    for task in tasks.iter_mut().filter(|_| !failed) {
        let complete = [task.required, task.optional]
            .iter()
            .all(|tally| tally.total == tally.satisfied);
        task.status = if complete {
            "complete"
        } else {
            "with_omissions"
        };
    }
    tasks
}
