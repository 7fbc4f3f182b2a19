//! Requests that need a worker: places, the busy slot, deadlines, cancelling, progress, panics.

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use moon_repomix::limits::{DOCS_IN_FLIGHT, DOCS_WAITING, IN_FLIGHT, PROGRESS_INTERVAL};
use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::serve::serve;
use moon_repomix::text::grouped;
use serde_json::{Value, json};

use crate::support::server::{Client, code, meta, repository, tool_code, toys, uri};

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
    let uri = uri(1, "x");
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
        let uri = uri(1, "x");
        live.push(client.request("resources/read", json!({ "uri": uri })));
    }
    for id in live {
        assert!(client.answer(id).get("result").is_some());
    }
}

/// The run that an answer tells of.
fn run_of(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]["runId"]
}

#[test]
fn computations_wait_for_each_other_in_order() {
    let (server, stage) = repository();
    let mut client = Client::new(server);
    let first = client.post("hold", json!({"text": "first"}));
    stage.started();
    let second = client.post("make", json!({"text": "second"}));
    let third = client.post("hold", json!({"text": "third"}));
    // Bad arguments do not wait, and what needs no slot passes.
    assert_eq!(code(&client.call("make", json!({"text": 1}))), -32602);
    let beside = client.call("read_context", json!({"uri": "x"}));
    assert_eq!(tool_code(&beside), "ResourceGone");
    let aside = client.post("aside", json!({}));
    stage.started();
    // Waiting or not, four are in flight.
    let answer = client.call("make", json!({}));
    assert_eq!(tool_code(&answer), "Busy");
    assert_eq!(answer["result"]["structuredContent"]["status"], "error");
    assert!(client.unasked().is_empty());
    // The steps go to whoever asks first; both end.
    stage.go();
    stage.go();
    assert_eq!(client.answer(aside)["result"]["isError"], false);
    assert_eq!(run_of(&client.answer(first)), "1");
    assert_eq!(run_of(&client.answer(second)), "2");
    stage.started();
    stage.go();
    assert_eq!(run_of(&client.answer(third)), "3");
    assert_eq!(run_of(&client.call("make", json!({}))), "4");
}

#[test]
fn a_waiting_computation_is_cancelled_without_answer() {
    let (server, stage) = repository();
    let mut client = Client::new(server);
    let first = client.post("hold", json!({}));
    stage.started();
    let gone = client.post("make", json!({"text": "gone"}));
    let kept = client.post("make", json!({"text": "kept"}));
    client.cancel(gone);
    assert!(client.unasked().is_empty());
    stage.go();
    assert_eq!(run_of(&client.answer(first)), "1");
    assert_eq!(run_of(&client.answer(kept)), "2");
    assert!(client.unasked().is_empty());
    assert_eq!(client.answers(&json!(gone)), 0);
}

#[test]
fn a_computation_waits_within_its_own_time_and_tells_no_progress() {
    let (server, stage) = repository();
    let mut client = Client::new(server.with_request_time(Duration::from_millis(600)));
    let deaf = client.post("deaf", json!({}));
    stage.started();
    let asked = Instant::now();
    let waiting = with_token(&mut client, json!("w"));
    assert_eq!(tool_code(&client.answer(deaf)), "Timeout");
    assert_eq!(tool_code(&client.answer(waiting)), "Timeout");
    assert!(asked.elapsed() >= Duration::from_millis(600));
    // The slot is free only when the late one is back.
    let last = client.post("make", json!({}));
    assert!(client.unasked().is_empty());
    stage.go();
    assert_eq!(run_of(&client.answer(last)), "1");
}

/// What a call goes on from is looked up when its turn comes.
#[test]
fn a_call_is_prepared_when_its_turn_comes() {
    let (server, stage) = repository();
    let mut client = Client::new(server);
    let first = client.post("hold", json!({}));
    stage.started();
    let next: Vec<i64> = (0..3).map(|_| client.post("make", json!({}))).collect();
    client.cancel(first);
    for (id, run) in next.into_iter().zip(["1", "2", "3"]) {
        assert_eq!(run_of(&client.answer(id)), run);
    }
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
        let waiting = client.post("fail", json!({}));
        assert!(client.unasked().is_empty());
        client.cancel(id);
        let cancelled = Instant::now();
        assert_eq!(tool_code(&client.answer(waiting)), "IoFailure");
        assert!(cancelled.elapsed() < FREE);
        assert_eq!(client.ask("resources/list", json!({}))["result"], before);
        client.cancel(id);
        assert!(client.unasked().is_empty());
        assert_eq!(client.answers(&json!(id)), 0);
        // The run number was not used up, and the id may be used again.
        let again = client.build_as(&json!(id), "tools/call", json!({"name": "make"}));
        client.send(&again);
        assert!(client.answer(id).to_string().contains(&uri(2, "")));
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
    let mut client = Client::new(server.with_request_time(Duration::from_millis(300)));
    let id = client.post("deaf", json!({}));
    stage.started();
    assert_eq!(tool_code(&client.answer(id)), "Timeout");
    let waiting = client.post("fail", json!({}));
    assert!(client.unasked().is_empty());
    client.cancel(id);
    stage.go();
    assert_eq!(tool_code(&client.answer(waiting)), "IoFailure");
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
}

/// The whole result counts as it is sent, text and structure together.
#[test]
fn a_result_is_within_the_limit_of_the_host_as_it_is_sent() {
    for revision in ["2026-07-28", "2025-11-25", "2024-11-05"] {
        let ask = |limit: u64| {
            let (server, stage) = repository();
            let mut client = Client::new(server.with_output_bytes(limit));
            if revision != "2026-07-28" {
                client.handshake(revision);
            }
            let id = client.post("aside", json!({"text": "\u{2028}\"x".repeat(2_000)}));
            stage.started();
            stage.go();
            client.answer(id)
        };
        let answer = ask(u64::MAX);
        let result = answer["result"].to_string();
        let size = result.replace('\u{2028}', "\\u2028").len() as u64;
        assert_eq!(ask(size), answer, "{revision}");
        let over = ask(size - 1);
        assert_eq!(tool_code(&over), "ResourceLimit", "{revision}");
        let message = over["result"]["structuredContent"]["error"]["message"].to_string();
        let (size, limit) = (grouped(size), grouped(size - 1));
        assert!(
            message.contains(&format!("has {size} bytes; this server allows {limit}.")),
            "{message}"
        );
    }
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
        let mut first = None;
        for step in 1..=3 {
            stage.go();
            let note = client.next();
            assert_eq!(note["method"], "notifications/progress");
            let mut expected = json!({"progressToken": "t-1", "progress": step, "total": 3});
            if has_message {
                expected["message"] = json!(format!("{step} of 3 files"));
            }
            assert_eq!(note["params"], expected);
            first.get_or_insert_with(Instant::now);
        }
        // Three notifications are two intervals apart, the client's own delays aside.
        assert!(first.unwrap().elapsed() > PROGRESS_INTERVAL);
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
