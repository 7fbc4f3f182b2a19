//! Older encodings by name, and UTF-8 with bad bytes.

use std::io::Write as _;

use serde_json::Value;

use super::{finish, program, words};
use crate::support::{Project, parse};

/// Two files that are not UTF-8, one of which nearly is, and one that is no text.
fn project() -> Project {
    let project = Project::new("");
    project.write("gbk.py", b"# \xc4\xe3\xba\xc3\nx = 1\n");
    project.write("bad.txt", b"one \xff bad byte\n");
    project.write("noise.bin", b"\xc4\xe3\xba\xc3\0");
    project.write("plain.txt", "plain\n");
    project
}

fn report(project: &Project, line: &str) -> Value {
    let ran = words(project, &format!("{line} --report json -o -"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stderr).unwrap()
}

/// The member of a list that is about a path.
fn about<'v>(list: &'v Value, path: &str) -> &'v Value {
    let mut all = list.as_array().unwrap().iter();
    all.find(|one| one["path"] == path).unwrap_or(&Value::Null)
}

#[test]
fn nothing_uncertain_is_taken_by_itself() {
    let project = project();
    let report = report(&project, "");
    for path in ["gbk.py", "bad.txt"] {
        let reason = &about(&report["skipped"], path)["reason"];
        assert_eq!(reason, "UnsupportedEncoding", "{path}");
    }
    let plain = about(&report["accepted"], "plain.txt");
    assert!(plain.get("textEncoding").is_none() && plain.get("undecoded").is_none());
    let notes = |line: &str| {
        let text = words(&project, line).stderr;
        text.matches("note: --encoding NAME").count()
    };
    assert_eq!(notes("-o -"), 1);
    assert_eq!(notes("-o - --encoding gbk,latin1"), 0);
}

#[test]
fn named_encodings_are_tried_and_told() {
    let project = project();
    project.write("named.json", r#"{"input": {"encodings": ["GBK"]}}"#);
    for line in [
        "--encoding gbk",
        "--encoding utf-8,GBK",
        "--config named.json",
    ] {
        let report = report(&project, line);
        let file = about(&report["accepted"], "gbk.py");
        assert_eq!(file["textEncoding"], "GBK", "{line}: {report}");
        let bad = about(&report["skipped"], "bad.txt");
        assert_eq!(bad["reason"], "UnsupportedEncoding", "{line}");
        let noise = about(&report["skipped"], "noise.bin");
        assert_eq!(noise["reason"], "Binary", "{line}");
        let text = words(&project, &format!("{line} -o -")).ok();
        assert!(text.contains("# \u{4f60}\u{597d}\n"), "{text}");
    }
    // What was typed stands in place of the file's.
    let report = report(&project, "--config named.json --encoding latin1");
    let file = about(&report["accepted"], "gbk.py");
    assert_eq!(file["textEncoding"], "windows-1252");
    let text = words(&project, "--encoding GBX").fails(2);
    assert!(
        text.contains("no encoding has this name, the nearest is GBK"),
        "{text}"
    );
    let text = words(&project, "--encoding UTF-16").fails(2);
    assert!(text.contains("cannot be told from other text"), "{text}");
}

#[test]
fn bad_places_are_replaced_and_marked_in_every_style() {
    let project = project();
    for style in ["xml", "markdown", "json", "plain"] {
        let ran = words(&project, &format!("--lossy -o - -f {style}"));
        assert!(
            ran.stderr
                .contains("warning: replaced places that are not UTF-8 in bad.txt: 1\n"),
            "{}",
            ran.stderr
        );
        let text = ran.ok();
        let entries = parse::entries(style, &text);
        let bad = entries
            .iter()
            .find(|entry| entry.path == "bad.txt")
            .unwrap();
        assert_eq!(bad.text, "one \u{fffd} bad byte\n", "{style}");
        assert_eq!(text.matches("undecoded").count(), 1, "{style}: {text}");
    }
    project.write("named.json", r#"{"input": {"lossy": true}}"#);
    for line in ["--lossy", "--config named.json"] {
        let report = report(&project, line);
        assert_eq!(
            about(&report["accepted"], "bad.txt")["undecoded"],
            1,
            "{line}"
        );
        let gbk = about(&report["skipped"], "gbk.py");
        assert_eq!(gbk["reason"], "UnsupportedEncoding", "{line}");
    }
    let report = report(&project, "--config named.json --no-lossy");
    assert_eq!(
        about(&report["skipped"], "bad.txt")["reason"],
        "UnsupportedEncoding"
    );
    // Volumes, contexts and code say it, too.
    words(&project, "--lossy --split 1k -o volumes").ok();
    let index = std::fs::read_to_string(project.join("volumes/index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    assert_eq!(about(&index["files"], "bad.txt")["undecoded"], 1);
    let code = words(&project, ". --lossy --code bad.txt").ok();
    let code: Value = serde_json::from_str(&code).unwrap();
    assert_eq!(about(&code["audit"]["files"], "bad.txt")["undecoded"], 1);
    project.write(
        "plan.json",
        r#"{"maxTokens":900,"tasks":[{"id":"a","required":[{"path":"bad.txt","mode":"full"}]}]}"#,
    );
    words(&project, "--lossy --plan plan.json -o context").ok();
    let audit = std::fs::read_to_string(project.join("context/audit.json")).unwrap();
    let audit: Value = serde_json::from_str(&audit).unwrap();
    assert_eq!(about(&audit["files"], "bad.txt")["undecoded"], 1);
}

#[test]
fn the_scan_sees_the_decoded_text() {
    let project = Project::new("");
    // Put together here, so that this file can be packed.
    let key = ["AKIA", "Z7QK4XW2MNB5RTYU"].concat();
    let mut bytes = b"# \xc4\xe3\n".to_vec();
    writeln!(bytes, "id = {key}").unwrap();
    project.write("gbk.txt", &bytes);
    project.write(
        "bad.txt",
        [format!("id = {key}\n").as_bytes(), b"\xff"].concat(),
    );
    let ran = words(&project, "--encoding GBK --lossy --report json -o -");
    assert!(!ran.stdout.contains(&key), "{}", ran.stdout);
    let report: Value = serde_json::from_str(&ran.stderr).unwrap();
    for path in ["gbk.txt", "bad.txt"] {
        assert_eq!(
            about(&report["skipped"], path)["reason"],
            "SecretDetected",
            "{path}"
        );
    }
}

#[test]
fn the_server_takes_them_from_its_host_alone() {
    let project = project();
    let ask = |options: &[&str], arguments: &str| {
        let mut command = program(project.dir());
        command.args([".", "--mcp"]).args(options);
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"explain_selection\",\"arguments\":{{\"paths\":[\"gbk.py\",\"bad.txt\"]{arguments}}},{meta}}}}}\n"
        );
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        // The end of input would cancel the work.
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut answer = String::new();
        std::io::BufRead::read_line(&mut output, &mut answer).unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    let answer = ask(&["--encoding", "GBK", "--lossy"], "");
    let decisions = &answer["result"]["structuredContent"]["decisions"];
    assert_eq!(decisions[0]["textEncoding"], "GBK", "{answer}");
    assert_eq!(decisions[1]["undecoded"], 1, "{answer}");
    let answer = ask(&[], "");
    let decisions = &answer["result"]["structuredContent"]["decisions"];
    assert_eq!(decisions[0]["reason"], "UnsupportedEncoding", "{answer}");
    for argument in [r#","encodings":["GBK"]"#, r#","lossy":true"#] {
        assert_eq!(ask(&[], argument)["error"]["code"], -32602, "{argument}");
    }
    let mut command = program(project.dir());
    command.args([
        ".",
        "--encoding",
        "GBK",
        "--lossy",
        "--print-client-config",
        "codex",
    ]);
    let text = finish(command, b"").ok();
    assert!(text.contains("\"--encoding=GBK\",\"--lossy\""), "{text}");
}
