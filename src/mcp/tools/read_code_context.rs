//! `read_code_context`: whole symbols, line ranges, files or outlines under one budget for up to
//! three rounds.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Call, Handler, Outcome, Prepared, Reply, Tool, failure};
use crate::arguments::{Argument, Field, Fields, Invalid, Rule};
use crate::cancel::Cancel;
use crate::code::request::{Item, What};
use crate::code::{self, Round};
use crate::error::Error;
use crate::intake::Security;
use crate::limits::{
    CODE_ITEMS, CODE_ROUNDS, OUTLINE_DEPTH, PATH_BYTES, SYMBOL_BYTES, SYMBOL_SEGMENTS,
};
use crate::mcp::message::Fault;
use crate::mcp::resources::{Bundle, BundleKind, Description, Document, RunId, Sequence};
use crate::mcp::state::{Fate, Shelf};
use crate::memory::Memory;
use crate::options::HostOptions;
use crate::progress::Progress;
use crate::syntax::path::{SymbolPath, parse_symbol_path, symbol_path_of};

/// Largest line number that a request may name.
const LAST_LINE: u64 = u32::MAX as u64;

/// The entry for the table of tools.
#[must_use]
pub fn tool(host: Arc<HostOptions>, memory: Arc<Memory>) -> Tool {
    Tool {
        name: "read_code_context",
        title: "Read code context",
        description: "Reads code exactly: complete symbols by name (Class.method), line ranges, whole files, or outlines (names and lines of all symbols). \
Begin with an outline, then read symbols. maxTokens is the budget of up to three rounds; go on with continueFrom = the last runId. \
All or nothing: an ambiguous or missing symbol returns candidates and no text. Returns the URI of code.json: read it with read_context before the next round."
            .to_owned(),
        schema: schema(host.caps.tokens),
        idempotent: true,
        handler: Handler::Compute(Box::new(move |call| prepare(call, &host, &memory))),
        failure,
    }
}

fn schema(cap: u64) -> Value {
    json!({
        "type": "object",
        "properties": {
            "maxTokens": {"type": "integer", "minimum": 1, "maximum": cap, "default": cap, "description": "Budget of all rounds. First round only."},
            "continueFrom": {"type": "string", "description": "runId of the last round. Then omit maxTokens."},
            "items": {
                "type": "array",
                "minItems": 1,
                "maxItems": CODE_ITEMS,
                "items": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string", "minLength": 1, "maxLength": PATH_BYTES},
                        "kind": {"type": "string", "enum": ["symbol", "lines", "full", "outline"]},
                        "symbol": {"type": "string", "maxLength": SYMBOL_BYTES, "description": "For symbol: path such as Client.request or retry#2."},
                        "start": {"type": "integer", "minimum": 1, "description": "For lines: first line."},
                        "end": {"type": "integer", "minimum": 1, "description": "For lines: last line."},
                        "depth": {"type": "integer", "minimum": OUTLINE_DEPTH.min, "maximum": OUTLINE_DEPTH.max, "description": "For outline."},
                        "dependencies": {"type": "boolean", "description": "For symbol: also the same-file declarations it uses."}
                    },
                    "required": ["path", "kind"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["items"],
        "additionalProperties": false
    })
}

fn prepare(
    call: &Call<'_>,
    host: &Arc<HostOptions>,
    memory: &Arc<Memory>,
) -> Result<Prepared, Fault> {
    let fields = Fields::of(call.arguments, &["maxTokens", "continueFrom", "items"])?;
    let continued = match fields.optional("continueFrom") {
        Some(field) => {
            let run = field.text()?;
            fields.forbid(
                "maxTokens",
                "must be left out with continueFrom: the budget is that of the first round",
            )?;
            Some(run)
        }
        None => None,
    };
    let max_tokens = fields
        .optional("maxTokens")
        .map(|field| field.capped(1, host.caps.tokens))
        .transpose()?;
    let mut seen = BTreeSet::new();
    let mut items = Vec::new();
    for field in fields.required("items")?.list(1, CODE_ITEMS)? {
        let item = item(&field)?;
        if !seen.insert(item.clone()) {
            return Err(field
                .invalid(Rule::Unique, "must differ from the items before it")
                .into());
        }
        items.push(item);
    }
    let (sequence, previous) = match continued {
        None => (
            Sequence {
                rounds: 0,
                max_tokens: max_tokens.unwrap_or(host.caps.tokens),
                used_tokens: 0,
            },
            None,
        ),
        Some(run) => match resume(call.shelf, run) {
            Ok(sequence) => (sequence, Some(run.to_owned())),
            Err(reason) => return Ok(Prepared::Reply(cannot_continue(reason))),
        },
    };
    let (host, memory, run) = (Arc::clone(host), Arc::clone(memory), call.run);
    Ok(Prepared::work(move |cancel, progress| {
        run_read(
            (&host, &memory),
            &items,
            sequence,
            previous.as_deref(),
            run,
            progress,
            cancel,
        )
        .unwrap_or_else(Outcome::from)
    }))
}

/// The sequence that `run` belongs to, if it can go on.
fn resume(shelf: &Shelf, run: &str) -> Result<Sequence, &'static str> {
    let Some(run) = RunId::parse(run) else {
        return Err("UnknownRun");
    };
    match shelf.fate(run) {
        Fate::Current(BundleKind::CodeContext) => {}
        Fate::Superseded(BundleKind::CodeContext) => return Err("Superseded"),
        Fate::Released(BundleKind::CodeContext) => return Err("Released"),
        _ => return Err("UnknownRun"),
    }
    let sequence = shelf
        .bundle()
        .and_then(Bundle::sequence)
        .ok_or("UnknownRun")?;
    if sequence.rounds >= CODE_ROUNDS {
        Err("RoundsExhausted")
    } else {
        Ok(sequence)
    }
}

fn cannot_continue(reason: &'static str) -> Reply {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Output {
        schema_version: u32,
        status: &'static str,
        reason: &'static str,
    }
    Reply::error(&Output {
        schema_version: 1,
        status: "continuation_unavailable",
        reason,
    })
}

/// Members that only some kinds have.
const EXTRA: [&str; 5] = ["symbol", "start", "end", "depth", "dependencies"];

fn item(field: &Field<'_>) -> Result<Item, Invalid> {
    let fields = field.fields(&[
        "path",
        "kind",
        "symbol",
        "start",
        "end",
        "depth",
        "dependencies",
    ])?;
    let path = fields.required("path")?.path()?;
    let kinds = [
        ("symbol", "symbol"),
        ("lines", "lines"),
        ("full", "full"),
        ("outline", "outline"),
    ];
    let kind = fields.required("kind")?.choice(&kinds)?;
    let allowed: &[&str] = match kind {
        "symbol" => &["symbol", "dependencies"],
        "lines" => &["start", "end"],
        "outline" => &["depth"],
        _ => &[],
    };
    for name in EXTRA.into_iter().filter(|name| !allowed.contains(name)) {
        fields.forbid(name, "must be left out for this kind")?;
    }
    let what = match kind {
        "symbol" => What::Symbol {
            symbol: symbol(&fields.required("symbol")?)?,
            dependencies: fields
                .optional("dependencies")
                .map(|field| field.flag())
                .transpose()?
                .unwrap_or(false),
        },
        "lines" => {
            let start = fields.required("start")?.integer(1, LAST_LINE)?;
            let end = fields.required("end")?;
            let last = end.integer(1, LAST_LINE)?;
            if last < start {
                return Err(end.invalid(Rule::Range, "must be at least start"));
            }
            What::Lines { start, end: last }
        }
        "outline" => {
            let depth = fields
                .optional("depth")
                .map(|field| field.integer(OUTLINE_DEPTH.min, OUTLINE_DEPTH.max));
            What::Outline {
                depth: depth.transpose()?.unwrap_or(OUTLINE_DEPTH.default),
            }
        }
        _ => What::Full,
    };
    Ok(Item { path, what })
}

/// A symbol path as one string or as a list of segments.
fn symbol(field: &Field<'_>) -> Result<SymbolPath, Invalid> {
    let parsed = match field.value() {
        Argument::List(_) => {
            let segments = field.list(1, SYMBOL_SEGMENTS)?;
            let segments = segments
                .iter()
                .map(Field::text)
                .collect::<Result<Vec<&str>, Invalid>>()?;
            symbol_path_of(&segments)
        }
        _ => parse_symbol_path(field.text()?),
    };
    parsed.map_err(|fault| field.invalid(Rule::Length, fault.to_string()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    schema_version: u32,
    status: &'static str,
    run_id: String,
    round: usize,
    tokens: String,
    sequence: SequenceOut,
    security: &'a Security,
    resource: Option<Description<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SequenceOut {
    max_tokens: String,
    used_tokens: String,
    remaining_tokens: String,
    remaining_rounds: usize,
}

fn run_read(
    (host, memory): (&HostOptions, &Memory),
    items: &[Item],
    before: Sequence,
    previous: Option<&str>,
    run: RunId,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let run_id = run.to_string();
    let round = Round {
        run_id: &run_id,
        previous_run_id: previous,
        number: before.rounds + 1,
        max_tokens: before.max_tokens,
        used_tokens: before.used_tokens,
    };
    let delivered =
        match code::read_with(host, memory, items, &round, progress, cancel)?.delivered(&round) {
            Ok(delivered) => delivered,
            Err(failed) => return Ok(Reply::error(&failed).into()),
        };
    let tokens = delivered.tokens;
    let after = Sequence {
        rounds: round.number,
        max_tokens: before.max_tokens,
        used_tokens: before.used_tokens + tokens,
    };
    let document = Document::new("code.json", "application/json", delivered.text, tokens)?;
    let bundle = Bundle::new(
        run,
        BundleKind::CodeContext,
        vec![document],
        host.caps.output_bytes,
    )?
    .with_sequence(after);
    let reply = Reply::success(&Output {
        schema_version: 1,
        status: "ok",
        run_id: run_id.clone(),
        round: round.number,
        tokens: tokens.to_string(),
        sequence: SequenceOut {
            max_tokens: after.max_tokens.to_string(),
            used_tokens: after.used_tokens.to_string(),
            remaining_tokens: after
                .max_tokens
                .saturating_sub(after.used_tokens)
                .to_string(),
            remaining_rounds: CODE_ROUNDS - after.rounds,
        },
        security: &delivered.security,
        resource: bundle.describe().next(),
    });
    Ok(Outcome {
        reply,
        bundle: Some(bundle),
    })
}
