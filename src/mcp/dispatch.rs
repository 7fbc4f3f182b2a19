//! Method name to handler: one match, after the era is decided.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{Fault, FaultData, Id, Request, is_object, present, string};
use super::resources::Document;
use super::results::{Envelope, Fail};
use super::serve::Server;
use super::state::{Shelf, State};
use super::tools::{Call, Handler, Prepared, Tool, Work};
use super::version::{Era, Meta, Revision, decide};
use crate::arguments::{Argument, Malformed};

/// Longest URI that an error gives back.
const SHOWN_URI_BYTES: usize = 4_096;

/// What is to be done about a request.
pub(super) enum Action {
    /// This line answers it.
    Answer(Vec<u8>),
    /// A worker will.
    Run(Task),
}

/// A request that needs a worker.
pub(super) struct Task {
    pub(super) envelope: Envelope,
    pub(super) progress_token: Option<Id>,
    /// Tool calls fail with a result, other requests with an error.
    pub(super) failure: Option<Fail>,
    pub(super) work: TaskWork,
}

/// What the worker does.
pub(super) enum TaskWork {
    Tool(Work),
    /// Work inside the pool that runs beside a computation.
    Find(Work),
    Read {
        uri: String,
        document: Arc<Document>,
    },
    /// The call of a computing tool that waits for the busy slot.
    Turn(Turn),
    /// Work that holds the busy slot and runs inside the pool.
    Computation(Work),
}

impl TaskWork {
    /// Whether it needs the busy slot.
    pub(super) fn computes(&self) -> bool {
        matches!(self, Self::Turn(_) | Self::Computation(_))
    }

    /// Whether it runs inside the pool.
    pub(super) fn is_parallel(&self) -> bool {
        self.computes() || matches!(self, Self::Find(_))
    }
}

/// The call of a computing tool. It is prepared when its turn comes, since the runs before it
/// change the number of its own and what it may go on from.
pub(super) struct Turn {
    /// Position in the table of tools.
    tool: usize,
    arguments: Argument,
}

impl Turn {
    /// Checks the arguments and makes the work.
    pub(super) fn prepare(&self, tools: &[Tool], shelf: &Shelf) -> Result<Prepared, Fault> {
        match tools.get(self.tool).map(|tool| &tool.handler) {
            Some(Handler::Compute(prepare)) => prepare(&Call {
                arguments: &self.arguments,
                shelf,
                run: shelf.next_run(),
            }),
            _ => Err(Fault::INTERNAL),
        }
    }
}

/// Decides about a request. Only handshakes and inline tools change the state.
///
/// # Errors
/// The request is refused by the protocol.
pub(super) fn dispatch(
    state: &mut State,
    server: &Server,
    request: &Request<'_>,
    in_batch: bool,
) -> Result<Action, Fault> {
    let meta = Meta::read(request.params)?;
    let era = decide(&request.method, &meta, state.negotiated)?;
    let envelope = |revision| Envelope {
        id: request.id.clone(),
        revision,
        info: server.profile.info,
        result_bytes: server.result_bytes,
    };
    let revision = match era {
        Era::Handshake if in_batch => return Err(Fault::BATCH_INITIALIZE),
        Era::Handshake => {
            let revision = handshake(request.params)?;
            state.negotiated = Some(revision);
            let line = envelope(revision).initialize(&server.profile);
            return Ok(Action::Answer(line));
        }
        Era::Served(revision) => revision,
    };
    let envelope = envelope(revision);
    let is_modern = revision.is_modern();
    let lists_resources = server.profile.resources || !is_modern;
    let line = match &*request.method {
        "ping" if !is_modern => envelope.empty(),
        "server/discover" if is_modern => envelope.discover(&server.profile),
        "tools/list" => {
            check_cursor(request.params)?;
            envelope.tools(&server.tools)
        }
        "tools/call" => return call(state, server, request.params, &meta, envelope),
        "resources/list" if lists_resources => {
            check_cursor(request.params)?;
            envelope.resources(state.shelf.bundle())
        }
        "resources/templates/list" if lists_resources => {
            check_cursor(request.params)?;
            envelope.templates()
        }
        "resources/read" if server.profile.resources => {
            return read(state, request.params, envelope).map(Action::Run);
        }
        "prompts/list" if !is_modern => {
            check_cursor(request.params)?;
            envelope.prompts()
        }
        _ => return Err(Fault::METHOD_NOT_FOUND),
    };
    Ok(Action::Answer(line))
}

/// Reads the members of the parameters that matter, `None` as an empty object.
fn members<'a, T: Deserialize<'a>>(params: Option<&'a RawValue>) -> Result<T, Fault> {
    serde_json::from_str(params.map_or("{}", RawValue::get)).map_err(|_| Fault::INVALID_PARAMS)
}

fn required_string<'a>(
    value: Option<&'a RawValue>,
    problem: &'static str,
) -> Result<Cow<'a, str>, Fault> {
    value.and_then(string).ok_or(Fault::new(-32602, problem))
}

fn handshake(params: Option<&RawValue>) -> Result<Revision, Fault> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        protocol_version: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        capabilities: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        client_info: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct ClientInfo<'a> {
        #[serde(borrow)]
        name: &'a RawValue,
        #[serde(borrow)]
        version: &'a RawValue,
    }
    let params: Params<'_> = members(params)?;
    let version = required_string(
        params.protocol_version,
        "Invalid params: protocolVersion must be a string",
    )?;
    if !params.capabilities.is_some_and(is_object) {
        return Err(Fault::new(
            -32602,
            "Invalid params: capabilities must be an object",
        ));
    }
    let has_client_info = params.client_info.is_some_and(|info| {
        is_object(info)
            && serde_json::from_str::<ClientInfo<'_>>(info.get())
                .is_ok_and(|info| string(info.name).is_some() && string(info.version).is_some())
    });
    if !has_client_info {
        return Err(Fault::new(
            -32602,
            "Invalid params: clientInfo must be an object with name and version",
        ));
    }
    Ok(Revision::negotiate(&version))
}

/// Lists have one page, so no cursor was ever given out.
fn check_cursor(params: Option<&RawValue>) -> Result<(), Fault> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, default)]
        cursor: Option<&'a RawValue>,
    }
    match members::<Params<'_>>(params)?.cursor {
        None => Ok(()),
        Some(_) => Err(Fault::new(-32602, "Invalid params: unknown cursor")),
    }
}

fn call(
    state: &mut State,
    server: &Server,
    params: Option<&RawValue>,
    meta: &Meta<'_>,
    envelope: Envelope,
) -> Result<Action, Fault> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        name: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        arguments: Option<&'a RawValue>,
    }
    let params: Params<'_> = members(params)?;
    let name = required_string(params.name, "Invalid params: name must be a string")?;
    let mut tools = server.tools.iter().enumerate();
    let tool = tools.find(|(_, tool)| tool.name == name);
    let (index, tool) = tool.ok_or_else(|| unknown_tool(&server.tools))?;
    let failure = Some(tool.failure);
    let run = |envelope, work| {
        Ok(Action::Run(Task {
            envelope,
            progress_token: meta.progress_token(),
            failure,
            work,
        }))
    };
    // A client that has no arguments may say so.
    let given = params.arguments.filter(|raw| raw.get() != "null");
    let raw = given.map_or("{}", RawValue::get);
    let prepared = match &tool.handler {
        Handler::Inline(answer) => {
            let arguments = Argument::parse(raw)?;
            Prepared::Reply(answer(&mut state.shelf, &arguments)?)
        }
        Handler::Compute(_) => {
            let turn = Turn {
                tool: index,
                arguments: Argument::parse(raw)?,
            };
            // Bad arguments do not wait.
            turn.prepare(&server.tools, &state.shelf)?;
            return run(envelope, TaskWork::Turn(turn));
        }
        Handler::Find(prepare) | Handler::Beside(prepare) => prepare(&Call {
            arguments: &Argument::parse(raw)?,
            shelf: &state.shelf,
            run: state.shelf.next_run(),
        })?,
        Handler::Lenient(_) if !raw.starts_with('{') => return Err(Malformed::NotAnObject.into()),
        Handler::Lenient(prepare) => prepare(raw),
    };
    match prepared {
        Prepared::Reply(reply) => Ok(Action::Answer(envelope.tool_line(&reply, failure))),
        Prepared::Work(work) if matches!(tool.handler, Handler::Find(_)) => {
            run(envelope, TaskWork::Find(work))
        }
        Prepared::Work(work) => run(envelope, TaskWork::Tool(work)),
    }
}

fn unknown_tool(tools: &[Tool]) -> Fault {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    Fault {
        message: format!("Unknown tool: name must be one of {}", names.join(", ")).into(),
        ..Fault::INVALID_PARAMS
    }
}

fn read(state: &State, params: Option<&RawValue>, envelope: Envelope) -> Result<Task, Fault> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        uri: Option<&'a RawValue>,
    }
    let params: Params<'_> = members(params)?;
    let uri = required_string(params.uri, "Invalid params: uri must be a string")?;
    let found = state.shelf.bundle().and_then(|bundle| bundle.find(&uri));
    let Some(document) = found else {
        let code = if envelope.revision.is_modern() {
            -32602
        } else {
            -32002
        };
        let data = (uri.len() <= SHOWN_URI_BYTES).then(|| FaultData::Uri {
            uri: uri.into_owned(),
        });
        return Err(Fault {
            data,
            ..Fault::new(code, "Resource not found")
        });
    };
    Ok(Task {
        progress_token: None,
        failure: None,
        work: TaskWork::Read {
            uri: uri.into_owned(),
            document: Arc::clone(document),
        },
        envelope,
    })
}
