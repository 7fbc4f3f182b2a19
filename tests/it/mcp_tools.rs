//! The repository tools over the wire: what clients see, what is refused and how, run numbers,
//! results that stay. Each file below holds one subject more.

mod cancel;
mod code;

use std::sync::Arc;

use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::serve::Server;
use moon_repomix::mcp::tools;
use moon_repomix::options::HostOptions;
use moon_repomix::render::Style;
use moon_repomix::scan::select::{Selection, SelectionSpec};
use serde_json::{Value, json};

use crate::support::server::{Client, code, tool_code};
use crate::support::{Project, plain_host as host, rel};

fn project() -> Project {
    let project = Project::new(
        "
        //- src/a.py
        class Store:
            def get(self, key):
                return self.values[key]


        def same():
            return 1


        x = 1


        def same():
            return 2
        //- README.md
        # Words
        //- out/big.js
        var x = 1;
        //- .gitignore
        out/
        ",
    );
    project.write("logo.png", [0x89, b'P', b'N', b'G', 0, 1, 2, 3]);
    project
}

fn client(host: HostOptions) -> Client {
    let host = Arc::new(host);
    Client::new(Server::new(Profile::repository(), tools::repository(&host)))
}

/// The structured content of a success.
#[track_caller]
fn ok(answer: &Value) -> Value {
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let value = answer["result"]["structuredContent"].clone();
    assert_eq!(
        serde_json::from_str::<Value>(answer["result"]["content"][0]["text"].as_str().unwrap())
            .unwrap(),
        value
    );
    value
}

/// The structured content of a failure.
#[track_caller]
fn failed(answer: &Value) -> Value {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["structuredContent"].clone()
}

#[test]
fn what_clients_see_is_accepted_by_all_and_small() {
    let project = project();
    let host = Arc::new(host(&project));
    let table = tools::repository(&host);
    for tool in &table {
        tools::check(tool).unwrap_or_else(|objection| panic!("{}: {objection}", tool.name));
    }
    let names: Vec<&str> = table.iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "list_files",
            "search_code",
            "pack_repository",
            "plan_task_context",
            "read_code_context",
            "explain_selection",
            "read_context",
            "release_context"
        ]
    );
    let mut client = Client::new(Server::new(Profile::repository(), table));
    let list = client.ask("tools/list", json!({}))["result"].to_string();
    let tokens = tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(&list)
        .len();
    assert!(tokens <= 2_200, "tools/list has {tokens} tokens");
}

#[test]
fn wrong_arguments_are_named_exactly() {
    let project = project();
    let mut client = client(host(&project));
    let paths = |n: usize| (0..n).map(|i| format!("p{i}")).collect::<Vec<_>>();
    let item = |extra: Value| {
        let mut item = json!({"path": "src/a.py", "kind": "full"});
        item.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        json!({"items": [item]})
    };
    let cases = [
        (
            "pack_repository",
            json!({"maxTokens": 16_001}),
            "/maxTokens",
            "Cap",
        ),
        (
            "pack_repository",
            json!({"maxTokens": 0}),
            "/maxTokens",
            "Range",
        ),
        (
            "pack_repository",
            json!({"maxTokens": "8000"}),
            "/maxTokens",
            "Type",
        ),
        (
            "pack_repository",
            json!({"maxTokens": 1.5}),
            "/maxTokens",
            "Type",
        ),
        (
            "pack_repository",
            json!({"maxTokens": null}),
            "/maxTokens",
            "Type",
        ),
        (
            "pack_repository",
            json!({"style": "html"}),
            "/style",
            "Enum",
        ),
        (
            "pack_repository",
            json!({"compress": "true"}),
            "/compress",
            "Type",
        ),
        (
            "pack_repository",
            json!({"filePaths": "[\"a\"]"}),
            "/filePaths",
            "Type",
        ),
        (
            "pack_repository",
            json!({"filePaths": ["a", "a"]}),
            "/filePaths/1",
            "Unique",
        ),
        (
            "pack_repository",
            json!({"filePaths": ["../a"]}),
            "/filePaths/0",
            "Path",
        ),
        (
            "pack_repository",
            json!({"filePaths": ["x".repeat(4_097)]}),
            "/filePaths/0",
            "Path",
        ),
        (
            "pack_repository",
            json!({"filePaths": paths(4_097)}),
            "/filePaths",
            "Count",
        ),
        ("pack_repository", json!({"root": "/"}), "/root", "Unknown"),
        ("explain_selection", json!({}), "/paths", "Required"),
        ("explain_selection", json!({"paths": []}), "/paths", "Count"),
        (
            "explain_selection",
            json!({"paths": paths(257)}),
            "/paths",
            "Count",
        ),
        (
            "plan_task_context",
            json!({"maxTokens": 9}),
            "/tasks",
            "Required",
        ),
        (
            "plan_task_context",
            json!({"maxTokens": 9, "tasks": [{"id": "t", "required": [{"path": "a", "mode": "either"}]}]}),
            "/tasks/0/required/0/mode",
            "Enum",
        ),
        ("read_code_context", json!({}), "/items", "Required"),
        ("read_code_context", json!({"items": []}), "/items", "Count"),
        (
            "read_code_context",
            json!({"items": vec![json!({"path": "a", "kind": "full"}); 2]}),
            "/items/1",
            "Unique",
        ),
        (
            "read_code_context",
            item(json!({"symbol": "f"})),
            "/items/0/symbol",
            "Conflict",
        ),
        (
            "read_code_context",
            item(json!({"kind": "symbol"})),
            "/items/0/symbol",
            "Required",
        ),
        (
            "read_code_context",
            item(json!({"kind": "symbol", "symbol": "s".repeat(1_025)})),
            "/items/0/symbol",
            "Length",
        ),
        (
            "read_code_context",
            item(json!({"kind": "symbol", "symbol": vec!["s"; 33]})),
            "/items/0/symbol",
            "Count",
        ),
        (
            "read_code_context",
            item(json!({"kind": "lines", "start": 1})),
            "/items/0/end",
            "Required",
        ),
        (
            "read_code_context",
            item(json!({"kind": "lines", "start": 5, "end": 4})),
            "/items/0/end",
            "Range",
        ),
        (
            "read_code_context",
            item(json!({"kind": "lines", "start": 0, "end": 4})),
            "/items/0/start",
            "Range",
        ),
        (
            "read_code_context",
            item(json!({"kind": "outline", "depth": 9})),
            "/items/0/depth",
            "Range",
        ),
        (
            "read_code_context",
            json!({"maxTokens": 5, "continueFrom": "1", "items": [{"path": "a", "kind": "full"}]}),
            "/maxTokens",
            "Conflict",
        ),
        ("release_context", json!({"x": 1}), "/x", "Unknown"),
        (
            "read_context",
            json!({"uri": "x", "offset": -1}),
            "/offset",
            "Range",
        ),
    ];
    for (tool, arguments, field, rule) in cases {
        let answer = client.call(tool, arguments.clone());
        assert_eq!(code(&answer), -32602, "{tool}: {answer}");
        assert_eq!(
            answer["error"]["data"],
            json!({"field": field, "rule": rule}),
            "{tool}: {answer}"
        );
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("Invalid params: ") && message.contains(field),
            "{message}"
        );
    }
    let many: Vec<Value> = (1..=65)
        .map(|line| json!({"path": "src/a.py", "kind": "lines", "start": line, "end": line}))
        .collect();
    let items = |n: usize| json!({"items": many[..n]});
    let refused = client.call("read_code_context", items(65));
    assert_eq!(
        refused["error"]["data"],
        json!({"field": "/items", "rule": "Count"})
    );
    assert_eq!(
        failed(&client.call("read_code_context", items(64)))["status"],
        "unavailable"
    );
    ok(&client.call("explain_selection", json!({"paths": paths(256)})));
    ok(&client.call("pack_repository", json!({"filePaths": paths(4_096)})));
    ok(&client.call("pack_repository", json!({"maxTokens": 8e3})));
    let sample = "Invalid params: /tasks/0/required/0/mode must be one of full, skeleton";
    let answer = client.call(
        "plan_task_context",
        json!({"maxTokens": 9, "tasks": [{"id": "t", "required": [{"path": "a", "mode": "x"}]}]}),
    );
    assert_eq!(answer["error"]["message"], sample);
}

#[test]
fn a_pack_agrees_with_its_resources() {
    let project = project();
    let mut client = client(host(&project));
    let packed = ok(&client.call("pack_repository", json!({"style": "plain"})));
    assert_eq!(
        packed["files"],
        json!({"candidates": 5, "accepted": 3, "skipped": 2, "skippedByReason": {"Binary": 1, "Ignored": 1}}),
        "{packed}"
    );
    let names: Vec<&str> = packed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["volume-001.txt", "index.json"]);
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    for (resource, listed) in packed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .zip(listed.as_array().unwrap())
    {
        assert_eq!(resource["uri"], listed["uri"]);
        let read = client.ask("resources/read", json!({"uri": resource["uri"]}));
        let text = read["result"]["contents"][0]["text"].as_str().unwrap();
        let counted = tiktoken_rs::o200k_base_singleton()
            .encode_ordinary(text)
            .len();
        assert_eq!(
            (&resource["bytes"], &resource["tokens"]),
            (&text.len().to_string().into(), &counted.to_string().into())
        );
    }
    assert_eq!(packed["totals"]["tokens"], packed["resources"][0]["tokens"]);
    // Members stand in the documented order.
    let text = client.call("pack_repository", json!({}))["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    let order = [
        "schemaVersion",
        "status",
        "runId",
        "security",
        "files",
        "volumes",
        "totals",
        "resources",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|name| text.find(&format!("\"{name}\":")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{text}");
    let none = ok(&client.call("pack_repository", json!({"filePaths": []})));
    assert_eq!(
        (&none["files"]["candidates"], &none["runId"]),
        (&0.into(), &"3".into())
    );
}

#[test]
fn packs_fail_with_their_codes_and_leave_the_last_result() {
    let project = project();
    project.write("src/long.txt", "some words on a line\n".repeat(4_000));
    let mut limited = host(&project);
    limited.caps.volumes = 2;
    let mut client = client(limited);
    let first = ok(&client.call("pack_repository", json!({"filePaths": ["README.md"]})));
    let before = client.ask("resources/list", json!({}))["result"].clone();
    assert_eq!(
        tool_code(&client.call("pack_repository", json!({"maxTokens": 5}))),
        "FrameOverCap"
    );
    assert_eq!(
        tool_code(&client.call("pack_repository", json!({"maxTokens": 2_000}))),
        "VolumeLimit"
    );
    let arguments = json!({"maxTokens": 9, "tasks": [{"id": "t", "required": [{"path": "gone", "mode": "full"}]}]});
    assert_eq!(
        failed(&client.call("plan_task_context", arguments))["status"],
        "required_unavailable"
    );
    assert_eq!(client.ask("resources/list", json!({}))["result"], before);
    let next = ok(&client.call("pack_repository", json!({"filePaths": ["README.md"]})));
    assert_eq!(
        (&first["runId"], &next["runId"]),
        (&"1".into(), &"2".into()),
        "failures use no number"
    );

    let mut small = host(&project);
    small.input.source_bytes = 100;
    assert_eq!(
        tool_code(&self::client(small).call("pack_repository", json!({}))),
        "InputLimit"
    );
    let mut small = host(&project);
    small.input.candidates = 3;
    assert_eq!(
        tool_code(&self::client(small).call("pack_repository", json!({}))),
        "InputLimit"
    );
    let mut small = host(&project);
    small.caps.output_bytes = 2_000;
    assert_eq!(
        tool_code(&self::client(small).call("pack_repository", json!({}))),
        "ResourceLimit"
    );
    let mut bodies = host(&project);
    bodies.sections.files = false;
    let plan = json!({"maxTokens": 900, "tasks": [{"id": "t"}]});
    assert_eq!(
        tool_code(&self::client(bodies).call("plan_task_context", plan)),
        "ConfigurationError"
    );
}

#[test]
fn explanations_keep_the_order_and_name_the_rule() {
    let project = project();
    let mut client = client(host(&project));
    let paths = [
        "out/big.js",
        "src/a.py",
        "src",
        "gone",
        "logo.png",
        "README.MD",
    ];
    let explained = ok(&client.call("explain_selection", json!({"paths": paths})));
    let decisions = explained["decisions"].as_array().unwrap();
    let seen: Vec<(&str, &str)> = decisions
        .iter()
        .map(|one| {
            (
                one["path"].as_str().unwrap(),
                one["reason"].as_str().unwrap(),
            )
        })
        .collect();
    let reasons = [
        "Ignored",
        "Full",
        "NotRegularFile",
        "NotFound",
        "Binary",
        "SpellingMismatch",
    ];
    assert_eq!(seen, paths.into_iter().zip(reasons).collect::<Vec<_>>());
    assert_eq!(
        decisions[0]["rule"],
        json!({"source": "ignore_file", "file": ".gitignore", "line": 1})
    );

    let listed = SelectionSpec {
        list: Some(vec![rel("README.md")]),
        ..SelectionSpec::default()
    };
    let host = HostOptions::new(project.root(""), Selection::new(listed).unwrap());
    let mut client = self::client(host);
    let explained = ok(&client.call(
        "explain_selection",
        json!({"paths": ["src/a.py", "gone", "README.md"]}),
    ));
    let decisions = explained["decisions"].as_array().unwrap();
    for hidden in &decisions[..2] {
        assert_eq!(
            (&hidden["stage"], &hidden["reason"]),
            (&"list".into(), &"NotListed".into()),
            "existing or not, the answer is the same"
        );
    }
    assert_eq!(decisions[2]["decision"], "accepted");
    let packed = ok(&client.call(
        "pack_repository",
        json!({"filePaths": ["src/a.py", "README.md"]}),
    ));
    assert_eq!(packed["files"]["skippedByReason"], json!({"NotListed": 1}));
}

#[test]
fn a_plan_gives_two_resources_or_an_audit() {
    let project = project();
    let mut markdown = host(&project);
    markdown.style = Style::Markdown;
    let mut client = client(markdown);
    let plan = |tokens: u64, path: &str| json!({"maxTokens": tokens, "tasks": [{"id": "t", "required": [{"path": path, "mode": "full"}]}]});
    let planned = ok(&client.call("plan_task_context", plan(900, "src/a.py")));
    assert_eq!(
        (&planned["status"], &planned["context"]["resource"]["name"]),
        (&"complete".into(), &"context.md".into())
    );
    let audit = client.ask(
        "resources/read",
        json!({"uri": planned["audit"]["resource"]["uri"]}),
    );
    let audit: Value =
        serde_json::from_str(audit["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        audit["budget"]["contextTokens"],
        planned["context"]["tokens"]
    );
    let over = failed(&client.call("plan_task_context", plan(20, "src/a.py")));
    assert_eq!(
        (&over["status"], &over["audit"]["kind"]),
        (&"required_over_budget".into(), &"task_audit".into())
    );
    assert!(over.get("runId").is_none() && over.get("context").is_none());
}

#[test]
fn no_piece_of_a_secret_is_ever_written() {
    let project = project();
    let value = crate::support::token();
    project.write("leak.py", format!("def f():\n    return '{value}'\n"));
    let mut client = client(host(&project));
    let file = json!({"path": "leak.py", "mode": "full"});
    let answers = [
        client.call("pack_repository", json!({})),
        client.call("explain_selection", json!({"paths": ["leak.py"]})),
        client.call(
            "read_code_context",
            json!({"items": [{"path": "leak.py", "kind": "full"}]}),
        ),
        client.call(
            "plan_task_context",
            json!({"maxTokens": 900, "tasks": [{"id": "t", "required": [file]}]}),
        ),
        client.call(
            "plan_task_context",
            json!({"maxTokens": 900, "tasks": [{"id": "t", "optional": [file]}]}),
        ),
    ];
    let mut texts: Vec<String> = answers.iter().map(Value::to_string).collect();
    assert!(
        texts.iter().all(|text| text.contains("github-token")),
        "each names the detector"
    );
    ok(&client.call("pack_repository", json!({})));
    for resource in client.ask("resources/list", json!({}))["result"]["resources"]
        .as_array()
        .unwrap()
        .clone()
    {
        texts.push(
            client
                .ask("resources/read", json!({"uri": resource["uri"]}))
                .to_string(),
        );
    }
    for text in texts {
        assert!(
            (0..=value.len() - 8).all(|at| !text.contains(&value[at..at + 8])),
            "{text}"
        );
    }
}

/// Twelve files whose counting takes several ticks of progress: letters without pattern are the
/// slowest text to count.
fn hard_to_count(project: &Project) {
    let mut state = 7_u64;
    for n in 0..12 {
        let word: String = (0..1_000_000)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                char::from(b'a' + ((state >> 33) % 26) as u8)
            })
            .collect();
        project.write(&format!("many/f{n}.txt"), word);
    }
}

#[test]
fn progress_rises_and_ends_before_the_answer() {
    let project = project();
    hard_to_count(&project);
    let mut client = client(host(&project));
    let (id, mut request) = client.build(
        "tools/call",
        json!({"name": "pack_repository", "arguments": {}}),
    );
    request["params"]["_meta"]["progressToken"] = json!("token");
    client.send(&request);
    let mut seen = Vec::new();
    loop {
        let message = client.next();
        if message["id"] == id {
            break;
        }
        assert_eq!(
            (&message["method"], &message["params"]["progressToken"]),
            (&"notifications/progress".into(), &"token".into())
        );
        seen.push(message["params"]["progress"].as_f64().unwrap());
    }
    assert!(!seen.is_empty(), "no progress was told");
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    assert!(
        client.unasked().is_empty(),
        "something came after the answer"
    );
}
