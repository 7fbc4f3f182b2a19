//! What each option does, and which do not go together.

use expect_test::expect;

use super::{packed, run, sample, words};
use crate::support::Project;

#[test]
fn usage_errors_are_text_with_code_2() {
    let project = sample();
    for line in [
        "--no-such-option",
        "--style html",
        "-o - --style html",
        "--split 0",
        "--split x",
        "--budget 0",
        "--budget 1.5",
        "--split 8k --budget 8k",
        "--split 8k -o -",
        "--stdin --stdin0",
        "--stdin --files-from list",
        "--explain a --split 8k",
        "--explain ../x",
        "--explain",
        "--report yaml",
        "--quiet --verbose",
        "--mcp-max-tokens 8k",
        "--mcp-max-volumes 3",
        "--mcp-request-timeout 3",
        "--mcp-max-output-bytes 2m",
        "--crib",
        "--max-files 0",
        "--max-file-size 0",
        "--max-source-bytes 0",
        "--completions tcsh",
        "--print-client-config emacs",
        "--files-from missing",
        "--instruction-file missing",
        "--config missing",
        "--tokenizer-path missing",
        "one two",
        "missing",
        "README.md",
    ] {
        let text = words(&project, line).fails(2);
        assert!(text.starts_with("error: "), "{line}: {text}");
    }
    assert_eq!(std::fs::read_dir(project.dir()).unwrap().count(), 2);
}

#[test]
fn errors_name_what_is_wrong() {
    let project = sample();
    let check = |line: &str, wanted: expect_test::Expect| {
        let text = words(&project, line).fails(2);
        wanted.assert_eq(text.lines().next().unwrap());
    };
    check(
        "missing",
        expect!["error: the root missing cannot be opened: entity not found"],
    );
    check(
        "README.md",
        expect!["error: the root README.md cannot be opened: not a directory"],
    );
    check(
        "--split 8k --budget 9k",
        expect!["error: --split cannot be combined with --budget"],
    );
    check(
        "--max-files 10000001",
        expect!["error: --max-files must be 1 to 10000000"],
    );
    check(
        "--include {",
        expect![[r#"error: include pattern "{": column 1 has a { without its }"#]],
    );
    check(
        "-i a,../b",
        expect![[r#"error: ignore pattern "../b": column 1 must not leave the root with .."#]],
    );
    check(
        "--explain a//b",
        expect![[r#"error: --explain "a//b": the path must not hold an empty segment"#]],
    );
    check(
        "--instruction-file src",
        expect!["error: the instruction file src cannot be read: is a directory"],
    );
}

#[test]
fn numbers_at_and_beyond_their_limits() {
    let project = sample();
    for (option, good, bad) in [
        ("--max-files", "10000000", "10000001"),
        ("--max-files", "10m", "0"),
        ("--max-file-size", "1024m", "1073741825"),
        ("--max-source-bytes", "1024g", "1099511627777"),
    ] {
        words(&project, &format!("{option} {good} -o -")).ok();
        words(&project, &format!("{option} {bad} -o -")).fails(2);
    }
    for option in ["--split", "--budget"] {
        words(&project, &format!("{option} 1000g")).ok();
        words(&project, &format!("{option} 1000000000001")).fails(2);
    }
    for path in ["moon-repomix-output", "moon-repomix-output.xml"] {
        let path = project.join(path);
        let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
    }
    // Three files, two directories.
    words(&project, "--max-files 5 -o -").ok();
    let text = words(&project, "--max-files 4 -o -").fails(1);
    assert_eq!(text, "error: more than 4 files and directories\n");
    let n_bytes: u64 = ["README.md", "src/main.rs", "src/deep/a.rs"]
        .iter()
        .map(|path| std::fs::metadata(project.join(path)).unwrap().len())
        .sum();
    words(&project, &format!("--max-source-bytes {n_bytes} -o -")).ok();
    words(
        &project,
        &format!("--max-source-bytes {} -o -", n_bytes - 1),
    )
    .fails(1);
    let n_bytes = std::fs::metadata(project.join("README.md")).unwrap().len();
    let with = packed(&project, &format!("--max-file-size {n_bytes}"));
    let without = packed(&project, &format!("--max-file-size {}", n_bytes - 1));
    assert!(with.contains(&"README.md".to_owned()));
    assert!(!without.contains(&"README.md".to_owned()));
}

#[test]
fn styles() {
    let project = sample();
    for (style, extension, begins) in [
        ("xml", "xml", "<repository "),
        ("markdown", "md", "<!-- moon-repomix-document 1 -->"),
        ("md", "md", "<!-- moon-repomix-document 1 -->"),
        ("json", "json", "{\"generator\":"),
        ("plain", "txt", "moon-repomix-document 1:"),
    ] {
        words(&project, &format!("-f {style}")).ok();
        let path = project.join(&format!("moon-repomix-output.{extension}"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(begins), "{style}");
        assert!(text.contains("Read me."), "{style}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn sections_are_independent() {
    let project = sample();
    let has = |line: &str| {
        let text = words(&project, &format!("{line} -o -")).ok();
        ["<summary>", "<header>", "<tree>", "<file ", "<instruction>"].map(|one| text.contains(one))
    };
    project.write("note.txt", "Look for bugs.\n");
    assert_eq!(has(""), [true, false, true, true, false]);
    assert_eq!(has("--no-summary"), [false, false, true, true, false]);
    assert_eq!(has("--no-tree"), [true, false, false, true, false]);
    assert_eq!(has("--no-files"), [true, false, true, false, false]);
    assert_eq!(
        has("--no-summary --header-text Hi"),
        [false, true, true, true, false]
    );
    assert_eq!(
        has("--no-summary --no-tree --no-files --header-text Hi --instruction-file note.txt"),
        [false, true, false, false, true]
    );
    assert_eq!(
        has("--no-summary --summary"),
        [true, false, true, true, false]
    );
}

#[test]
fn lines_compress_and_keep_full() {
    let project = sample();
    let text = words(&project, "--lines -o -").ok();
    assert!(text.contains("2:     println!"), "{text}");
    let full = words(&project, "-o -").ok();
    let short = words(&project, "--compress -o -").ok();
    assert!(
        full.contains("let w = z - 3;") && !short.contains("let w = z - 3;"),
        "{short}"
    );
    assert!(short.contains("pub fn a(x: u32) -> u32"));
    let kept = words(&project, "--compress --keep-full src/deep/** -o -").ok();
    assert!(kept.contains("let w = z - 3;"));
    let back = words(&project, "--compress --no-compress -o -").ok();
    assert_eq!(back, full);
    let with = words(&project, "--compress --full-metadata -o -").ok();
    assert!(with.contains("elided=\"2-5\""), "{with}");
}

#[test]
fn include_and_ignore_repeat_and_take_lists() {
    let project = Project::new(
        "
        //- a.rs
        //- b.rs
        //- c.py
        //- d/e.ts
        //- d/f.tsx
        ",
    );
    for (line, wanted) in [
        ("--include a.rs --include b.rs", &["a.rs", "b.rs"][..]),
        ("--include a.rs,b.rs", &["a.rs", "b.rs"]),
        (
            "--include d/**/*.{ts,tsx},a.rs",
            &["a.rs", "d/e.ts", "d/f.tsx"],
        ),
        ("-i *.rs -i c.py,d/e.ts", &["d/f.tsx"]),
        ("-i d/ --include *.ts", &[]),
        ("-i *.rs,!a.rs", &["a.rs", "c.py", "d/e.ts", "d/f.tsx"]),
    ] {
        assert_eq!(packed(&project, line), wanted, "{line}");
    }
}

#[test]
fn sources_of_ignore_rules_can_be_switched_off() {
    let project = Project::new(
        "
        //- .gitignore
        git.txt
        //- .ignore
        dot.txt
        //- git.txt
        //- dot.txt
        //- node_modules/x.js
        ",
    );
    let has = |line: &str| {
        let paths = packed(&project, line);
        ["git.txt", "dot.txt", "node_modules/x.js"].map(|path| paths.iter().any(|one| one == path))
    };
    assert_eq!(has(""), [false, false, false]);
    assert_eq!(has("--no-gitignore"), [true, false, false]);
    assert_eq!(has("--no-dot-ignore"), [false, true, false]);
    assert_eq!(has("--no-default-patterns"), [false, false, true]);
    assert_eq!(has("--no-gitignore --gitignore"), [false, false, false]);
}

#[test]
fn secrets_are_left_out_unless_the_host_says_otherwise() {
    let project = Project::new("");
    // Put together here, so that this file can be packed.
    let key = ["AKIA", "Z7QK4XW2MNB5RTYU"].concat();
    project.write("ok.txt", "fine\n");
    project.write("conf.txt", format!("# repomix: disable\nx\nid = {key}\n"));
    let ran = words(&project, "-o -");
    assert_eq!(ran.code, 0);
    assert!(!ran.stdout.contains(&key) && !ran.stderr.contains(&key));
    assert!(
        ran.stderr
            .contains("warning: left out conf.txt: aws-access-key"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("in line 3"), "{}", ran.stderr);
    let ran = words(&project, "-o - --no-security-check");
    assert!(ran.stdout.contains(&key));
    assert_eq!(ran.stderr, "warning: the secret scan is off\n");
    let text = run(&project, &["-o", "-", "--header-text", &key]).fails(2);
    assert!(
        text.contains("the header text holds") && !text.contains(&key),
        "{text}"
    );
    project.write("note", &key);
    let text = words(&project, "-o - --instruction-file note").fails(2);
    assert!(
        text.contains("the instruction holds") && !text.contains(&key),
        "{text}"
    );
}

#[test]
fn only_the_ranks_file_is_accepted() {
    let project = sample();
    let ranks = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/tokenizer-o200k_base.tiktoken"
    );
    run(&project, &["--tokenizer-path", ranks, "-o", "-"]).ok();
    let mut bytes = std::fs::read(ranks).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    project.write("changed.tiktoken", &bytes);
    bytes.pop();
    project.write("short.tiktoken", &bytes);
    for path in ["changed.tiktoken", "short.tiktoken", "README.md", "src"] {
        let text = run(&project, &["--tokenizer-path", path, "-o", "-"]).fails(2);
        assert!(text.contains("the tokenizer file"), "{text}");
    }
}

#[test]
fn counts_can_be_verified() {
    words(&sample(), "--verify-counts -o -").ok();
    words(&sample(), "--verify-counts --split 1k").ok();
}

#[test]
fn information_goes_to_standard_output_alone() {
    let project = sample();
    for (line, wanted) in [
        ("--version", "moon-repomix 0."),
        ("-h", "Usage: moon-repomix"),
        ("--help", "A run reads moon-repomix.config.json"),
        ("--completions bash", "_moon__repomix()"),
        ("--completions zsh", "#compdef moon-repomix"),
        ("--completions fish", "complete -c moon-repomix"),
        ("--man", ".TH moon-repomix 1"),
    ] {
        let ran = words(&project, line);
        assert_eq!(ran.stderr, "", "{line}");
        assert!(ran.ok().contains(wanted), "{line}");
    }
    assert_eq!(std::fs::read_dir(project.dir()).unwrap().count(), 2);
}

#[test]
fn help_has_groups() {
    let text = words(&sample(), "--help").ok();
    for heading in ["Output:", "Selection:", "Report:", "MCP server:", "Other:"] {
        assert!(text.lines().any(|line| line == heading), "{heading}");
    }
}

#[test]
fn client_configurations_name_absolute_paths() {
    let project = sample();
    project.write("list", "README.md\n");
    let program = env!("CARGO_BIN_EXE_moon-repomix");
    let root = project.dir().canonicalize().unwrap();
    let line = "--compress --mcp-max-tokens 8k -i *.log --files-from list";
    let list = format!("--files-from={}", root.join("list").display());
    let arguments = [
        root.to_str().unwrap(),
        "--mcp",
        "--ignore=*.log",
        &list,
        "--compress",
        "--mcp-max-tokens=8k",
    ];
    for (client, key) in [
        ("claude-code", "mcpServers"),
        ("claude-desktop", "mcpServers"),
        ("vscode", "servers"),
        ("cursor", "mcpServers"),
        ("zed", "context_servers"),
        ("gemini", "mcpServers"),
    ] {
        let text = words(
            &project,
            &format!(". {line} --print-client-config {client}"),
        )
        .ok();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let entry = &value[key]["moon-repomix"];
        assert_eq!(entry["command"], program, "{client}");
        assert_eq!(entry["args"], serde_json::json!(arguments), "{client}");
    }
    let text = words(&project, &format!("{line} --print-client-config codex")).ok();
    assert!(
        text.starts_with("[mcp_servers.moon-repomix]\ncommand = \""),
        "{text}"
    );
    for (option, wanted) in [
        ("--crib", "--crib".to_owned()),
        (
            "--crib=data",
            format!("--crib={}", root.join("data").display()),
        ),
    ] {
        let text = words(&project, &format!("{option} --print-client-config cursor")).ok();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["mcpServers"]["moon-repomix"]["args"][2], wanted);
    }
    // What the server would refuse is not written into a configuration.
    words(&project, "--split 8k --print-client-config codex").fails(2);
}
