//! `--plan` and `--code`.

use serde_json::Value;

use super::run;
use crate::support::Project;

fn project() -> Project {
    let project = Project::new(
        "
        //- a.py
        def first():
            return 1


        def second():
            return first()
        //- b.txt
        some words
        //- plan.json
        {\"maxTokens\": 2000, \"tasks\": [{\"id\": \"t\", \"required\": [{\"path\": \"a.py\", \"mode\": \"full\"}], \"optional\": [{\"path\": \"b.txt\", \"mode\": \"full\"}]}]}
        ",
    );
    let plan = std::fs::read_to_string(project.join("plan.json")).unwrap();
    project.write("small.json", plan.replace("2000", "20"));
    project.write("gone.json", plan.replace("a.py", "gone.py"));
    project.write("wrong.json", plan.replace("full", "all"));
    project.write(
        "twice.json",
        plan.replace("{\"maxTokens\"", "{\"maxTokens\": 1, \"maxTokens\""),
    );
    project
}

#[test]
fn a_plan_writes_the_context_and_its_audit() {
    let project = project();
    let plan = ["--plan", "plan.json", "-f", "md", "-o", "out"];
    let ran = run(&project, &plan);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("of 2,000 tokens, complete"),
        "{ran:?}"
    );
    let context = std::fs::read_to_string(project.join("out/context.md")).unwrap();
    assert!(context.contains("def second():") && context.contains("some words"));
    let audit: Value =
        serde_json::from_slice(&std::fs::read(project.join("out/audit.json")).unwrap()).unwrap();
    let counted = tiktoken_rs::o200k_base()
        .unwrap()
        .encode_ordinary(&context)
        .len();
    assert_eq!(audit["budget"]["contextTokens"], counted.to_string());

    // Another style replaces what the run before left, and nothing else.
    project.write("out/kept.md", "mine");
    let ran = run(
        &project,
        &[
            "--plan",
            "plan.json",
            "-f",
            "plain",
            "-o",
            "out",
            "--report",
            "json",
        ],
    );
    let report: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(report["status"], "complete");
    let mut names: Vec<_> = std::fs::read_dir(project.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["audit.json", "context.txt", "kept.md"]);
}

#[test]
fn a_plan_that_fails_writes_nothing() {
    let project = project();
    let failed = |plan: &str, code| run(&project, &["--plan", plan, "-o", "out"]).fails(code);
    assert!(failed("small.json", 3).contains("required_over_budget"));
    assert!(failed("gone.json", 1).contains("required_unavailable"));
    let wrong = failed("wrong.json", 2);
    assert!(
        wrong.contains("/tasks/0/required/0/mode must be one of full, skeleton"),
        "{wrong}"
    );
    assert!(failed("twice.json", 2).contains("without repeated members"));
    assert!(failed("no such file", 2).contains("cannot be read"));
    assert!(failed("b.txt", 2).contains("must be an object"));
    assert!(!project.join("out").exists());
    project.write("out/context.xml", "mine");
    assert!(failed("plan.json", 1).contains("was not written by moon-repomix"));
    assert_eq!(
        std::fs::read_to_string(project.join("out/context.xml")).unwrap(),
        "mine"
    );
}

#[test]
fn code_is_printed_as_json() {
    let project = project();
    let printed = run(
        &project,
        &[
            ".",
            "--code",
            "a.py:second+",
            "a.py:1-2",
            "a.py:",
            "b.txt",
            "b.txt",
        ],
    )
    .ok();
    let code: Value = serde_json::from_str(&printed).unwrap();
    let kinds: Vec<&str> = code["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["symbol", "lines", "outline", "full"]);
    assert_eq!(
        code["items"][0]["text"],
        "def second():\n    return first()\n"
    );
    assert_eq!(code["items"][0]["dependencies"][0]["path"], "first");
    assert_eq!(code["items"][1]["text"], "def first():\n    return 1\n");
    let count = |text: &str| {
        let reference = tiktoken_rs::o200k_base_singleton();
        reference.encode_ordinary(text).len()
    };
    let capped = |cap: usize| {
        run(
            &project,
            &[
                ".",
                "--max-tokens",
                &cap.to_string(),
                "--code",
                "a.py:second+",
                "a.py:1-2",
                "a.py:",
                "b.txt",
            ],
        )
    };
    // The budget stands in the document, so its digits are to be as many.
    let tokens = count(&capped(999).ok());
    let fits = capped(tokens).ok();
    assert_eq!(count(&fits), tokens);
    let fits: Value = serde_json::from_str(&fits).unwrap();
    assert_eq!(fits["sequence"]["maxTokens"], tokens.to_string());
    let failed = capped(tokens - 1).fails(3);
    let (_, failed) = failed.split_once('{').unwrap();
    let failed: Value = serde_json::from_str(&format!("{{{failed}")).unwrap();
    assert_eq!(failed["status"], "over_budget");
    assert_eq!(failed["neededTokens"], tokens.to_string());
    assert_eq!(failed["remainingTokens"], (tokens - 1).to_string());
    assert_eq!(failed["itemTokens"].as_array().unwrap().len(), 4);
}

#[test]
fn each_form_of_a_wish() {
    let project = project();
    project.write(
        "b.js",
        "const on = {\n  'a-b'() {},\n};\n\nfunction f() {}\n\non.x();\n\nfunction f() { on; }\n",
    );
    for (spec, kind, path, start, end) in [
        ("a.py", "full", None, Some(1), 6),
        ("a.py:", "outline", None, None, 0),
        ("a.py:5", "lines", None, Some(5), 5),
        ("a.py:2-5", "lines", None, Some(2), 5),
        ("a.py:first", "symbol", Some("first"), Some(1), 2),
        ("a.py:second+", "symbol", Some("second"), Some(5), 6),
        ("b.js:f#2", "symbol", Some("f#2"), Some(9), 9),
        ("b.js:f#2+", "symbol", Some("f#2"), Some(9), 9),
        ("b.js:on.\"a-b\"", "symbol", Some("on.\"a-b\""), Some(2), 2),
    ] {
        let code: Value = serde_json::from_str(&run(&project, &["--code", spec]).ok()).unwrap();
        let item = &code["items"][0];
        assert_eq!(item["kind"], kind, "{spec}");
        assert_eq!(item["symbol"]["path"].as_str(), path, "{spec}");
        assert_eq!(item["lines"]["start"].as_u64(), start, "{spec}");
        assert_eq!(item["lines"]["end"].as_u64().unwrap_or(0), end, "{spec}");
        assert_eq!(item.get("dependencies").is_some(), spec.ends_with('+'));
    }
    for (spec, words) in [
        ("", "the path must not be empty"),
        ("/a.py", "the path must be relative to the root"),
        ("../a.py", "the path must not hold . or .. as a segment"),
        ("a.py:0", "lines are written START-END, from 1"),
        ("a.py:3-2", "lines are written START-END, from 1"),
        ("a.py:3-", "lines are written START-END, from 1"),
        ("a.py:x..y", "the symbol must have no empty segment"),
        ("a.py:x#0", "must have as an ordinal a number from 1"),
    ] {
        let said = run(&project, &["--code", spec]).fails(2);
        assert!(said.contains(words), "{spec}: {said}");
    }
}

#[test]
fn code_that_cannot_be_given_says_why() {
    let project = project();
    let failed = run(&project, &[".", "--code", "a.py:third", "gone.py"]).fails(1);
    assert!(
        failed.contains("SymbolNotFound") && failed.contains("NotFound"),
        "{failed}"
    );
    assert!(
        run(&project, &[".", "--code", "../x"])
            .fails(2)
            .contains("the path")
    );
    assert!(
        run(&project, &[".", "--code", "a.py:9-3"])
            .fails(2)
            .contains("START-END")
    );
    let many: Vec<String> = (1..=65).map(|line| format!("a.py:{line}")).collect();
    let arguments = |n: usize| {
        [".", "--code"]
            .into_iter()
            .chain(many[..n].iter().map(String::as_str))
            .collect::<Vec<_>>()
    };
    assert!(
        run(&project, &arguments(64))
            .fails(1)
            .contains("LineOutOfRange")
    );
    assert!(
        run(&project, &arguments(65))
            .fails(2)
            .contains("at most 64")
    );
}

#[test]
fn contexts_exclude_what_makes_no_sense_beside_them() {
    let project = project();
    for (arguments, words) in [
        (vec!["--plan", "plan.json"], "--plan needs --output DIR"),
        (
            vec!["--plan", "plan.json", "-o", "-"],
            "--plan needs --output DIR",
        ),
        (
            vec!["--plan", "plan.json", "-o", "out", "--split", "1k"],
            "--plan cannot be combined with --split",
        ),
        (
            vec!["--plan", "plan.json", "-o", "out", "--mcp"],
            "--mcp cannot be combined with",
        ),
        (
            vec![".", "--code", "a.py", "-o", "out"],
            "--code cannot be combined with --output",
        ),
        (
            vec![".", "--budget", "9", "--code", "a.py"],
            "--code cannot be combined with --budget",
        ),
        (
            vec![".", "--explain", "a.py", "--code", "a.py"],
            "--explain cannot be combined with --code",
        ),
        (vec!["--max-tokens", "5"], "--code"),
        (
            vec![".", "--max-tokens", "16001", "--code", "a.py"],
            "--max-tokens must be 1 to 16000",
        ),
    ] {
        let said = run(&project, &arguments).fails(2);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
