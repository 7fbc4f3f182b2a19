//! Method name to handler: one match, after the era is decided.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{Fault, FaultData, Id, Request, is_object, present, string};
use super::resources::Document;
use super::results::Envelope;
use super::serve::Server;
use super::state::State;
use super::tools::{Call, Handler, Prepared, Reply, Tool, Work};
use super::version::{Era, Meta, Revision, decide};
use crate::arguments::{Argument, Malformed};
use crate::error::ErrorCode;

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
    pub(super) failure: Option<fn(ErrorCode) -> Reply>,
    /// Whether it takes the busy slot and runs inside the pool.
    pub(super) computes: bool,
    pub(super) work: TaskWork,
}

/// What the worker does.
pub(super) enum TaskWork {
    Tool(Work),
    Read {
        uri: String,
        document: Arc<Document>,
    },
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
    let tool = server.tools.iter().find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| unknown_tool(&server.tools))?;
    let computes = matches!(tool.handler, Handler::Compute(_));
    let raw = params.arguments.map_or("{}", RawValue::get);
    let prepared = match &tool.handler {
        Handler::Inline(answer) => {
            let arguments = Argument::parse(raw)?;
            Prepared::Reply(answer(&mut state.shelf, &arguments)?)
        }
        Handler::Compute(prepare) | Handler::Beside(prepare) => prepare(&Call {
            arguments: &Argument::parse(raw)?,
            shelf: &state.shelf,
            run: state.shelf.next_run(),
        })?,
        Handler::Lenient(_) if !raw.starts_with('{') => return Err(Malformed::NotAnObject.into()),
        Handler::Lenient(prepare) => prepare(raw),
    };
    match prepared {
        Prepared::Reply(reply) => answer_with(&envelope, &reply, tool),
        Prepared::Work(work) => Ok(Action::Run(Task {
            envelope,
            progress_token: meta.progress_token(),
            failure: Some(tool.failure),
            computes,
            work: TaskWork::Tool(work),
        })),
    }
}

fn answer_with(envelope: &Envelope, reply: &Reply, tool: &Tool) -> Result<Action, Fault> {
    envelope
        .reply(reply)
        .or_else(|_| envelope.reply(&(tool.failure)(ErrorCode::ResourceLimit)))
        .map(Action::Answer)
        .map_err(|_| Fault::TOO_LARGE)
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
        computes: false,
        work: TaskWork::Read {
            uri: uri.into_owned(),
            document: Arc::clone(document),
        },
        envelope,
    })
}
