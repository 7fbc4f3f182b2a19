//! The real programs: `crib-mcp`, and `moon-repomix --mcp --crib`.

#![cfg(feature = "cli")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{LIST, LOAD, SEARCH, SOON, document, error};
use crate::crib::crib_host::{Fault, Host};
use crate::support::Project;
use crate::support::server::meta;

const CRIB_MCP: &str = env!("CARGO_BIN_EXE_crib-mcp");
const MOON_REPOMIX: &str = env!("CARGO_BIN_EXE_moon-repomix");

fn call(id: i64, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta()});
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    format!("{message}\n")
}

fn spawn(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends lines one by one, waits for each answer, and ends the session.
fn converse(command: &mut Command, lines: &[String]) -> Vec<Value> {
    let mut child = spawn(command);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut answers = Vec::new();
    for line in lines {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        answers.push(serde_json::from_str(&answer).unwrap());
    }
    drop(stdin);
    let mut rest = String::new();
    stdout.read_line(&mut rest).unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!((rest.as_str(), status.code()), ("", Some(0)));
    assert_eq!(String::from_utf8_lossy(&stderr), "");
    answers
}

fn crib_mcp(host: &Host) -> Command {
    let mut command = Command::new(CRIB_MCP);
    command.arg("--user-data").arg(host.user_data());
    command
}

#[test]
fn the_program_lists_searches_and_loads() {
    let host = Host::start();
    let generation = host.generation();
    let load = json!({"section_key": "postgresql-18-en:00", "generation": generation});
    let answers = converse(
        &mut crib_mcp(&host),
        &[
            call(1, LIST, &json!({})),
            call(2, SEARCH, &json!({"text": "note", "locale": "en"})),
            call(3, LOAD, &load),
            call(4, LOAD, &json!({})),
        ],
    );
    for answer in &answers[..3] {
        assert_eq!(document(answer)["generation"], json!(generation));
    }
    assert_eq!(error(&answers[3])["code"], "invalid_argument");
    host.judge();
}

/// The default directory lies below the home directory, whatever name the program runs under.
#[test]
fn the_usual_directory_and_the_other_name() {
    let host = Host::start();
    let home = tempfile::tempdir().unwrap();
    let support = home.path().join("Library/Application Support");
    std::fs::create_dir_all(&support).unwrap();
    std::fs::rename(host.user_data(), support.join("Crib")).unwrap();
    let other = home.path().join("CribMCP");
    symlink(CRIB_MCP, &other).unwrap();
    for program in [Path::new(CRIB_MCP), &other] {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", home.path());
        document(&converse(&mut command, &[call(1, LIST, &json!({}))])[0]);
    }
    std::fs::rename(support.join("Crib"), host.user_data()).unwrap();
    host.judge();
}

/// A host may start the program with no environment at all.
#[test]
fn an_empty_environment_is_no_obstacle() {
    let mut command = Command::new(CRIB_MCP);
    command.env_clear();
    let answer = &converse(&mut command, &[call(1, LIST, &json!({}))])[0];
    if answer["result"]["isError"] == true {
        assert_eq!(error(answer)["code"], "local_api_unavailable");
    }
    let host = Host::start();
    let mut command = crib_mcp(&host);
    command.env_clear();
    document(&converse(&mut command, &[call(1, LIST, &json!({}))])[0]);
}

#[test]
fn options() {
    for (arguments, code, shown) in [
        (&["--help"][..], 0, "--user-data"),
        (&["--version"], 0, env!("CARGO_PKG_VERSION")),
        (&["--port", "1"], 2, "--port"),
        (&["here"], 2, "here"),
        (&["--user-data"], 2, "--user-data"),
    ] {
        let output = Command::new(CRIB_MCP)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let (wanted, other) = match code {
            0 => (output.stdout, output.stderr),
            _ => (output.stderr, output.stdout),
        };
        assert!(String::from_utf8(wanted).unwrap().contains(shown));
        assert!(other.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_end_of_input_ends_the_program_and_its_sockets() {
    let host = Host::start();
    host.fault(Fault::Hold);
    let mut child = spawn(&mut crib_mcp(&host));
    let mut stdin = child.stdin.take().unwrap();
    for id in 0..12 {
        stdin
            .write_all(call(id, LIST, &json!({})).as_bytes())
            .unwrap();
    }
    host.wait_for_held(8);
    let started = Instant::now();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let took = started.elapsed();
    host.wait_for_silence();
    assert!(took < SOON + Duration::from_millis(250), "{took:?}");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    assert_eq!(host.connections(), 8);
    host.judge();
}

#[test]
fn beside_the_repository_tools() {
    let project = Project::new(
        "
        //- a.txt
        text
        ",
    );
    let host = Host::start();
    let list =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta()}});
    for offered in [true, false] {
        let mut command = Command::new(MOON_REPOMIX);
        command.arg(project.dir()).arg("--mcp");
        if offered {
            command.arg(format!("--crib={}", host.user_data().display()));
        }
        let answers = converse(
            &mut command,
            &[format!("{list}\n"), call(2, LIST, &json!({}))],
        );
        let tools = answers[0]["result"]["tools"].as_array().unwrap().clone();
        let names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
        assert_eq!(names.ends_with(&[LIST, SEARCH, LOAD]), offered, "{names:?}");
        assert!(names.contains(&"pack_repository"));
        if offered {
            document(&answers[1]);
        } else {
            assert_eq!(answers[1]["error"]["code"], -32602);
        }
    }
    host.judge();
}
