//! What is told about a run.

use expect_test::expect;
use serde_json::Value;

use super::{run, sample, words};

#[test]
fn the_summary_tells_files_tokens_bytes_and_skips() {
    let project = sample();
    project.write("logo.dat", b"h\0i\0");
    project.write("node_modules/x.js", "x\n");
    let ran = words(&project, "-o out.xml");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let n_bytes = std::fs::metadata(project.join("out.xml")).unwrap().len();
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(lines[0].starts_with("3 files, "), "{}", ran.stderr);
    assert!(
        lines[0].ends_with(&format!(
            " tokens (o200k_base), {} bytes -> out.xml",
            grouped(n_bytes)
        )),
        "{}",
        ran.stderr
    );
    assert_eq!(lines[1], "skipped 2: Binary 1, Ignored 1");
    assert_eq!(lines[2], "warning: skipped logo.dat: Binary");
    assert_eq!(lines.len(), 3);
}

fn grouped(n: u64) -> String {
    let text = n.to_string();
    match text.len() {
        0..=3 => text,
        len => format!("{},{}", &text[..len - 3], &text[len - 3..]),
    }
}

#[test]
fn quiet_and_verbose() {
    let project = sample();
    project.write(".gitignore", "# first\n*.log\n");
    project.write("a.log", "x\n");
    project.write("logo.dat", b"h\0i\0");
    assert_eq!(words(&project, "-q -o out.xml").stderr, "");
    let text = words(&project, "-v -o out.xml -i README.md").stderr;
    for line in [
        "skipped a.log: Ignored (ignore file .gitignore, line 2)",
        "skipped logo.dat: Binary",
        "skipped README.md: Ignored (--ignore, pattern 1)",
    ] {
        assert!(
            text.lines().any(|one| one == line),
            "{line} is missing in\n{text}"
        );
    }
    // An error is told all the same.
    words(&project, "-q -o src").fails(1);
}

#[test]
fn long_lists_of_warnings_are_cut() {
    let project = sample();
    for i in 0..12 {
        project.write(&format!("bin/{i}"), b"h\0i\0");
        project.write(&format!("text/{i}"), "a\u{7}b\n");
    }
    let text = words(&project, "-o out.xml").stderr;
    let n_lines = |begin: &str| text.lines().filter(|line| line.starts_with(begin)).count();
    assert_eq!(n_lines("warning: skipped bin/"), 10, "{text}");
    assert_eq!(
        n_lines("warning: replaced characters that xml cannot hold in text/"),
        10
    );
    assert_eq!(n_lines("warning: and 2 more; --report json lists all"), 2);
    let all = words(&project, "-o out.xml -v").stderr;
    assert_eq!(all.matches("skipped bin/").count(), 12, "{all}");
}

#[test]
fn names_cannot_forge_lines() {
    let project = sample();
    project.write("a\nwarning: b\u{1b}[2J", b"h\0i\0");
    let text = words(&project, "-o out.xml -v --token-tree").stderr;
    assert!(
        !text.contains('\u{1b}') && text.lines().all(|line| !line.starts_with("warning: b")),
        "{text}"
    );
}

#[test]
fn token_tree_and_top_files() {
    let project = sample();
    let report: Value =
        serde_json::from_str(&words(&project, "-o out.xml --report json").stderr).unwrap();
    let tokens_of = |path: &str| {
        let accepted = report["accepted"].as_array().unwrap();
        let file = accepted.iter().find(|file| file["path"] == path).unwrap();
        file["tokens"].as_str().unwrap().parse::<u64>().unwrap()
    };
    let text = words(&project, "-o out.xml --token-tree").stderr;
    let sum = tokens_of("src/main.rs") + tokens_of("src/deep/a.rs");
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split(" %  ").nth(1))
        .collect();
    assert_eq!(
        names,
        ["README.md", "src/", "  deep/", "    a.rs", "  main.rs"]
    );
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .trim_start()
            .starts_with(&format!("{sum} ")),
        "{text}"
    );
    let text = words(&project, &format!("-o out.xml --token-tree {sum}")).stderr;
    assert_eq!(
        text.lines().filter(|line| line.contains(" %  ")).count(),
        1,
        "{text}"
    );
    let text = words(&project, "-o out.xml --top-files 1").stderr;
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" %  ")).collect();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].ends_with("src/deep/a.rs"), "{text}");
}

#[test]
fn the_json_report_is_one_object_and_nothing_else() {
    let project = sample();
    project.write("logo.dat", b"h\0i\0");
    for line in [
        "-o out.xml",
        "-o -",
        "--split 2k",
        "--token-tree -o -",
        "-v -o -",
    ] {
        let ran = words(&project, &format!("{line} --report json"));
        assert_eq!(ran.code, 0);
        let report: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(report["status"], "complete", "{line}");
        assert_eq!(report["files"]["accepted"], 3);
        assert_eq!(report["files"]["skippedByReason"]["Binary"], 1);
        assert_eq!(report["security"]["status"], "clean");
        let number = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
        let files = report["accepted"].as_array().unwrap();
        let sum: u64 = files.iter().map(|file| number(&file["tokens"])).sum();
        assert_eq!(
            sum + number(&report["frameTokens"]),
            number(&report["totals"]["tokens"]),
            "{line}"
        );
    }
    let text = words(&project, "missing --report json").fails(2);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["status"], "error");
    assert_eq!(report["error"]["code"], "ConfigurationError");
    let text = words(&project, "--max-files 1 --report json").fails(1);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["error"]["code"], "InputLimit");
}

#[test]
fn totals_are_those_of_the_written_bytes() {
    let project = sample();
    for style in ["xml", "markdown", "json", "plain"] {
        let ran = words(&project, &format!("-o - -f {style} --report json"));
        let report: Value = serde_json::from_str(&ran.stderr).unwrap();
        let tokens = tiktoken_rs::o200k_base_singleton()
            .encode_ordinary(&ran.stdout)
            .len();
        assert_eq!(report["totals"]["tokens"], tokens.to_string(), "{style}");
        assert_eq!(
            report["totals"]["bytes"],
            ran.stdout.len().to_string(),
            "{style}"
        );
    }
}

#[test]
fn explanations() {
    let project = sample();
    project.write(".gitignore", "\n*.log\n");
    project.write("a.log", "x\n");
    project.write("config/database.php", "x\n");
    project.write("config/.gitignore", "database.php\n");
    project.write("logo.dat", b"h\0i\0");
    let text = words(
        &project,
        ". --compress --keep-full README.md --explain README.md ./src/deep/a.rs a.log config/database.php logo.dat missing src",
    );
    assert_eq!(text.stderr, "");
    expect![[r#"
        README.md: accepted, KeepFull (--keep-full, pattern 1)
        src/deep/a.rs: accepted, Skeleton
        a.log: skipped, Ignored (ignore file .gitignore, line 2)
        config/database.php: skipped, Ignored (ignore file config/.gitignore, line 1)
        logo.dat: skipped, Binary
        missing: skipped, NotFound
        src: skipped, NotRegularFile
    "#]]
    .assert_eq(&text.ok());
    let text = words(&project, "--report json --explain README.md").ok();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["decisions"][0]["reason"], "Full");
    let many: Vec<String> = (0..257).map(|i| format!("f{i}")).collect();
    let explain = |n: usize| {
        let mut arguments = vec![".".to_owned(), "--explain".to_owned()];
        arguments.extend(many.iter().take(n).cloned());
        run(&project, &arguments)
    };
    assert_eq!(explain(256).ok().lines().count(), 256);
    assert_eq!(
        explain(257).fails(2),
        "error: --explain takes at most 256 values\n"
    );
}

#[test]
fn unreadable_directories_make_the_result_partial() {
    use std::os::unix::fs::PermissionsExt;
    let name = "cli::report::unreadable_directories_make_the_result_partial";
    if !crate::support::is_ordinary_user(name) {
        return;
    }
    let project = sample();
    let locked = project.join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let ran = words(&project, "-o out.xml");
    assert_eq!(ran.code, 0);
    assert!(
        ran.stderr.contains("skipped locked/: PermissionDenied"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("files may be missing"),
        "{}",
        ran.stderr
    );
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
}
