//! What each kind of line is taken for.

use super::*;

fn seen(line: &[u8]) -> String {
    match parse(line) {
        Message::Request(request) => format!(
            "request {} {} {}",
            String::from_utf8(to_line(&request.id)).unwrap(),
            request.method,
            request.params.map_or("-", RawValue::get)
        ),
        Message::Notification { method, params } => {
            format!(
                "notification {method} {}",
                params.map_or("-", RawValue::get)
            )
        }
        Message::Ignored => "ignored".to_owned(),
        Message::Batch(elements) => format!("batch {}", elements.len()),
        Message::Refused { id, fault } => {
            let line = error_line(id.as_ref(), &fault);
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            let id = value.get("id").map_or("-".to_owned(), ToString::to_string);
            format!("error {} {id}", value["error"]["code"])
        }
    }
}

#[test]
fn shapes() {
    for (line, expected) in [
        (&b"{bad"[..], "error -32700 -"),
        (b"\xff", "error -32700 -"),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"m\"}",
            "error -32700 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":NaN}}"#,
            "error -32700 -",
        ),
        (b"\x00{}", "error -32700 -"),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"m"} x"#,
            "error -32700 -",
        ),
        (b"42", "error -32600 -"),
        (b"\"x\"", "error -32600 -"),
        (b"null", "error -32600 -"),
        (b"true", "error -32600 -"),
        (b"{}", "error -32600 -"),
        (b"[]", "batch 0"),
        (b"[1,{}]", "batch 2"),
        (br#"{"id":1,"method":"m"}"#, "error -32600 1"),
        (
            br#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
            "error -32600 1",
        ),
        (br#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, "error -32600 1"),
        (br#"{"jsonrpc":"2.0","id":1}"#, "error -32600 1"),
        (br#"{"jsonrpc":"2.0","id":1,"method":7}"#, "error -32600 1"),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":null,"result":{}}"#,
            "error -32600 1",
        ),
        (
            br#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1e2,"method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":true,"method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":"\ud800","method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"id":1,"jsonrpc":"2.0","id":2,"method":"m"}"#,
            "error -32600 -",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#,
            "error -32602 1",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#,
            "request 1 m -",
        ),
        (
            br#"{"jsonrpc":"2.0","method":"m","params": null }"#,
            "notification m -",
        ),
        (br#"{"jsonrpc":"2.0","method":"m","params":[1]}"#, "ignored"),
        (br#"{"jsonrpc":"2.0","id":9,"result":{}}"#, "ignored"),
        (
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#,
            "ignored",
        ),
        (br#"{"jsonrpc":"2.0","method":"m"}"#, "notification m -"),
        (
            br#" {"jsonrpc":"2.0","id":"a-1","method":"m","params":{"a":1}} "#,
            "request \"a-1\" m {\"a\":1}",
        ),
        (
            br#"{"method":"m","params":{},"jsonrpc":"2.0","id":0}"#,
            "request 0 m {}",
        ),
    ] {
        assert_eq!(seen(line), expected, "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn ids_are_exact() {
    for id in [
        "\"\"",
        "\"1\"",
        "0",
        "-1",
        "-3",
        "9007199254740993",
        "9223372036854775807",
        "18446744073709551615",
        "-9223372036854775808",
        "123456789012345678901234567890",
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        assert_eq!(seen(line.as_bytes()), format!("request {id} m -"));
    }
    let read = |text: &str| Id::read(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(read(r#""\u0061""#), read(r#""a""#));
    assert_ne!(read("1"), read(r#""1""#));
    assert_eq!(read("-0"), read("0"));
}

#[test]
fn separators_are_escaped_and_counted_as_written() {
    let every: String = (0..=0x2100).filter_map(char::from_u32).collect();
    for text in [
        every.as_str(),
        "\u{2028}",
        "a\u{2029}\u{2028}b",
        "\u{2027}\u{202a}",
        "",
    ] {
        let line = to_line(&text);
        assert_eq!(serde_json::from_slice::<String>(&line).unwrap(), text);
        let line = String::from_utf8(line).unwrap();
        assert!(!line.contains(['\u{2028}', '\u{2029}']), "{line}");
        assert_eq!(escaped_len(text) + 2, line.len());
    }
    let raw: &RawValue = serde_json::from_str("[\"\u{2028}\"]").unwrap();
    assert_eq!(to_line(raw), br#"["\u2028"]"#);
    let id = Id::Text("\u{2029}".into());
    assert_eq!(to_line(&id), br#""\u2029""#);
}

#[test]
fn nesting_is_harmless() {
    for depth in [10_000, 400_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"x":{deep}}}}}"#);
        assert!(seen(line.as_bytes()).starts_with("request 1 m "));
        assert_eq!(seen(deep.as_bytes()), "batch 1");
    }
}

#[test]
fn batch_size() {
    let array = |n: usize| format!("[{}]", vec!["1"; n].join(","));
    assert_eq!(
        seen(array(BATCH_ITEMS).as_bytes()),
        format!("batch {BATCH_ITEMS}")
    );
    assert_eq!(seen(array(BATCH_ITEMS + 1).as_bytes()), "error -32600 -");
}
