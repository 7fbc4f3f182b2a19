//! The start of the server: what it refuses, and that it says nothing by itself.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{finish, program, run, sample, words};

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

#[test]
fn options_of_a_run_are_refused_with_one_sentence() {
    let project = sample();
    for option in [
        "--stdin",
        "--stdin0",
        "--output x",
        "-o -",
        "--report json",
        "--budget 8k",
        "--split 8k",
        "--explain README.md",
        "--token-tree",
        "--top-files 3",
    ] {
        let text = words(&project, &format!(". --mcp {option}")).fails(2);
        let wanted = "--mcp cannot be combined with --";
        assert!(text.contains(wanted), "{option}: {text}");
        if option != "--report json" {
            assert!(
                text.starts_with("error: ") && text.lines().count() == 1,
                "{option}: {text}"
            );
        }
    }
}

#[test]
fn caps_at_and_beyond_their_limits() {
    let project = sample();
    for (option, good, bad) in [
        ("--mcp-max-tokens", ["1", "16k"], ["0", "16001"]),
        (
            "--mcp-max-output-bytes",
            ["1m", "256MiB"],
            ["1048575", "268435457"],
        ),
        ("--mcp-max-volumes", ["1", "256"], ["0", "257"]),
        ("--mcp-request-timeout", ["1", "600"], ["0", "601"]),
    ] {
        for value in good {
            let mut command = program(project.dir());
            command.args([".", "--mcp", option, value]);
            let ran = finish(command, PING);
            assert_eq!(ran.stderr, "", "{option} {value}");
            assert!(ran.ok().contains("\"id\":1"), "{option} {value}");
        }
        for value in bad {
            let text = run(&project, &[".", "--mcp", option, value]).fails(2);
            assert!(
                text.starts_with(&format!("error: {option} must be ")),
                "{text}"
            );
        }
    }
}

#[test]
fn a_start_without_a_root_needs_a_project() {
    let project = sample();
    let mut command = program(std::path::Path::new("/"));
    command.arg("--mcp");
    let text = finish(command, PING).fails(2);
    assert_eq!(
        text,
        "error: the current directory is / or a home directory: name the root to serve\n"
    );
    let mut command = program(project.dir());
    command.arg("--mcp").env("HOME", project.dir());
    finish(command, PING).fails(2);
    let mut command = program(project.dir());
    command.args([".", "--mcp"]).env("HOME", project.dir());
    assert!(finish(command, PING).ok().contains("\"id\":1"));
    let mut command = program(project.dir());
    command.arg("--mcp");
    assert!(finish(command, PING).ok().contains("\"id\":1"));
}

#[test]
fn nothing_is_written_before_the_first_request() {
    let project = sample();
    let mut command = program(project.dir());
    command
        .args([".", "--mcp", "-v"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let (seen, lines) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        seen.send(line).unwrap();
    });
    assert!(lines.recv_timeout(Duration::from_millis(300)).is_err());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(PING).unwrap();
    let line = lines.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(line.contains("\"id\":1"), "{line}");
    reader.join().unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn misuse_writes_nothing_to_standard_output() {
    let project = sample();
    for line in ["mcp", "--mpc", "serve --mcp", "--mcp --no-such-option"] {
        words(&project, line).fails(2);
    }
}

#[test]
fn only_a_named_configuration_file_is_read() {
    let project = sample();
    project.write("moon-repomix.config.json", "this is no configuration");
    let mut command = program(project.dir());
    command.args([".", "--mcp"]);
    assert!(finish(command, PING).ok().contains("\"id\":1"));
    words(&project, ". --mcp --config moon-repomix.config.json").fails(2);
    for (text, wanted) in [
        (
            r#"{"mcp": {"maxTokens": 16001}}"#,
            "error: mcp.maxTokens must be 1 to 16000\n",
        ),
        (
            r#"{"output": {"splitTokens": 100}}"#,
            "error: --mcp cannot be combined with output.splitTokens\n",
        ),
        (
            r#"{"output": {"filePath": "-"}}"#,
            "error: --mcp cannot be combined with output.filePath -\n",
        ),
    ] {
        project.write("named.json", text);
        assert_eq!(
            words(&project, ". --mcp --config named.json").fails(2),
            wanted
        );
    }
}

#[test]
fn the_host_list_is_bounded() {
    let project = sample();
    let list = |n: usize| (0..n).map(|i| format!("f{i}\n")).collect::<String>();
    for (n, limit) in [(5_000, &[][..]), (3, &["--max-files", "3"])] {
        project.write("list", list(n));
        let mut command = program(project.dir());
        command.args([".", "--mcp", "--files-from", "list"]);
        command.args(limit);
        assert!(finish(command, PING).ok().contains("\"id\":1"));
    }
    project.write("list", list(4));
    for rest in ["--mcp", "-o -"] {
        let text = words(
            &project,
            &format!(". {rest} --files-from list --max-files 3"),
        )
        .fails(2);
        assert_eq!(
            text,
            "error: the list has more than 3 paths; --max-files sets how many it may have\n"
        );
    }
}

/// A server that runs, and answers one request after the other.
struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
        }
    }

    fn ask(&mut self, method: &str, params: &str) -> Value {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        writeln!(
            self.input,
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{meta}}}}}"#
        )
        .unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn end(self) {
        let Self {
            mut child,
            input,
            output,
        } = self;
        drop(input);
        assert!(child.wait().unwrap().success());
        drop(output);
    }
}

#[test]
fn nothing_of_the_root_is_needed_before_a_request_needs_it() {
    let project = sample();
    project.write("gone/a.txt", "words\n");
    let mut command = program(project.dir());
    command.args(["gone", "--mcp"]);
    let mut server = Running::start(command);
    assert!(server.ask("server/discover", "").get("result").is_some());
    std::fs::remove_dir_all(project.join("gone")).unwrap();
    assert_eq!(
        server.ask("tools/list", "")["result"]["tools"]
            .as_array()
            .unwrap()
            .len(),
        8
    );
    let items = r#"{"items":[{"path":"a.txt","kind":"full"}]}"#;
    let tasks =
        r#"{"maxTokens":900,"tasks":[{"id":"t","required":[{"path":"a.txt","mode":"full"}]}]}"#;
    let none = r#"{"maxTokens":900,"tasks":[{"id":"t"}]}"#;
    for (tool, arguments) in [
        ("pack_repository", "{}"),
        ("pack_repository", r#"{"filePaths":["a.txt"]}"#),
        ("pack_repository", r#"{"filePaths":[]}"#),
        ("plan_task_context", tasks),
        ("plan_task_context", none),
        ("read_code_context", items),
        ("explain_selection", r#"{"paths":["a.txt"]}"#),
    ] {
        let call = format!(r#""name":"{tool}","arguments":{arguments},"#);
        let answer = server.ask("tools/call", &call);
        assert_eq!(
            answer["result"]["structuredContent"]["error"]["code"], "IoFailure",
            "{tool} {arguments}: {answer}"
        );
    }
    server.end();
}

#[test]
fn the_git_configuration_is_read_when_a_request_needs_it() {
    let project = sample();
    let home = sample();
    project.write("notes.secretive", "words\n");
    let mut command = program(project.dir());
    command.args([".", "--mcp"]).env("HOME", home.dir());
    let mut server = Running::start(command);
    assert!(server.ask("server/discover", "").get("result").is_some());
    home.write(".gitconfig", "[core]\n\texcludesFile = ~/rules\n");
    home.write("rules", "*.secretive\n");
    let explained = server.ask(
        "tools/call",
        r#""name":"explain_selection","arguments":{"paths":["notes.secretive"]},"#,
    );
    let decision = &explained["result"]["structuredContent"]["decisions"][0];
    assert_eq!(
        (&decision["reason"], &decision["rule"]["line"]),
        (&"Ignored".into(), &1.into()),
        "{explained}"
    );
    server.end();
}
