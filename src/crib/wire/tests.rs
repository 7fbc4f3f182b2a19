//! Tests of `wire`.

use serde_json::json;

use super::*;
use crate::crib::schema::{LIST, LOAD, SEARCH, Tool};

/// The request target that arguments become, or the argument that is refused.
fn read(tool: &Tool, json: &str) -> Result<String, Option<&'static str>> {
    let target = match tool.name {
        "list_installed_docsets" => ListArgs::parse(json).map(|args| args.target),
        "search_documentation" => SearchArgs::parse(json).map(|args| args.target),
        _ => LoadArgs::parse(json).map(|args| args.target),
    };
    target.map_err(|fault| {
        assert_eq!(fault.code, Code::InvalidArgument);
        if let Some(name) = fault.argument {
            assert!(fault.message.starts_with(name), "{}", fault.message);
        }
        fault.argument
    })
}

#[test]
fn targets_carry_defaults_and_encoded_values() {
    for (tool, json, target) in [
        (LIST, json!({}), "/v1/docsets"),
        (
            LIST,
            json!({"generation": "g:1"}),
            "/v1/docsets?generation=g%3A1",
        ),
        (
            SEARCH,
            json!({"text": " a&b=c+d %\té🐘 "}),
            "/v1/search?text=a%26b%3Dc%2Bd%20%25%09%C3%A9%F0%9F%90%98&project=postgresql&branch=18&locale=zh-Hans&limit=20&offset=0",
        ),
        (
            SEARCH,
            json!({"text": "x", "project": "pg", "branch": "*", "locale": "en", "domain": "sql x",
                   "collection": "w", "limit": 50, "offset": 10_000, "generation": "g"}),
            "/v1/search?text=x&project=pg&branch=%2A&locale=en&domain=sql%20x&collection=w&limit=50&offset=10000&generation=g",
        ),
        (
            LOAD,
            json!({"generation": "g", "section_key": "A.b_c:d-9"}),
            "/v1/section?section_key=A.b_c%3Ad-9&generation=g&offset=0&limit=16000",
        ),
        (
            LOAD,
            json!({"generation": "g", "section_key": "k", "offset": 5.0, "limit": 50_000}),
            "/v1/section?section_key=k&generation=g&offset=5&limit=50000",
        ),
    ] {
        assert_eq!(read(&tool, &json.to_string()).as_deref(), Ok(target));
    }
}

/// Good and bad arguments, for the parser and the schema alike; the name is the one refused,
/// empty for arguments that no tool has.
#[test]
fn parser_and_schema_agree() {
    let text = |text: &str| json!({"text": text});
    let search = |name: &str, value: Value| json!({"text": "x", name: value});
    let load = |name: &str, value: Value| {
        let mut args = json!({"section_key": "k", "generation": "g"});
        args[name] = value;
        args
    };
    let cases = [
        (SEARCH, text(&"🐘".repeat(256)), None),
        (SEARCH, text(&"x".repeat(257)), Some("text")),
        (SEARCH, text(""), Some("text")),
        (SEARCH, json!({"text": 5}), Some("text")),
        (SEARCH, json!({"text": null}), Some("text")),
        (SEARCH, json!({}), Some("text")),
        (SEARCH, search("limit", json!(1)), None),
        (SEARCH, search("limit", json!(50)), None),
        (SEARCH, search("limit", json!(50.0)), None),
        (SEARCH, search("limit", json!(0)), Some("limit")),
        (SEARCH, search("limit", json!(51)), Some("limit")),
        (SEARCH, search("limit", json!("5")), Some("limit")),
        (SEARCH, search("limit", json!(1.5)), Some("limit")),
        (SEARCH, search("limit", json!(true)), Some("limit")),
        (SEARCH, search("offset", json!(10_000)), None),
        (SEARCH, search("offset", json!(10_001)), Some("offset")),
        (SEARCH, search("offset", json!(-1)), Some("offset")),
        (SEARCH, search("branch", json!(18)), Some("branch")),
        (SEARCH, search("domain", json!(null)), Some("domain")),
        (
            SEARCH,
            search("collection", json!("w".repeat(65))),
            Some("collection"),
        ),
        (SEARCH, search("load_url", json!("x")), Some("")),
        (LOAD, load("limit", json!(50_000)), None),
        (LOAD, load("limit", json!(50_001)), Some("limit")),
        (LOAD, load("limit", json!(0)), Some("limit")),
        (LOAD, load("offset", json!(PAGE_OFFSET)), None),
        (LOAD, load("offset", json!(PAGE_OFFSET + 1)), Some("offset")),
        (LOAD, load("section_key", json!("k".repeat(200))), None),
        (
            LOAD,
            load("section_key", json!("k".repeat(201))),
            Some("section_key"),
        ),
        (LOAD, load("generation", json!("")), Some("generation")),
        (LOAD, load("generation", json!("g".repeat(64))), None),
        (
            LOAD,
            load("generation", json!("g".repeat(65))),
            Some("generation"),
        ),
        (LOAD, json!({"section_key": "k"}), Some("generation")),
        (
            LOAD,
            load("load_url", json!("https://example.com/")),
            Some(""),
        ),
        (LIST, json!({}), None),
        (LIST, json!({"generation": 7}), Some("generation")),
        (LIST, json!({"x": 1}), Some("")),
    ];
    for (tool, args, refused) in cases {
        let outcome = read(&tool, &args.to_string()).err();
        let named = outcome.map(|name| name.unwrap_or_default());
        assert_eq!(named, refused, "{} {args}", tool.name);
        let schema = jsonschema::draft7::new(&tool.input_schema()).unwrap();
        assert_eq!(
            schema.is_valid(&args),
            refused.is_none(),
            "{} {args}",
            tool.name
        );
    }
}

/// What a schema cannot say.
#[test]
fn the_parser_alone_refuses() {
    for (json, refused) in [
        (r#"{"text":" \t "}"#, Some("text")),
        (r#"{"text":"x","generation":"g g"}"#, Some("generation")),
        (r#"{"text":"x","generation":"g/g"}"#, Some("generation")),
        (r#"{"text":"a\u0000b"}"#, Some("text")),
        (r#"{"text":"a\nb"}"#, Some("text")),
        (r#"{"text":"a\u0085b"}"#, Some("text")),
        (r#"{"text":"x\n"}"#, Some("text")),
        (r#"{"text":"x","text":"x"}"#, None),
        (r#"["x"]"#, None),
        ("null", None),
        ("{", None),
    ] {
        assert_eq!(read(&SEARCH, json), Err(refused), "{json}");
    }
}

/// The sentences hold numbers; they must be those of the rules.
#[test]
fn refusals_quote_the_limits() {
    for argument in [LIST_ARGUMENTS, SEARCH_ARGUMENTS, LOAD_ARGUMENTS].concat() {
        assert!(argument.refusal.starts_with(argument.name));
        let largest = match argument.kind {
            Kind::Text { chars, .. } | Kind::Coordinate { chars } => chars.to_string(),
            Kind::Integer { max, .. } => max.to_string(),
        };
        let worded = ["locale", "offset"].contains(&argument.name);
        assert!(
            argument.refusal.contains(&largest) || worded,
            "{}",
            argument.refusal
        );
    }
}
