//! Every rule of a request, at its edges.

use serde_json::{Value, json};

use super::Request;
use crate::arguments::Argument;
use crate::arguments::Invalid;
use crate::options::Caps;

fn caps() -> Caps {
    Caps {
        tokens: 9_000,
        ..Caps::default()
    }
}

fn parse(arguments: &Value, caps: &Caps) -> Result<Request, Invalid> {
    super::parse(&Argument::parse(&arguments.to_string()).unwrap(), caps)
}

/// `field rule: problem`, or `ok`.
fn check(arguments: &Value) -> String {
    match parse(arguments, &caps()) {
        Ok(_) => "ok".to_owned(),
        Err(invalid) => format!("{:?} {}", invalid.rule, invalid),
    }
}

/// A request whose member at `pointer` is `value`.
fn with(pointer: &str, value: Value) -> Value {
    let mut request = json!({
        "maxTokens": 8000,
        "tasks": [
            {"id": "a", "required": [{"path": "r", "mode": "full"}], "optional": [{"path": "o", "mode": "either", "priority": 80}]},
            {"id": "b"}
        ],
        "maxReadBytes": 1,
        "maxAttempts": 2
    });
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match request.pointer_mut(parent).unwrap() {
        Value::Object(members) => {
            members.insert(name.to_owned(), value);
        }
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        other => panic!("{other}"),
    }
    request
}

fn without(pointer: &str) -> Value {
    let mut request = with("/maxTokens", json!(1));
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = request.pointer_mut(parent).unwrap();
    parent.as_object_mut().unwrap().remove(name).unwrap();
    request
}

#[test]
fn messages_name_the_field_the_rule_and_what_is_accepted() {
    let mode = "/tasks/0/required/0/mode";
    for (pointer, value, expected) in [
        ("/maxTokens", json!(9000), "ok"),
        ("/maxTokens", json!(8000.0), "ok"),
        (
            "/maxTokens",
            json!(9001),
            "Cap /maxTokens must be an integer from 1 to 9000",
        ),
        (
            "/maxTokens",
            json!(1e300),
            "Cap /maxTokens must be an integer from 1 to 9000",
        ),
        (
            "/maxTokens",
            json!(0),
            "Range /maxTokens must be an integer from 1 to 9000",
        ),
        (
            "/maxTokens",
            json!(-1),
            "Range /maxTokens must be an integer from 1 to 9000",
        ),
        (
            "/maxTokens",
            json!(-1e300),
            "Range /maxTokens must be an integer from 1 to 9000",
        ),
        (
            "/maxTokens",
            json!(1.5),
            "Type /maxTokens must be an integer from 1 to 9000",
        ),
        (
            "/maxTokens",
            json!("8000"),
            "Type /maxTokens must be an integer from 1 to 9000, not a string",
        ),
        (
            "/maxTokens",
            json!(true),
            "Type /maxTokens must be an integer from 1 to 9000, not a boolean",
        ),
        (
            "/maxTokens",
            json!(null),
            "Type /maxTokens must be an integer from 1 to 9000, not null",
        ),
        (
            "/maxReadBytes",
            json!(0),
            "Range /maxReadBytes must be an integer from 1 to 16777216",
        ),
        ("/maxReadBytes", json!(16_777_216), "ok"),
        (
            "/maxReadBytes",
            json!(16_777_217),
            "Range /maxReadBytes must be an integer from 1 to 16777216",
        ),
        (
            "/maxReadBytes",
            json!(null),
            "Type /maxReadBytes must be an integer from 1 to 16777216, not null",
        ),
        (
            "/maxAttempts",
            json!(1),
            "Range /maxAttempts must be an integer from 2 to 256",
        ),
        ("/maxAttempts", json!(256), "ok"),
        (
            "/maxAttempts",
            json!(257),
            "Range /maxAttempts must be an integer from 2 to 256",
        ),
        (
            "/maxToken",
            json!(1),
            "Unknown /maxToken is not known; accepted: maxTokens, tasks, maxReadBytes, maxAttempts; nearest: maxTokens",
        ),
        (
            "/an odd name",
            json!(1),
            "Unknown arguments has a member that is not known; accepted: maxTokens, tasks, maxReadBytes, maxAttempts",
        ),
        (
            "/tasks",
            json!("[]"),
            "Type /tasks must be an array, not a string",
        ),
        ("/tasks", json!([]), "Count /tasks must have 1 to 16 items"),
        (
            "/tasks/1",
            json!(7),
            "Type /tasks/1 must be an object, not a number",
        ),
        (
            "/tasks/1/id",
            json!("a"),
            "Unique /tasks/1/id repeats an earlier item",
        ),
        (
            "/tasks/1/id",
            json!(""),
            "Length /tasks/1/id must have 1 to 64 UTF-8 bytes",
        ),
        ("/tasks/1/id", json!("\u{e9}".repeat(32)), "ok"),
        (
            "/tasks/1/id",
            json!("\u{e9}".repeat(32) + "x"),
            "Length /tasks/1/id must have 1 to 64 UTF-8 bytes",
        ),
        (
            "/tasks/1/ID",
            json!("c"),
            "Unknown /tasks/1/ID is not known; accepted: id, required, optional; nearest: id",
        ),
        (
            "/tasks/1/required",
            json!(null),
            "Type /tasks/1/required must be an array, not null",
        ),
        (mode, json!("skeleton"), "ok"),
        (
            mode,
            json!("either"),
            "Enum /tasks/0/required/0/mode must be one of full, skeleton",
        ),
        (
            mode,
            json!(1),
            "Type /tasks/0/required/0/mode must be a string, not a number",
        ),
        (
            "/tasks/0/optional/0/mode",
            json!("Full"),
            "Enum /tasks/0/optional/0/mode must be one of full, skeleton, either",
        ),
        (
            "/tasks/0/required/0/priority",
            json!(1),
            "Unknown /tasks/0/required/0/priority is not known; accepted: path, mode; nearest: path",
        ),
        ("/tasks/0/optional/0/priority", json!(100), "ok"),
        (
            "/tasks/0/optional/0/priority",
            json!(101),
            "Range /tasks/0/optional/0/priority must be an integer from 0 to 100",
        ),
        (
            "/tasks/0/optional/0/path",
            json!("r"),
            "Conflict /tasks/0/optional/0/path must not stand in required and optional of one task",
        ),
        (
            "/tasks/0/optional/0/path",
            json!("../r"),
            "Path /tasks/0/optional/0/path must not hold . or .. as a segment",
        ),
        (
            "/tasks/0/optional/0/path",
            json!("/r"),
            "Path /tasks/0/optional/0/path must be relative to the root",
        ),
        ("/tasks/0/optional/0/path", json!("*?[x]"), "ok"),
        ("/tasks/0/optional/0/path", json!("x".repeat(4_096)), "ok"),
        (
            "/tasks/0/optional/0/path",
            json!("x".repeat(4_097)),
            "Path /tasks/0/optional/0/path must have at most 4096 UTF-8 bytes",
        ),
        (
            "/tasks/1/optional",
            json!([{"path": "r", "mode": "full"}]),
            "ok",
        ),
        (
            "/tasks/1/required",
            json!([{"path": "r", "mode": "full"}, {"path": "r", "mode": "skeleton"}]),
            "Unique /tasks/1/required/1/path repeats an earlier item",
        ),
    ] {
        assert_eq!(check(&with(pointer, value)), expected);
    }
    for (pointer, expected) in [
        ("/maxTokens", "Required /maxTokens is required"),
        ("/tasks", "Required /tasks is required"),
        ("/maxAttempts", "ok"),
        ("/maxReadBytes", "ok"),
        ("/tasks/0/id", "Required /tasks/0/id is required"),
        ("/tasks/0/required", "ok"),
        (
            "/tasks/0/required/0/path",
            "Required /tasks/0/required/0/path is required",
        ),
        (
            "/tasks/0/optional/0/mode",
            "Required /tasks/0/optional/0/mode is required",
        ),
        ("/tasks/0/optional/0/priority", "ok"),
    ] {
        assert_eq!(check(&without(pointer)), expected);
    }
}

#[test]
fn a_missing_member_and_its_default_are_the_same() {
    let short = json!({"maxTokens": 1, "tasks": [{"id": "a", "optional": [{"path": "p", "mode": "full"}]}]});
    let long = json!({"maxTokens": 1.0, "maxReadBytes": 16_777_216, "maxAttempts": 256, "tasks": [
        {"id": "a", "required": [], "optional": [{"path": "p", "mode": "full", "priority": 0}]}
    ]});
    assert_eq!(
        parse(&short, &caps()).unwrap(),
        parse(&long, &caps()).unwrap()
    );
    let cap = Caps {
        tokens: u64::MAX,
        ..Caps::default()
    };
    assert!(parse(&json!({"maxTokens": 16_001, "tasks": [{"id": "a"}]}), &cap).is_err());
}

fn items(prefix: &str, n: usize) -> Value {
    (0..n)
        .map(|i| json!({"path": format!("{prefix}{i}"), "mode": "full"}))
        .collect()
}

#[test]
fn counts() {
    let many = |n_tasks: usize| -> Value {
        let tasks: Value = (0..n_tasks)
            .map(|i| json!({"id": format!("{i}")}))
            .collect();
        json!({"maxTokens": 1, "tasks": tasks})
    };
    assert_eq!(check(&many(16)), "ok");
    assert_eq!(check(&many(17)), "Count /tasks must have 1 to 16 items");
    let list = "/tasks/1/optional";
    assert_eq!(check(&with(list, items("p", 126))), "ok");
    assert_eq!(
        check(&with(list, items("p", 127))),
        "Count /tasks must name at most 128 different paths"
    );
    assert_eq!(
        check(&with(list, items("p", 129))),
        "Count /tasks/1/optional must have 0 to 128 items"
    );
}

#[test]
fn bytes() {
    // Two tasks with the same 128 long paths, the first `longer` of them by one character.
    let request = |n: usize, longer: usize, id: &str| {
        let path = |i: usize| format!("{i:03}{}", "x".repeat(n + usize::from(i < longer)));
        let list: Value = (0..128)
            .map(|i| json!({"path": path(i), "mode": "full"}))
            .collect();
        json!({"maxTokens": 1, "tasks": [{"id": "a", "required": list}, {"id": id, "required": list}]})
    };
    let size = |value: &Value| {
        let request = parse(value, &caps()).unwrap();
        serde_json::to_string(&request).unwrap().len()
    };
    let missing = 1024 * 1024 - size(&request(4_000, 0, "b"));
    let n = 4_000 + missing / 256;
    let missing = 1024 * 1024 - size(&request(n, 0, "b"));
    let id = "b".repeat(1 + missing % 2);
    let exact = request(n, missing / 2, &id);
    assert_eq!(size(&exact), 1024 * 1024);
    let over = request(n, missing / 2, &format!("{id}b"));
    assert_eq!(
        check(&over),
        "Size arguments must have at most 1048576 bytes of JSON"
    );
}
