//! The bundle of the last run: listed, read by both roads, replaced, released.

use serde_json::{Value, json};

use crate::support::server::{Client, code, repository, tool_code, uri};

/// The URIs of the current run.
fn uris(client: &mut Client) -> Vec<String> {
    let list = client.ask("resources/list", json!({}));
    let resources = list["result"]["resources"].as_array().unwrap().clone();
    resources
        .iter()
        .map(|one| one["uri"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_run_is_listed_and_read() {
    let text = "a\u{0}\u{1f600}\u{2028}\"\\\r\nb";
    let first = uri(1, text);
    let mut client = Client::new(repository().0);
    assert!(uris(&mut client).is_empty());
    let result = client.call("make", json!({ "text": text }))["result"].clone();
    let described = result["structuredContent"]["resources"][0].clone();
    assert_eq!(
        described,
        json!({"uri": first, "name": "note.txt", "mimeType": "text/plain", "bytes": "14", "tokens": "14"})
    );
    let list = client.ask("resources/list", json!({}))["result"].clone();
    assert_eq!(
        list["resources"],
        json!([{"uri": first, "name": "note.txt", "description": "14 o200k_base tokens", "mimeType": "text/plain", "size": 14}])
    );
    assert_eq!(
        (&list["ttlMs"], &list["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    let read = client.ask("resources/read", json!({ "uri": first }))["result"].clone();
    assert_eq!(
        read["contents"],
        json!([{"uri": first, "mimeType": "text/plain", "text": text}])
    );
    assert_eq!(
        (&read["ttlMs"], &read["resultType"]),
        (&json!(0), &json!("complete"))
    );
}

#[test]
fn the_same_text_is_reachable_by_a_tool() {
    let text: String = (1..=50).map(|n| format!("line {n}\r\n")).collect();
    let first = uri(1, &text);
    let mut client = Client::new(repository().0);
    client.call("make", json!({ "text": text }));
    let (mut joined, mut offset) = (String::new(), 0);
    for _ in 0..50 {
        let result = client.call(
            "read_context",
            json!({"uri": first, "offset": offset, "maxTokens": 200}),
        )["result"]
            .clone();
        assert!(result.get("structuredContent").is_none());
        assert_eq!(result["isError"], false);
        let page = result["content"][0]["text"].as_str().unwrap();
        assert!(page.len() <= 200);
        let (line, piece) = page.split_once('\n').unwrap();
        assert!(line.starts_with(&first) && line.contains(" of 50, "));
        joined += piece;
        match line.rsplit_once("next offset ") {
            Some((_, next)) => offset = next.parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(joined, text);
}

#[test]
fn read_context_checks_its_arguments() {
    let first = uri(1, "four");
    let mut client = Client::new(repository().0);
    client.call("make", json!({"text": "four"}));
    for (arguments, field, rule) in [
        (json!({}), "/uri", "Required"),
        (json!({"uri": 1}), "/uri", "Type"),
        (json!({"uri": first, "offset": 5}), "/offset", "Range"),
        (json!({"uri": first, "offset": -1}), "/offset", "Range"),
        (json!({"uri": first, "offset": "0"}), "/offset", "Type"),
        (json!({"uri": first, "maxTokens": 0}), "/maxTokens", "Range"),
        (
            json!({"uri": first, "maxTokens": 16_001}),
            "/maxTokens",
            "Cap",
        ),
        (json!({"uri": first, "maxTokens": 3}), "/maxTokens", "Range"),
        (json!({"uri": first, "limit": 3}), "/limit", "Unknown"),
    ] {
        let answer = client.call("read_context", arguments);
        assert_eq!(code(&answer), -32602);
        assert_eq!(
            answer["error"]["data"],
            json!({"field": field, "rule": rule})
        );
        assert!(answer["error"]["message"].as_str().unwrap().contains(field));
    }
    for offset in [0, 4] {
        let arguments = json!({"uri": first, "offset": offset, "maxTokens": 16_000.0});
        assert_eq!(
            client.call("read_context", arguments)["result"]["isError"],
            false
        );
    }
    // A URI of an earlier process names other text.
    for gone in [
        &uri(1, "five"),
        &uri(2, "four"),
        "moon-repomix://context/1/note.txt",
        "file:///etc/passwd",
        "",
    ] {
        let answer = client.call("read_context", json!({ "uri": gone }));
        assert_eq!(tool_code(&answer), "ResourceGone");
    }
}

#[test]
fn reading_runs_beside_a_computation() {
    let first = uri(1, "old");
    let (server, stage) = repository();
    let mut client = Client::new(server);
    client.call("make", json!({"text": "old"}));
    let id = client.post("hold", json!({"text": "new"}));
    stage.started();
    assert_eq!(uris(&mut client), std::slice::from_ref(&first));
    assert!(
        client
            .ask("resources/read", json!({ "uri": first }))
            .get("result")
            .is_some()
    );
    assert!(
        client
            .call("read_context", json!({ "uri": first }))
            .to_string()
            .contains("old")
    );
    let released = client.call("release_context", json!({}))["result"]["structuredContent"].clone();
    assert_eq!(
        released,
        json!({"schemaVersion": 1, "status": "released", "released": {"runId": "1", "kind": "pack", "resources": 1}})
    );
    assert!(uris(&mut client).is_empty());
    stage.go();
    assert_eq!(
        client.answer(id)["result"]["structuredContent"]["runId"],
        "2"
    );
    assert_eq!(uris(&mut client), [uri(2, "new")]);
}

#[test]
fn only_a_success_replaces_the_last_run() {
    let first = uri(1, "one");
    let mut client = Client::new(repository().0);
    client.call("make", json!({"text": "one"}));
    for failing in ["fail", "panic", "huge"] {
        client.call(failing, json!({}));
        assert_eq!(uris(&mut client), std::slice::from_ref(&first), "{failing}");
    }
    client.call("make", json!({"text": "two"}));
    assert_eq!(uris(&mut client), [uri(2, "two")]);
    assert_eq!(
        code(&client.ask("resources/read", json!({ "uri": first }))),
        -32602
    );
    for status in ["released", "empty"] {
        let answer = client.call("release_context", json!({}));
        assert_eq!(answer["result"]["structuredContent"]["status"], status);
    }
    client.call("make", json!({"text": "three"}));
    assert_eq!(uris(&mut client), [uri(3, "three")]);
}

#[test]
fn what_is_not_there_is_not_found() {
    let hostile = [
        "file:///etc/passwd",
        "/etc/passwd",
        "",
        " ",
        "http://127.0.0.1/",
        "moon-repomix://context/../../etc/passwd",
        "moon-repomix://context/%2e%2e/passwd",
        "moon-repomix://context/1/\u{0}",
        "moon-repomix://context/2/note.txt",
    ];
    for (revision, expected) in [
        (None, -32602),
        (Some("2025-11-25"), -32002),
        (Some("2024-11-05"), -32002),
    ] {
        let mut client = Client::new(repository().0);
        if let Some(revision) = revision {
            client.handshake(revision);
        }
        client.call("make", json!({}));
        for uri in hostile {
            let answer = client.ask("resources/read", json!({ "uri": uri }));
            assert_eq!(code(&answer), expected, "{uri}");
            assert_eq!(answer["error"]["data"], json!({ "uri": uri }));
        }
        let long = "x".repeat(100_000);
        let answer = client.ask("resources/read", json!({ "uri": long }));
        assert_eq!(code(&answer), expected);
        assert!(answer.to_string().len() < 1_000);
        for bad in [json!({}), json!({"uri": 5}), json!({"uri": Value::Null})] {
            let answer = client.ask("resources/read", bad);
            assert_eq!(code(&answer), -32602);
            assert!(answer["error"].get("data").is_none());
        }
    }
}
