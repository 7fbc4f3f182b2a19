//! The real program: what it writes where, and how it ends.

mod config;
mod context;
mod encodings;
mod links;
mod lists;
mod options;
mod output;
mod report;
mod server;

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Project;

/// How a run ended and what it said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Requires success and gives standard output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self.stdout
    }

    /// Requires an exit code with empty standard output, and gives standard error.
    #[track_caller]
    pub(crate) fn fails(self, code: i32) -> String {
        assert_eq!(
            (self.code, self.stdout.as_str()),
            (code, ""),
            "{}",
            self.stderr
        );
        assert!(!self.stderr.is_empty());
        self.stderr
    }
}

/// The program in `dir`, with nothing of the surroundings that could matter.
pub(crate) fn program(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_moon-repomix"));
    command
        .current_dir(dir)
        .env("HOME", dir.join("no such home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("RAYON_NUM_THREADS")
        .stdin(Stdio::null());
    command
}

/// Runs a prepared program with `input` on standard input.
pub(crate) fn finish(mut command: Command, input: &[u8]) -> Ran {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its options does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the program in the project's directory.
pub(crate) fn run<S: AsRef<OsStr>>(project: &Project, arguments: &[S]) -> Ran {
    let mut command = program(project.dir());
    command.args(arguments);
    finish(command, b"")
}

/// Runs the program with arguments that hold no blanks.
pub(crate) fn words(project: &Project, line: &str) -> Ran {
    run(project, &line.split_whitespace().collect::<Vec<_>>())
}

/// Paths of the files in a JSON document on standard output.
#[track_caller]
pub(crate) fn packed(project: &Project, line: &str) -> Vec<String> {
    let document = words(project, &format!("{line} -f json -o -")).ok();
    paths(&document)
}

/// Paths of the files in a JSON document.
pub(crate) fn paths(document: &str) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_str(document).unwrap();
    let files = value["files"].as_array().unwrap();
    files
        .iter()
        .map(|file| file["path"].as_str().unwrap().to_owned())
        .collect()
}

/// A small project.
pub(crate) fn sample() -> Project {
    Project::new(
        r#"
        //- README.md
        Read me.
        //- src/main.rs
        fn main() {
            println!("hello");
        }
        //- src/deep/a.rs
        pub fn a(x: u32) -> u32 {
            let y = x + 1;
            let z = y * 2;
            let w = z - 3;
            w + x + y + z
        }
        "#,
    )
}
