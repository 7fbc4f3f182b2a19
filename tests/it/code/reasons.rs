//! Every reason for which something cannot be read, and all that is said about it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use moon_repomix::reason::{Reason, Stage};
use moon_repomix::scan::select::SelectionSpec;

use super::*;

/// The ways of asking for something of a file: all of it, its outline, lines, a symbol.
const WAYS: [&str; 4] = ["", ":", ":1", ":f"];

/// Reasons up to the limits that no request can meet: a checked path stays inside the root and
/// is short and UTF-8, and single paths are looked up without a walk.
const UNREACHABLE: [Reason; 4] = [
    Reason::OutsideRoot,
    Reason::NameNotUtf8,
    Reason::PathTooLong,
    Reason::CandidateLimit,
];

/// What is told when `path` is asked for in every way and `good` can be read beside it.
fn told(host: &HostOptions, good: &[&str], path: &str) -> String {
    let ways: Vec<String> = WAYS.iter().map(|way| format!("{path}{way}")).collect();
    let specs: Vec<&str> = good
        .iter()
        .copied()
        .chain(ways.iter().map(String::as_str))
        .collect();
    let failed = outcome(host, &specs, &ROUND).unwrap().unwrap_err();
    serde_json::to_string(&failed).unwrap()
}

/// What is to be told: one problem for each way, no text, and only what is `good` was scanned.
fn refusal(good: &[&str], path: &str, stage: &str, reason: &str) -> String {
    let path = serde_json::to_string(path).unwrap();
    let problems: Vec<String> = (good.len()..)
        .take(WAYS.len())
        .map(|index| {
            format!(r#"{{"index":{index},"path":{path},"stage":"{stage}","reason":"{reason}"}}"#)
        })
        .collect();
    let (n_good, problems) = (good.len(), problems.join(","));
    format!(
        r#"{{"schemaVersion":1,"status":"unavailable","security":{{"status":"clean","scannedFiles":{n_good},"flaggedFiles":0,"detectors":[]}},"problems":[{problems}]}}"#
    )
}

/// A file that can be read, and many that cannot.
fn obstacles() -> Project {
    let project = Project::new("");
    project.write("a.py", GOOD);
    project.write("prose.txt", "prose\n");
    project.write("cafe\u{301}.txt", "prose\n");
    project.write("dir/file.txt", "x\n");
    project.write("ignored.log", "x\n");
    project.write("out/side.txt", "x\n");
    project.write("node_modules/m.js", "x\n");
    project.write(".gitignore", "*.log\n");
    project.write("binary", b"\0\x01\x02\xff\xfe\0\0");
    project.write("legacy", b"caf\xe9 au lait\n");
    project.write("own.txt", "<!-- moon-repomix-document 1 -->\n");
    project.write("full.txt", "x".repeat(4_000));
    project.write("large.txt", "x".repeat(4_001));
    project
}

const GOOD: &str = "def good():\n    return 'unseen'\n";

#[test]
fn every_reason_about_a_file() {
    let project = obstacles();
    let host = |spec| {
        let mut host = crate::support::host(&project, spec);
        host.input.file_bytes = 4_000;
        host
    };
    let plain = host(SelectionSpec {
        ignore: vec!["out/".to_owned()],
        ..SelectionSpec::default()
    });
    let listed = host(SelectionSpec {
        list: Some(vec![rel("a.py")]),
        ..SelectionSpec::default()
    });
    let included = host(SelectionSpec {
        include: vec!["*.py".to_owned()],
        ..SelectionSpec::default()
    });
    let writing = host(SelectionSpec {
        outputs: vec![rel("prose.txt")],
        ..SelectionSpec::default()
    });
    let mut bounded = host(SelectionSpec::default());
    bounded.input.source_bytes = GOOD.len() as u64 + 5;
    let mut cases = vec![
        (&listed, "prose.txt", Reason::NotListed),
        (&listed, "gone.txt", Reason::NotListed),
        (&plain, "gone.txt", Reason::NotFound),
        (&plain, "a.py/file.txt", Reason::NotFound),
        (&plain, "dir", Reason::NotRegularFile),
        (&plain, "PROSE.txt", Reason::SpellingMismatch),
        (&plain, "caf\u{e9}.txt", Reason::SpellingMismatch),
        (&included, "prose.txt", Reason::NotIncluded),
        (&plain, "ignored.log", Reason::Ignored),
        (&plain, "out/side.txt", Reason::Ignored),
        (&plain, "node_modules/m.js", Reason::Ignored),
        (&plain, "binary", Reason::Binary),
        (&plain, "legacy", Reason::UnsupportedEncoding),
        (&plain, "own.txt", Reason::OwnOutput),
        (&writing, "prose.txt", Reason::OwnOutput),
        (&plain, "large.txt", Reason::FileTooLarge),
        // A file over its own limit is not read, so it uses nothing of the other.
        (&bounded, "large.txt", Reason::FileTooLarge),
        (&bounded, "prose.txt", Reason::ReadLimit),
    ];
    #[cfg(unix)]
    {
        use std::os::unix::{fs::symlink, net::UnixListener};

        symlink("prose.txt", project.join("link")).unwrap();
        symlink("dir", project.join("way")).unwrap();
        UnixListener::bind(project.join("socket")).unwrap();
        cases.extend([
            (&plain, "link", Reason::SymlinkNotFollowed),
            (&plain, "way/file.txt", Reason::SymlinkNotFollowed),
            (&plain, "socket", Reason::NotRegularFile),
        ]);
    }
    for (host, path, reason) in &cases {
        let expected = refusal(&["a.py"], path, reason.stage().as_str(), reason.as_str());
        assert_eq!(told(host, &["a.py"], path), expected);
    }
    // One byte less, and the limit of a file holds.
    assert_eq!(read(&plain, &["full.txt"])["items"][0]["totalLines"], 1);
    // No reason is forgotten: the rest have tests of their own.
    let mut seen: BTreeSet<Reason> = cases.iter().map(|case| case.2).collect();
    seen.extend(UNREACHABLE);
    seen.extend([
        Reason::PermissionDenied,
        Reason::ReadFailed,
        Reason::ChangedDuringRead,
        Reason::SecretDetected,
    ]);
    #[cfg(not(unix))]
    seen.insert(Reason::SymlinkNotFollowed);
    let all = Reason::ALL.iter().copied();
    let all: BTreeSet<Reason> = all
        .filter(|reason| reason.stage() <= Stage::Limit)
        .collect();
    assert_eq!(seen, all);

    // One byte more, and the limit of the bytes of a run holds.
    bounded.input.source_bytes += 1;
    assert_eq!(
        read(&bounded, &["a.py", "prose.txt"])["audit"]["readBytes"],
        bounded.input.source_bytes.to_string()
    );
}

/// What may not be opened. As root this runs in a child process that is an ordinary user.
#[cfg(unix)]
#[test]
fn permission_denied() {
    if !crate::support::is_ordinary_user("code::reasons::permission_denied") {
        return;
    }
    let project = Project::new("//- closed.py\nx = 1\n//- shut/inside.py\nx = 1\n");
    project.write("a.py", GOOD);
    project.set_mode("closed.py", 0o000);
    project.set_mode("shut", 0o000);
    let told = ["closed.py", "shut/inside.py"].map(|path| {
        let expected = refusal(&["a.py"], path, "read", "PermissionDenied");
        (told(&plain_host(&project), &["a.py"], path), expected)
    });
    project.set_mode("shut", 0o755);
    for (told, expected) in told {
        assert_eq!(told, expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn read_failed() {
    let host = crate::support::own_process();
    let expected = refusal(&[], "mem", "read", "ReadFailed");
    assert_eq!(told(&host, &[], "mem"), expected);
}

/// A file whose length another thread changes all the time. Who is scheduled when is left to
/// chance, so there is more than one try.
#[test]
fn changed_during_read() {
    use std::fs::File;
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};

    let project = Project::new("");
    project.write("a.py", GOOD);
    let text = "word\n".repeat(100_000);
    project.write("moving.txt", &text);
    let host = plain_host(&project);
    let expected = refusal(&["a.py"], "moving.txt", "read", "ChangedDuringRead");
    let stop = &AtomicBool::new(false);
    let n_bytes = text.len() as u64;
    let is_seen = std::thread::scope(|scope| {
        let path = project.join("moving.txt");
        let mut file = File::options().append(true).open(path).unwrap();
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                file.write_all(b"word\n").unwrap();
                file.set_len(n_bytes).unwrap();
            }
        });
        let is_seen = (0..1_000).any(|_| told(&host, &["a.py"], "moving.txt") == expected);
        stop.store(true, Ordering::Relaxed);
        is_seen
    });
    assert!(is_seen);
}

/// What the files below are asked for, and all that is told about it.
#[rustfmt::skip] // One case a line.
const WITHIN: [(&str, &str); 19] = [
    ("twice.py:f", r#""SymbolAmbiguous","candidateCount":2,"candidates":[{"path":"f#1","kind":"function","lines":{"start":1,"end":2}},{"path":"f#2","kind":"function","lines":{"start":8,"end":9}}]"#),
    ("twice.py:f+", r#""SymbolAmbiguous","candidateCount":2,"candidates":[{"path":"f#1","kind":"function","lines":{"start":1,"end":2}},{"path":"f#2","kind":"function","lines":{"start":8,"end":9}}]"#),
    ("twice.py:f#3", r#""SymbolNotFound","candidateCount":2,"candidates":[{"path":"f#1","kind":"function","lines":{"start":1,"end":2}},{"path":"f#2","kind":"function","lines":{"start":8,"end":9}}]"#),
    ("twice.py:A.x", r#""SymbolNotFound","candidateCount":1,"candidates":[{"path":"x","kind":"variable","lines":{"start":5,"end":5}}]"#),
    ("twice.py:gone", r#""SymbolNotFound","candidateCount":0,"candidates":[]"#),
    ("twice.py:10", r#""LineOutOfRange","totalLines":9"#),
    ("twice.py:9-10", r#""LineOutOfRange","totalLines":9"#),
    ("twice.py:1-4294967297", r#""LineOutOfRange","totalLines":9"#),
    ("empty.py:1", r#""LineOutOfRange","totalLines":0"#),
    ("empty.py:f", r#""SymbolNotFound","candidateCount":0,"candidates":[]"#),
    ("notes.txt:f", r#""LanguageUnsupported""#),
    ("notes.txt:", r#""LanguageUnsupported""#),
    ("broken.py:bad", r#""ParseUnreliable","lines":{"start":5,"end":6}"#),
    ("noise.py:f", r#""ParseUnreliable","lines":{"start":1,"end":3}"#),
    ("noise.py:", r#""ParseUnreliable","lines":{"start":1,"end":3}"#),
    ("slow.py:f", r#""ParseTimeout""#),
    ("slow.py:", r#""ParseTimeout""#),
    ("deep.py:", r#""IndexLimit""#),
    ("uses.py:all+", r#""DependencyLimit""#),
];

/// Files with something that cannot be given.
fn hard() -> Project {
    let project = Project::new("");
    project.write(
        "twice.py",
        "def f():\n    return 1\n\n\nx = 1\n\n\ndef f():\n    return 2\n",
    );
    project.write("empty.py", "");
    project.write("notes.txt", "plain\n");
    project.write(
        "broken.py",
        format!(
            "def fine():\n    return 1\n\n\ndef bad(:\n    retur ((\n\n\n{}",
            "x = 1\n".repeat(60)
        ),
    );
    project.write("noise.py", "]] %% }} ((\n<<< @@ %%\n]] ~~ ^^ &&\n");
    // Nothing special, but so much of it that no parser is through in time.
    project.write(
        "slow.py",
        format!(
            "last = 1
{}",
            "x = 1
"
            .repeat(2_000_000)
        ),
    );
    let nested: String = (0..65)
        .map(|depth| format!("{}class C{depth}:\n", " ".repeat(depth)))
        .collect();
    project.write("deep.py", format!("{nested}{}pass\n", " ".repeat(65)));
    let functions: String = (0..65).map(|n| format!("def f{n}(): pass\n")).collect();
    let calls: String = (0..65).map(|n| format!("    f{n}()\n")).collect();
    project.write("uses.py", format!("{functions}def all():\n{calls}"));
    project
}

#[test]
fn every_reason_within_a_file() {
    let project = hard();
    let host = plain_host(&project);
    let specs = WITHIN.map(|case| case.0);
    let failed = outcome(&host, &specs, &ROUND).unwrap().unwrap_err();
    let failed = serde_json::to_string(&failed).unwrap();
    let (head, problems) = failed.split_once(r#","problems":["#).unwrap();
    assert_eq!(
        head,
        r#"{"schemaVersion":1,"status":"unavailable","security":{"status":"clean","scannedFiles":8,"flaggedFiles":0,"detectors":[]}"#
    );
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let alone = alone.unwrap().install(|| outcome(&host, &specs, &ROUND));
    let alone = serde_json::to_string(&alone.unwrap().unwrap_err()).unwrap();
    assert_eq!(alone, failed, "threads do not matter");
    let mut rest = problems;
    for (index, (spec, about)) in WITHIN.iter().enumerate() {
        let path = spec.split(':').next().unwrap();
        let end = if index + 1 == WITHIN.len() { "]}" } else { "," };
        let expected = format!(r#"{{"index":{index},"path":"{path}","reason":{about}}}{end}"#);
        rest = rest
            .strip_prefix(&expected)
            .unwrap_or_else(|| panic!("{spec}: {expected}\n{rest}"));
    }
    assert_eq!(rest, "");
    // What needs no symbols can be read all the same.
    let lines = [
        ("slow.py:1", "last = 1\n"),
        ("deep.py:1", "class C0:\n"),
        ("noise.py:2", "<<< @@ %%\n"),
        ("broken.py:fine", "def fine():\n    return 1\n"),
        ("uses.py:f64+", "def f64(): pass\n"),
        ("empty.py", ""),
        ("notes.txt", "plain\n"),
    ];
    let code = read(&host, &lines.map(|line| line.0));
    for (item, (spec, text)) in code["items"].as_array().unwrap().iter().zip(lines) {
        assert_eq!(item["text"], text, "{spec}");
    }
}

#[test]
fn every_problem_is_reported_and_no_text_given() {
    let project = project();
    project.write("notes.txt", "plain\n");
    project.write("image.bin", [0_u8, 1, 2]);
    project.write(
        "broken.py",
        format!(
            "def fine():\n    return 1\n\n\ndef bad(:\n    retur ((\n\n\n{}",
            "x = 1\n".repeat(60)
        ),
    );
    project.write("dir/x.py", "pass\n");
    let host = plain_host(&project);
    let specs = [
        "a.py:twice",
        "a.py:gone",
        "a.py:Shop.get",
        "notes.txt:f",
        "gone.py",
        "image.bin",
        "dir",
        "a.py:900",
        "a.py:helper",
    ];
    let failed = failed(&host, &specs, &ROUND);
    let reasons = problems(&host, &specs);
    let expected = [
        "SymbolAmbiguous",
        "SymbolNotFound",
        "SymbolNotFound",
        "LanguageUnsupported",
        "NotFound",
        "Binary",
        "NotRegularFile",
        "LineOutOfRange",
    ];
    let expected: Vec<(u64, String)> = (0..)
        .zip(expected)
        .map(|(index, reason)| (index, reason.to_owned()))
        .collect();
    assert_eq!(reasons, expected);
    assert!(!failed.to_string().contains("return"), "{failed}");
    let ambiguous = &failed["problems"][0];
    assert_eq!(ambiguous["candidateCount"], 2);
    assert_eq!(ambiguous["candidates"][1]["path"], "twice#2");
    assert_eq!(
        failed["problems"][2]["candidates"][0]["path"], "Store.get",
        "the near ones are named"
    );
    assert_eq!(failed["problems"][4]["stage"], "resolve");

    assert_eq!(problems(&host, &["broken.py:bad"])[0].1, "ParseUnreliable");
    let fine = read(&host, &["broken.py:fine"]);
    assert_eq!(fine["items"][0]["parse"], "recovered");
    assert!(!fine["items"][0]["gaps"].as_array().unwrap().is_empty());
}

#[test]
fn at_most_32_candidates() {
    let project = Project::new("");
    project.write("many.py", "def f():\n    pass\n\n\nx = 1\n".repeat(40));
    let failed = failed(&plain_host(&project), &["many.py:f"], &ROUND);
    assert_eq!(failed["problems"][0]["candidateCount"], 40);
    assert_eq!(
        failed["problems"][0]["candidates"]
            .as_array()
            .unwrap()
            .len(),
        32
    );
}

#[test]
fn index_and_dependencies_have_their_limits() {
    let project = Project::new("");
    for n in [20_000, 20_001] {
        project.write(
            &format!("n{n}.py"),
            (0..n)
                .map(|i| format!("def f{i}(): pass\n"))
                .collect::<String>(),
        );
    }
    for n in [64, 65] {
        let functions: String = (0..n)
            .map(|i| format!("def f{i}():\n    pass\n\n\n"))
            .collect();
        let calls: String = (0..n).map(|i| format!("    f{i}()\n")).collect();
        project.write(
            &format!("d{n}.py"),
            format!("{functions}def all():\n{calls}"),
        );
    }
    let host = plain_host(&project);
    assert_eq!(
        read(&host, &["n20000.py:f19999"])["items"][0]["text"],
        "def f19999(): pass\n"
    );
    assert_eq!(problems(&host, &["n20001.py:f1"])[0].1, "IndexLimit");
    assert_eq!(
        read(&host, &["n20001.py:20001"])["items"][0]["text"],
        "def f20000(): pass\n"
    );
    assert_eq!(
        read(&host, &["d64.py:all+"])["items"][0]["dependencies"]
            .as_array()
            .unwrap()
            .len(),
        64
    );
    assert_eq!(problems(&host, &["d65.py:all+"])[0].1, "DependencyLimit");
}

#[test]
fn a_secret_makes_all_of_its_file_unavailable() {
    let project = project();
    let value = crate::support::token();
    project.write(
        "leak.py",
        format!("def clean():\n    return 1\n\n\nTOKEN = '{value}'\n"),
    );
    let host = plain_host(&project);
    let specs = [
        "leak.py:clean",
        "leak.py:1-2",
        "a.py:helper",
        "leak.py:nope",
    ];
    let failed = failed(&host, &specs, &ROUND);
    assert_eq!(failed["security"]["status"], "flagged");
    for problem in failed["problems"].as_array().unwrap() {
        assert_eq!(
            (&problem["reason"], &problem["stage"]),
            (&"SecretDetected".into(), &"security".into())
        );
        assert_eq!(problem["findings"][0]["startLine"], 5);
        assert!(problem.get("candidates").is_none());
    }
    let text = failed.to_string();
    assert!(
        !text.contains("clean")
            && (0..=value.len() - 8).all(|at| !text.contains(&value[at..at + 8]))
    );
}

#[test]
fn without_the_scan_a_secret_is_text() {
    let project = Project::new("");
    let value = crate::support::token();
    let text = format!("TOKEN = '{value}'\n");
    project.write("leak.py", &text);
    let mut host = plain_host(&project);
    host.security = false;
    let code = read(&host, &["leak.py:TOKEN"]);
    assert_eq!(code["items"][0]["text"], text);
    let disabled =
        json!({"status": "disabled", "scannedFiles": 0, "flaggedFiles": 0, "detectors": []});
    assert_eq!(code["audit"]["security"], disabled);
    assert_eq!(failed(&host, &["leak.py:f"], &ROUND)["security"], disabled);
}

#[test]
fn at_most_five_symbols_are_named_for_one_that_is_not_there() {
    let project = Project::new("");
    for n in [5, 6] {
        let classes = (1..=n).map(|n| format!("class C{n}:\n    def m(self): pass\n"));
        project.write("a.py", classes.collect::<String>());
        let failed = failed(&plain_host(&project), &["a.py:D.m"], &ROUND);
        let near = failed["problems"][0]["candidates"].as_array().unwrap();
        let near: Vec<&Value> = near.iter().map(|one| &one["path"]).collect();
        assert_eq!(near, ["C1.m", "C2.m", "C3.m", "C4.m", "C5.m"], "{n}");
    }
}

#[test]
fn a_file_too_slow_to_parse_costs_its_time_once() {
    let project = hard();
    let specs: Vec<String> = (0..64).map(|n| format!("slow.py:s{n}")).collect();
    let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
    let start = Instant::now();
    let problems = problems(&plain_host(&project), &specs);
    assert_eq!(problems.len(), 64);
    assert!(problems.iter().all(|(_, reason)| reason == "ParseTimeout"));
    // One parse takes a fifth of a second; 64 of them would take twelve, on two cores six.
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
}
