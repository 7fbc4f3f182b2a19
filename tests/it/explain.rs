//! Explanations: the same decisions as a run makes, in the order asked, within the same limits.

use std::collections::BTreeMap;

use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::explain::explain;
use moon_repomix::options::HostOptions;
use moon_repomix::pack::{Request, document, volumes};
use moon_repomix::pack::{split::VolumeCaps, volumes::RunCaps};
use moon_repomix::path::RelPath;
use moon_repomix::progress::Progress;
use moon_repomix::render::Style;
use moon_repomix::scan::select::SelectionSpec;
use serde_json::{Value, json};

use crate::support::{Project, host, rel};

fn decisions(host: &HostOptions, paths: &[&str]) -> (Vec<Value>, Value) {
    let paths: Vec<RelPath> = paths.iter().map(|path| rel(path)).collect();
    let explained = explain(host, &paths, &Progress::new(), &Cancel::never()).unwrap();
    let mut json = serde_json::to_value(&explained).unwrap();
    let Value::Array(decisions) = json["decisions"].take() else {
        panic!("{json}");
    };
    (decisions, json["security"].take())
}

fn reasons(host: &HostOptions, paths: &[&str]) -> Vec<String> {
    let (decisions, _) = decisions(host, paths);
    let reason = |one: &Value| one["reason"].as_str().unwrap().to_owned();
    decisions.iter().map(reason).collect()
}

/// A tree with a file of nearly every kind.
fn tree() -> Project {
    let project = Project::new(
        "
        //- .gitignore
        *.log
        /build/
        //- src/long.py
        def first(a, b):
            total = a + b
            for each in range(total):
                print(each, total, a, b)
            return total
        //- src/short.py
        X = 1
        //- src/words.unknown
        nothing that a grammar reads
        //- src/broken.py
        ) ) ) ( ] } def def (
        //- src/kept.py
        def first(a, b):
            total = a + b
            for each in range(total):
                print(each, total, a, b)
            return total
        //- debug.log
        one
        //- build/out.js
        x
        ",
    );
    project.write("empty.txt", "");
    project.write("image.png", b"\x89PNG\r\n\x1a\n\0\0");
    project.write("latin.txt", b"caf\xe9 cr\xe8me br\xfbl\xe9e\n");
    project.write("marked.txt", "\u{feff}text\n");
    project.write(
        "secret.py",
        format!("import os\ntoken = \"{}\"\n", crate::support::token()),
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink("empty.txt", project.join("link.txt")).unwrap();
    let request = Request {
        paths: None,
        style: Style::Xml,
        compress: false,
    };
    let host = host(&project, SelectionSpec::default());
    let own = document::pack(&host, &request, &Progress::new(), &Cancel::never()).unwrap();
    project.write("packed.xml", own.to_text());
    project.write("large.txt", "x\n".repeat(40_000));
    project
}

/// What an index says about a file is what the explanation of its path says.
#[test]
fn a_path_is_explained_as_a_run_decides_it() {
    let project = tree();
    for compress in [false, true] {
        let mut host = host(
            &project,
            SelectionSpec {
                keep_full: vec!["src/kept.py".to_owned()],
                ..SelectionSpec::default()
            },
        );
        host.compress = compress;
        host.input.file_bytes = 60_000;
        let request = Request {
            paths: None,
            style: Style::Xml,
            compress,
        };
        let caps = RunCaps {
            volume: VolumeCaps {
                tokens: 50_000,
                bytes: 1 << 20,
                volumes: 8,
            },
            output_bytes: 8 << 20,
        };
        let (progress, never) = (Progress::new(), Cancel::never());
        let pack = volumes::pack(&host, &request, &caps, "1", &progress, &never).unwrap();
        let index: Value = serde_json::from_str(&pack.index).unwrap();
        let mut run: BTreeMap<&str, (&str, &Value, &Value, &Value)> = BTreeMap::new();
        for (list, decision) in [("files", "accepted"), ("skipped", "skipped")] {
            for one in index[list].as_array().unwrap() {
                let path = one["path"].as_str().unwrap();
                let facts = (decision, &one["reason"], &one["rule"], &one["findings"]);
                if one["directory"] != true {
                    run.insert(path, facts);
                }
            }
        }
        let wanted: &[&str] = if compress {
            &[
                "Skeleton",
                "SkeletonNotSmaller",
                "SkeletonParseError",
                "SkeletonUnsupportedLanguage",
                "KeepFull",
            ]
        } else {
            &[
                "Full",
                "Ignored",
                "Binary",
                "UnsupportedEncoding",
                "OwnOutput",
                "FileTooLarge",
                "SecretDetected",
            ]
        };
        for reason in wanted {
            let found = run.values().any(|facts| facts.1 == reason);
            assert!(found, "{reason} in {run:#?}");
        }
        let paths: Vec<&str> = run.keys().copied().collect();
        let (decisions, security) = decisions(&host, &paths);
        assert_eq!(decisions.len(), run.len());
        for one in &decisions {
            let (decision, reason, rule, findings) = run[one["path"].as_str().unwrap()];
            assert_eq!(one["decision"], decision, "{one}");
            assert_eq!(&one["reason"], reason, "{one}");
            assert_eq!(&one["findings"], findings, "{one}");
            if decision == "skipped" {
                assert_eq!(&one["rule"], rule, "{one}");
            }
        }
        assert_eq!(security, index["security"]);
    }
}

#[test]
fn the_order_is_that_of_the_request_whatever_the_threads() {
    let project = tree();
    let mut host = host(&project, SelectionSpec::default());
    host.compress = true;
    let paths = [
        "src/short.py",
        "gone",
        "src/long.py",
        "build/out.js",
        "src",
        "secret.py",
        "image.png",
    ];
    let first = decisions(&host, &paths);
    let order: Vec<&str> = first
        .0
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(order, paths);
    for n_threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .unwrap();
        assert_eq!(pool.install(|| decisions(&host, &paths)), first);
    }
}

#[test]
fn the_limit_of_source_bytes() {
    let project = Project::new("");
    project.write("a.txt", "x".repeat(100));
    project.write("b.txt", "x".repeat(100));
    project.write("huge.txt", "x".repeat(5_000));
    let paths = ["huge.txt", "a.txt", "b.txt"];
    let mut host = host(&project, SelectionSpec::default());
    // Over the limit of one file: never read, so it uses nothing up.
    host.input.file_bytes = 1_000;
    for (limit, expected) in [
        (200, ["FileTooLarge", "Full", "Full"]),
        (199, ["FileTooLarge", "Full", "ReadLimit"]),
        (99, ["FileTooLarge", "ReadLimit", "ReadLimit"]),
    ] {
        host.input.source_bytes = limit;
        assert_eq!(reasons(&host, &paths), expected, "{limit}");
    }
    host.input.source_bytes = 199;
    let (decisions, security) = decisions(&host, &paths);
    assert_eq!(decisions[2]["stage"], "limit");
    assert_eq!(
        security["scannedFiles"],
        json!(1),
        "what was not read was not scanned"
    );
    host.input.file_bytes = 5_000;
    host.input.source_bytes = 5_100;
    assert_eq!(reasons(&host, &paths), ["Full", "Full", "ReadLimit"]);
}

#[test]
fn a_cancelled_explanation_decides_nothing() {
    let project = tree();
    let host = host(&project, SelectionSpec::default());
    let cancel = Cancel::new();
    cancel.set();
    let outcome = explain(&host, &[rel("src/long.py")], &Progress::new(), &cancel);
    assert!(matches!(outcome, Err(Error::Cancelled)));
}
