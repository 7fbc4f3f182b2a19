//! `read_code_context` over the wire: sequences, budgets of several rounds, every limit at its
//! last accepted value and one beyond.

use moon_repomix::limits::{
    CODE_ITEMS, OUTLINE_DEPTH, PATH_BYTES, SYMBOL_BYTES, SYMBOL_SEGMENTS, VOLUME_TOKENS,
};

use super::*;

const TOOL: &str = "read_code_context";

/// The text of the only resource, as it is listed.
fn only_resource(client: &mut Client) -> (Value, String) {
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let read = client.ask("resources/read", json!({"uri": listed[0]["uri"]}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    (listed, text.to_owned())
}

fn number(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn a_reading_sequence_from_its_beginning_to_every_end() {
    let project = project();
    let mut client = client(host(&project));
    let get = json!([{"path": "src/a.py", "kind": "symbol", "symbol": "Store.get"}]);
    let lines = json!([{"path": "src/a.py", "kind": "lines", "start": 1, "end": 2}]);
    let same = json!([{"path": "src/a.py", "kind": "symbol", "symbol": ["same"]}]);
    let mut go = |from: &str, items: &Value| {
        client.call(
            "read_code_context",
            json!({"continueFrom": from, "items": items}),
        )
    };
    for unknown in ["1", "0", "x", "01", "99999999999999999999"] {
        assert_eq!(failed(&go(unknown, &get))["reason"], "UnknownRun");
    }
    let first = ok(&client.call(
        "read_code_context",
        json!({"maxTokens": 1_500, "items": get}),
    ));
    assert_eq!(
        (
            &first["runId"],
            &first["round"],
            &first["sequence"]["remainingRounds"]
        ),
        (&"1".into(), &1.into(), &2.into())
    );
    let mut go = |from: &str, items: &Value| {
        client.call(
            "read_code_context",
            json!({"continueFrom": from, "items": items}),
        )
    };
    assert_eq!(
        failed(&go("1", &same))["problems"][0]["reason"],
        "SymbolAmbiguous"
    );
    let second = ok(&go("1", &lines));
    assert_eq!(
        (&second["runId"], &second["round"]),
        (&"2".into(), &2.into()),
        "a failed round is none"
    );
    assert_eq!(
        number(&second["sequence"]["usedTokens"]),
        number(&first["tokens"]) + number(&second["tokens"])
    );
    assert_eq!(failed(&go("1", &get))["reason"], "Superseded");
    let third = ok(&go("2", &get));
    assert_eq!(third["sequence"]["remainingRounds"], 0);
    assert_eq!(failed(&go("3", &get))["reason"], "RoundsExhausted");
    assert_eq!(
        failed(&client.call("read_code_context", json!({"maxTokens": 40, "items": get})))["status"],
        "over_budget"
    );
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(listed[0]["uri"], third["resource"]["uri"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    ok(&client.call("release_context", json!({})));
    assert_eq!(
        failed(&client.call(
            "read_code_context",
            json!({"continueFrom": "3", "items": get})
        ))["reason"],
        "Released"
    );
    ok(&client.call("pack_repository", json!({"filePaths": []})));
    assert_eq!(
        failed(&client.call(
            "read_code_context",
            json!({"continueFrom": "4", "items": get})
        ))["reason"],
        "UnknownRun",
        "a run of another operation"
    );
}

/// A file that takes several rounds to read.
fn long() -> Project {
    let project = Project::new("");
    let line = |n: u64| format!("Line {n} has some words of its own.\n");
    project.write("long.txt", (1..=200).map(line).collect::<String>());
    project
}

fn lines(start: u64, end: u64) -> Value {
    json!({"path": "long.txt", "kind": "lines", "start": start, "end": end})
}

/// Rounds, each with two items; the first of a round alone is a smaller request.
fn rounds() -> [Vec<Value>; 3] {
    [(1, 20), (30, 61), (70, 99)]
        .map(|(start, end)| vec![lines(start, start + 2), lines(start, end)])
}

/// Asks for one round; the first opens the sequence.
fn go(client: &mut Client, round: usize, max_tokens: u64, items: &[Value]) -> Value {
    let arguments = match round {
        0 => json!({"maxTokens": max_tokens, "items": items}),
        _ => json!({"continueFrom": round.to_string(), "items": items}),
    };
    client.call(TOOL, arguments)
}

/// Asks for one round and checks all that is told about it. Gives its tokens.
fn succeed(client: &mut Client, round: usize, max_tokens: u64, used: u64, items: &[Value]) -> u64 {
    let answer = go(client, round, max_tokens, items);
    let tokens = number(&ok(&answer)["tokens"]);
    let (listed, text) = only_resource(client);
    let uri = listed[0]["uri"].as_str().unwrap();
    let counted = tiktoken_rs::o200k_base_singleton().encode_ordinary(&text);
    assert_eq!(tokens, counted.len() as u64);
    let (run, used_after) = (round + 1, used + tokens);
    let told = format!(
        r#"{{"schemaVersion":1,"status":"ok","runId":"{run}","round":{run},"tokens":"{tokens}","sequence":{{"maxTokens":"{max_tokens}","usedTokens":"{used_after}","remainingTokens":"{}","remainingRounds":{}}},"security":{{"status":"clean","scannedFiles":1,"flaggedFiles":0,"detectors":[]}},"resource":{{"uri":"{uri}","name":"code.json","mimeType":"application/json","bytes":"{}","tokens":"{tokens}"}}}}"#,
        max_tokens - used_after,
        3 - run,
        text.len(),
    );
    assert_eq!(answer["result"]["content"][0]["text"], told);
    let code: Value = serde_json::from_str(&text).unwrap();
    let previous = (round > 0).then(|| round.to_string());
    assert_eq!(
        code["sequence"],
        json!({"round": run, "maxTokens": max_tokens.to_string(), "usedBeforeTokens": used.to_string(), "previousRunId": previous})
    );
    tokens
}

#[test]
fn a_budget_that_runs_out_in_a_later_round() {
    let project = long();
    let rounds = rounds();
    // The budget stands in each document: all budgets below have as many digits as this one.
    let mut client = self::client(host(&project));
    let mut tokens = Vec::new();
    for (round, items) in rounds.iter().enumerate() {
        let used = tokens.iter().sum();
        tokens.push(succeed(&mut client, round, 9_999, used, items));
    }
    for last in [1, 2] {
        let needed: u64 = tokens[..=last].iter().sum();
        assert!((1_001..10_000).contains(&needed), "{tokens:?}");
        // Exactly what all rounds need: the last uses it up.
        let mut client = self::client(host(&project));
        let mut used = 0;
        for (round, items) in rounds.iter().enumerate().take(last + 1) {
            used += succeed(&mut client, round, needed, used, items);
        }
        assert_eq!(used, needed);
        if last == 1 {
            let nothing_left = failed(&go(&mut client, 2, 0, &[lines(1, 1)]));
            assert_eq!(nothing_left["status"], "over_budget");
            assert_eq!(nothing_left["remainingTokens"], "0");
        }
        // One token less: the rounds before the last are as they were, the last gives nothing.
        let mut client = self::client(host(&project));
        let mut used = 0;
        for (round, items) in rounds.iter().enumerate().take(last) {
            used += succeed(&mut client, round, needed - 1, used, items);
        }
        let before = only_resource(&mut client);
        let refused: Vec<Value> = (0..3)
            .map(|_| go(&mut client, last, 0, &rounds[last]))
            .collect();
        for answer in &refused {
            let failed = failed(answer);
            let mut members: Vec<&String> = failed.as_object().unwrap().keys().collect();
            members.sort_unstable();
            assert_eq!(
                members,
                [
                    "itemTokens",
                    "neededTokens",
                    "remainingTokens",
                    "schemaVersion",
                    "security",
                    "status"
                ]
            );
            assert_eq!(failed["status"], "over_budget");
            assert_eq!(number(&failed["neededTokens"]), tokens[last]);
            assert_eq!(number(&failed["remainingTokens"]), tokens[last] - 1);
            assert_eq!(failed["itemTokens"].as_array().unwrap().len(), 2);
            assert!(!answer.to_string().contains("words"), "{answer}");
            assert_eq!(failed, super::failed(&refused[0]), "nothing was used up");
        }
        assert_eq!(only_resource(&mut client), before);
        // Less still fits, in the same round and under the next number.
        let smaller = &rounds[last][..1];
        let left = tokens[last] - 1;
        assert!(succeed(&mut client, last, needed - 1, used, smaller) <= left);
    }
}

#[test]
fn every_round_looks_at_the_files_again() {
    let project = long();
    let mut client = client(host(&project));
    let items = [lines(2, 3)];
    let mut used = succeed(&mut client, 0, 9_999, 0, &items);
    let digest = |text: &str| {
        let code: Value = serde_json::from_str(text).unwrap();
        let text = code["items"][0]["text"].as_str().unwrap().to_owned();
        (text, code["audit"]["files"][0]["sha256"].clone())
    };
    let first = digest(&only_resource(&mut client).1);
    let source = std::fs::read_to_string(project.join("long.txt")).unwrap();
    // The wanted lines stay as they are; the rest of the file does not.
    project.write("long.txt", format!("{source}One more.\n"));
    used += succeed(&mut client, 1, 9_999, used, &items);
    let before = only_resource(&mut client);
    let second = digest(&before.1);
    assert_eq!(first.0, second.0);
    assert_ne!(first.1, second.1);
    // What may no longer be read is not, and the round is still to be had.
    let value = crate::support::token();
    for (change, reason) in [
        (
            Some(("long.txt", format!("{source}token = '{value}'\n"))),
            "SecretDetected",
        ),
        (
            Some(("long.txt", "One line.\n".to_owned())),
            "LineOutOfRange",
        ),
        (Some(("long.txt", "\0".to_owned())), "Binary"),
        (Some((".gitignore", "*.txt\n".to_owned())), "Ignored"),
        (None, "NotFound"),
    ] {
        match change {
            Some((path, text)) => project.write(path, text),
            None => std::fs::remove_file(project.join("long.txt")).unwrap(),
        }
        let failed = failed(&go(&mut client, 2, 0, &items));
        assert_eq!(failed["problems"][0]["reason"], reason);
        assert_eq!(only_resource(&mut client), before, "{reason}");
    }
    project.write(".gitignore", "");
    project.write("long.txt", &source);
    succeed(&mut client, 2, 9_999, used, &items);
    assert_eq!(digest(&only_resource(&mut client).1), first);
}

/// A request of one item.
fn one(item: Value) -> Value {
    json!({"items": [item]})
}

fn symbol(symbol: Value) -> Value {
    one(json!({"path": "src/a.py", "kind": "symbol", "symbol": symbol}))
}

fn outline(depth: Value) -> Value {
    one(json!({"path": "src/a.py", "kind": "outline", "depth": depth}))
}

fn between(start: Value, end: Value) -> Value {
    one(json!({"path": "src/a.py", "kind": "lines", "start": start, "end": end}))
}

fn budget(max_tokens: Value) -> Value {
    json!({"maxTokens": max_tokens, "items": [{"path": "README.md", "kind": "full"}]})
}

fn full(path: &str) -> Value {
    one(json!({"path": path, "kind": "full"}))
}

/// This many different items.
fn many(n: usize) -> Value {
    let lines = (1..=n)
        .map(|n| json!({"path": "src/a.py", "kind": "lines", "start": n, "end": n}))
        .collect::<Vec<_>>();
    json!({"items": lines})
}

/// A path of `n` bytes whose segments are short.
fn path_of(n: usize) -> String {
    let mut path = "d/".repeat(n / 2 - 1);
    path.push_str(&"d".repeat(n - path.len()));
    path
}

/// The longest path, in fewer characters than bytes.
fn wide_path() -> String {
    let path = "\u{e9}/".repeat((PATH_BYTES - 4) / 3) + "\u{e9}\u{e9}";
    assert_eq!(path.len(), PATH_BYTES);
    path
}

#[test]
fn the_last_accepted_values() {
    let project = project();
    let mut client = client(host(&project));
    let cap = VOLUME_TOKENS.default;
    for (arguments, outcome) in [
        (full(&path_of(PATH_BYTES)), "NotFound"),
        (full(&wide_path()), "NotFound"),
        (full(&"x".repeat(PATH_BYTES)), "NotFound"),
        (symbol(json!("s".repeat(SYMBOL_BYTES))), "SymbolNotFound"),
        (
            symbol(json!("\u{e9}".repeat(SYMBOL_BYTES / 2))),
            "SymbolNotFound",
        ),
        (
            symbol(json!([
                "s".repeat(SYMBOL_BYTES / 2),
                "t".repeat(SYMBOL_BYTES / 2)
            ])),
            "SymbolNotFound",
        ),
        (
            symbol(json!(vec!["s"; SYMBOL_SEGMENTS].join("."))),
            "SymbolNotFound",
        ),
        (symbol(json!(vec!["s"; SYMBOL_SEGMENTS])), "SymbolNotFound"),
        (symbol(json!("same#4294967295")), "SymbolNotFound"),
        (symbol(json!("same#1")), "ok"),
        (symbol(json!(["same#2"])), "ok"),
        (symbol(json!(["Store", "get"])), "ok"),
        (symbol(json!("\"Store\".get")), "ok"),
        (outline(json!(OUTLINE_DEPTH.min)), "ok"),
        (outline(json!(OUTLINE_DEPTH.max)), "ok"),
        (outline(json!(8.0)), "ok"),
        (between(json!(1), json!(1)), "ok"),
        (between(json!(1), json!(15)), "LineOutOfRange"),
        (between(json!(1), json!(14)), "ok"),
        (between(json!(1), json!(u32::MAX)), "LineOutOfRange"),
        (between(json!(u32::MAX), json!(u32::MAX)), "LineOutOfRange"),
        (between(json!(1), json!(1e1)), "ok"),
        (many(1), "ok"),
        (many(CODE_ITEMS), "LineOutOfRange"),
        (budget(json!(1)), "over_budget"),
        (budget(json!(cap)), "ok"),
        (budget(json!(16e3)), "ok"),
    ] {
        let answer = client.call(TOOL, arguments);
        let told = &answer["result"]["structuredContent"];
        let seen = match told["status"].as_str() {
            Some("unavailable") => &told["problems"][0]["reason"],
            _ => &told["status"],
        };
        assert_eq!(seen, outcome, "{answer}");
    }
}

#[test]
fn the_first_values_beyond() {
    let project = project();
    let mut client = client(host(&project));
    let cap = VOLUME_TOKENS.default;
    let cases = [
        (full(&path_of(PATH_BYTES + 1)), "/items/0/path", "Path"),
        (full(&(wide_path() + "s")), "/items/0/path", "Path"),
        (full(""), "/items/0/path", "Path"),
        (
            symbol(json!("s".repeat(SYMBOL_BYTES + 1))),
            "/items/0/symbol",
            "Length",
        ),
        (
            symbol(json!("\u{e9}".repeat(SYMBOL_BYTES / 2) + "s")),
            "/items/0/symbol",
            "Length",
        ),
        (
            symbol(json!([
                "s".repeat(SYMBOL_BYTES / 2),
                "t".repeat(SYMBOL_BYTES / 2 + 1)
            ])),
            "/items/0/symbol",
            "Length",
        ),
        (
            symbol(json!(vec!["s"; SYMBOL_SEGMENTS + 1].join("."))),
            "/items/0/symbol",
            "Length",
        ),
        (
            symbol(json!(vec!["s"; SYMBOL_SEGMENTS + 1])),
            "/items/0/symbol",
            "Count",
        ),
        (symbol(json!([])), "/items/0/symbol", "Count"),
        (symbol(json!("")), "/items/0/symbol", "Length"),
        (symbol(json!(["Store", ""])), "/items/0/symbol", "Length"),
        (symbol(json!("same#0")), "/items/0/symbol", "Length"),
        (
            symbol(json!("same#4294967296")),
            "/items/0/symbol",
            "Length",
        ),
        (symbol(json!(["Store", 1])), "/items/0/symbol/1", "Type"),
        (symbol(json!(null)), "/items/0/symbol", "Type"),
        (
            outline(json!(OUTLINE_DEPTH.min - 1)),
            "/items/0/depth",
            "Range",
        ),
        (
            outline(json!(OUTLINE_DEPTH.max + 1)),
            "/items/0/depth",
            "Range",
        ),
        (outline(json!(1.5)), "/items/0/depth", "Type"),
        (between(json!(0), json!(1)), "/items/0/start", "Range"),
        (between(json!(2), json!(1)), "/items/0/end", "Range"),
        (
            between(json!(1), json!(u64::from(u32::MAX) + 1)),
            "/items/0/end",
            "Range",
        ),
        (between(json!(1), json!(u64::MAX)), "/items/0/end", "Range"),
        (between(json!(-1), json!(1)), "/items/0/start", "Range"),
        (many(0), "/items", "Count"),
        (many(CODE_ITEMS + 1), "/items", "Count"),
        (budget(json!(0)), "/maxTokens", "Range"),
        (budget(json!(cap + 1)), "/maxTokens", "Cap"),
        (budget(json!(null)), "/maxTokens", "Type"),
        (
            json!({"continueFrom": 1, "items": []}),
            "/continueFrom",
            "Type",
        ),
    ];
    for (arguments, field, rule) in cases {
        refused(&mut client, &arguments, field, rule);
    }
    // A host that allows less.
    let mut lower = host(&project);
    lower.caps.tokens = 500;
    let mut client = self::client(lower);
    ok(&client.call(TOOL, budget(json!(500))));
    refused(&mut client, &budget(json!(501)), "/maxTokens", "Cap");
    let told = ok(&client.call(TOOL, full("README.md")));
    assert_eq!(told["sequence"]["maxTokens"], "500");
}

#[track_caller]
fn refused(client: &mut Client, arguments: &Value, field: &str, rule: &str) {
    let answer = client.call(TOOL, arguments.clone());
    assert_eq!(super::code(&answer), -32602, "{arguments}");
    let expected = json!({"field": field, "rule": rule});
    assert_eq!(answer["error"]["data"], expected, "{arguments}");
}

#[test]
fn members_belong_to_their_kinds_and_items_differ() {
    let project = project();
    let mut client = client(host(&project));
    let values = [
        ("symbol", json!("same#1")),
        ("start", json!(1)),
        ("end", json!(2)),
        ("depth", json!(1)),
        ("dependencies", json!(true)),
    ];
    for (kind, own) in [
        ("symbol", &["symbol", "dependencies"] as &[&str]),
        ("lines", &["start", "end"]),
        ("full", &[]),
        ("outline", &["depth"]),
    ] {
        let mut item = json!({"path": "src/a.py", "kind": kind});
        let is_own = |name: &str| own.contains(&name);
        for (name, value) in values.iter().filter(|(name, _)| is_own(name)) {
            item[name] = value.clone();
        }
        ok(&client.call(TOOL, one(item.clone())));
        for (name, value) in values.iter().filter(|(name, _)| !is_own(name)) {
            let mut item = item.clone();
            item[name] = value.clone();
            refused(
                &mut client,
                &one(item),
                &format!("/items/0/{name}"),
                "Conflict",
            );
        }
        for name in own
            .iter()
            .filter(|name| matches!(**name, "symbol" | "start" | "end"))
        {
            let mut item = item.clone();
            item.as_object_mut().unwrap().remove(*name);
            refused(
                &mut client,
                &one(item),
                &format!("/items/0/{name}"),
                "Required",
            );
        }
    }
    // A default and a member left out are the same, and so are the two forms of a symbol.
    let item = |extra: Value| {
        let mut item = json!({"path": "src/a.py"});
        let extra = extra.as_object().unwrap().clone();
        item.as_object_mut().unwrap().extend(extra);
        item
    };
    for (first, second, is_same) in [
        (
            json!({"kind": "outline"}),
            json!({"kind": "outline", "depth": 8}),
            true,
        ),
        (
            json!({"kind": "outline"}),
            json!({"kind": "outline", "depth": 7}),
            false,
        ),
        (
            json!({"kind": "symbol", "symbol": "Store.get"}),
            json!({"kind": "symbol", "symbol": ["Store", "get"], "dependencies": false}),
            true,
        ),
        (
            json!({"kind": "symbol", "symbol": "Store.get"}),
            json!({"kind": "symbol", "symbol": "Store.get", "dependencies": true}),
            false,
        ),
        (
            json!({"kind": "lines", "start": 1, "end": 2}),
            json!({"kind": "lines", "start": 1, "end": 2.0}),
            true,
        ),
        (
            json!({"kind": "lines", "start": 1, "end": 2}),
            json!({"kind": "lines", "start": 1, "end": 3}),
            false,
        ),
    ] {
        let arguments = json!({"items": [item(first), item(second)]});
        match is_same {
            true => refused(&mut client, &arguments, "/items/1", "Unique"),
            false => {
                ok(&client.call(TOOL, arguments));
            }
        }
    }
}

#[test]
fn a_document_over_its_limit_is_no_matter_of_tokens() {
    let project = project();
    project.write("huge.txt", "x".repeat(5 << 20));
    let mut client = client(host(&project));
    ok(&client.call(TOOL, full("README.md")));
    let before = only_resource(&mut client);
    assert_eq!(
        tool_code(&client.call(TOOL, full("huge.txt"))),
        "ResourceLimit"
    );
    assert_eq!(only_resource(&mut client), before);
}
