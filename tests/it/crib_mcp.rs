//! The documentation tools behind the server: in process and as the real programs, against the
//! stub of the service.

#![cfg(all(feature = "crib", unix))]

mod program;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::serve::{Ending, Server};
use moon_repomix::mcp::tools::{check, documentation};
use serde_json::{Value, json};

use crate::crib::crib_host::{Fault, Host, documents};
use crate::support::server::{Client, code, toys};

const LIST: &str = "list_installed_docsets";
const SEARCH: &str = "search_documentation";
const LOAD: &str = "load_documentation_page";
/// Sockets and places of a call that nobody waits for are free after this.
const SOON: Duration = Duration::from_millis(250);

fn server(user_data: Option<PathBuf>) -> Server {
    Server::new(
        Profile::documentation(),
        documentation(user_data, None).unwrap(),
    )
}

fn client(host: &Host) -> Client {
    Client::new(server(Some(host.user_data())))
}

/// The document of a call that succeeded, the same in both forms.
fn document(answer: &Value) -> Value {
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    value(answer)
}

/// The error of a call that failed, the same in both forms.
fn error(answer: &Value) -> Value {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let value = value(answer);
    assert_eq!(value.as_object().unwrap().len(), 1, "{value}");
    assert!(value["error"]["message"].is_string(), "{value}");
    value["error"].clone()
}

fn value(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "{answer}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value, result["structuredContent"]);
    value
}

#[test]
fn every_client_can_take_the_tools() {
    let tools = documentation(None, None).unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    assert_eq!(names, [LIST, SEARCH, LOAD]);
    for tool in &tools {
        check(tool).unwrap();
    }
}

#[test]
fn list_search_and_load() {
    let host = Host::start();
    let mut client = client(&host);
    let sets = document(&client.call(LIST, json!({})));
    assert_eq!(sets["generation"], json!(host.generation()));
    assert_eq!(
        sets["docsets"].as_array().unwrap().len(),
        documents::SETS.len()
    );

    let mut keys = Vec::new();
    let mut next = json!(0);
    while !next.is_null() {
        let page = document(&client.call(
            SEARCH,
            json!({"text": "note", "branch": "*", "locale": "*", "limit": 7, "offset": next}),
        ));
        next = page["next_offset"].clone();
        assert_eq!(page["has_more"], json!(!next.is_null()));
        for hit in page["results"].as_array().unwrap() {
            keys.push(hit["section_key"].as_str().unwrap().to_owned());
        }
    }
    let unique: std::collections::BTreeSet<&String> = keys.iter().collect();
    assert_eq!((keys.len(), unique.len()), (60, 60));

    let long = "postgresql-18-en:long";
    let pages = documents::pages();
    let whole = &pages.iter().find(|page| page.key == long).unwrap().text;
    let (mut text, mut next) = (String::new(), json!(0));
    while !next.is_null() {
        let piece = document(&client.call(
            LOAD,
            json!({"section_key": long, "generation": sets["generation"], "offset": next}),
        ));
        text.push_str(piece["text"].as_str().unwrap());
        next = piece["next_offset"].clone();
    }
    assert!(text == *whole, "the pieces join to the section");
    host.judge();
}

#[test]
fn what_changes_between_calls_is_noticed() {
    let host = Host::start();
    let mut client = client(&host);
    let old = document(&client.call(LIST, json!({})))["generation"].clone();
    host.change_documents();
    for (tool, arguments) in [
        (LIST, json!({"generation": old})),
        (SEARCH, json!({"text": "note", "generation": old})),
        (
            LOAD,
            json!({"section_key": "postgresql-18-en:00", "generation": old}),
        ),
    ] {
        let error = error(&client.call(tool, arguments));
        assert_eq!(error["code"], "generation_changed");
        assert_eq!(error["current_generation"], json!(host.generation()));
    }
    host.restart();
    host.reset_key();
    document(&client.call(LIST, json!({"generation": host.generation()})));
    host.judge();
}

#[test]
fn bad_arguments_are_results_and_open_no_socket() {
    let host = Host::start();
    let mut client = client(&host);
    for (tool, arguments, argument) in [
        (LIST, json!({"x": 1}), None),
        (LIST, json!({"generation": null}), Some("generation")),
        (SEARCH, json!({}), Some("text")),
        (SEARCH, json!({"text": "x".repeat(257)}), Some("text")),
        (SEARCH, json!({"text": "x", "limit": 51}), Some("limit")),
        (SEARCH, json!({"text": "x", "offset": -1}), Some("offset")),
        (LOAD, json!({"section_key": "a"}), Some("generation")),
        (LOAD, json!({"load_url": "x"}), None),
    ] {
        let error = error(&client.call(tool, arguments));
        assert_eq!(error["code"], "invalid_argument");
        assert_eq!(
            error.get("argument"),
            argument.map(|name| json!(name)).as_ref()
        );
    }
    for arguments in [json!([]), json!("x"), json!(7)] {
        assert_eq!(code(&client.call(LIST, arguments)), -32602);
    }
    assert_eq!(code(&client.call("no_such_tool", json!({}))), -32602);
    assert_eq!(host.connections(), 0);
}

/// A member given twice reaches the tool, which refuses it.
#[test]
fn repeated_arguments_are_refused_by_the_tool() {
    let host = Host::start();
    let mut client = Client::at("2025-11-25", server(Some(host.user_data())));
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"twice\",\"method\":\"tools/call\",\"params\":{\"name\":\"search_documentation\",\"arguments\":{\"text\":\"a\",\"text\":\"b\"}}}\n");
    assert_eq!(error(&client.answer("twice"))["code"], "invalid_argument");
    assert_eq!(host.connections(), 0);
}

#[test]
fn every_failure_of_the_service_is_a_result() {
    for (fault, code) in [
        (Fault::RandomProof, "server_proof_failed"),
        (Fault::Report("unauthorized", 401), "unauthorized"),
        (Fault::Report("forbidden", 403), "forbidden"),
        (Fault::Report("busy", 503), "busy"),
        (Fault::Report("internal_error", 500), "internal_error"),
        (
            Fault::Report("local_api_unavailable", 503),
            "local_api_unavailable",
        ),
        (Fault::Oversize, "response_too_large"),
        (Fault::Redirect, "bad_response"),
    ] {
        let host = Host::start();
        host.fault(fault);
        assert_eq!(error(&client(&host).call(LIST, json!({})))["code"], code);
        host.judge();
    }
    let host = Host::start();
    let mut client = client(&host);
    let missing = json!({"section_key": "no:such", "generation": host.generation()});
    assert_eq!(
        error(&client.call(LOAD, missing))["code"],
        "section_not_found"
    );
    let mut status = host.status();
    status["schema"] = json!(2);
    host.put("status.json", status.to_string().as_bytes());
    assert_eq!(
        error(&client.call(LIST, json!({})))["code"],
        "api_incompatible"
    );
    host.put("access-key", b"short");
    host.put("status.json", host.status().to_string().as_bytes());
    assert_eq!(
        error(&client.call(LIST, json!({})))["code"],
        "discovery_unsafe"
    );
    let nowhere = Client::new(server(None)).call(LIST, json!({}));
    assert_eq!(error(&nowhere)["code"], "local_api_unavailable");
}

/// The deadline is the client's own: it comes long before the server's.
#[test]
fn the_deadline_is_a_result() {
    let host = Host::start();
    host.fault(Fault::Hold);
    let mut client = client(&host);
    let started = Instant::now();
    let error = error(&client.call(LIST, json!({})));
    let took = started.elapsed();
    assert_eq!(error["code"], "deadline_exceeded");
    assert!(
        (Duration::from_secs(8)..Duration::from_secs(10)).contains(&took),
        "{took:?}"
    );
    host.judge();
}

#[test]
fn eight_run_thirty_two_wait_and_one_more_is_busy() {
    let host = Host::start();
    host.fault(Fault::Hold);
    let mut client = client(&host);
    let calls: Vec<i64> = (0..40).map(|_| client.post(LIST, json!({}))).collect();
    assert_eq!(error(&client.call(LIST, json!({})))["code"], "busy");
    host.wait_for_held(8);
    assert_eq!(host.connections(), 8);
    // What needs no call is answered meanwhile.
    for method in ["tools/list", "server/discover"] {
        assert!(client.ask(method, json!({})).get("result").is_some());
    }
    assert_eq!(
        error(&client.call(SEARCH, json!({})))["code"],
        "invalid_argument"
    );
    // The ninth gets the place of the first.
    client.cancel(calls[0]);
    host.wait_for_connections(9);
    // With the first gone, eight held ones are all of the others, the ninth included.
    host.wait_for_closed(1);
    host.wait_for_held(8);
    host.fault(Fault::None);
    for call in &calls[1..9] {
        client.cancel(*call);
    }
    for call in &calls[9..] {
        document(&client.answer(*call));
    }
    assert!(client.unasked().is_empty());
    host.judge();
}

#[test]
fn a_cancelled_call_ends_its_socket_and_is_not_answered() {
    let host = Host::start();
    host.fault(Fault::Hold);
    let mut client = client(&host);
    let call = client.post(LIST, json!({}));
    host.wait_for_held(1);
    let started = Instant::now();
    client.cancel(call);
    host.wait_for_silence();
    let took = started.elapsed();
    assert!(took < SOON, "{took:?}");
    host.fault(Fault::None);
    document(&client.call(LIST, json!({})));
    assert!(client.unasked().is_empty());
    assert_eq!(client.answers(&json!(call)), 0);
    host.judge();
}

#[test]
fn the_end_of_input_ends_eight_calls() {
    let host = Host::start();
    host.fault(Fault::Hold);
    let mut client = client(&host);
    for _ in 0..12 {
        client.post(LIST, json!({}));
    }
    host.wait_for_held(8);
    let started = Instant::now();
    let (ending, rest, _) = client.close();
    host.wait_for_silence();
    let took = started.elapsed();
    assert!(matches!(ending, Ending::EndOfInput));
    assert!(rest.is_empty(), "{rest:?}");
    assert!(took < SOON, "{took:?}");
    assert_eq!(host.connections(), 8, "nothing begins after the end");
    host.judge();
}

#[test]
fn each_older_revision_gets_what_it_knows() {
    let host = Host::start();
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::new(server(Some(host.user_data())));
        let result = client.handshake(revision)["result"].clone();
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result["serverInfo"]["name"], "crib-mcp");
        for (arguments, is_error) in [(json!({}), false), (json!({"x": 1}), true)] {
            let result = client.call(LIST, arguments)["result"].clone();
            assert_eq!(result["isError"], is_error);
            assert!(result["structuredContent"].is_object(), "{revision}");
        }
        let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
        for tool in tools.as_array().unwrap() {
            if revision != "2024-11-05" {
                assert_eq!(tool["annotations"]["readOnlyHint"], true);
                assert_eq!(tool["annotations"]["openWorldHint"], false);
            }
        }
        assert_eq!(
            client.ask("resources/list", json!({}))["result"],
            json!({"resources": []})
        );
        assert_eq!(
            code(&client.ask("resources/read", json!({"uri": "x:y"}))),
            -32601
        );
    }
    let mut client = client(&host);
    let result = client.ask("server/discover", json!({}))["result"].clone();
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    for method in ["resources/list", "prompts/list", "ping"] {
        assert_eq!(code(&client.ask(method, json!({}))), -32601, "{method}");
    }
}

#[test]
fn arrays_are_batches_at_one_revision_only() {
    let host = Host::start();
    for revision in ["2025-03-26", "2024-11-05", "2025-11-25"] {
        let mut client = Client::at(revision, server(Some(host.user_data())));
        let call = |id: &str, arguments| {
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": LIST, "arguments": arguments}})
        };
        client.send(&json!([call("a", json!({})), call("b", json!({"x": 1}))]));
        if revision != "2025-03-26" {
            assert_eq!(code(&client.orphan()), -32600, "{revision}");
            continue;
        }
        let batch = client.next();
        let mut failed: Vec<(&str, bool)> = batch
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let failed = one["result"]["isError"].as_bool().unwrap();
                (one["id"].as_str().unwrap(), failed)
            })
            .collect();
        failed.sort_unstable();
        assert_eq!(failed, [("a", false), ("b", true)]);
    }
}

#[test]
fn the_frame_limit_is_256_kib() {
    let host = Host::start();
    let mut client = Client::at("2025-11-25", server(Some(host.user_data())));
    for (length, served) in [(256 << 10, true), ((256 << 10) + 1, false)] {
        let start = r#"{"jsonrpc":"2.0","id":"n","method":"ping","params":{"x":""#;
        let end = "\"}}";
        let filling = "x".repeat(length - start.len() - end.len());
        client.raw(format!("{start}{filling}{end}\n").as_bytes());
        if served {
            assert_eq!(client.answer("n")["result"], json!({}));
        } else {
            assert_eq!(code(&client.orphan()), -32600);
        }
    }
    document(&client.call(LIST, json!({})));
}

/// Beside the repository tools: not in the way of a computation, nor it in theirs.
#[test]
fn beside_a_computation() {
    let host = Host::start();
    let (server, stage) = toys(Profile::combined());
    let server = server.with_tools(documentation(Some(host.user_data()), None).unwrap());
    let mut client = Client::new(server);
    let computing = client.post("hold", json!({}));
    stage.started();
    document(&client.call(LIST, json!({})));
    host.fault(Fault::Hold);
    let held: Vec<i64> = (0..3).map(|_| client.post(LIST, json!({}))).collect();
    host.wait_for_held(3);
    assert_eq!(error(&client.call(LIST, json!({})))["code"], "busy");
    stage.go();
    client.answer(computing);
    let again = client.call("make", json!({}));
    assert_eq!(again["result"]["isError"], false);
    for call in held {
        client.cancel(call);
    }
    host.wait_for_silence();
    host.fault(Fault::None);
    document(&client.call(LIST, json!({})));
    host.judge();
}
