//! Code read by symbol, lines, outline or in full: exact texts, exact counts, every refusal.

use moon_repomix::cancel::Cancel;
use moon_repomix::code::request::parse_spec;
use moon_repomix::code::{self, Failed, Round};
use moon_repomix::error::Error;
use moon_repomix::options::HostOptions;
use moon_repomix::progress::Progress;
use moon_repomix::scan::select::{Selection, SelectionSpec};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Project, rel};

const SOURCE: &str = "\u{feff}import os
import sys


class Store:
    \"\"\"Keeps values.\"\"\"

    @property
    def size(self):
        return len(os.environ)

    @size.setter
    def size(self, value):
        pass

    def get(self, key):
        return helper(key)


def helper(key):
    return inner(key)


def inner(key):
    return key


def twice():
    return 1


if os.name == 'nt':
    def twice():
        return 2
";

fn project() -> Project {
    let project = Project::new("");
    project.write("a.py", SOURCE);
    project
}

fn host(project: &Project) -> HostOptions {
    HostOptions::new(
        project.root(""),
        Selection::new(SelectionSpec::default()).unwrap(),
    )
}

const ROUND: Round<'static> = Round {
    run_id: "1",
    previous_run_id: None,
    number: 1,
    max_tokens: 16_000,
    used_tokens: 0,
};

fn try_read(
    host: &HostOptions,
    specs: &[&str],
    round: &Round<'_>,
) -> Result<Result<(Value, u64), Value>, Error> {
    let items: Vec<_> = specs.iter().map(|spec| parse_spec(spec).unwrap()).collect();
    let outcome = code::read(host, &items, round, &Progress::new(), &Cancel::never())?;
    Ok(match outcome.delivered(round) {
        Ok(delivered) => {
            let counted = tiktoken_rs::o200k_base_singleton()
                .encode_ordinary(&delivered.text)
                .len() as u64;
            assert_eq!(delivered.tokens, counted);
            assert!(delivered.text.ends_with("}\n"));
            Ok((
                serde_json::from_str(&delivered.text).unwrap(),
                delivered.tokens,
            ))
        }
        Err(failed) => Err(to_json(&failed)),
    })
}

fn to_json(failed: &Failed) -> Value {
    serde_json::to_value(failed).unwrap()
}

fn read(host: &HostOptions, specs: &[&str]) -> Value {
    try_read(host, specs, &ROUND).unwrap().unwrap().0
}

/// Index, path, stage and reason of each problem.
fn problems(host: &HostOptions, specs: &[&str]) -> Vec<(u64, String)> {
    let failed = try_read(host, specs, &ROUND).unwrap().unwrap_err();
    assert_eq!(failed["status"], "unavailable");
    let all = failed["problems"].as_array().unwrap();
    all.iter()
        .map(|one| {
            (
                one["index"].as_u64().unwrap(),
                one["reason"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[test]
fn symbols_come_whole() {
    let project = project();
    let host = host(&project);
    let code = read(
        &host,
        &[
            "a.py:Store.get",
            "a.py:size",
            "a.py:twice#2",
            "a.py:Store.get+",
        ],
    );
    let item = &code["items"][0];
    assert_eq!(
        item["text"],
        "    def get(self, key):\n        return helper(key)\n"
    );
    assert_eq!(item["lines"]["start"], 16);
    assert_eq!(
        (&item["language"], &item["parse"], &item["lineEnding"]),
        (&"python".into(), &"ok".into(), &"lf".into())
    );
    let accessor = &code["items"][1];
    assert_eq!(
        (
            &accessor["symbol"]["path"],
            &accessor["symbol"]["kind"],
            &accessor["symbol"]["declarations"]
        ),
        (&"Store.size".into(), &"accessor".into(), &2.into())
    );
    assert!(
        accessor["text"]
            .as_str()
            .unwrap()
            .starts_with("    @property\n")
    );
    assert_eq!(
        code["items"][2]["text"],
        "    def twice():\n        return 2\n"
    );
    let used: Vec<&str> = code["items"][3]["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap_or("import"))
        .collect();
    assert_eq!(
        used,
        ["helper", "inner"],
        "what it uses, and what that uses"
    );
}

#[test]
fn the_audit_describes_the_file_as_it_is_on_disk() {
    let project = project();
    let code = read(&host(&project), &["a.py:helper", "a.py:1-2"]);
    let files = code["audit"]["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "one file, read once");
    let hex: String = Sha256::digest(SOURCE.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(files[0]["sha256"], hex);
    assert_eq!(files[0]["byteOrderMark"], true);
    assert_eq!(files[0]["sourceBytes"], SOURCE.len().to_string());
    assert_eq!(code["audit"]["security"]["scannedFiles"], 1);
}

#[test]
fn lines_over_any_partition_give_the_file_back() {
    let project = Project::new("");
    for (name, text, ending) in [
        ("lf", "one\ntwo\n\nfour\n", "lf"),
        ("crlf", "one\r\ntwo\r\n\r\nfour\r\n", "crlf"),
        ("mixed", "one\r\ntwo\nthree\r\n", "mixed"),
        ("open", "one\ntwo\nlast", "lf"),
        ("astral", "\u{1f980}\n漢字\ne\u{301}\u{2028}x\u{c}\n", "lf"),
        ("single", "no line end", "none"),
    ] {
        project.write(name, text);
        let host = host(&project);
        let whole = read(&host, &[name]);
        assert_eq!(whole["items"][0]["text"], text);
        assert_eq!(whole["items"][0]["lineEnding"], ending, "{name}");
        let n_lines = whole["items"][0]["totalLines"].as_u64().unwrap();
        for cut in 1..n_lines {
            let (first, second) = (
                format!("{name}:1-{cut}"),
                format!("{name}:{}-{n_lines}", cut + 1),
            );
            let parts = read(&host, &[&first, &second]);
            let joined: String = (0..2)
                .map(|part| parts["items"][part]["text"].as_str().unwrap())
                .collect();
            assert_eq!(joined, text);
        }
        let beyond = format!("{name}:1-{}", n_lines + 1);
        assert_eq!(
            problems(&host, &[&beyond]),
            [(0, "LineOutOfRange".to_owned())]
        );
    }
    project.write("empty", "");
    let code = read(&host(&project), &["empty"]);
    assert_eq!(
        (&code["items"][0]["text"], &code["items"][0]["lines"]),
        (&"".into(), &Value::Null)
    );
    assert_eq!(
        problems(&host(&project), &["empty:1"]),
        [(0, "LineOutOfRange".to_owned())]
    );
}

#[test]
fn outlines_nest_and_can_be_cut() {
    let project = project();
    let code = read(&host(&project), &["a.py:"]);
    let symbols = code["items"][0]["symbols"].as_array().unwrap();
    let paths: Vec<&str> = symbols
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["Store", "helper", "inner", "twice#1", "twice#2"]);
    let members: Vec<&str> = symbols[0]["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(members, ["Store.size", "Store.get"]);
    assert!(!code.to_string().contains("len(os.environ)"), "no text");

    let mut item = parse_spec("a.py:").unwrap();
    item.what = code::request::What::Outline { depth: 1 };
    let outcome = code::read(
        &host(&project),
        &[item],
        &ROUND,
        &Progress::new(),
        &Cancel::never(),
    )
    .unwrap();
    let text = outcome.delivered(&ROUND).unwrap().text;
    assert!(text.contains("\"truncated\":true") && !text.contains("Store.get"));
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
    let host = host(&project);
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
    let failed = try_read(&host, &specs, &ROUND).unwrap().unwrap_err();
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
    let failed = try_read(&host(&project), &["many.py:f"], &ROUND)
        .unwrap()
        .unwrap_err();
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
    let host = host(&project);
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
    let value = format!("{}{}", "ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");
    project.write(
        "leak.py",
        format!("def clean():\n    return 1\n\n\nTOKEN = '{value}'\n"),
    );
    let host = host(&project);
    let failed = try_read(
        &host,
        &[
            "leak.py:clean",
            "leak.py:1-2",
            "a.py:helper",
            "leak.py:nope",
        ],
        &ROUND,
    )
    .unwrap()
    .unwrap_err();
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
fn the_budget_counts_the_complete_document() {
    let project = project();
    let host = host(&project);
    let specs = ["a.py:Store", "a.py:helper"];
    let (_, tokens) = try_read(&host, &specs, &ROUND).unwrap().unwrap();
    // The digits of maxTokens and of what was used stand in the document; keep their number.
    let used = |used_tokens| Round {
        used_tokens,
        ..ROUND
    };
    let at = 16_000 - tokens;
    let exact = (at - 6..at + 6)
        .find(|used_tokens| {
            try_read(&host, &specs, &used(*used_tokens))
                .unwrap()
                .is_err()
        })
        .unwrap();
    let failed = try_read(&host, &specs, &used(exact)).unwrap().unwrap_err();
    assert_eq!(failed["status"], "over_budget");
    let needed: u64 = failed["neededTokens"].as_str().unwrap().parse().unwrap();
    assert_eq!(failed["remainingTokens"], (16_000 - exact).to_string());
    assert_eq!(
        needed,
        16_000 - exact + 1,
        "one token too many, and not one less"
    );
    assert_eq!(failed["itemTokens"].as_array().unwrap().len(), 2);
    assert!(try_read(&host, &specs, &used(exact - 1)).unwrap().is_ok());
}

#[test]
fn bytes_are_limited_and_threads_do_not_matter() {
    let project = project();
    let mut host = host(&project);
    let items = [
        parse_spec("a.py:Store").unwrap(),
        parse_spec("a.py").unwrap(),
    ];
    let text = |host: &HostOptions, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| code::read(host, &items, &ROUND, &Progress::new(), &Cancel::never()))
            .map(|outcome| outcome.delivered(&ROUND).unwrap().text)
    };
    let one = text(&host, 1).unwrap();
    assert_eq!(one, text(&host, 8).unwrap());
    host.caps.output_bytes = one.len() as u64;
    assert!(text(&host, 1).is_ok());
    host.caps.output_bytes -= 1;
    assert!(matches!(text(&host, 1), Err(Error::ResourceLimit { .. })));

    let cancel = Cancel::new();
    cancel.set();
    let stopped = code::read(&host, &items, &ROUND, &Progress::new(), &cancel);
    assert!(matches!(stopped, Err(Error::Cancelled)));
    assert_eq!(items[0].path, rel("a.py"));
}
