//! Each rule, its message and its pointer.

use super::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Full,
    Skeleton,
}

/// A request that uses every rule.
fn parse(arguments: &Argument) -> Result<String, Invalid> {
    let fields = Fields::of(
        arguments,
        &["maxTokens", "uri", "tasks", "paths", "deep", "offset"],
    )?;
    let mut seen = String::new();
    if let Some(field) = fields.optional("maxTokens") {
        seen += &format!("{};", field.capped(1, 16_000)?);
    }
    if let Some(field) = fields.optional("offset") {
        seen += &format!("{};", field.integer(2, 256)?);
        fields.forbid("uri", "cannot be given with offset")?;
    }
    if let Some(field) = fields.optional("deep") {
        seen += &format!("{};", field.flag()?);
    }
    if let Some(field) = fields.optional("paths") {
        seen += &format!("{:?};", field.paths(1, 3)?);
    }
    if let Some(field) = fields.optional("tasks") {
        for task in field.list(1, 2)? {
            let task = task.fields(&["id", "required"])?;
            seen += task.required("id")?.text_within(1, 4)?;
            for item in task
                .optional("required")
                .map_or(Ok(Vec::new()), |f| f.list(0, 2))?
            {
                let item = item.fields(&["path", "mode"])?;
                let modes = [("full", Mode::Full), ("skeleton", Mode::Skeleton)];
                seen += &format!("{:?}", item.required("mode")?.choice(&modes)?);
            }
        }
    }
    Ok(seen)
}

fn answer(arguments: &str) -> String {
    let arguments = match Argument::parse(arguments) {
        Ok(arguments) => arguments,
        Err(malformed) => return format!("arguments {malformed}"),
    };
    match parse(&arguments) {
        Ok(seen) => format!("ok {seen}"),
        Err(invalid) => {
            let message = invalid.to_string();
            assert!(message.starts_with(&invalid.field), "{message}");
            format!("{:?}: {message}", invalid.rule)
        }
    }
}

#[test]
fn rules() {
    for (arguments, expected) in [
        ("{}", "ok "),
        (r#"{"maxTokens":8000.0}"#, "ok 8000;"),
        (r#"{"maxTokens":8e3}"#, "ok 8000;"),
        (r#"{"maxTokens":16000,"deep":true}"#, "ok 16000;true;"),
        (
            r#"{"maxTokens":16001}"#,
            "Cap: /maxTokens must be an integer from 1 to 16000",
        ),
        (
            r#"{"maxTokens":1e30}"#,
            "Cap: /maxTokens must be an integer from 1 to 16000",
        ),
        (
            r#"{"maxTokens":1000000000000000000000000000000}"#,
            "Cap: /maxTokens must be an integer from 1 to 16000",
        ),
        (
            r#"{"maxTokens":0}"#,
            "Range: /maxTokens must be an integer from 1 to 16000",
        ),
        (
            r#"{"maxTokens":-1}"#,
            "Range: /maxTokens must be an integer from 1 to 16000",
        ),
        (
            r#"{"maxTokens":-0.0}"#,
            "Range: /maxTokens must be an integer from 1 to 16000",
        ),
        (
            r#"{"maxTokens":1.5}"#,
            "Type: /maxTokens must be an integer from 1 to 16000",
        ),
        (
            r#"{"maxTokens":"8000"}"#,
            "Type: /maxTokens must be an integer from 1 to 16000, not a string",
        ),
        (
            r#"{"maxTokens":null}"#,
            "Type: /maxTokens must be an integer from 1 to 16000, not null",
        ),
        (
            r#"{"maxTokens":true}"#,
            "Type: /maxTokens must be an integer from 1 to 16000, not a boolean",
        ),
        (
            r#"{"offset":1}"#,
            "Range: /offset must be an integer from 2 to 256",
        ),
        (
            r#"{"offset":257}"#,
            "Range: /offset must be an integer from 2 to 256",
        ),
        (
            r#"{"offset":2,"uri":"x"}"#,
            "Conflict: /uri cannot be given with offset",
        ),
        (
            r#"{"deep":"true"}"#,
            "Type: /deep must be true or false, not a string",
        ),
        (
            r#"{"paths":"[\"a\"]"}"#,
            "Type: /paths must be an array, not a string",
        ),
        (r#"{"paths":["a","b/c"]}"#, "ok [\"a\", \"b/c\"];"),
        (r#"{"paths":[]}"#, "Count: /paths must have 1 to 3 items"),
        (
            r#"{"paths":["a","b","c","d"]}"#,
            "Count: /paths must have 1 to 3 items",
        ),
        (
            r#"{"paths":["a","a"]}"#,
            "Unique: /paths/1 repeats an earlier item",
        ),
        (
            r#"{"paths":["a",5]}"#,
            "Type: /paths/1 must be a string, not a number",
        ),
        (
            r#"{"paths":["a/../SECRET"]}"#,
            "Path: /paths/0 must not hold . or .. as a segment",
        ),
        (
            r#"{"tasks":[{"id":"a","required":[{"path":"p","mode":"full"}]}]}"#,
            "ok aFull",
        ),
        (
            r#"{"tasks":[{"id":"a","required":[{"mode":"full"},{"mode":"SECRET"}]}]}"#,
            "Enum: /tasks/0/required/1/mode must be one of full, skeleton",
        ),
        (
            r#"{"tasks":[{"id":"a"},{}]}"#,
            "Required: /tasks/1/id is required",
        ),
        (
            r#"{"tasks":[{"id":""}]}"#,
            "Length: /tasks/0/id must have 1 to 4 UTF-8 bytes",
        ),
        (
            r#"{"tasks":[{"id":"abcde"}]}"#,
            "Length: /tasks/0/id must have 1 to 4 UTF-8 bytes",
        ),
        (
            r#"{"tasks":[5]}"#,
            "Type: /tasks/0 must be an object, not a number",
        ),
        (
            r#"{"tasks":[{"Id":"a"}]}"#,
            "Unknown: /tasks/0/Id is not known; accepted: id, required; nearest: id",
        ),
        (
            r#"{"max_tokens":5}"#,
            "Unknown: /max_tokens is not known; accepted: maxTokens, uri, tasks, paths, deep, offset; nearest: maxTokens",
        ),
        (
            r#"{"SE CRET":5}"#,
            "Unknown: arguments has a member that is not known; accepted: maxTokens, uri, tasks, paths, deep, offset",
        ),
        (
            r#"{"maxTokens":1,"maxTokens":2}"#,
            "arguments must be plain JSON without repeated members",
        ),
        (
            r#"{"maxTokens":1e999}"#,
            "arguments must be plain JSON without repeated members",
        ),
        (
            r#"{"uri":"\ud800"}"#,
            "arguments must be plain JSON without repeated members",
        ),
        (r#"[]"#, "arguments must be an object"),
        (r#"null"#, "arguments must be an object"),
    ] {
        assert_eq!(answer(arguments), expected, "{arguments}");
    }
}

#[test]
fn deep_arguments_are_refused() {
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(
        answer(&deep),
        "arguments must be plain JSON without repeated members"
    );
}

#[test]
fn distances() {
    for (from, to, expected) in [
        ("", "", 0),
        ("a", "", 1),
        ("kitten", "sitting", 3),
        ("ab", "ba", 2),
    ] {
        assert_eq!(distance(from.as_bytes(), to.as_bytes()), expected);
        assert_eq!(distance(to.as_bytes(), from.as_bytes()), expected);
    }
}
