//! The configuration file of a run.

use std::fs;

use super::{packed, run, sample, words};

#[test]
fn the_file_in_the_root_counts_and_options_beat_it() {
    let project = sample();
    project.write(
        "repomix.config.json",
        r#"{ // the older name
            "output": { "style": "markdown", "fileSummary": false, "filePath": "out/pack.md", },
            "include": ["src/**"],
            "ignore": { "customPatterns": ["deep/"] },
        }"#,
    );
    words(&project, "").ok();
    let text = fs::read_to_string(project.join("out/pack.md")).unwrap();
    assert!(text.starts_with("<!-- moon-repomix"), "{text}");
    assert!(!text.contains("# Summary") && text.contains("src/main.rs") && !text.contains("a.rs"));
    let text = words(&project, "--summary -o - -f md").ok();
    assert!(text.contains("# Summary"));
    assert_eq!(packed(&project, "--include README.md"), ["README.md"]);
    assert_eq!(
        packed(&project, "-i !deep/"),
        ["src/deep/a.rs", "src/main.rs"]
    );
    // The newer name comes first.
    project.write("moon-repomix.config.json", r#"{"include": ["README.md"]}"#);
    assert_eq!(packed(&project, ""), ["README.md"]);
    // A file that is named takes the place of both.
    project.write(
        "other.json",
        r#"{"include": ["*.rs"], "output": {"style": "plain"}}"#,
    );
    assert_eq!(
        packed(&project, "--config other.json"),
        ["src/deep/a.rs", "src/main.rs"]
    );
    let text = words(&project, "--config other.json -o -").ok();
    assert!(text.starts_with("moon-repomix-document 1:"));
}

#[test]
fn faults_name_file_and_key() {
    let project = sample();
    for (text, wanted) in [
        (
            r#"{"output": {"stile": "xml"}}"#,
            "error: repomix.config.json: unknown key \"output.stile\", the nearest known one is \"output.style\"\n",
        ),
        (
            "{\"include\": [}",
            "error: repomix.config.json: line 1, column 14: not valid JSON\n",
        ),
        (
            r#"{"input": {"maxFileSize": 0}}"#,
            "error: input.maxFileSize must be 1 to 1073741824\n",
        ),
        (
            r#"{"output": {"splitTokens": 10, "tokenBudget": 10}}"#,
            "error: output.splitTokens cannot be combined with output.tokenBudget\n",
        ),
        (
            r#"{"include": ["{"]}"#,
            "error: include pattern \"{\": column 1 has a { without its }\n",
        ),
    ] {
        project.write("repomix.config.json", text);
        assert_eq!(words(&project, "").fails(2), wanted);
    }
}

#[test]
fn a_found_file_has_no_power_outside_the_root() {
    let project = sample();
    project.write("inner/a.txt", "text\n");
    project.write("secret.txt", "do not read me\n");
    for (key, value) in [
        ("filePath", "../out.xml"),
        ("filePath", "/tmp/out.xml"),
        ("filePath", ".git/hooks/post-checkout"),
        ("instructionFilePath", "../secret.txt"),
        ("instructionFilePath", "/etc/hostname"),
    ] {
        let text = serde_json::json!({ "output": { key: value } }).to_string();
        project.write("inner/moon-repomix.config.json", text);
        let text = words(&project, "inner").fails(2);
        assert!(
            text.contains(&format!("output.{key} must be a path inside the root")),
            "{text}"
        );
    }
    std::os::unix::fs::symlink("..", project.join("inner/up")).unwrap();
    for (key, value, code) in [
        ("filePath", "up/out.xml", 1),
        ("instructionFilePath", "up/secret.txt", 2),
    ] {
        let text = serde_json::json!({ "output": { key: value } }).to_string();
        project.write("inner/moon-repomix.config.json", text);
        words(&project, "inner").fails(code);
    }
    assert!(!project.join("out.xml").exists());
    // It replaces only what this program wrote.
    project.write(
        "inner/moon-repomix.config.json",
        r#"{"output": {"filePath": "a.txt"}}"#,
    );
    let text = words(&project, "inner").fails(1);
    assert!(
        text.contains("a.txt was not written by moon-repomix"),
        "{text}"
    );
    assert_eq!(
        fs::read_to_string(project.join("inner/a.txt")).unwrap(),
        "text\n"
    );
    // The same file, named by the host, may do all that.
    project.write(
        "named.json",
        r#"{"output": {"filePath": "../out.xml", "instructionFilePath": "../secret.txt"}}"#,
    );
    words(&project, "inner --config named.json").ok();
    let text = fs::read_to_string(project.join("out.xml")).unwrap();
    assert!(text.contains("do not read me"));
}

#[test]
fn only_a_named_file_switches_the_scan_off() {
    let project = sample();
    let key = ["AKIA", "Z7QK4XW2MNB5RTYU"].concat();
    project.write("conf.txt", format!("id = {key}\n"));
    let config = r#"{"security": {"enableSecurityCheck": false}}"#;
    project.write("moon-repomix.config.json", config);
    let ran = words(&project, "-o -");
    assert!(!ran.stdout.contains(&key));
    assert!(
        ran.stderr
            .contains("warning: moon-repomix.config.json: security.enableSecurityCheck"),
        "{}",
        ran.stderr
    );
    let ran = words(&project, "-o - --config moon-repomix.config.json");
    assert!(ran.stdout.contains(&key));
    let ran = words(
        &project,
        "-o - --config moon-repomix.config.json --security-check",
    );
    assert!(!ran.stdout.contains(&key));
}

#[test]
fn programs_in_the_root_are_not_run() {
    let project = sample();
    let marker = project.join("ran");
    for name in [
        "repomix.config.js",
        "repomix.config.ts",
        "repomix.config.mjs",
    ] {
        let text = format!(
            "require('fs').writeFileSync({:?}, ''); module.exports = {{}};\n",
            marker
        );
        project.write(name, text);
    }
    words(&project, "-o -").ok();
    assert!(!marker.exists());
}

#[test]
fn a_link_or_a_giant_in_its_place_is_refused() {
    let project = sample();
    project.write("real.json", "{}");
    std::os::unix::fs::symlink("real.json", project.join("repomix.config.json")).unwrap();
    let text = words(&project, "").fails(2);
    assert_eq!(
        text,
        "error: repomix.config.json: cannot be read: SymlinkNotFollowed\n"
    );
    fs::remove_file(project.join("repomix.config.json")).unwrap();
    let mut text = "{}".to_owned();
    text.push_str(&" ".repeat(1024 * 1024 - 2));
    project.write("repomix.config.json", &text);
    words(&project, "-o -").ok();
    text.push(' ');
    project.write("repomix.config.json", &text);
    words(&project, "-o -").fails(2);
    let text = run(&project, &["--config", "repomix.config.json"]).fails(2);
    assert!(text.contains("it has more than 1048576 bytes"), "{text}");
}

#[test]
fn texts_of_the_host_may_begin_with_a_byte_order_mark() {
    let project = sample();
    let mark = "\u{feff}";
    project.write("note.txt", format!("{mark}Look for bugs.\n"));
    let config = r#"{"output": {"style": "plain", "instructionFilePath": "note.txt"}}"#;
    project.write("moon-repomix.config.json", format!("{mark}{config}"));
    for line in ["-o -", "-o - --config moon-repomix.config.json"] {
        let text = words(&project, line).ok();
        assert!(text.starts_with("moon-repomix-document 1:"), "{text}");
        assert!(text.contains("Look for bugs.") && !text.contains(mark));
    }
    // One mark, not two.
    project.write("moon-repomix.config.json", format!("{mark}{mark}{config}"));
    let text = words(&project, "-o -").fails(2);
    assert!(text.contains("line 1, column 1: not valid JSON"), "{text}");
}

#[test]
fn full_text_exceptions_have_two_names() {
    let project = sample();
    for config in [
        r#"{"keep_full_patterns": ["src/deep/**"]}"#,
        r#"{"output": {"keep_full_patterns": ["src/deep/**"]}}"#,
        r#"{"output": {"keepFull": ["src/deep/**"]}}"#,
    ] {
        project.write("moon-repomix.config.json", config);
        let text = words(&project, "--compress -o -").ok();
        assert!(text.contains("let w = z - 3;"), "{config}");
    }
    project.write(
        "moon-repomix.config.json",
        r#"{"keep_full_patterns": ["a"], "output": {"keepFull": ["a"]}}"#,
    );
    let text = words(&project, "").fails(2);
    assert_eq!(
        text,
        "error: moon-repomix.config.json: the keys \"keep_full_patterns\" and \"output.keepFull\" are the same, and both are given\n"
    );
}
