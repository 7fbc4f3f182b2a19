//! Exact lists of files.

use super::{finish, paths, program, sample};
use crate::support::Project;

fn listed(project: &Project, option: &str, input: &[u8]) -> Vec<String> {
    let mut command = program(project.dir());
    command.args([option, "-f", "json", "-o", "-"]);
    paths(&finish(command, input).ok())
}

#[test]
fn lists_from_standard_input() {
    let project = sample();
    project.write("a\nb.txt", "two lines\n");
    let root = project.dir().canonicalize().unwrap();
    let absolute = format!("{}/README.md\n", root.display());
    for (option, input, wanted) in [
        (
            "--stdin",
            "src/main.rs\nREADME.md\n",
            &["README.md", "src/main.rs"][..],
        ),
        (
            "--stdin",
            "./src/main.rs\r\n\r\nsrc/main.rs",
            &["src/main.rs"],
        ),
        ("--stdin", "", &[]),
        ("--stdin", &absolute, &["README.md"]),
        ("--stdin", "missing\nREADME.md\n", &["README.md"]),
        (
            "--stdin0",
            "a\nb.txt\0README.md\0",
            &["README.md", "a\nb.txt"],
        ),
    ] {
        assert_eq!(
            listed(&project, option, input.as_bytes()),
            wanted,
            "{input:?}"
        );
    }
}

#[test]
fn a_list_is_read_to_its_end() {
    let project = Project::new("");
    let mut list = String::new();
    for i in 0..3_000 {
        project.write(&format!("files/with-a-long-name-{i:05}.txt"), "x\n");
        list.push_str(&format!("files/with-a-long-name-{i:05}.txt\n"));
    }
    assert_eq!(listed(&project, "--stdin", list.as_bytes()).len(), 3_000);
}

#[test]
fn a_list_from_a_file_and_its_faults() {
    let project = sample();
    project.write("list", "README.md\n");
    assert_eq!(super::packed(&project, "--files-from list"), ["README.md"]);
    project.write("list", "README.md\n../x\n");
    let text = super::words(&project, "--files-from list -o -").fails(2);
    assert_eq!(
        text,
        "error: path list, line 2: the path must not hold . or .. as a segment\n"
    );
    project.write("list", b"a\xff\n");
    let text = super::words(&project, "--files-from list -o -").fails(2);
    assert_eq!(
        text,
        "error: path list, line 1: the path is not valid UTF-8\n"
    );
}

#[test]
fn ignore_rules_hold_for_listed_files() {
    let project = sample();
    project.write(".gitignore", "README.md\n");
    assert_eq!(
        listed(&project, "--stdin", b"README.md\nsrc/main.rs\n"),
        ["src/main.rs"]
    );
}
