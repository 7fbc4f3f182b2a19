//! Which files a tree gives, and why the others are out.

mod git;
mod patterns;
#[cfg(unix)]
mod unix;

use std::fs;

use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::reason::{Omission, Reason, RuleLocation};
use moon_repomix::root::Root;
use moon_repomix::scan::repository::GlobalExcludes;
use moon_repomix::scan::select::{Selection, SelectionSpec};
use moon_repomix::scan::walk::{Found, look_up, walk};

use crate::support::{Project, rel};

const ALL: u64 = 100_000;

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&one| one.to_owned()).collect()
}

fn spec(include: &[&str], ignore: &[&str]) -> SelectionSpec {
    SelectionSpec {
        include: strings(include),
        ignore: strings(ignore),
        ..SelectionSpec::default()
    }
}

fn found(root: &Root, spec: SelectionSpec) -> Found {
    walk(root, &Selection::new(spec).unwrap(), ALL, &Cancel::never()).unwrap()
}

/// The wanted paths, in one line; ignore files themselves are left out for brevity.
fn wanted(root: &Root, spec: SelectionSpec) -> String {
    let found = found(root, spec);
    let paths: Vec<&str> = found
        .wanted
        .iter()
        .map(|candidate| candidate.path.as_str())
        .filter(|path| !path.ends_with("ignore"))
        .collect();
    paths.join(" ")
}

fn omission<'f>(found: &'f Found, path: &str) -> &'f Omission {
    let mut all = found.omitted.iter();
    all.find(|omission| omission.path == path)
        .unwrap_or_else(|| panic!("{path} is not omitted: {found:?}"))
}

fn rule(rule: Option<&RuleLocation>) -> String {
    rule.map_or_else(String::new, |rule| {
        let json = serde_json::to_value(rule).unwrap();
        let part = |name: &str| json.get(name).map_or(String::new(), |v| format!(" {v}"));
        let source = json["source"].as_str().unwrap();
        format!("{source}{}{}{}", part("file"), part("line"), part("index")).replace('"', "")
    })
}

/// Each row: a tree, the directory packed, and what is wanted with all defaults.
#[test]
fn ignore_files() {
    for (name, tree, dir, expected) in [
        (
            "P-1: tool files of enclosing directories count",
            "//- .git/\n//- .repomixignore\nsecret.txt\n//- sub/secret.txt\n//- sub/keep.txt\n",
            "sub",
            "keep.txt",
        ),
        (
            "P-1: .ignore files of enclosing directories count",
            "//- .git/\n//- .ignore\nsecret.txt\n//- sub/secret.txt\n//- sub/keep.txt\n",
            "sub",
            "keep.txt",
        ),
        (
            "P-2: the exclude file knows negation",
            "//- .git/info/exclude\n*.tx\n!important.tx\n//- a.tx\n//- important.tx\n//- nested/a.tx\n//- nested/important.tx\n",
            "",
            "important.tx nested/important.tx",
        ),
        (
            "P-4: rules of an enclosing directory, with and without directory",
            "//- .git/\n//- .gitignore\none.py\nsrc/two.py\n//- src/one.py\n//- src/two.py\n//- src/three.py\n",
            "src",
            "three.py",
        ),
        (
            "P-5: the exclude file counts",
            "//- .git/info/exclude\nnotes.md\n//- notes.md\n//- b.md\n",
            "",
            "b.md",
        ),
        (
            "P-13: directory patterns do not match files, and case counts",
            "//- .gitignore\nlib/\nReadme\n//- lib\n//- README\n//- BUILD\n//- x/lib/a\n",
            "",
            "BUILD README lib",
        ),
        (
            "P-14: a negated directory pattern does not match a file",
            "//- .gitignore\ntags\n!tags/\n//- tags\n//- b\n",
            "",
            "b",
        ),
        (
            "P-22: .git may be a file that points elsewhere",
            "//- real/info/exclude\nskip\n//- real/worktrees/w/commondir\n../..\n//- w/.git\ngitdir: ../real/worktrees/w\n//- w/skip\n//- w/keep\n",
            "w",
            "keep",
        ),
        (
            "P-23: an anchored rule drops one of two files of one name",
            "//- .gitignore\n/config/database.php\n//- config/database.php\n//- config/lunar/database.php\n",
            "",
            "config/lunar/database.php",
        ),
        (
            "P-F8: the .git of a nested repository is never packed",
            "//- inner/.git/config\n//- inner/.git/HEAD\n//- inner/a\n//- sub/.git\ngitdir: ../inner/.git\n//- sub/b\n",
            "",
            "inner/a sub/b",
        ),
        (
            "S-A4: rules of all enclosing directories",
            "//- .git/\n//- .gitignore\nout/\n//- pkg/out/big.js\n//- pkg/a.js\n",
            "pkg",
            "a.js",
        ),
        (
            "S-A4: rules of directories outside the repository do not count",
            "//- .gitignore\na.js\n//- pkg/.git/\n//- pkg/a.js\n",
            "pkg",
            "a.js",
        ),
        (
            "S-A5: rules count without a repository",
            "//- .gitignore\nmodules/\n//- modules/a.js\n//- b.js\n",
            "",
            "b.js",
        ),
        (
            "S-A16: a path is never a pattern",
            "//- y[x]/a\n//- {b\n//- !c\n//- #d\n//- (e)/*.f\n",
            "",
            "!c #d (e)/*.f y[x]/a {b",
        ),
        (
            "inner files come before outer ones",
            "//- .gitignore\n*.log\n*.dat\n//- sub/.gitignore\n!*.dat\n//- a.dat\n//- sub/b.dat\n//- sub/deep/c.dat\n",
            "",
            "sub/b.dat sub/deep/c.dat",
        ),
        (
            "a source of higher precedence decides whatever a nearer file of a lower one says",
            "//- .repomixignore\n!keep.dat\n//- .ignore\nkeep.dat\nb.dat\n//- sub/.gitignore\n!b.dat\nc.dat\n//- sub/keep.dat\n//- sub/b.dat\n//- sub/c.dat\n//- sub/d.dat\n",
            "",
            "sub/d.dat sub/keep.dat",
        ),
        (
            "the program's own file comes before the other name",
            "//- .repomixignore\na\n//- .moon-repomixignore\n!a\nb\n//- a\n//- b\n//- c\n",
            "",
            "a c",
        ),
        (
            "below an ignored directory nothing is taken back by a file",
            "//- .gitignore\n/gone/\n!/gone/keep\n//- gone/.gitignore\n!keep\n//- gone/keep\n//- here\n",
            "",
            "here",
        ),
        (
            "an ignored content can be taken back where its directory is not ignored",
            "//- .gitignore\n/gone/*\n!/gone/keep\n//- gone/keep\n//- gone/other\n//- here\n",
            "",
            "gone/keep here",
        ),
        (
            "built-in patterns, at any depth, and a file that takes one back",
            "//- .gitignore\n!keep.log\n//- .env\n//- a/.env\n//- a/.env.example\n//- a/node_modules/x.js\n//- a/keep.log\n//- a/b.log\n//- main.rs\n",
            "",
            "a/.env.example a/keep.log main.rs",
        ),
    ] {
        let project = Project::new(tree);
        let got = wanted(&project.root(dir), SelectionSpec::default());
        assert_eq!(got, expected, "{name}");
    }
}

#[test]
fn switches() {
    let tree = "//- .git/info/exclude\nx1\n//- .gitignore\nx2\n//- .ignore\nx3\n//- .repomixignore\nx4\n//- x1\n//- x2\n//- x3\n//- x4\n//- x5.log\n";
    let project = Project::new(tree);
    let global = Project::new("//- rules\n!x5.log\nx4\n");
    let root = project.root("");
    let base = SelectionSpec::default;
    for (name, spec, expected) in [
        ("all", base(), ""),
        (
            "git",
            SelectionSpec {
                gitignore: false,
                ..base()
            },
            "x1 x2",
        ),
        (
            "P-11",
            SelectionSpec {
                dot_ignore: false,
                ..base()
            },
            "x3",
        ),
        (
            "built-in",
            SelectionSpec {
                default_patterns: false,
                ..base()
            },
            "x5.log",
        ),
        (
            "P-F10",
            SelectionSpec {
                global_excludes: GlobalExcludes::File(global.join("rules")),
                ..base()
            },
            "x5.log",
        ),
    ] {
        assert_eq!(wanted(&root, spec), expected, "{name}");
    }
}

#[test]
fn omissions_name_their_rule() {
    let project = Project::new(
        "//- .git/info/exclude\n\n*.x\n//- .gitignore\n# comment\n*.g\n//- sub/.ignore\nb\n//- a.x\n//- a.g\n//- a.h\n//- sub/b\n//- k.log\n//- gone/deep/er\n//- z.out\n",
    );
    let global = Project::new("//- rules\n\n\n*.out\n");
    let found = found(
        &project.root(""),
        SelectionSpec {
            global_excludes: GlobalExcludes::File(global.join("rules")),
            outputs: vec![rel(".gitignore")],
            ..spec(&[], &["*.nothing", "*.h", "gone"])
        },
    );
    for (path, reason, at, directory) in [
        (".git", Reason::Ignored, "default_patterns 0", true),
        (".gitignore", Reason::OwnOutput, "", false),
        ("a.g", Reason::Ignored, "ignore_file .gitignore 2", false),
        ("a.h", Reason::Ignored, "host_ignore 1", false),
        (
            "a.x",
            Reason::Ignored,
            "ignore_file .git/info/exclude 2",
            false,
        ),
        ("gone", Reason::Ignored, "host_ignore 2", true),
        ("sub/b", Reason::Ignored, "ignore_file sub/.ignore 1", false),
        ("z.out", Reason::Ignored, "ignore_file 3", false),
    ] {
        let omission = omission(&found, path);
        assert_eq!(omission.reason, reason, "{path}");
        assert_eq!(rule(omission.rule.as_ref()), at, "{path}");
        assert_eq!(omission.directory, directory, "{path}");
    }
    assert!(!found.partial);
    let project = Project::new("//- .git/\n//- .gitignore\nx\n//- a/b/x\n");
    let above = self::found(&project.root("a/b"), SelectionSpec::default());
    assert_eq!(
        rule(omission(&above, "x").rule.as_ref()),
        "ignore_file ../../.gitignore 1"
    );
}

#[test]
fn a_directory_that_cannot_match_is_not_entered() {
    let project = Project::new("//- src/a.rs\n//- docs/deep/b.md\n//- c.rs\n");
    let found = found(&project.root(""), spec(&["src/**/*.rs"], &[]));
    let docs = omission(&found, "docs");
    assert!(docs.directory && docs.reason == Reason::NotIncluded);
    assert_eq!(rule(docs.rule.as_ref()), "host_include");
    assert_eq!(found.omitted.len(), 2);
}

/// Walking and looking up single paths give the same answer for every file of a tree.
#[test]
fn looking_up_agrees_with_walking() {
    let project = Project::new(
        "//- .gitignore\n*.log\n/gone/\n//- a.log\n//- a.rs\n//- gone/x/keep\n//- gone/x/other\n//- gone/y\n//- s/.ignore\nq\n//- s/q\n//- s/r\n//- s/t/q\n",
    );
    let root = project.root("");
    let selection = Selection::new(spec(&[], &["!gone/x/keep"])).unwrap();
    let found = walk(&root, &selection, ALL, &Cancel::never()).unwrap();
    let files = found.omitted.iter().filter(|omission| !omission.directory);
    let mut all: Vec<(_, _)> = files.map(|o| (o.path.clone(), Some(o.clone()))).collect();
    all.extend(found.wanted.iter().map(|c| (c.path.to_string(), None)));
    assert_eq!(all.len(), 10);
    let paths: Vec<_> = all.iter().map(|(path, _)| rel(path)).collect();
    let looked = look_up(&root, &selection, &paths, &Cancel::never()).unwrap();
    for ((path, expected), got) in all.into_iter().zip(looked) {
        assert_eq!(got.err(), expected, "{path}");
    }
}

#[test]
fn single_paths() {
    let project = Project::new(
        "//- src/Main.rs\n//- .gitignore\nskip\n//- skip\n//- out.xml\n//- .git/config\n",
    );
    let root = project.root("");
    let check = |list: Option<&[&str]>, expected: &[(&str, Option<Reason>)]| {
        let selection = Selection::new(SelectionSpec {
            list: list.map(|list| list.iter().map(|&path| rel(path)).collect()),
            outputs: vec![rel("out.xml")],
            ..SelectionSpec::default()
        })
        .unwrap();
        let paths: Vec<_> = expected.iter().map(|&(path, _)| rel(path)).collect();
        let got = look_up(&root, &selection, &paths, &Cancel::never()).unwrap();
        for (&(path, reason), got) in expected.iter().zip(got) {
            assert_eq!(got.err().map(|omission| omission.reason), reason, "{path}");
        }
    };
    check(
        None,
        &[
            ("src/Main.rs", None),
            ("src/main.rs", Some(Reason::SpellingMismatch)),
            ("SRC/MAIN.RS", Some(Reason::SpellingMismatch)),
            ("src/main.rb", Some(Reason::NotFound)),
            ("src", Some(Reason::NotRegularFile)),
            ("src/Main.rs/x", Some(Reason::NotFound)),
            ("skip", Some(Reason::Ignored)),
            ("out.xml", Some(Reason::OwnOutput)),
            (".git/config", Some(Reason::Ignored)),
        ],
    );
    check(
        Some(&["src/Main.rs", "skip"]),
        &[
            ("src/Main.rs", None),
            ("skip", Some(Reason::Ignored)),
            ("out.xml", Some(Reason::NotListed)),
            ("nothing", Some(Reason::NotListed)),
        ],
    );
}

#[test]
fn a_list_replaces_the_walk() {
    let project = Project::new("//- b\n//- a\n//- c/d\n");
    let root = project.root("");
    let selection = |list: &[&str]| {
        Selection::new(SelectionSpec {
            list: Some(list.iter().map(|&path| rel(path)).collect()),
            ..SelectionSpec::default()
        })
        .unwrap()
    };
    let found = walk(
        &root,
        &selection(&["c/d", "gone", "a"]),
        3,
        &Cancel::never(),
    )
    .unwrap();
    let paths: Vec<&str> = found.wanted.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(paths, ["a", "c/d"]);
    assert_eq!(omission(&found, "gone").reason, Reason::NotFound);
    let none = walk(&root, &selection(&[]), 3, &Cancel::never()).unwrap();
    assert!(none.wanted.is_empty() && none.omitted.is_empty());
    let over = walk(&root, &selection(&["a", "b"]), 1, &Cancel::never());
    assert!(matches!(over, Err(Error::InputLimit { limit: 1, .. })));
}

#[test]
fn candidates_are_limited() {
    let project = Project::new("//- a\n//- b/c\n//- b/d\n");
    let root = project.root("");
    let selection = Selection::new(SelectionSpec::default()).unwrap();
    assert_eq!(
        walk(&root, &selection, 4, &Cancel::never())
            .unwrap()
            .wanted
            .len(),
        3
    );
    for limit in [1, 3] {
        let over = walk(&root, &selection, limit, &Cancel::never());
        assert!(matches!(over, Err(Error::InputLimit { .. })), "{limit}");
    }
    let cancel = Cancel::new();
    cancel.set();
    assert!(matches!(
        walk(&root, &selection, 4, &cancel),
        Err(Error::Cancelled)
    ));
}

#[test]
fn order_is_that_of_the_bytes_of_whole_paths() {
    let project = Project::new("//- a/b\n//- a-b\n//- a.b\n//- a0\n//- B\n//- \u{e9}\n");
    let got = wanted(&project.root(""), SelectionSpec::default());
    assert_eq!(got, "B a-b a.b a/b a0 \u{e9}");
}

#[test]
fn an_oversized_ignore_file_is_refused_by_name() {
    let project = Project::new("//- sub/a\n");
    project.write("sub/.gitignore", vec![b'\n'; 4 * 1024 * 1024 + 1]);
    let selection = Selection::new(SelectionSpec::default()).unwrap();
    let fault = walk(&project.root(""), &selection, ALL, &Cancel::never()).unwrap_err();
    assert!(fault.to_string().contains("sub/.gitignore"), "{fault}");
    project.write("sub/.gitignore", vec![b'\n'; 4 * 1024 * 1024]);
    assert!(walk(&project.root(""), &selection, ALL, &Cancel::never()).is_ok());
}

#[test]
fn ignore_files_are_bytes() {
    let project = Project::new("//- a.log\n//- b.dat\n//- c\n");
    // S-A2: a broken line, then CRLF, then a rule that works; S-A1 and P-32 are about content.
    project.write(".gitignore", b"\xff\n*.dat\r\n[broken\n*.log\n");
    let plain = SelectionSpec {
        default_patterns: false,
        ..SelectionSpec::default()
    };
    assert_eq!(wanted(&project.root(""), plain), "c");
}
