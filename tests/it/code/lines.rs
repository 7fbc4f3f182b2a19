//! Line ranges give a file back byte for byte, however it is divided.

use super::*;

/// Files by the trouble in them, and the line ends of the whole.
const FILES: [(&str, &str, &str); 13] = [
    ("lf", "one\ntwo\n\nfour\n", "lf"),
    ("crlf", "one\r\ntwo\r\n\r\nfour\r\n", "crlf"),
    ("mixed", "one\r\ntwo\nthree\r\n", "mixed"),
    ("open", "one\ntwo\nlast", "lf"),
    ("open-crlf", "one\r\n\r\ntwo\r\nlast", "crlf"),
    ("cr", "one\rtwo\r\nthree\rfour\nfive\r", "mixed"),
    ("cr-alone", "one\rtwo\rthree", "none"),
    ("cr-before-crlf", "one\r\r\ntwo\r\r\r\n\rthree\r\n", "crlf"),
    ("blank", "\n\n\n\n\n", "lf"),
    (
        "astral",
        "\u{1f980}\n\u{6f22}\u{5b57}\ne\u{301}\u{2028}x\u{c}\n\u{10ffff}\u{1d11e}\n\u{85}\u{b}",
        "lf",
    ),
    ("bom", "\u{feff}one\n\u{feff}two\nthree \u{1f980}\n", "lf"),
    ("bom-crlf", "\u{feff}\u{1f980}\r\n\r\n\u{feff}last", "crlf"),
    ("single", "no line end", "none"),
];

/// The division of `1..=n` whose cuts are the bits of `cuts`.
fn ranges(n: u64, cuts: u64) -> Vec<(u64, u64)> {
    let mut start = 1;
    let mut ranges = Vec::new();
    for line in 1..=n {
        if line == n || cuts >> (line - 1) & 1 == 1 {
            ranges.push((start, line));
            start = line + 1;
        }
    }
    ranges
}

/// What ends the lines of a slice.
fn ending(text: &str) -> &'static str {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let ended = lines.iter().filter(|line| line.ends_with('\n'));
    let crlf: Vec<bool> = ended.map(|line| line.ends_with("\r\n")).collect();
    match (crlf.contains(&true), crlf.contains(&false)) {
        (false, false) => "none",
        (true, false) => "crlf",
        (false, true) => "lf",
        (true, true) => "mixed",
    }
}

/// Reads `name` in these pieces and puts them together.
fn joined(host: &HostOptions, name: &str, ranges: &[(u64, u64)]) -> String {
    let specs: Vec<String> = ranges
        .iter()
        .map(|(start, end)| format!("{name}:{start}-{end}"))
        .collect();
    let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
    let code = read(host, &specs);
    let items = code["items"].as_array().unwrap();
    assert_eq!(items.len(), ranges.len());
    let mut joined = String::new();
    for (item, (start, end)) in items.iter().zip(ranges) {
        let text = item["text"].as_str().unwrap();
        assert_eq!(item["lines"], json!({"start": start, "end": end}));
        assert_eq!(item["lineEnding"], ending(text), "{name}:{start}-{end}");
        assert_eq!(text.split_inclusive('\n').count() as u64, end - start + 1);
        joined.push_str(text);
    }
    joined
}

#[test]
fn every_partition_gives_the_file_back() {
    let project = Project::new("");
    for (name, text, _) in FILES {
        project.write(name, text);
    }
    let host = plain_host(&project);
    for (name, text, ending) in FILES {
        let whole = read(&host, &[name]);
        // The mark at the very start is told of, not delivered.
        let (mark, text) = match text.strip_prefix('\u{feff}') {
            Some(rest) => ("\u{feff}", rest),
            None => ("", text),
        };
        let facts = &whole["audit"]["files"][0];
        assert_eq!(facts["byteOrderMark"], !mark.is_empty(), "{name}");
        assert_eq!(facts["finalNewline"], text.ends_with('\n'), "{name}");
        let item = &whole["items"][0];
        assert_eq!(item["text"], text, "{name}");
        assert_eq!(item["lineEnding"], ending, "{name}");
        let n_lines = item["totalLines"].as_u64().unwrap();
        assert_eq!(item["lines"], json!({"start": 1, "end": n_lines}));
        assert_eq!(facts["sourceLines"], n_lines);
        for cuts in 0..1 << (n_lines - 1) {
            let ranges = ranges(n_lines, cuts);
            let bytes = format!("{mark}{}", joined(&host, name, &ranges));
            assert!(
                bytes.as_bytes() == std::fs::read(project.join(name)).unwrap(),
                "{name} {ranges:?}"
            );
        }
        for (start, end) in [
            (1, n_lines + 1),
            (n_lines, n_lines + 1),
            (n_lines + 1, n_lines + 1),
            (n_lines + 1, u64::from(u32::MAX)),
            (1, u64::MAX),
        ] {
            let spec = format!("{name}:{start}-{end}");
            let failed = failed(&host, &["single", &spec], &ROUND);
            let problem = json!({"index": 1, "path": name, "reason": "LineOutOfRange", "totalLines": n_lines});
            assert_eq!(failed["problems"], json!([problem]), "{spec}");
        }
    }
}

#[test]
fn as_many_pieces_as_a_request_may_have() {
    let project = Project::new("");
    let line = |n: u64| match n % 4 {
        0 => format!("{n} \u{1f980}\r\n"),
        1 => format!("\r{n}\u{301}\r\n"),
        2 => "\n".to_owned(),
        _ => format!("{n} \u{2029} x\n"),
    };
    let text: String = (1..=130).map(line).collect::<String>() + "end";
    project.write("long", &text);
    let ranges: Vec<(u64, u64)> = (0..64)
        .map(|part| (part * 131 / 64 + 1, (part + 1) * 131 / 64))
        .collect();
    assert_eq!(joined(&plain_host(&project), "long", &ranges), text);
}

#[test]
fn an_empty_file_has_no_lines() {
    let project = Project::new("");
    for (name, bytes, mark) in [("empty", "", false), ("mark", "\u{feff}", true)] {
        project.write(name, bytes);
        let host = plain_host(&project);
        let code = read(&host, &[name]);
        assert_eq!(
            code["items"],
            json!([{"index": 0, "path": name, "kind": "full", "totalLines": 0, "lineEnding": "none", "text": ""}])
        );
        assert_eq!(code["audit"]["files"][0]["byteOrderMark"], mark);
        let expected = [(0, "LineOutOfRange".to_owned())];
        assert_eq!(problems(&host, &[&format!("{name}:1")]), expected);
    }
}
