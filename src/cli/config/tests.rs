//! Tests of the configuration file.

use super::{Config, KEYS, Key, distance, inside, parse};
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
fn distances() {
    for (a, b, n) in [
        ("", "", 0),
        ("a", "", 1),
        ("kitten", "sitting", 3),
        ("style", "stlye", 2),
    ] {
        assert_eq!(distance(a, b), n, "{a} {b}");
        assert_eq!(distance(b, a), n, "{b} {a}");
    }
}
