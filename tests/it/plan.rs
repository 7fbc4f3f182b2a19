//! Plans over real files: the best choice, exact counts, every reason, every limit.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use moon_repomix::arguments::Argument;
use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::options::HostOptions;
use moon_repomix::plan::{self, Planned, Success, request};
use moon_repomix::progress::Progress;
use moon_repomix::render::Style;
use moon_repomix::scan::select::{Selection, SelectionSpec};
use serde_json::{Value, json};

use crate::support::{Project, rel};

static REFERENCE: LazyLock<tiktoken_rs::CoreBPE> =
    LazyLock::new(|| tiktoken_rs::o200k_base().unwrap());

fn reference(text: &str) -> u64 {
    REFERENCE.encode_ordinary(text).len() as u64
}

fn host(project: &Project, spec: SelectionSpec) -> HostOptions {
    HostOptions::new(project.root(""), Selection::new(spec).unwrap())
}

fn plain_host(project: &Project) -> HostOptions {
    host(project, SelectionSpec::default())
}

fn try_plan(host: &HostOptions, arguments: &Value) -> Result<Planned, Error> {
    let request = request::parse(
        &Argument::parse(&arguments.to_string()).unwrap(),
        &host.caps,
    )
    .unwrap();
    let progress = Progress::new();
    let planned = plan::plan(host, &request, &progress, &Cancel::never());
    if planned.is_ok() {
        let (done, found) = progress.read();
        assert_eq!(done, found);
    }
    planned
}

/// The audit, and the document if there is one. Checks what holds of every plan.
fn run(host: &HostOptions, arguments: &Value) -> (Value, Option<Success>) {
    match try_plan(host, arguments).unwrap() {
        Planned::Success(success) => {
            assert_eq!(reference(&success.text), success.tokens);
            assert_eq!(reference(&success.audit), success.audit_tokens);
            assert!(success.tokens <= success.max_tokens);
            let audit: Value = serde_json::from_str(&success.audit).unwrap();
            let sum: u64 = list(&audit, "/files")
                .iter()
                .map(|file| tokens(file, "tokens").unwrap_or(0))
                .sum();
            let budget = &audit["budget"];
            let context = tokens(budget, "contextTokens").unwrap();
            assert_eq!(sum + tokens(budget, "frameTokens").unwrap(), context);
            assert_eq!(context, success.tokens);
            assert_eq!(audit["status"], success.status);
            (audit, Some(success))
        }
        Planned::Failure(failure) => {
            let result = serde_json::to_value(&failure).unwrap();
            assert_eq!(result["status"], failure.status);
            assert_eq!(result["audit"]["status"], failure.status);
            assert_eq!(result["audit"]["security"], result["security"]);
            (result["audit"].clone(), None)
        }
    }
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).unwrap().as_array().unwrap()
}

fn tokens(value: &Value, member: &str) -> Option<u64> {
    Some(value.get(member)?.as_str()?.parse().unwrap())
}

fn file<'a>(audit: &'a Value, path: &str) -> &'a Value {
    let mut files = list(audit, "/files").iter();
    files.find(|file| file["path"] == path).unwrap()
}

/// `delivered` and `reason` of every path.
fn outcomes(audit: &Value) -> Vec<String> {
    let files = list(audit, "/files").iter();
    files
        .map(|file| {
            let text = |member: &str| file[member].as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {} {}",
                text("path"),
                text("delivered"),
                text("stage"),
                text("reason")
            )
        })
        .collect()
}

fn one(required: Value, optional: Value, max_tokens: u64) -> Value {
    json!({"maxTokens": max_tokens, "tasks": [{"id": "t", "required": required, "optional": optional}]})
}

fn item(path: &str, mode: &str) -> Value {
    json!({"path": path, "mode": mode})
}

/// A source file with `n` functions whose bodies a skeleton leaves out.
fn python(name: &str, n: usize) -> String {
    let mut text = format!("\"\"\"Module {name}.\"\"\"\n\n");
    for i in 0..n {
        text.push_str(&format!(
            "def {name}_{i}(first, second):\n    total = first * {i}\n    for step in range(second):\n        total += step * {i}\n    return total\n\n\n"
        ));
    }
    text
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Files with and without skeletons, small and large, and one that is not there.
fn corpus() -> (Project, Vec<String>) {
    let project = Project::new("");
    let mut paths = vec!["gone.py".to_owned()];
    for (i, n) in [1, 2, 4, 4, 7, 12].into_iter().enumerate() {
        let path = format!("src/m{i}.py");
        project.write(&path, python(&format!("m{i}"), n));
        paths.push(path);
    }
    for (i, n) in [1, 8, 30].into_iter().enumerate() {
        let path = format!("notes/n{i}.txt");
        project.write(&path, "A line of notes < that & is prose.\n".repeat(n));
        paths.push(path);
    }
    project.write("src/kept.py", python("kept", 3));
    paths.push("src/kept.py".to_owned());
    (project, paths)
}

/// A random request over up to `most` of `paths`.
fn request(numbers: &mut Numbers, paths: &[String], most: usize, max_tokens: usize) -> Value {
    let mut chosen: Vec<&String> = paths.iter().collect();
    while chosen.len() > most {
        let position = numbers.below(chosen.len());
        chosen.remove(position);
    }
    let n_tasks = 1 + numbers.below(4);
    let n_priorities = [1, 2, 101][numbers.below(3)];
    let tasks: Vec<Value> = (0..n_tasks)
        .map(|task| {
            let (mut required, mut optional) = (Vec::new(), Vec::new());
            for path in &chosen {
                match numbers.below(8) {
                    0 if path.as_str() != "gone.py" => {
                        required.push(item(path, numbers.pick(&["full", "skeleton"])))
                    }
                    1..=5 => optional.push(json!({
                        "path": path,
                        "mode": numbers.pick(&["full", "skeleton", "either"]),
                        "priority": numbers.below(n_priorities)
                    })),
                    _ => {}
                }
            }
            json!({"id": format!("t{task}"), "required": required, "optional": optional})
        })
        .collect();
    json!({"maxTokens": max_tokens, "tasks": tasks})
}

fn satisfies(form: usize, mode: &Value) -> bool {
    form == 2 || (form == 1 && mode != "full")
}

type Counts = BTreeMap<Reverse<u64>, usize>;

/// Satisfied demands and `either` demands in full, by priority, the highest first; nothing when a
/// required demand is not satisfied.
fn counts(files: &[Value], forms: &[usize]) -> Option<(Counts, Counts)> {
    let (mut satisfied, mut in_full) = (Counts::new(), Counts::new());
    for (file, &form) in files.iter().zip(forms) {
        for demand in list(file, "/demands") {
            let is_satisfied = satisfies(form, &demand["mode"]);
            if demand["list"] == "required" {
                if !is_satisfied {
                    return None;
                }
                continue;
            }
            let priority = Reverse(demand["priority"].as_u64().unwrap());
            *satisfied.entry(priority).or_default() += usize::from(is_satisfied);
            *in_full.entry(priority).or_default() +=
                usize::from(demand["mode"] == "either" && form == 2);
        }
    }
    Some((satisfied, in_full))
}

fn delivered(file: &Value) -> usize {
    ["none", "skeleton", "full"]
        .iter()
        .position(|&form| file["delivered"] == form)
        .unwrap()
}

/// Tokens of a path in each form, from the audit: `None` for a form that it does not have.
fn costs(file: &Value) -> [Option<u64>; 3] {
    let own = |form: usize, other: &str| match delivered(file) == form {
        true => tokens(file, "tokens"),
        false => tokens(file, other),
    };
    [Some(0), own(1, "skeletonTokens"), own(2, "fullTokens")]
}

/// The best forms by trying all.
fn exhaustive(audit: &Value) -> Option<Vec<usize>> {
    let files = list(audit, "/files");
    let costs: Vec<[Option<u64>; 3]> = files.iter().map(costs).collect();
    let room = tokens(&audit["budget"], "maxTokens")
        .unwrap()
        .checked_sub(tokens(&audit["budget"], "frameTokens").unwrap())?;
    (0..3_usize.pow(files.len() as u32))
        .filter_map(|number| {
            let forms: Vec<usize> = (0..files.len())
                .map(|i| number / 3_usize.pow(i as u32) % 3)
                .collect();
            let cost: u64 = costs
                .iter()
                .zip(&forms)
                .map(|(costs, &form)| costs[form])
                .sum::<Option<u64>>()?;
            let (satisfied, in_full) = counts(files, &forms)?;
            let values = |counts: Counts| counts.into_values().collect::<Vec<_>>();
            (cost <= room).then(|| (values(satisfied), values(in_full), Reverse(cost), forms))
        })
        .max()
        .map(|best| best.3)
}

#[test]
fn the_best_choice_of_real_files() {
    let (project, paths) = corpus();
    let mut numbers = Numbers(1);
    let (mut n_failed, mut n_omitting) = (0, 0);
    for round in 0..240 {
        let spec = SelectionSpec {
            keep_full: vec!["src/kept.py".to_owned()],
            ..SelectionSpec::default()
        };
        let mut host = host(&project, spec);
        host.style = Style::ALL[round % 4];
        host.line_numbers = round % 5 == 0;
        host.full_metadata = round % 7 == 0;
        let max_tokens = [200, 600, 1_200, 3_000][numbers.below(4)] + numbers.below(200);
        let arguments = request(&mut numbers, &paths, 6, max_tokens);
        let (audit, success) = run(&host, &arguments);
        let best = exhaustive(&audit);
        match success {
            Some(success) => {
                let chosen: Vec<usize> = list(&audit, "/files").iter().map(delivered).collect();
                assert_eq!(Some(chosen), best, "{arguments}\n{audit:#}");
                n_omitting += usize::from(success.status == "with_omissions");
            }
            None => {
                assert_eq!(audit["status"], "required_over_budget");
                assert_eq!(best, None, "{arguments}\n{audit:#}");
                n_failed += 1;
            }
        }
    }
    assert!(n_failed > 10 && n_omitting > 100, "{n_failed} {n_omitting}");
}

#[test]
fn more_budget_is_never_worse() {
    let (project, paths) = corpus();
    let mut numbers = Numbers(2);
    let host = plain_host(&project);
    for _ in 0..6 {
        let mut before = None;
        let arguments = request(&mut numbers, &paths, 12, 1);
        for max_tokens in (100..4_000).step_by(150) {
            let mut arguments = arguments.clone();
            arguments["maxTokens"] = json!(max_tokens);
            let (audit, Some(_)) = run(&host, &arguments) else {
                assert!(before.is_none(), "a document was lost to a larger budget");
                continue;
            };
            let files = list(&audit, "/files");
            let forms: Vec<usize> = files.iter().map(delivered).collect();
            let (satisfied, in_full) = counts(files, &forms).unwrap();
            let worth: (Vec<usize>, Vec<usize>) = (
                satisfied.into_values().collect(),
                in_full.into_values().collect(),
            );
            if let Some(before) = before.replace(worth.clone()) {
                assert!(worth >= before);
            }
        }
    }
}

#[test]
fn neither_threads_nor_the_order_of_tasks_change_the_document() {
    let (project, paths) = corpus();
    let mut numbers = Numbers(3);
    let host = plain_host(&project);
    let pool = |n| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap()
    };
    let (one, many) = (pool(1), pool(8));
    for _ in 0..20 {
        let mut arguments = request(&mut numbers, &paths, 12, 1_500);
        let (audit, success) = one.install(|| run(&host, &arguments));
        let (other_audit, other) = many.install(|| run(&host, &arguments));
        let text = |success: &Option<Success>| success.as_ref().map(|success| success.text.clone());
        let exact =
            |success: &Option<Success>| success.as_ref().map(|success| success.audit.clone());
        assert_eq!(audit.to_string(), other_audit.to_string());
        assert_eq!(exact(&success), exact(&other));
        assert_eq!(text(&success), text(&other));
        arguments["tasks"].as_array_mut().unwrap().reverse();
        let (turned_audit, turned) = run(&host, &arguments);
        assert_eq!(text(&success), text(&turned));
        assert_eq!(outcomes(&audit), outcomes(&turned_audit));
    }
}

#[test]
fn what_is_told() {
    let project = Project::new("");
    project.write("a.py", python("a", 3));
    project.write("b.txt", "text\n");
    project.write("big.txt", "A line of prose.\n".repeat(500));
    let mut host = plain_host(&project);
    host.style = Style::Markdown;
    host.sections.summary = false;
    let arguments = json!({"maxTokens": 300, "tasks": [
        {"id": "review", "required": [item("b.txt", "full")], "optional": [{"path": "a.py", "mode": "either", "priority": 80}]},
        {"id": "docs", "optional": [item("a.py", "skeleton"), item("big.txt", "full"), item("gone", "full")]}
    ]});
    let (audit, success) = run(&host, &arguments);
    let success = success.unwrap();
    assert!(success.audit.starts_with("{\"schemaVersion\":1,\n\"kind\":\"task_audit\",\n\"status\":\"with_omissions\",\n\"encoding\":\"o200k_base\",\n\"style\":\"markdown\",\n\"budget\":"));
    assert!(success.audit.ends_with("]}\n"));
    assert_eq!(
        outcomes(&audit),
        [
            "a.py full - Full",
            "b.txt full - Full",
            "big.txt none budget OverBudget",
            "gone none resolve NotFound"
        ]
    );
    assert_eq!(
        audit["tasks"],
        json!([
            {"id": "review", "status": "complete", "required": {"total": 1, "satisfied": 1}, "optional": {"total": 1, "satisfied": 1}},
            {"id": "docs", "status": "with_omissions", "required": {"total": 0, "satisfied": 0}, "optional": {"total": 3, "satisfied": 1}}
        ])
    );
    assert_eq!(
        file(&audit, "a.py")["demands"],
        json!([
            {"task": "review", "list": "optional", "mode": "either", "priority": 80, "satisfied": true},
            {"task": "docs", "list": "optional", "mode": "skeleton", "priority": 0, "satisfied": true}
        ])
    );
    assert_eq!(audit["limits"]["attempts"], 2);
    assert_eq!(file(&audit, "gone").as_object().unwrap().len(), 5);
    let result = serde_json::to_string(&success.result(
        "8",
        Some(json!({"uri": "u"})),
        Some(json!({"uri": "v"})),
    ))
    .unwrap();
    let (tokens, bytes) = (success.tokens, success.text.len());
    let (audit_tokens, audit_bytes) = (success.audit_tokens, success.audit.len());
    assert_eq!(
        result,
        format!(
            "{{\"schemaVersion\":1,\"status\":\"with_omissions\",\"runId\":\"8\",\
            \"security\":{{\"status\":\"clean\",\"scannedFiles\":3,\"flaggedFiles\":0,\"detectors\":[]}},\
            \"context\":{{\"maxTokens\":\"300\",\"tokens\":\"{tokens}\",\"bytes\":\"{bytes}\",\"resource\":{{\"uri\":\"u\"}}}},\
            \"audit\":{{\"tokens\":\"{audit_tokens}\",\"bytes\":\"{audit_bytes}\",\"resource\":{{\"uri\":\"v\"}}}}}}"
        )
    );
    assert_eq!(
        (success.name().as_str(), Success::audit_name()),
        ("context.md", "audit.json")
    );
    // A demand for the complete text beside a delivered skeleton says why it is not satisfied.
    let arguments = json!({"maxTokens": tokens, "tasks": [
        {"id": "x", "required": [item("a.py", "skeleton")]},
        {"id": "y", "optional": [{"path": "a.py", "mode": "full"}, {"path": "big.txt", "mode": "full", "priority": 9}]}
    ]});
    host.caps.tokens = 16_000;
    let mut tight = arguments.clone();
    let skeleton = {
        let (audit, _) = run(
            &host,
            &one(json!([item("a.py", "skeleton")]), json!([]), 16_000),
        );
        self::tokens(&audit["budget"], "contextTokens").unwrap()
    };
    tight["maxTokens"] = json!(skeleton);
    let (audit, _) = run(&host, &tight);
    let shown = file(&audit, "a.py");
    assert_eq!(shown["delivered"], "skeleton");
    assert_eq!(shown["elided"], json!([[4, 7], [11, 14], [18, 21]]));
    assert_eq!(
        shown["demands"][1],
        json!({"task": "y", "list": "optional", "mode": "full", "priority": 0, "satisfied": false, "reason": "OverBudget"})
    );
}

#[test]
fn exact_budgets() {
    let project = Project::new("");
    project.write("a.py", python("a", 4));
    project.write("b.py", python("b", 2));
    let host = plain_host(&project);
    let ask = |max_tokens: u64| {
        one(
            json!([item("a.py", "full")]),
            json!([item("b.py", "full")]),
            max_tokens,
        )
    };
    let (audit, _) = run(&host, &ask(16_000));
    assert_eq!(audit["status"], "complete");
    let required = tokens(&audit["budget"], "requiredTokens").unwrap();
    let all = tokens(&audit["budget"], "contextTokens").unwrap();
    for (max_tokens, status) in [
        (all, "complete"),
        (all - 1, "with_omissions"),
        (required, "with_omissions"),
        (required - 1, "required_over_budget"),
        (1, "required_over_budget"),
    ] {
        let (audit, success) = run(&host, &ask(max_tokens));
        assert_eq!(audit["status"], status, "{max_tokens}");
        assert_eq!(tokens(&audit["budget"], "requiredTokens"), Some(required));
        if success.is_none() {
            assert_eq!(outcomes(&audit), ["a.py none budget OverBudget"]);
            assert_eq!(audit["budget"].get("contextTokens"), None);
            assert_eq!(audit["limits"]["attempts"], 1);
            assert_eq!(audit["tasks"][0]["status"], "failed");
            assert_eq!(
                audit["tasks"][0]["optional"],
                json!({"total": 1, "satisfied": 0})
            );
        }
    }
    // The empty frame is a document too.
    let nothing = |max_tokens: u64| one(json!([]), json!([]), max_tokens);
    let frame = tokens(&run(&host, &nothing(16_000)).0["budget"], "frameTokens").unwrap();
    assert_eq!(run(&host, &nothing(frame)).0["status"], "complete");
    assert_eq!(
        run(&host, &nothing(frame - 1)).0["status"],
        "required_over_budget"
    );
}

#[test]
fn files_are_opened_lazily_and_the_least_wanted_last() {
    let project = Project::new("");
    for (path, n) in [("a", 100), ("b", 50), ("c", 30), ("d", 20)] {
        project.write(path, "x".repeat(n));
    }
    let host = plain_host(&project);
    let optional =
        |path: &str, priority: u64| json!({"path": path, "mode": "full", "priority": priority});
    let ask = |max_read_bytes: u64, max_tokens: u64, required: Value| {
        json!({"maxTokens": max_tokens, "maxReadBytes": max_read_bytes, "tasks": [
            {"id": "t", "required": required, "optional": [optional("b", 1), optional("c", 2), optional("d", 1)]},
            {"id": "u", "optional": [optional("d", 0)]}
        ]})
    };
    let a = || json!([item("a", "full")]);
    let read = |arguments: &Value| {
        let (audit, _) = run(&host, arguments);
        let bytes = tokens(&audit["limits"], "readBytes").unwrap();
        (audit, bytes)
    };
    for (max_read_bytes, read_bytes, unread) in [
        (200, 200, &[][..]),
        (199, 150, &["b"]),
        (150, 150, &["b"]),
        (149, 130, &["b", "d"]),
        (130, 130, &["b", "d"]),
        // A smaller file may still fit behind one that does not.
        (129, 120, &["b", "c"]),
        (119, 100, &["b", "c", "d"]),
        (100, 100, &["b", "c", "d"]),
    ] {
        let (audit, bytes) = read(&ask(max_read_bytes, 16_000, a()));
        assert_eq!(bytes, read_bytes, "{max_read_bytes}");
        let files = list(&audit, "/files").iter();
        let limited: Vec<&str> = files
            .filter(|file| file["reason"] == "ReadLimit" && file["stage"] == "limit")
            .map(|file| file["path"].as_str().unwrap())
            .collect();
        assert_eq!(limited, unread, "{max_read_bytes}");
    }
    let (audit, bytes) = read(&ask(99, 16_000, a()));
    assert_eq!(
        (audit["status"].as_str().unwrap(), bytes),
        ("required_unavailable", 0)
    );
    assert_eq!(outcomes(&audit), ["a none limit ReadLimit"]);
    // A required path that fails: the others are looked at, no optional one is.
    let (audit, bytes) = read(&ask(
        200,
        16_000,
        json!([
            item("a", "full"),
            item("gone", "full"),
            item("lost", "skeleton")
        ]),
    ));
    assert_eq!(bytes, 100);
    assert_eq!(audit["status"], "required_unavailable");
    assert_eq!(
        outcomes(&audit),
        [
            "a none accepted Full",
            "gone none resolve NotFound",
            "lost none resolve NotFound"
        ]
    );
    assert_eq!(audit["budget"].get("requiredTokens"), None);
    assert_eq!(audit["limits"]["attempts"], 0);
    // A required document over the budget.
    let (audit, bytes) = read(&ask(200, 1, a()));
    assert_eq!(
        (audit["status"].as_str().unwrap(), bytes),
        ("required_over_budget", 100)
    );
    // The host's own limit is not widened by a request.
    let mut narrow = plain_host(&project);
    narrow.input.source_bytes = 100;
    let (audit, _) = run(&narrow, &ask(200, 16_000, a()));
    assert_eq!(audit["limits"]["maxReadBytes"], "100");
    assert_eq!(audit["limits"]["readBytes"], "100");
}

/// Text that the scan takes for a secret; put together here so that this file holds none.
fn secret() -> String {
    format!(
        "token = \"{}_{}\"\n",
        "ghp", "a8Kd02mXq7Lr5TzW9bYc3NvE6hJs1PfU4gQ0"
    )
}

#[test]
fn secrets() {
    let project = Project::new("");
    project.write("clean.py", python("clean", 2));
    project.write("flagged.py", format!("import os\n{}", secret()));
    let mut host = plain_host(&project);
    let optional = one(
        json!([item("clean.py", "full")]),
        json!([item("flagged.py", "either")]),
        16_000,
    );
    let required = one(
        json!([item("clean.py", "full"), item("flagged.py", "skeleton")]),
        json!([]),
        16_000,
    );
    let check = |audit: &Value| {
        let shown = file(audit, "flagged.py");
        assert_eq!(shown["stage"], "security");
        assert_eq!(shown["reason"], "SecretDetected");
        assert_eq!(shown["findings"][0]["startLine"], 2);
        let members: Vec<&String> = shown.as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            [
                "delivered",
                "demands",
                "findings",
                "path",
                "reason",
                "stage"
            ]
        );
        assert_eq!(audit["security"]["status"], "flagged");
        assert_eq!(audit["security"]["scannedFiles"], 2);
        assert_eq!(audit["security"]["flaggedFiles"], 1);
        assert!(!audit.to_string().contains("a8Kd02mX"));
    };
    let (audit, success) = run(&host, &optional);
    check(&audit);
    assert_eq!(audit["status"], "with_omissions");
    assert!(!success.unwrap().text.contains("a8Kd02mX"));
    let (audit, success) = run(&host, &required);
    check(&audit);
    assert_eq!(audit["status"], "required_unavailable");
    assert!(success.is_none());
    host.header = Some(secret());
    assert!(matches!(
        try_plan(&host, &optional),
        Err(Error::SecretInText { .. })
    ));
    host.header = None;
    host.security = false;
    let (audit, success) = run(&host, &optional);
    assert_eq!(
        audit["security"],
        json!({"status": "disabled", "scannedFiles": 0, "flaggedFiles": 0, "detectors": []})
    );
    assert!(success.unwrap().text.contains("a8Kd02mX"));
}

#[test]
fn every_reason() {
    let project = Project::new("");
    project.write("kept.py", python("kept", 3));
    project.write("short.py", "x = 1\n");
    project.write("some.py", python("some", 6));
    project.write("prose.txt", "prose\n");
    project.write("dir/file", "x");
    project.write("binary", b"\0\x01\x02\xff\xfe\0\0");
    project.write("legacy", b"\xff\xfe\x00");
    project.write("own", "<!-- moon-repomix-document 1 -->\n");
    project.write("large", "x".repeat(5_000));
    project.write("ignored.log", "x");
    project.write("out/side", "x");
    project.write(".gitignore", "*.log\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("prose.txt", project.join("link")).unwrap();
    let spec = |list: Option<Vec<_>>| SelectionSpec {
        keep_full: vec!["kept.py".to_owned()],
        ignore: vec!["out/".to_owned()],
        list,
        ..SelectionSpec::default()
    };
    let mut host = host(&project, spec(None));
    host.input.file_bytes = 4_000;
    for (path, mode, delivered, stage, reason) in [
        ("kept.py", "skeleton", "full", None, "KeepFull"),
        ("kept.py", "full", "full", None, "KeepFull"),
        ("short.py", "skeleton", "full", None, "SkeletonNotSmaller"),
        ("some.py", "skeleton", "skeleton", None, "Skeleton"),
        ("some.py", "full", "full", None, "Full"),
        (
            "prose.txt",
            "skeleton",
            "full",
            None,
            "SkeletonUnsupportedLanguage",
        ),
        ("prose.txt", "full", "full", None, "Full"),
        ("gone", "full", "none", Some("resolve"), "NotFound"),
        ("dir", "full", "none", Some("resolve"), "NotRegularFile"),
        (
            "PROSE.txt",
            "full",
            "none",
            Some("resolve"),
            "SpellingMismatch",
        ),
        (
            "link",
            "full",
            "none",
            Some("resolve"),
            "SymlinkNotFollowed",
        ),
        ("ignored.log", "full", "none", Some("ignore"), "Ignored"),
        ("out/side", "full", "none", Some("ignore"), "Ignored"),
        ("binary", "full", "none", Some("type"), "Binary"),
        (
            "legacy",
            "full",
            "none",
            Some("type"),
            "UnsupportedEncoding",
        ),
        ("own", "full", "none", Some("type"), "OwnOutput"),
        ("large", "full", "none", Some("size"), "FileTooLarge"),
    ] {
        if cfg!(not(unix)) && path == "link" {
            continue;
        }
        for is_required in [true, false] {
            let wish = json!([item(path, mode)]);
            let arguments = match is_required {
                true => one(wish, json!([]), 16_000),
                false => one(json!([]), wish, 16_000),
            };
            let (audit, success) = run(&host, &arguments);
            let shown = file(&audit, path);
            assert_eq!(shown["delivered"], delivered, "{path}");
            assert_eq!(shown.get("stage").and_then(Value::as_str), stage, "{path}");
            assert_eq!(shown["reason"], reason, "{path}");
            assert_eq!(success.is_some(), stage.is_none() || !is_required, "{path}");
            let status = match (stage, is_required) {
                (None, _) => "complete",
                (Some(_), true) => "required_unavailable",
                (Some(_), false) => "with_omissions",
            };
            assert_eq!(audit["status"], status, "{path}");
        }
    }
    let ignored = run(
        &host,
        &one(json!([]), json!([item("ignored.log", "full")]), 16_000),
    )
    .0;
    assert_eq!(
        file(&ignored, "ignored.log")["rule"],
        json!({"source": "ignore_file", "file": ".gitignore", "line": 1})
    );
    let listed = self::host(&project, spec(Some(vec![rel("some.py")])));
    let (audit, _) = run(
        &listed,
        &one(
            json!([]),
            json!([item("prose.txt", "full"), item("some.py", "full")]),
            16_000,
        ),
    );
    assert_eq!(
        outcomes(&audit),
        ["prose.txt none list NotListed", "some.py full - Full"]
    );
    let included = self::host(
        &project,
        SelectionSpec {
            include: vec!["*.py".to_owned()],
            ..SelectionSpec::default()
        },
    );
    let (audit, _) = run(
        &included,
        &one(json!([]), json!([item("prose.txt", "full")]), 16_000),
    );
    assert_eq!(outcomes(&audit), ["prose.txt none include NotIncluded"]);
}

#[test]
fn set_ups_and_limits_that_give_nothing() {
    let project = Project::new("");
    project.write("wide", " ".repeat(20_000));
    let mut host = plain_host(&project);
    let arguments = one(json!([item("wide", "full")]), json!([]), 16_000);
    let (_, success) = run(&host, &arguments);
    let success = success.unwrap();
    let n_bytes = (success.text.len() + success.audit.len()) as u64;
    host.caps.output_bytes = n_bytes;
    assert!(matches!(
        try_plan(&host, &arguments),
        Ok(Planned::Success(_))
    ));
    host.caps.output_bytes = n_bytes - 1;
    assert!(
        matches!(try_plan(&host, &arguments), Err(Error::ResourceLimit { limit }) if limit == n_bytes - 1)
    );
    let failing = one(json!([item("gone", "full")]), json!([]), 16_000);
    let Ok(Planned::Failure(failure)) = try_plan(&host, &failing) else {
        panic!()
    };
    let n_bytes = serde_json::to_string(&failure).unwrap().len() as u64;
    host.caps.output_bytes = n_bytes;
    assert!(matches!(try_plan(&host, &failing), Ok(Planned::Failure(_))));
    host.caps.output_bytes = n_bytes - 1;
    assert!(matches!(
        try_plan(&host, &failing),
        Err(Error::ResourceLimit { .. })
    ));
    let mut bodiless = plain_host(&project);
    bodiless.sections.files = false;
    assert!(matches!(
        try_plan(&bodiless, &failing),
        Err(Error::Configuration(_))
    ));
}

#[test]
fn checked_counts_and_cancellation() {
    let (project, paths) = corpus();
    let mut host = plain_host(&project);
    host.verify_counts = true;
    let arguments = request(&mut Numbers(5), &paths, 12, 2_000);
    assert!(try_plan(&host, &arguments).is_ok());
    let request = request::parse(
        &Argument::parse(&arguments.to_string()).unwrap(),
        &host.caps,
    )
    .unwrap();
    let cancel = Cancel::new();
    cancel.set();
    let planned = plan::plan(&host, &request, &Progress::new(), &cancel);
    assert!(matches!(planned, Err(Error::Cancelled)));
}
