//! Lines that are unusual, hostile or no messages at all; batches; the shape of results.

use moon_repomix::limits::{BATCH_ITEMS, FRAME_BYTES};
use moon_repomix::mcp::tools::check;
use serde_json::{Value, json};

use crate::support::server::{Client, code, repository, toys};
use moon_repomix::mcp::profile::Profile;

fn client() -> Client {
    Client::new(repository().0)
}

#[test]
fn unreadable_lines_get_one_error_without_id() {
    let mut client = client();
    for (line, expected) in [
        (&b"{bad\n"[..], -32700),
        (b"GET / secret-token HTTP/1.1\n", -32700),
        (b"\x00\x00{}\n", -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\r\n",
            -32700,
        ),
        (b"42\n", -32600),
        (b"\"x\"\n", -32600),
        (b"null\n", -32600),
        (b"[]\n", -32600),
        (
            b"[{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}]\n",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n",
            -32600,
        ),
    ] {
        client.raw(line);
        let error = client.orphan();
        assert_eq!(code(&error), expected, "{}", String::from_utf8_lossy(line));
        assert!(!error.to_string().contains("secret-token"));
        assert!(client.unasked().is_empty());
    }
}

#[test]
fn lines_without_an_answer() {
    let mut client = client();
    for line in [
        "\n\n   \n\t\n\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":98,\"error\":{\"code\":1,\"message\":\"x\"}}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"make\"}}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[1]}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1.5}}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":999}}\n",
    ] {
        client.raw(line.as_bytes());
        assert!(client.unasked().is_empty(), "{line}");
    }
    assert_eq!(
        client.ask("resources/list", json!({}))["result"]["resources"],
        json!([])
    );
}

#[test]
fn line_ends_and_marks() {
    let mut client = client();
    for (id, before, after) in [
        ("a", "", "\r\n"),
        ("b", "\u{feff}", "\n"),
        ("c", " \t ", " \t \n"),
    ] {
        let message = client.build_as(&json!(id), "tools/list", json!({}));
        client.raw(format!("{before}{message}{after}").as_bytes());
        assert!(client.answer(id).get("result").is_some());
    }
}

#[test]
fn ids_come_back_exactly() {
    let mut client = client();
    for id in [
        "\"\"",
        "\"1\"",
        "\"a-1\"",
        "1",
        "0",
        "-3",
        "9007199254740993",
        "18446744073709551615",
    ] {
        let id: Value = serde_json::from_str(id).unwrap();
        let message = client.build_as(&id, "tools/list", json!({}));
        client.send(&message);
        assert!(client.answer(id).get("result").is_some());
    }
}

#[test]
fn the_frame_limit() {
    for (profile, limit) in [
        (Profile::repository(), FRAME_BYTES),
        (Profile::documentation(), 256 * 1024),
    ] {
        let mut client = Client::new(toys(profile).0);
        for (over, is_served) in [(0, true), (1, false), (5 << 20, false)] {
            let id = json!(format!("frame-{over}"));
            let base = client
                .build_as(&id, "tools/list", json!({"pad": ""}))
                .to_string()
                .len();
            let pad = "p".repeat(limit + over - base);
            let message = client.build_as(&id, "tools/list", json!({ "pad": pad }));
            client.send(&message);
            if is_served {
                assert!(client.answer(id).get("result").is_some());
            } else {
                assert_eq!(code(&client.orphan()), -32600);
            }
            assert!(client.unasked().is_empty());
        }
    }
}

#[test]
fn nesting_does_no_harm() {
    let mut client = client();
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    for (id, method) in [("a", "tools/list"), ("b", "tools/call")] {
        let params = json!({"name": "make", "arguments": {"text": "@"}});
        let line = client.build_as(&json!(id), method, params).to_string();
        client.raw(line.replace("\"@\"", &deep).as_bytes());
        client.raw(b"\n");
    }
    assert!(client.answer("a").get("result").is_some());
    assert_eq!(code(&client.answer("b")), -32602);
}

#[test]
fn batches_are_served_at_their_revision_only() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut client = Client::at(revision, repository().0);
        client.raw(b"[{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}]\n");
        assert_eq!(code(&client.orphan()), -32600);
        assert!(client.unasked().is_empty());
    }
    let mut client = Client::at("2025-03-26", repository().0);
    let ping = |id: &str| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    client.send(&json!([ping("a"), {"jsonrpc": "2.0", "method": "x"}, ping("b")]));
    let line = client.wait(Value::is_array);
    assert_eq!(line.as_array().unwrap().len(), 2);
    client.send(&json!([{"jsonrpc": "2.0", "method": "x"}, {"jsonrpc": "2.0", "method": "y"}]));
    assert!(client.unasked().is_empty());
    client.raw(b"[]\n");
    assert_eq!(code(&client.orphan()), -32600);
    let hello = json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}});
    client.send(&json!([hello, 7, ping("c")]));
    let line = client.wait(Value::is_array);
    let codes: Vec<_> = line
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["error"]["code"].as_i64())
        .collect();
    assert_eq!(codes, [Some(-32600), Some(-32600), None]);
    let many: Vec<Value> = (0..=BATCH_ITEMS).map(|n| ping(&format!("m{n}"))).collect();
    client.send(&json!(many[1..]));
    assert_eq!(
        client.wait(Value::is_array).as_array().unwrap().len(),
        BATCH_ITEMS
    );
    client.send(&json!(many));
    assert_eq!(code(&client.orphan()), -32600);
}

#[test]
fn a_batch_waits_for_its_work_and_leaves_out_what_was_cancelled() {
    let (server, stage) = repository();
    let mut client = Client::at("2025-03-26", server);
    let call = |id: i64, tool: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}});
    let cancel = |id: i64| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.send(&json!([
        call(500, "aside"),
        cancel(500),
        call(501, "release_context")
    ]));
    let line = client.wait(Value::is_array);
    assert_eq!(line.as_array().unwrap().len(), 1);
    assert_eq!(line[0]["id"], 501);

    client.send(&json!([
        call(600, "hold"),
        call(601, "release_context"),
        call(602, "hold")
    ]));
    stage.started();
    client.cancel(601);
    assert!(client.unasked().is_empty());
    stage.go();
    stage.started();
    assert!(client.unasked().is_empty());
    stage.go();
    let line = client.wait(Value::is_array);
    let ids: Vec<_> = line
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert_eq!(ids, [json!(600), json!(602)]);
}

#[test]
fn one_text_block_and_the_same_structure() {
    let mut client = client();
    for (tool, is_error) in [("make", false), ("fail", true), ("release_context", false)] {
        let result = client.call(tool, json!({}))["result"].clone();
        assert_eq!(result["isError"], is_error);
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        assert_eq!(result["content"][0]["type"], "text");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(text).unwrap(),
            result["structuredContent"]
        );
        assert!(result.get("ttlMs").is_none() && result["resultType"] == "complete");
    }
}

#[test]
fn null_is_no_parameters_and_no_arguments() {
    let mut client = client();
    client.handshake("2025-11-25");
    for (id, request) in [
        (901, r#""method":"ping","params":null"#),
        (902, r#""method":"tools/list","params": null"#),
        (
            903,
            r#""method":"tools/call","params":{"name":"make","arguments":null}"#,
        ),
        (
            904,
            r#""method":"tools/call","params":{"name":"release_context","arguments": null}"#,
        ),
    ] {
        client.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{request}}}\n").as_bytes());
        let answer = client.answer(id);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        assert!(answer.get("result").is_some(), "{answer}");
    }
    client.raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":null}\n");
    assert!(client.unasked().is_empty());
}

#[test]
fn calls_that_are_no_calls() {
    let mut client = client();
    for params in [
        json!({"name": "no_such_tool"}),
        json!({"arguments": {}}),
        json!({"name": 5}),
        json!({"name": null}),
        json!({"name": "make", "arguments": []}),
        json!({"name": "make", "arguments": "x"}),
        json!({"name": "make", "arguments": {"unknown": 1}}),
        json!({"name": "make", "arguments": {"text": 1}}),
        json!({"name": "release_context", "arguments": {"x": 1}}),
    ] {
        assert_eq!(
            code(&client.ask("tools/call", params.clone())),
            -32602,
            "{params}"
        );
    }
    let answer = client.call("make", json!({"texts": "SECRET"}));
    assert_eq!(
        answer["error"],
        json!({
            "code": -32602,
            "message": "Invalid params: /texts is not known; accepted: text, files; nearest: text",
            "data": {"field": "/texts", "rule": "Unknown"}
        })
    );
    let unasked_for =
        json!({"name": "make", "task": {}, "inputResponses": {}, "requestState": "x"});
    assert_eq!(
        client.ask("tools/call", unasked_for)["result"]["isError"],
        false
    );
}

#[test]
fn every_entry_suits_every_client() {
    let real = [
        moon_repomix::mcp::tools::release_context::tool(std::sync::Arc::default()),
        moon_repomix::mcp::tools::read_context::tool(16_000, crate::support::server::count()),
    ];
    for tool in &real {
        assert_eq!(check(tool), Ok(()), "{}", tool.name);
    }
    for (member, value) in [
        ("type", json!(["object", "null"])),
        ("oneOf", json!([])),
        ("properties", json!({"a": {"type": "array"}})),
        (
            "properties",
            json!({"a": {"type": "integer", "format": "uint"}}),
        ),
        ("properties", json!({"a": {}})),
        ("properties", json!({"a": {"type": ["string", "null"]}})),
        (
            "properties",
            json!({"a": {"type": "integer", "exclusiveMinimum": 0}}),
        ),
    ] {
        let mut tool = moon_repomix::mcp::tools::release_context::tool(std::sync::Arc::default());
        tool.schema[member] = value;
        assert!(check(&tool).is_err(), "{}", tool.schema);
    }
}

#[test]
fn the_list_of_tools_never_changes() {
    let mut client = client();
    let before = client.ask("tools/list", json!({}))["result"].clone();
    client.call("make", json!({"text": "x"}));
    assert_eq!(client.ask("tools/list", json!({}))["result"], before);
    for tool in before["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["annotations"]["openWorldHint"], false);
        assert!(tool.get("outputSchema").is_none());
    }
}
