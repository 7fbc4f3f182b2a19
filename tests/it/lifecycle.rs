//! The life of a session: handshakes, eras, the end of input and of output.

use std::io::Read;
use std::time::Duration;

use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::serve::Ending;
use serde_json::{Value, json};

use crate::support::server::{Client, MODERN, PATIENCE, code, meta, repository, toys};

const OLDER: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn client() -> Client {
    Client::new(repository().0)
}

#[test]
fn each_older_revision_shakes_hands() {
    for revision in OLDER {
        let mut client = client();
        let result = client.handshake(revision)["result"].clone();
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(
            result["capabilities"],
            json!({"tools": {}, "resources": {}})
        );
        assert_eq!(result["serverInfo"]["name"], "moon-repomix");
        assert!(result["instructions"].as_str().unwrap().is_ascii());
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
        for method in [
            "tools/list",
            "resources/list",
            "resources/templates/list",
            "prompts/list",
        ] {
            let result = client.ask(method, json!({}))["result"].clone();
            for modern in ["resultType", "ttlMs", "cacheScope", "_meta", "nextCursor"] {
                assert!(result.get(modern).is_none(), "{method} {modern}");
            }
        }
        for method in [
            "logging/setLevel",
            "resources/subscribe",
            "prompts/get",
            "no/such",
        ] {
            assert_eq!(code(&client.ask(method, json!({}))), -32601, "{method}");
        }
    }
}

#[test]
fn what_a_tool_list_holds_depends_on_the_revision() {
    for (revision, annotations, title) in [
        ("2024-11-05", false, false),
        ("2025-03-26", true, false),
        ("2025-06-18", true, true),
        ("2025-11-25", true, true),
    ] {
        let mut client = Client::at(revision, repository().0);
        let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
        for tool in tools.as_array().unwrap() {
            assert_eq!(tool.get("annotations").is_some(), annotations, "{revision}");
            assert_eq!(tool.get("title").is_some(), title, "{revision}");
            assert!(tool.get("outputSchema").is_none() && tool.get("icons").is_none());
        }
        let result = client.call("release_context", json!({}))["result"].clone();
        assert!(result["structuredContent"].is_object(), "{revision}");
    }
}

#[test]
fn other_versions_get_the_newest_older_one() {
    for revision in ["1.0.0", "2099-01-01", MODERN, ""] {
        let answer = client().handshake(revision);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    }
}

#[test]
fn a_bad_handshake_is_refused_and_a_good_one_follows() {
    let mut client = client();
    let good = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
    for (member, value) in [
        ("protocolVersion", Value::Null),
        ("protocolVersion", json!(7)),
        ("capabilities", json!([])),
        ("clientInfo", json!("x")),
        ("clientInfo", json!({"name": "a"})),
    ] {
        let mut params = good.clone();
        params[member] = value;
        client.send(
            &json!({"jsonrpc": "2.0", "id": member, "method": "initialize", "params": params}),
        );
        assert_eq!(code(&client.answer(member)), -32602);
        client.forget(&json!(member));
    }
    client.send(&json!({"jsonrpc": "2.0", "id": "bare", "method": "initialize"}));
    assert_eq!(code(&client.answer("bare")), -32602);
    client.handshake("2025-06-18");
    client.handshake("2025-11-25");
    assert!(client.unasked().is_empty());
}

#[test]
fn a_modern_session_needs_nothing_before() {
    let mut client = client();
    let result = client.ask("tools/list", json!({}))["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "moon-repomix"
    );
    let result = client.ask("server/discover", json!({}))["result"].clone();
    assert_eq!(result["supportedVersions"], json!([MODERN]));
    assert_eq!(
        result["capabilities"],
        json!({"tools": {}, "resources": {}})
    );
    assert!(result.get("serverInfo").is_none());
    for method in [
        "ping",
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "completion/complete",
        "subscriptions/listen",
        "tasks/list",
        "no/such",
    ] {
        assert_eq!(code(&client.ask(method, json!({}))), -32601, "{method}");
    }
    let strange = json!({"x": [1], "_meta": {"a/b": null, "traceparent": "00", "io.modelcontextprotocol/logLevel": "debug"}});
    assert!(client.ask("tools/list", strange).get("result").is_some());
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        assert_eq!(
            code(&client.ask(method, json!({"cursor": "bogus"}))),
            -32602
        );
    }
}

#[test]
fn claims_are_checked() {
    let mut client = client();
    let version = "io.modelcontextprotocol/protocolVersion";
    let mut ask = |meta: Value| {
        client.send(&json!({"jsonrpc": "2.0", "id": "x", "method": "server/discover", "params": {"_meta": meta}}));
        let answer = client.answer("x");
        client.forget(&json!("x"));
        answer
    };
    for bad in [
        json!("x"),
        json!([1]),
        json!({}),
        json!({ version: MODERN }),
    ] {
        assert_eq!(code(&ask(bad)), -32602);
    }
    for unserved in ["1900-01-01", "2025-11-25"] {
        let mut meta = meta();
        meta[version] = json!(unserved);
        let answer = ask(meta);
        assert_eq!(code(&answer), -32022);
        assert_eq!(
            answer["error"]["data"],
            json!({"supported": [MODERN], "requested": unserved})
        );
    }
    assert!(ask(meta()).get("result").is_some());
}

#[test]
fn the_eras_mix() {
    let mut client = client();
    client.send(&json!({"jsonrpc": "2.0", "id": "a", "method": "ping"}));
    assert_eq!(client.answer("a")["result"], json!({}));
    client.send(&json!({"jsonrpc": "2.0", "id": "b", "method": "tools/list"}));
    let answer = client.answer("b");
    assert_eq!(code(&answer), -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("protocolVersion") && message.contains("clientCapabilities"));
    client.send(&json!({"jsonrpc": "2.0", "id": "c", "method": "no/such"}));
    assert_eq!(code(&client.answer("c")), -32601);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));

    assert_eq!(
        client.ask("server/discover", json!({}))["result"]["resultType"],
        "complete"
    );
    client.handshake("2025-06-18");
    assert!(
        client.ask("tools/list", json!({}))["result"]
            .get("resultType")
            .is_none()
    );
    client.be_modern();
    assert_eq!(
        client.ask("tools/list", json!({}))["result"]["resultType"],
        "complete"
    );
    client.send(&json!({"jsonrpc": "2.0", "id": "d", "method": "tools/list"}));
    assert!(client.answer("d")["result"].get("resultType").is_none());
    client.send(&json!({"jsonrpc": "2.0", "id": "e", "method": "server/discover"}));
    assert_eq!(code(&client.answer("e")), -32602);
}

#[test]
fn requests_before_initialized_are_served() {
    let mut client = client();
    client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert!(client.answer(0).get("result").is_some());
    assert!(client.answer(1).get("result").is_some());
}

#[test]
fn a_server_without_resources_lists_none() {
    let server = || toys(Profile::documentation()).0;
    let mut client = Client::new(server());
    let discover = client.ask("server/discover", json!({}));
    assert_eq!(discover["result"]["capabilities"], json!({"tools": {}}));
    for method in [
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
    ] {
        assert_eq!(
            code(&client.ask(method, json!({"uri": "x:y"}))),
            -32601,
            "{method}"
        );
    }
    for revision in OLDER {
        let mut client = Client::at(revision, server());
        for (method, member) in [
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
            ("prompts/list", "prompts"),
        ] {
            assert_eq!(
                client.ask(method, json!({}))["result"],
                json!({ member: [] })
            );
        }
        assert_eq!(
            code(&client.ask("resources/read", json!({"uri": "x:y"}))),
            -32601
        );
    }
}

#[test]
fn end_of_input_while_idle_is_quiet() {
    let mut client = client();
    let (ending, rest, took) = client.close();
    assert!(matches!(ending, Ending::EndOfInput));
    assert!(
        rest.is_empty() && took < Duration::from_millis(400),
        "{rest:?} {took:?}"
    );
}

#[test]
fn what_was_sent_before_the_end_of_input_is_answered() {
    let mut client = client();
    let list = client.request("tools/list", json!({}));
    let (_, message) = client.build("tools/call", json!({"name": "make", "arguments": {}}));
    client.raw(message.to_string().as_bytes());
    let (_, rest, took) = client.close();
    let ids: Vec<&Value> = rest.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(list), &json!(list + 1)]);
    assert!(took < Duration::from_millis(900), "{took:?}");
}

#[test]
fn running_work_is_cancelled_at_the_end_of_input() {
    for tool in ["hold", "deaf"] {
        let (server, stage) = repository();
        let mut client = Client::new(server);
        client.post(tool, json!({}));
        stage.started();
        let (ending, rest, took) = client.close();
        assert!(matches!(ending, Ending::EndOfInput));
        assert!(
            rest.is_empty() && took < Duration::from_millis(900),
            "{rest:?} {took:?}"
        );
        stage.go();
    }
}

#[test]
fn unread_answers_do_not_delay_the_end_for_long() {
    let mut client = Client::unread(repository().0);
    let text = "x".repeat(3 << 20);
    for _ in 0..3 {
        let (id, message) = client.build("tools/call", json!({"name": "no", "arguments": {}}));
        let _ = id;
        client.send(&message);
    }
    let (_, message) = client.build("tools/list", json!({"x": &text[..100_000]}));
    client.send(&message);
    let (ending, _, took) = client.close();
    assert!(matches!(ending, Ending::EndOfInput));
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_closed_output_ends_the_server() {
    let mut client = Client::unread(repository().0);
    client.stop_reading();
    client.request("tools/list", json!({}));
    let (ending, _, took) = client.close();
    assert!(matches!(ending, Ending::OutputClosed | Ending::EndOfInput));
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_closed_output_ends_the_server_although_input_stays_open() {
    struct Broken;
    impl std::io::Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (input, mut to_server) = std::io::pipe().unwrap();
    let (ended, ending) = crossbeam_channel::bounded(1);
    let server = repository().0;
    std::thread::spawn(move || ended.send(moon_repomix::mcp::serve::serve(input, Broken, server)));
    std::io::Write::write_all(&mut to_server, b"{bad\n").unwrap();
    let ending = ending.recv_timeout(PATIENCE).unwrap();
    assert!(matches!(ending, Ending::OutputClosed));
}

#[test]
fn nothing_is_written_before_the_first_request() {
    let (server_in, input) = std::io::pipe().unwrap();
    let (mut output, server_out) = std::io::pipe().unwrap();
    let server = repository().0;
    let serving =
        std::thread::spawn(move || moon_repomix::mcp::serve::serve(server_in, server_out, server));
    drop(input);
    serving.join().unwrap();
    let mut written = Vec::new();
    output.read_to_end(&mut written).unwrap();
    assert!(written.is_empty());
}

#[test]
fn many_requests_in_a_row() {
    let mut client = client();
    for _ in 0..200 {
        assert!(client.ask("tools/list", json!({})).get("result").is_some());
    }
}
