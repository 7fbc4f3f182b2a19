//! The documentation tools: list, search and load, answered by the Crib application.
//!
//! Each call runs on a worker of its own beside whatever is computed. Whatever goes wrong, bad
//! arguments included, is a result `{"error": {"code", "message", ..}}` that fails; only arguments
//! that are no object are refused by the protocol.

use std::path::PathBuf;

use serde::Serialize;

use super::{self as server, Handler, Prepared, Reply, Tool};
use crate::cancel::Cancel;
use crate::crib::client::{Service, default_user_data};
use crate::crib::fault::{Code, Failure, Fault};
use crate::crib::schema;
use crate::crib::wire::{ListArgs, LoadArgs, SearchArgs};
use crate::error::ErrorCode;

/// The entries for the table of tools, in listed order. Without a `home` to look in, a missing
/// `user_data` is what every call reports.
#[must_use]
pub fn tools(user_data: Option<PathBuf>, home: Option<PathBuf>) -> Vec<Tool> {
    let usual = home
        .filter(|home| home.is_absolute())
        .map(|home| default_user_data(&home));
    let service = user_data.or(usual).map(Service::new);
    vec![
        tool(schema::LIST, &service, ListArgs::parse, Service::list),
        tool(schema::SEARCH, &service, SearchArgs::parse, Service::search),
        tool(schema::LOAD, &service, LoadArgs::parse, Service::load),
    ]
}

/// One entry: `parse` checks the arguments on the main loop, `ask` makes the call on a worker.
fn tool<A: Send + 'static, T: Serialize + 'static>(
    entry: schema::Tool,
    service: &Option<Service>,
    parse: fn(&str) -> Result<A, Fault>,
    ask: fn(&Service, &A, &Cancel) -> Result<T, Failure>,
) -> Tool {
    let service = service.clone();
    let prepare = move |json: &str| {
        let args = parse(json)?;
        let service = service.clone().ok_or_else(Fault::no_user_data)?;
        Ok(Prepared::work(move |cancel, _| {
            answer(ask(&service, &args, cancel)).into()
        }))
    };
    Tool {
        name: entry.name,
        title: entry.title,
        description: entry.description.to_owned(),
        schema: entry.input_schema(),
        idempotent: true,
        handler: Handler::Lenient(Box::new(move |json| {
            prepare(json).unwrap_or_else(|fault| Prepared::Reply(refusal(&fault)))
        })),
        failure,
    }
}

fn answer<T: Serialize>(answer: Result<T, Failure>) -> Reply {
    match answer {
        Ok(document) => Reply::success(&document),
        Err(Failure::Fault(fault)) => refusal(&fault),
        // Nobody waits for the reply of a cancelled call.
        Err(Failure::Cancelled) => failure(ErrorCode::InternalError.into()),
    }
}

fn refusal(fault: &Fault) -> Reply {
    #[derive(Serialize)]
    struct Refusal<'a> {
        error: &'a Fault,
    }
    Reply::error(&Refusal { error: fault })
}

/// The documentation tools' error result for a code of the server.
fn failure(why: server::Refusal) -> Reply {
    let code = match why.code {
        ErrorCode::Busy => Code::Busy,
        ErrorCode::Timeout => Code::DeadlineExceeded,
        ErrorCode::ResourceLimit => Code::ResponseTooLarge,
        _ => Code::InternalError,
    };
    refusal(&Fault::new(code))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::{failure, tools};
    use crate::crib::wire::{LIST_ARGUMENTS, LOAD_ARGUMENTS, SEARCH_ARGUMENTS};
    use crate::error::ErrorCode;
    use crate::mcp::tools::{Handler, Prepared, Reply, Tool, check};

    /// The error of a call that is refused before any work.
    fn refused(tool: &Tool, arguments: &str) -> Option<Value> {
        let Handler::Lenient(prepare) = &tool.handler else {
            panic!("{} is not lenient", tool.name);
        };
        match prepare(arguments) {
            Prepared::Work(_) => None,
            Prepared::Reply(Reply::Structured { json, is_error }) => {
                assert!(is_error);
                let value: Value = serde_json::from_str(json.get()).unwrap();
                Some(value["error"].clone())
            }
            Prepared::Reply(reply) => panic!("{reply:?}"),
        }
    }

    #[test]
    fn every_client_can_take_the_entries() {
        let tools = tools(Some(PathBuf::from("/data")), None);
        let arguments = [LIST_ARGUMENTS, SEARCH_ARGUMENTS, LOAD_ARGUMENTS];
        assert_eq!(tools.len(), arguments.len());
        for (tool, arguments) in tools.iter().zip(arguments) {
            check(tool).unwrap();
            assert!(tool.idempotent);
            let names: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
            let properties = tool.schema["properties"].as_object().unwrap();
            assert_eq!(properties.len(), names.len());
            assert!(names.iter().all(|name| properties.contains_key(*name)));
        }
    }

    #[test]
    fn bad_arguments_are_named_before_any_work() {
        let tools = tools(Some(PathBuf::from("/data")), None);
        let [list, search, load] = &tools[..] else {
            panic!("three tools");
        };
        for (tool, arguments, argument) in [
            (list, r#"{"generation": ""}"#, Some("generation")),
            (list, r#"{"text": "x"}"#, None),
            (list, r#"{"generation": "a", "generation": "a"}"#, None),
            (search, "{}", Some("text")),
            (search, r#"{"text": "x", "limit": 0}"#, Some("limit")),
            (search, r#"{"text": "x", "limit": "5"}"#, Some("limit")),
            (search, r#"{"text": "\ud800"}"#, None),
            (load, r#"{"load_url": "x"}"#, None),
            (load, r#"{"section_key": "a"}"#, Some("generation")),
        ] {
            let error = refused(tool, arguments).unwrap();
            assert_eq!(error["code"], "invalid_argument", "{arguments}");
            assert_eq!(
                error.get("argument"),
                argument.map(|name| json!(name)).as_ref()
            );
        }
        for (tool, arguments) in [
            (list, "{}"),
            (search, r#"{"text": "x"}"#),
            (load, r#"{"section_key": "a", "generation": "b"}"#),
        ] {
            assert_eq!(refused(tool, arguments), None, "{}", tool.name);
        }
    }

    #[test]
    fn without_a_directory_every_call_says_so() {
        for home in [None, Some(PathBuf::new()), Some(PathBuf::from("relative"))] {
            let tools = tools(None, home);
            let error = refused(&tools[0], "{}").unwrap();
            assert_eq!(error["code"], "local_api_unavailable");
            assert!(error["message"].as_str().unwrap().contains("--user-data"));
            let error = refused(&tools[1], "{}").unwrap();
            assert_eq!(error["code"], "invalid_argument");
        }
        let tools = tools(None, Some(PathBuf::from("/home/u")));
        assert_eq!(refused(&tools[0], "{}"), None);
    }

    #[test]
    fn failures_of_the_server_have_documented_codes() {
        for (code, wanted) in [
            (ErrorCode::Busy, "busy"),
            (ErrorCode::Timeout, "deadline_exceeded"),
            (ErrorCode::ResourceLimit, "response_too_large"),
            (ErrorCode::IoFailure, "internal_error"),
        ] {
            let Reply::Structured { json, is_error } = failure(code.into()) else {
                panic!("{code:?}");
            };
            let value: Value = serde_json::from_str(json.get()).unwrap();
            assert!(is_error && value["error"]["code"] == wanted, "{value}");
        }
    }
}
