//! Tests of the configuration file.

use super::keys::{Config, KEYS, Key, SECOND_NAMES, near};
use super::{inside, parse};
use crate::render::Style;

fn fault(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn comments_and_trailing_commas() {
    let config = parse(
        r#"// top
        {
          "output": { "style": "md", "splitTokens": "8k", /* inside */ "topFilesLength": 5, },
          "include": ["src/**", "a,b",],
          "ignore": { "useGitignore": false, "customPatterns": ["*.log"] },
          "input": { "maxFileSize": "1.5m" },
          "output2": {},
        }"#
        .replace("\"output2\": {},", "")
        .as_str(),
    )
    .unwrap();
    assert_eq!(config.style, Some(Style::Markdown));
    assert_eq!(config.split, Some(8_000));
    assert_eq!(config.top_files, Some(5));
    assert_eq!(config.include, ["src/**", "a,b"]);
    assert_eq!(config.ignore, ["*.log"]);
    assert_eq!(config.gitignore, Some(false));
    assert_eq!(config.max_file_size, Some(1_572_864));
}

#[test]
fn faults_name_key_and_place() {
    for (text, wanted) in [
        (
            r#"{"output":{"stlye":"xml"}}"#,
            "unknown key \"output.stlye\", the nearest known one is \"output.style\"",
        ),
        (
            r#"{"style":"xml"}"#,
            "unknown key \"style\", the nearest known one is \"output.style\"",
        ),
        (
            r#"{"ignore":{"customPattern":[]}}"#,
            "unknown key \"ignore.customPattern\", the nearest known one is \"ignore.customPatterns\"",
        ),
        (
            r#"{"outptu":{"style":"xml"}}"#,
            "unknown key \"outptu\", the nearest known one is \"output\"",
        ),
        (r#"{"output":1}"#, "output must be an object"),
        (
            r#"{"output":{"style":"html"}}"#,
            "output.style must be one of xml, markdown, json, plain",
        ),
        (
            r#"{"output":{"files":"yes"}}"#,
            "output.files must be true or false",
        ),
        (
            r#"{"output":{"splitTokens":-1}}"#,
            "output.splitTokens must be a whole number that is not negative",
        ),
        (
            r#"{"output":{"splitTokens":"8q"}}"#,
            "output.splitTokens must be a whole number, optionally with a unit (k, m or g, such as 8k or 1.5m)",
        ),
        (r#"{"include":"src"}"#, "include must be a list of texts"),
        (
            r#"{"input":{"encodings":"GBK"}}"#,
            "input.encodings must be a list of names",
        ),
        (
            r#"{"input":{"encodings":["GBK","EUC-KP"]}}"#,
            "input.encodings: \"EUC-KP\": no encoding has this name, the nearest are EUC-JP, EUC-KR",
        ),
        (r#"{"include":[1]}"#, "include must be a list of texts"),
        (
            r#"{"output":{"removeComments":true}}"#,
            "output.removeComments must be false",
        ),
        (
            r#"{"tokenCount":{"encoding":"cl100k_base"}}"#,
            "tokenCount.encoding must be o200k_base",
        ),
        ("[]", "must hold one JSON object"),
        ("", "must hold one JSON object"),
        (
            "{\n  \"include\": [,]\n}",
            "line 2, column 15: not valid JSON",
        ),
        ("{'include': []}", "line 1, column 2: not valid JSON"),
    ] {
        assert_eq!(fault(text), wanted, "{text}");
    }
}

#[test]
fn every_key_takes_a_value() {
    for (key, kind) in KEYS {
        let value = match kind {
            Key::Flag(_) | Key::TokenTree | Key::Schema => "true",
            Key::Text(_) => "\"text\"",
            Key::Count(_) | Key::Bytes(_) => "7",
            Key::List(_) => "[\"one\"]",
            Key::Encodings => "[\"gbk\"]",
            Key::Style => "\"json\"",
            Key::Only(only) => {
                if *only {
                    "true"
                } else {
                    "false"
                }
            }
            Key::OnlyText(only) => &format!("\"{only}\""),
        };
        let text = key.split('.').rev().fold(value.to_owned(), |inner, name| {
            format!("{{\"{name}\":{inner}}}")
        });
        let config = parse(&text).unwrap();
        let silent = matches!(kind, Key::Schema | Key::Only(_) | Key::OnlyText(_));
        let changed = format!("{config:?}") != format!("{:?}", Config::default());
        assert_eq!(changed, !silent, "{key}");
    }
}

#[test]
fn a_found_file_stays_inside_the_root() {
    for good in ["a", "./a/b.xml", ".github/x"] {
        assert!(inside("output.filePath", good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "/etc/x",
        "../x",
        "a/../../x",
        ".git/hooks/x",
        "a/.GIT/x",
    ] {
        assert!(inside("output.filePath", bad).is_err(), "{bad}");
    }
}

#[test]
fn hints_are_near() {
    for (key, wanted) in [
        ("output.stile", Some("output.style")),
        ("stlye", Some("output.style")),
        ("input.style", Some("output.style")),
        ("output.max_file_size", Some("input.maxFileSize")),
        ("input.maxFiles2", Some("input.maxFiles")),
        ("mcp.maxToken", Some("mcp.maxTokens")),
        ("keepFulls", Some("output.keepFull")),
        ("outptu", Some("output")),
        ("includes", Some("include")),
        // A group is no hint for what stands in another.
        ("output.ignor", None),
        ("output.git", None),
        ("output.git.sortByChanges", None),
        ("", None),
        ("output.", None),
        // Two in five characters, and one more.
        ("inxxude", Some("include")),
        ("xxxxude", None),
        ("includexx", Some("include")),
        ("includexxxxxx", None),
    ] {
        assert_eq!(near(key), wanted, "{key}");
    }
}

#[test]
fn a_key_stands_once() {
    for (text, wanted) in [
        (
            r#"{"include":[],"include":[]}"#,
            "the key \"include\" is given twice",
        ),
        (
            r#"{"output":{},"output":{}}"#,
            "the key \"output\" is given twice",
        ),
        (
            r#"{"output":{"style":"md","lines":1,"style":"md"}}"#,
            "the key \"output.style\" is given twice",
        ),
        (
            r#"{"output":{"\u0073tyle":"md","style":"md"}}"#,
            "the key \"output.style\" is given twice",
        ),
        (
            r#"{"$schema":{"a":[{"b":1,"c":{}},{"b":1,"b":1}]}}"#,
            "the key \"$schema.a.b\" is given twice",
        ),
        (
            r#"{"keep_full_patterns":["a"],"output":{"keepFull":["b"]}}"#,
            "the keys \"keep_full_patterns\" and \"output.keepFull\" are the same, and both are given",
        ),
        (
            r#"{"output":{"keep_full_patterns":[]},"keep_full_patterns":[]}"#,
            "the keys \"output.keep_full_patterns\" and \"keep_full_patterns\" are the same, and both are given",
        ),
    ] {
        assert_eq!(fault(text), wanted, "{text}");
    }
    parse(r#"{"output":{"files":true},"$schema":{"files":[{"a":1},{"a":1}]}}"#).unwrap();
}

#[test]
fn second_names() {
    for (second, first) in SECOND_NAMES {
        assert!(KEYS.iter().any(|(known, _)| known == first), "{first}");
        let text = second
            .rsplit('.')
            .fold("[\"one\"]".to_owned(), |inner, name| {
                format!("{{\"{name}\":{inner}}}")
            });
        assert_eq!(parse(&text).unwrap().keep_full, ["one"], "{second}");
    }
    assert_eq!(
        fault(r#"{"keep_full_patterns":1}"#),
        "output.keepFull must be a list of texts"
    );
}
