//! Where the result goes: all or nothing, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use super::{finish, packed, program, run, sample, words};
use crate::support::Project;

fn read(project: &Project, path: &str) -> String {
    fs::read_to_string(project.join(path)).unwrap()
}

fn names(project: &Project, path: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(project.join(path))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_default_is_a_file_in_the_current_directory() {
    let project = sample();
    fs::create_dir(project.join("elsewhere")).unwrap();
    let mut command = program(&project.join("elsewhere"));
    command.arg("..");
    let ran = finish(command, b"");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(names(&project, "elsewhere"), ["moon-repomix-output.xml"]);
    assert!(read(&project, "elsewhere/moon-repomix-output.xml").contains("Read me."));
}

#[test]
fn standard_output_carries_the_document_and_a_pipe_nothing_else() {
    let project = sample();
    words(&project, "-o out.xml").ok();
    let ran = words(&project, "-o -");
    assert_eq!(ran.stderr, "");
    assert_eq!(ran.stdout, read(&project, "out.xml"));
    // What was asked for is told, on standard error.
    let ran = words(&project, "-o - --token-tree --top-files 1 -v");
    assert_eq!(ran.stdout, read(&project, "out.xml"));
    assert!(
        ran.stderr.contains("src/") && ran.stderr.contains("Largest files:"),
        "{}",
        ran.stderr
    );
}

#[test]
fn own_outputs_are_never_packed() {
    let project = sample();
    for line in [
        "-o docs/out.xml",
        "-o second.md -f md",
        "-f json",
        "--split 2k -o parts",
    ] {
        words(&project, line).ok();
    }
    fs::rename(project.join("second.md"), project.join("renamed.txt")).unwrap();
    let first = packed(&project, "");
    assert_eq!(first, ["README.md", "src/deep/a.rs", "src/main.rs"]);
    words(&project, "-o docs/out.xml").ok();
    let once = read(&project, "docs/out.xml");
    words(&project, "-o docs/out.xml").ok();
    assert_eq!(read(&project, "docs/out.xml"), once);
    // Also not while its place holds something else.
    project.write("plan.txt", "not a document\n");
    words(&project, "-f json -o plan.txt").ok();
    assert_eq!(super::paths(&read(&project, "plan.txt")), first);
}

#[test]
fn an_absolute_output_works_like_a_relative_one() {
    let project = sample();
    let path = project.join("docs/out.xml");
    for _ in 0..2 {
        run(&project, &["-o", path.to_str().unwrap()]).ok();
    }
    let text = read(&project, "docs/out.xml");
    assert_eq!(text, words(&project, "-o -").ok());
}

#[test]
fn a_failure_leaves_the_earlier_output() {
    let project = sample();
    project.write("out.xml", "earlier\n");
    for line in [
        "-o out.xml --max-files 1",
        "-o out.xml --budget 10",
        "-o out.xml --style html",
        "-o out.xml --max-source-bytes 1",
    ] {
        assert_ne!(words(&project, line).code, 0, "{line}");
        assert_eq!(read(&project, "out.xml"), "earlier\n", "{line}");
    }
    words(&project, "-o out.xml").ok();
    assert!(read(&project, "out.xml").starts_with("<repository"));
    assert_eq!(names(&project, ""), ["README.md", "out.xml", "src"]);
}

#[test]
fn an_output_that_cannot_be_written_is_named_with_the_reason() {
    let project = sample();
    let text = words(&project, "-o src").fails(1);
    assert_eq!(text, "error: src cannot be written: is a directory\n");
    let text = words(&project, "-o README.md/x").fails(1);
    assert!(
        text.starts_with("error: README.md cannot be written: "),
        "{text}"
    );
    let text = words(&project, "--split 8k -o README.md").fails(1);
    assert_eq!(
        text,
        "error: README.md cannot be written: not a directory\n"
    );
}

#[test]
fn places_that_may_not_be_written() {
    if !crate::support::is_ordinary_user("cli::output::places_that_may_not_be_written") {
        return;
    }
    let project = sample();
    let locked = project.join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    let text = words(&project, "-o locked/x.xml").fails(1);
    assert_eq!(
        text,
        "error: locked/x.xml cannot be written: permission denied\n"
    );
    let mut command = program(&locked);
    command.arg("..");
    let text = finish(command, b"").fails(1);
    assert!(
        text.contains("moon-repomix-output.xml cannot be written: permission denied"),
        "{text}"
    );
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn links_and_permissions_of_the_output_stay() {
    let project = sample();
    project.write("real.xml", "earlier\n");
    fs::set_permissions(project.join("real.xml"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.xml", project.join("link.xml")).unwrap();
    words(&project, "-o link.xml").ok();
    assert!(
        fs::symlink_metadata(project.join("link.xml"))
            .unwrap()
            .is_symlink()
    );
    assert!(read(&project, "real.xml").starts_with("<repository"));
    let mode = fs::metadata(project.join("real.xml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    words(&project, "-o /dev/null").ok();
}

#[test]
#[cfg(target_os = "linux")]
fn devices_and_directories_that_take_no_files() {
    let project = sample();
    let text = words(&project, "-o /dev/full").fails(1);
    assert_eq!(
        text,
        "error: /dev/full cannot be written: no storage space\n"
    );
    let mut command = program(std::path::Path::new("/proc"));
    command.arg(project.dir());
    let text = finish(command, b"").fails(1);
    let wanted = "error: moon-repomix-output.xml cannot be written: ";
    assert!(text.starts_with(wanted), "{text}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let project = sample();
    project.write("long.txt", "word ".repeat(200_000));
    let mut command = program(project.dir());
    command
        .args(["-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_budget_names_the_largest_contributors() {
    let project = sample();
    project.write("big.txt", "many words ".repeat(5_000));
    let report = words(&project, "-o - --report json").stderr;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let tokens: u64 = report["totals"]["tokens"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    words(&project, &format!("-o out.xml --budget {tokens}")).ok();
    fs::remove_file(project.join("out.xml")).unwrap();
    let text = words(&project, &format!("-o out.xml --budget {}", tokens - 1)).fails(3);
    assert!(text.starts_with("error: the document has "), "{text}");
    assert!(
        text.contains("nothing was written; largest: big.txt (10,0"),
        "{text}"
    );
    assert!(text.contains(" %)"), "{text}");
    assert!(!project.join("out.xml").exists());
    words(&project, "-o - --budget 1k").fails(3);
    let text = words(&project, "--budget 1k --report json").fails(3);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["error"]["code"], "OverBudget");
    assert_eq!(report["error"]["contributors"][0]["path"], "big.txt");
}

#[test]
fn volumes_hold_their_cap_and_add_up() {
    let project = sample();
    let lines: String = (0..4_000)
        .map(|i| format!("line {i} of a long file\n"))
        .collect();
    project.write("big.txt", &lines);
    words(&project, "--split 2k --verify-counts -f json").ok();
    let index: serde_json::Value =
        serde_json::from_str(&read(&project, "moon-repomix-output/index.json")).unwrap();
    let volumes = index["volumes"].as_array().unwrap();
    assert!(volumes.len() > 5);
    let mut joined = String::new();
    for volume in volumes {
        let name = volume["fileName"].as_str().unwrap();
        let text = read(&project, &format!("moon-repomix-output/{name}"));
        let tokens = tiktoken_rs::o200k_base_singleton()
            .encode_ordinary(&text)
            .len();
        assert_eq!(volume["tokens"], tokens.to_string());
        assert!(tokens <= 2_000);
        let volume: serde_json::Value = serde_json::from_str(&text).unwrap();
        for file in volume["files"].as_array().unwrap() {
            if file["path"] == "big.txt" {
                joined.push_str(file["content"].as_str().unwrap());
            }
        }
    }
    assert_eq!(joined, lines);
}

#[test]
fn volumes_of_an_earlier_run_are_replaced_and_nothing_else() {
    let project = sample();
    project.write("big.txt", "some words here\n".repeat(3_000));
    words(&project, "--split 1k -o parts").ok();
    let many = names(&project, "parts");
    assert!(many.len() > 5);
    project.write("parts/notes.txt", "mine\n");
    project.write("parts/volume-999.xml", "mine, too\n");
    // The index lists what was ignored, so only the volumes are the same.
    let volumes = || -> Vec<String> {
        let names = many.iter().filter(|name| *name != "index.json");
        names
            .map(|name| read(&project, &format!("parts/{name}")))
            .collect()
    };
    let once = volumes();
    words(&project, "--split 1k -o parts -i parts/*").ok();
    assert!(once == volumes());
    words(&project, "--split 1m -o parts -f md -i parts").ok();
    assert_eq!(
        names(&project, "parts"),
        ["index.json", "notes.txt", "volume-001.md", "volume-999.xml"]
    );
    assert_eq!(read(&project, "parts/volume-999.xml"), "mine, too\n");
    // A file of another program in the place of a volume: nothing changes.
    project.write("parts/volume-002.md", "mine\n");
    let before = names(&project, "parts");
    let text = words(&project, "--split 1k -o parts -f md -i parts").fails(1);
    assert!(
        text.contains("parts/volume-002.md was not written by moon-repomix"),
        "{text}"
    );
    assert_eq!(names(&project, "parts"), before);
}

#[test]
fn a_file_larger_than_the_cap_is_divided_and_a_long_line_reported() {
    let project = sample();
    project.write("big.txt", "a line of some words\n".repeat(1_500));
    project.write("line.txt", "word ".repeat(9_000));
    let ran = words(&project, "--split 8k");
    assert_eq!(ran.code, 0);
    assert!(
        ran.stderr
            .contains("warning: skipped line.txt: LineOverCap"),
        "{}",
        ran.stderr
    );
    words(&project, "--split 5").fails(1);
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let project = sample();
    for i in 0..40 {
        project.write(
            &format!("many/{i}.rs"),
            format!("fn f{i}() {{ {i}; }}\n").repeat(i + 1),
        );
    }
    let with = |n_threads: &str| {
        let mut command = program(project.dir());
        command
            .args(["-o", "-", "--compress", "--report", "json"])
            .env("RAYON_NUM_THREADS", n_threads);
        finish(command, b"")
    };
    assert_eq!(with("1"), with("7"));
}

#[test]
#[cfg(target_os = "linux")]
fn an_interruption_ends_with_130_and_leaves_the_earlier_output() {
    let project = Project::new("");
    project.write("out.xml", "earlier\n");
    for i in 0..600 {
        project.write(
            &format!("{i}.txt"),
            "several words in a line\n".repeat(4_000),
        );
    }
    let mut command = program(project.dir());
    command
        .args(["-o", "out.xml", "--verify-counts"])
        .env("RAYON_NUM_THREADS", "1")
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    // The handler is there as soon as the thread that looks at it is.
    let tasks = format!("/proc/{}/task", child.id());
    let watching = || {
        fs::read_dir(&tasks).is_ok_and(|tasks| {
            tasks.flatten().any(|task| {
                fs::read_to_string(task.path().join("comm"))
                    .is_ok_and(|name| name.trim() == "watch")
            })
        })
    };
    while !watching() {
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(output.stderr, b"error: interrupted\n");
    assert_eq!(read(&project, "out.xml"), "earlier\n");
    assert!(
        !names(&project, "")
            .iter()
            .any(|name| name.ends_with(".tmp"))
    );
}
