//! Symbols, outlines, and what comes with them.

use moon_repomix::code::request::{Item, What};
use moon_repomix::syntax::path::symbol_path_of;

use super::*;

#[test]
fn symbols_come_whole() {
    let project = project();
    let host = plain_host(&project);
    let code = read(
        &host,
        &[
            "a.py:Store.get",
            "a.py:size",
            "a.py:twice#2",
            "a.py:Store.get+",
        ],
    );
    let item = &code["items"][0];
    assert_eq!(
        item["text"],
        "    def get(self, key):\n        return helper(key)\n"
    );
    assert_eq!(item["lines"]["start"], 16);
    assert_eq!(
        (&item["language"], &item["parse"], &item["lineEnding"]),
        (&"python".into(), &"ok".into(), &"lf".into())
    );
    let accessor = &code["items"][1];
    assert_eq!(
        (
            &accessor["symbol"]["path"],
            &accessor["symbol"]["kind"],
            &accessor["symbol"]["declarations"]
        ),
        (&"Store.size".into(), &"accessor".into(), &2.into())
    );
    assert!(
        accessor["text"]
            .as_str()
            .unwrap()
            .starts_with("    @property\n")
    );
    assert_eq!(
        code["items"][2]["text"],
        "    def twice():\n        return 2\n"
    );
    let used: Vec<&str> = code["items"][3]["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap_or("import"))
        .collect();
    assert_eq!(
        used,
        ["helper", "inner"],
        "what it uses, and what that uses"
    );
}

#[test]
fn outlines_nest_and_can_be_cut() {
    let project = project();
    let code = read(&plain_host(&project), &["a.py:"]);
    let symbols = code["items"][0]["symbols"].as_array().unwrap();
    let paths: Vec<&str> = symbols
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["Store", "helper", "inner", "twice#1", "twice#2"]);
    let members: Vec<&str> = symbols[0]["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(members, ["Store.size", "Store.get"]);
    assert!(!code.to_string().contains("len(os.environ)"), "no text");

    let mut item = parse_spec("a.py:").unwrap();
    item.what = code::request::What::Outline { depth: 1 };
    let outcome = code::read(
        &plain_host(&project),
        &[item],
        &ROUND,
        &Progress::new(),
        &Cancel::never(),
    )
    .unwrap();
    let text = outcome.delivered(&ROUND).unwrap().text;
    assert!(text.contains("\"truncated\":true") && !text.contains("Store.get"));
}

#[test]
fn several_symbols_in_either_form_come_in_request_order() {
    let project = project();
    project.write(
        "b.js",
        "const handlers = {\n  'on-close'() {},\n  open() {},\n};\n",
    );
    let host = plain_host(&project);
    let wanted = [
        (
            "a.py",
            "twice#2",
            &["twice#2"] as &[&str],
            "twice#2",
            33,
            34,
        ),
        (
            "b.js",
            "handlers.\"on-close\"",
            &["handlers", "on-close"],
            "handlers.\"on-close\"",
            2,
            2,
        ),
        ("a.py", "Store.get", &["Store", "get"], "Store.get", 16, 17),
        ("a.py", "get", &["get"], "Store.get", 16, 17),
        ("a.py", "twice#1", &["twice#1"], "twice#1", 28, 29),
        ("b.js", "open", &["open"], "handlers.open", 3, 3),
        (
            "a.py",
            "Store.size",
            &["Store", "size"],
            "Store.size",
            8,
            14,
        ),
    ];
    let written = wanted.map(|(path, written, ..)| format!("{path}:{written}"));
    let written = read(&host, &written.each_ref().map(String::as_str));
    for (index, (path, _, _, found, start, end)) in wanted.into_iter().enumerate() {
        let item = &written["items"][index];
        assert_eq!(item["index"], index);
        assert_eq!(item["path"], path);
        assert_eq!(item["symbol"]["path"], found);
        assert_eq!(item["lines"], json!({"start": start, "end": end}));
        let source = std::fs::read_to_string(project.join(path)).unwrap();
        let lines = source.split_inclusive('\n').skip(start - 1);
        let lines: String = lines.take(end + 1 - start).collect();
        assert_eq!(item["text"], lines, "{found}");
    }
    let listed: Vec<Item> = wanted
        .iter()
        .map(|(path, _, segments, ..)| Item {
            path: rel(path),
            what: What::Symbol {
                symbol: symbol_path_of(segments).unwrap(),
                dependencies: false,
            },
        })
        .collect();
    let listed = code::read(&host, &listed, &ROUND, &Progress::new(), &Cancel::never());
    let listed = listed.unwrap().delivered(&ROUND).unwrap();
    let listed: Value = serde_json::from_str(&listed.text).unwrap();
    assert_eq!(listed, written, "a list of segments is the same request");
}

#[test]
fn symbols_on_the_same_line_are_marked() {
    let project = Project::new("");
    project.write(
        "a.js",
        "function a() {} function b() {}\nfunction c() {}\nclass D { e() {} f() {} }\n",
    );
    project.write("b.py", "x = 1; y = 2\nz = 3\n");
    let host = plain_host(&project);
    for (spec, text, shares) in [
        ("a.js:a", "function a() {} function b() {}\n", true),
        ("a.js:b", "function a() {} function b() {}\n", true),
        ("a.js:c", "function c() {}\n", false),
        // What a symbol contains is its own.
        ("a.js:D", "class D { e() {} f() {} }\n", false),
        ("a.js:D.f", "class D { e() {} f() {} }\n", true),
        ("b.py:y", "x = 1; y = 2\n", true),
        ("b.py:z", "z = 3\n", false),
    ] {
        let item = &read(&host, &[spec])["items"][0];
        assert_eq!(item["text"], text, "{spec}");
        let expected = shares.then_some(&Value::Bool(true));
        assert_eq!(item["symbol"].get("sharedLines"), expected, "{spec}");
    }
    let outline = &read(&host, &["a.js:"])["items"][0]["symbols"];
    assert_eq!(
        outline,
        &json!([
            {"path": "a", "kind": "function", "lines": {"start": 1, "end": 1}, "sharedLines": true},
            {"path": "b", "kind": "function", "lines": {"start": 1, "end": 1}, "sharedLines": true},
            {"path": "c", "kind": "function", "lines": {"start": 2, "end": 2}},
            {"path": "D", "kind": "class", "lines": {"start": 3, "end": 3}, "members": [
                {"path": "D.e", "kind": "method", "lines": {"start": 3, "end": 3}, "sharedLines": true},
                {"path": "D.f", "kind": "method", "lines": {"start": 3, "end": 3}, "sharedLines": true}
            ]}
        ])
    );
}

const IMPORTS: &str = "import {
  first as second,
  third,
} from 'x';
import fourth, * as fifth from 'y';
import type { Sixth } from 'z';

/** Where it begins. */
export const base: Sixth = 1;

export default function main() {
  return second(base) + fifth.x;
}

function other() {
  return main() + third;
}

function alone() {
  return first;
}
";

#[test]
fn imports_are_dependencies_under_the_names_they_bind() {
    let project = Project::new("");
    project.write("a.ts", IMPORTS);
    project.write(
        "b.py",
        "import os.path\nfrom a import b as c, d\nimport numpy as np\nX = 1\n\n\ndef f():\n    import json\n    return os.sep + c(X) + json.dumps(1)\n\n\ndef g(): return np.b\n",
    );
    let host = plain_host(&project);
    let brackets = json!({"kind": "import", "lines": {"start": 1, "end": 4}, "text": "import {\n  first as second,\n  third,\n} from 'x';\n"});
    let star = json!({"kind": "import", "lines": {"start": 5, "end": 5}, "text": "import fourth, * as fifth from 'y';\n"});
    let types = json!({"kind": "import", "lines": {"start": 6, "end": 6}, "text": "import type { Sixth } from 'z';\n"});
    let base = json!({"path": "base", "kind": "variable", "lines": {"start": 8, "end": 9}, "text": "/** Where it begins. */\nexport const base: Sixth = 1;\n"});
    let main = json!({"path": "main", "kind": "function", "lines": {"start": 11, "end": 13}, "text": "export default function main() {\n  return second(base) + fifth.x;\n}\n"});
    let line = |n: usize, text: &str| json!({"kind": "import", "lines": {"start": n, "end": n}, "text": text});
    let constant = json!({"path": "X", "kind": "constant", "lines": {"start": 4, "end": 4}, "text": "X = 1\n"});
    for (spec, expected) in [
        // The type is used by what is used: two steps.
        ("a.ts:main+", json!([brackets, star, types, base])),
        // Found by its other name, it is the same symbol.
        ("a.ts:default+", json!([brackets, star, types, base])),
        ("a.ts:base+", json!([types])),
        // What is imported as `second` is not bound as `first`.
        ("a.ts:alone+", json!([])),
        // The type would be a third step.
        ("a.ts:other+", json!([brackets, star, base, main])),
        (
            "b.py:f+",
            json!([
                line(1, "import os.path\n"),
                line(2, "from a import b as c, d\n"),
                constant
            ]),
        ),
        ("b.py:g+", json!([line(3, "import numpy as np\n")])),
        ("b.py:X+", json!([])),
    ] {
        let item = &read(&host, &[spec])["items"][0];
        assert_eq!(item["dependencies"], expected, "{spec}");
    }
    assert!(
        read(&host, &["b.py:f"])["items"][0]
            .get("dependencies")
            .is_none()
    );
    let named = &read(&host, &["a.ts:default"])["items"][0]["symbol"];
    assert_eq!(
        named,
        &json!({"path": "main", "kind": "function", "aliases": ["default"]})
    );
    let outline = &read(&host, &["a.ts:"])["items"][0]["symbols"];
    assert_eq!(outline[1]["aliases"], json!(["default"]));
    assert_eq!(outline[0].get("aliases"), None);
}
