//! Requests that need a worker: places, the busy slot, deadlines, cancelling, progress, panics.

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use moon_repomix::limits::{DOCS_IN_FLIGHT, DOCS_WAITING, IN_FLIGHT, PROGRESS_INTERVAL};
use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::serve::serve;
use serde_json::{Value, json};

use crate::support::server::{Client, code, meta, repository, tool_code, toys};

/// The promise of a free slot after a cancel.
const FREE: Duration = Duration::from_millis(250);

#[test]
fn four_at_once_and_the_fifth_is_busy() {
    let (server, stage) = repository();
    let mut client = Client::new(server);
    assert_eq!(
        client.call("make", json!({"text": "x"}))["result"]["isError"],
        false
    );
    let ids: Vec<i64> = (0..IN_FLIGHT)
        .map(|_| client.post("aside", json!({})))
        .collect();
    for _ in &ids {
        stage.started();
    }
    assert_eq!(tool_code(&client.call("aside", json!({}))), "Busy");
    let uri = "moon-repomix://context/1/note.txt";
    assert_eq!(
        code(&client.ask("resources/read", json!({ "uri": uri }))),
        -32603
    );
    assert!(client.ask("tools/list", json!({})).get("result").is_some());
    assert_eq!(
        client.call("release_context", json!({}))["result"]["isError"],
        false
    );
    for _ in &ids {
        stage.go();
    }
    for id in ids {
        assert_eq!(client.answer(id)["result"]["isError"], false);
    }
}

#[test]
fn a_place_is_free_before_its_answer_is_written() {
    let mut client = Client::new(repository().0);
    let mut live: Vec<i64> = (0..IN_FLIGHT)
        .map(|_| client.post("read_context", json!({"uri": "x"})))
        .collect();
    client.call("make", json!({"text": "x"}));
    for _ in 0..300 {
        let answer = client.answer(live.remove(0));
        assert!(!answer.to_string().contains("\"Busy\""), "{answer}");
        let uri = "moon-repomix://context/1/note.txt";
        live.push(client.request("resources/read", json!({ "uri": uri })));
    }
    for id in live {
        assert!(client.answer(id).get("result").is_some());
    }
}

#[test]
fn one_computation_at_a_time() {
    let (server, stage) = repository();
    let mut client = Client::new(server);
    let first = client.post("hold", json!({"text": "first"}));
    stage.started();
    let answer = client.call("make", json!({}));
    assert_eq!(tool_code(&answer), "Busy");
    assert_eq!(answer["result"]["structuredContent"]["status"], "error");
    assert_eq!(code(&client.call("make", json!({"text": 1}))), -32602);
    stage.go();
    assert_eq!(
        client.answer(first)["result"]["structuredContent"]["runId"],
        "1"
    );
    assert_eq!(
        client.call("make", json!({}))["result"]["structuredContent"]["runId"],
        "2"
    );
}

#[test]
fn documentation_calls_wait_in_order() {
    let (server, stage) = toys(Profile::documentation());
    let mut client = Client::new(server);
    let ids: Vec<i64> = (0..DOCS_IN_FLIGHT + DOCS_WAITING)
        .map(|n| client.post("aside", json!({"text": n.to_string()})))
        .collect();
    for _ in 0..DOCS_IN_FLIGHT {
        stage.started();
    }
    assert_eq!(tool_code(&client.call("aside", json!({}))), "Busy");
    // A waiting request that is cancelled gives its place to another.
    let last = ids[ids.len() - 1];
    client.cancel(last);
    let late = client.post("aside", json!({}));
    assert!(client.unasked().is_empty());
    for _ in &ids {
        stage.go();
    }
    for id in ids.into_iter().filter(|&id| id != last).chain([late]) {
        assert_eq!(client.answer(id)["result"]["isError"], false);
    }
}

#[test]
fn an_id_in_flight_is_taken() {
    let (server, stage) = repository();
    let mut client = Client::new(server);
    let id = client.post("aside", json!({"text": "first"}));
    stage.started();
    for method in ["tools/list", "tools/call"] {
        let message = client.build_as(&json!(id), method, json!({"name": "make"}));
        client.send(&message);
        assert_eq!(code(&client.answer(id)), -32600);
        client.forget(&json!(id));
    }
    let text = client.build_as(&json!(id.to_string()), "tools/list", json!({}));
    client.send(&text);
    assert!(client.answer(id.to_string()).get("result").is_some());
    stage.go();
    assert_eq!(
        client.answer(id)["result"]["structuredContent"]["text"],
        "first"
    );
}

#[test]
fn a_cancelled_call_is_never_answered_and_its_place_is_free() {
    for revision in [None, Some("2025-11-25"), Some("2024-11-05")] {
        let (server, stage) = repository();
        let mut client = Client::new(server);
        if let Some(revision) = revision {
            client.handshake(revision);
        }
        client.call("make", json!({"text": "old"}));
        let before = client.ask("resources/list", json!({}))["result"].clone();
        let id = client.post("hold", json!({}));
        stage.started();
        client.cancel(id.to_string());
        assert_eq!(tool_code(&client.call("make", json!({}))), "Busy");
        client.cancel(id);
        let cancelled = Instant::now();
        loop {
            let answer = client.call("fail", json!({}));
            assert!(cancelled.elapsed() < FREE);
            if tool_code(&answer) == "IoFailure" {
                break;
            }
        }
        assert_eq!(client.ask("resources/list", json!({}))["result"], before);
        client.cancel(id);
        assert!(client.unasked().is_empty());
        assert_eq!(client.answers(&json!(id)), 0);
        // The run number was not used up, and the id may be used again.
        let again = client.build_as(&json!(id), "tools/call", json!({"name": "make"}));
        client.send(&again);
        assert!(client.answer(id).to_string().contains("context/2/note.txt"));
    }
}

#[test]
fn a_late_cancel_changes_nothing() {
    let mut client = Client::new(repository().0);
    let id = client.post("make", json!({}));
    assert_eq!(client.answer(id)["result"]["isError"], false);
    client.cancel(id);
    assert!(client.unasked().is_empty());
    assert_eq!(client.answers(&json!(id)), 1);
}

#[test]
fn a_late_call_fails_once_and_keeps_its_place_until_it_ends() {
    let (server, stage) = repository();
    let mut client = Client::new(server.with_request_time(Duration::from_millis(60)));
    let id = client.post("deaf", json!({}));
    stage.started();
    assert_eq!(tool_code(&client.answer(id)), "Timeout");
    assert_eq!(tool_code(&client.call("make", json!({}))), "Busy");
    client.cancel(id);
    stage.go();
    while client.call("fail", json!({})).to_string().contains("Busy") {}
    assert_eq!(
        client.ask("resources/list", json!({}))["result"]["resources"],
        json!([])
    );
    assert_eq!(
        client.call("make", json!({}))["result"]["structuredContent"]["runId"],
        "1"
    );
}

#[test]
fn waiting_calls_are_late_too() {
    let (server, stage) = toys(Profile::documentation());
    let mut client = Client::new(server.with_request_time(Duration::from_millis(60)));
    let ids: Vec<i64> = (0..DOCS_IN_FLIGHT + 2)
        .map(|_| client.post("aside", json!({})))
        .collect();
    for _ in 0..DOCS_IN_FLIGHT {
        stage.started();
    }
    for id in ids {
        assert_eq!(tool_code(&client.answer(id)), "Timeout");
    }
    assert!(client.unasked().is_empty());
}

#[test]
fn a_panic_is_an_internal_error_without_detail() {
    let mut client = Client::new(repository().0);
    for _ in 0..6 {
        let answer = client.call("panic", json!({}));
        assert_eq!(code(&answer), -32603);
        assert!(!answer.to_string().contains("quoted source text"));
    }
    assert_eq!(
        client.call("make", json!({}))["result"]["structuredContent"]["runId"],
        "1"
    );
}

#[test]
fn an_answer_over_a_line_is_a_failure_and_changes_nothing() {
    let mut client = Client::new(repository().0);
    assert_eq!(tool_code(&client.call("huge", json!({}))), "ResourceLimit");
    assert_eq!(
        client.ask("resources/list", json!({}))["result"]["resources"],
        json!([])
    );
    // Without structured content the same reply fits.
    let mut client = Client::at("2025-03-26", repository().0);
    assert_eq!(client.call("huge", json!({}))["result"]["isError"], false);
}

fn with_token(client: &mut Client, token: Value) -> i64 {
    client.request(
        "tools/call",
        json!({"name": "hold", "arguments": {"files": 3}, "_meta": {"progressToken": token}}),
    )
}

#[test]
fn progress_grows_and_ends_with_the_answer() {
    for (revision, has_message) in [(None, true), (Some("2024-11-05"), false)] {
        let (server, stage) = repository();
        let mut client = Client::new(server);
        if let Some(revision) = revision {
            client.handshake(revision);
        }
        let id = with_token(&mut client, json!("t-1"));
        stage.started();
        let mut last = None;
        for step in 1..=3 {
            stage.go();
            let note = client.next();
            assert_eq!(note["method"], "notifications/progress");
            let mut expected = json!({"progressToken": "t-1", "progress": step, "total": 3});
            if has_message {
                expected["message"] = json!(format!("{step} of 3 files"));
            }
            assert_eq!(note["params"], expected);
            let now = Instant::now();
            if let Some(last) = last {
                assert!(now.duration_since(last) > PROGRESS_INTERVAL / 2);
            }
            last = Some(now);
        }
        stage.go();
        assert_eq!(client.answer(id)["result"]["isError"], false);
        assert!(client.unasked().is_empty());
    }
}

#[test]
fn no_progress_without_token_or_after_a_cancel() {
    let (server, stage) = repository();
    let mut client = Client::new(server);
    let silent = client.post("hold", json!({"files": 1}));
    stage.started();
    stage.go();
    std::thread::sleep(PROGRESS_INTERVAL * 2);
    stage.go();
    client.answer(silent);
    let id = with_token(&mut client, json!(7));
    stage.started();
    stage.go();
    assert_eq!(client.next()["params"]["progressToken"], 7);
    client.cancel(id);
    std::thread::sleep(PROGRESS_INTERVAL * 2);
    assert!(client.unasked().is_empty());
}

#[test]
fn a_client_that_does_not_read_is_not_read() {
    const REQUESTS: usize = 400;
    let (server_in, mut input) = std::io::pipe().unwrap();
    let (output, server_out) = std::io::pipe().unwrap();
    let (server, _stage) = repository();
    let serving = std::thread::spawn(move || serve(server_in, server_out, server));
    let (sent_in, sent) = crossbeam_channel::unbounded();
    let writing = std::thread::spawn(move || {
        let pad = "p".repeat(60_000);
        for id in 0..REQUESTS {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"pad": pad, "_meta": meta()}});
            input.write_all(format!("{message}\n").as_bytes()).unwrap();
            sent_in.send(()).unwrap();
        }
    });
    let mut n_sent = 0;
    while sent.recv_timeout(Duration::from_millis(700)).is_ok() {
        n_sent += 1;
    }
    assert!(n_sent < REQUESTS, "everything was taken in");
    let ids: Vec<u64> = BufReader::new(output)
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(&line.unwrap()).unwrap()["id"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert!(ids.into_iter().eq(0..REQUESTS as u64));
    writing.join().unwrap();
    serving.join().unwrap();
}
