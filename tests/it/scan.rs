//! Which files a tree gives, and why the others are out.

use std::fs;

use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::reason::{Omission, Reason, RuleLocation};
use moon_repomix::root::Root;
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

/// Each row: a tree, include patterns, ignore patterns, and what is wanted.
#[test]
fn host_patterns() {
    let some = "//- src/b.ts\n//- src/c.tsx\n//- src/mocks/A.ts\n//- src/mocks/B.js\n//- README.md\n//- docs/README.md\n";
    for (name, tree, include, ignore, expected) in [
        (
            "P-7: a file's rules hold though the file is out",
            "//- .repomixignore\n/temporary/\n//- temporary/c.txt\n//- d.txt\n",
            &[][..],
            &["**/.*"][..],
            "d.txt",
        ),
        (
            "P-8",
            "//- .gitignore\nskip.txt\n//- skip.txt\n//- a.txt\n",
            &[],
            &["**/.gitignore"],
            "a.txt",
        ),
        (
            "P-10: all sources add up",
            "//- .ignore\ndata/\n//- data/a\n//- bin/b\n//- c\n",
            &[],
            &["bin/"],
            "c",
        ),
        (
            "P-16",
            some,
            &["/src/**/*.ts"],
            &["/src/mocks/"],
            "src/b.ts",
        ),
        (
            "P-17",
            "//- a/gen/x/y\n//- gen/z\n//- k\n",
            &[],
            &["**/gen"],
            "k",
        ),
        (
            "P-17",
            "//- a/gen/x/y\n//- gen/z\n//- k\n",
            &[],
            &["**/gen/"],
            "k",
        ),
        (
            "P-17",
            "//- a/gen/x/y\n//- gen/z\n//- k\n",
            &[],
            &["**/gen/**/*"],
            "k",
        ),
        (
            "P-17",
            "//- a/gen/x/y\n//- gen/z\n//- k\n",
            &[],
            &["**/gen/**"],
            "k",
        ),
        (
            "P-17: included",
            "//- a/gen/x/y\n//- gen/z\n//- k\n",
            &["**/gen"],
            &[],
            "a/gen/x/y gen/z",
        ),
        (
            "P-17: included",
            "//- a/gen/x/y\n//- gen/z\n//- k\n",
            &["**/gen/"],
            &[],
            "a/gen/x/y gen/z",
        ),
        (
            "P-17: included",
            "//- a/gen/x/y\n//- gen/z\n//- k\n",
            &["**/gen/**/*"],
            &[],
            "a/gen/x/y gen/z",
        ),
        (
            "P-19",
            some,
            &["src/**/*.{ts,tsx}"],
            &[],
            "src/b.ts src/c.tsx src/mocks/A.ts",
        ),
        (
            "P-20: a literal path wins",
            "//- src/[id]/page.tsx\n//- src/i/page.tsx\n//- src/(grp)/p.ts\n",
            &["src/[id]/page.tsx", "src/(grp)/p.ts"],
            &[],
            "src/(grp)/p.ts src/[id]/page.tsx",
        ),
        (
            "P-20: a literal directory wins",
            "//- src/[id]/a/b.tsx\n//- src/i/c.tsx\n",
            &["src/[id]"],
            &[],
            "src/[id]/a/b.tsx",
        ),
        (
            "P-20: without such a path it is a class",
            "//- src/i/page.tsx\n//- src/x/page.tsx\n",
            &["src/[id]/page.tsx"],
            &[],
            "src/i/page.tsx",
        ),
        (
            "P-F13",
            "//- a.c\n//- b.c\n//- c.h\n//- d.o\n",
            &["*.[ch]"],
            &[],
            "a.c b.c c.h",
        ),
        (
            "P-F13",
            "//- a.c\n//- b.c\n//- c.c\n",
            &["@(a|b).c"],
            &[],
            "a.c b.c",
        ),
        (
            "S-A7",
            "//- a.rs\n//- b.rs\n//- c.rs\n",
            &["a.rs", "b.rs"],
            &[],
            "a.rs b.rs",
        ),
        (
            "S-A8",
            "//- src/a.py\n//- b.py\n",
            &["src/*.py"],
            &[],
            "src/a.py",
        ),
        (
            "S-A8: a plain path",
            "//- src/a.py\n//- b.py\n",
            &["src/a.py"],
            &[],
            "src/a.py",
        ),
        (
            "S-A8: from here",
            "//- src/a.py\n//- b.py\n",
            &["./src"],
            &[],
            "src/a.py",
        ),
        (
            "S-A10",
            "//- a.md\n//- specs/b\n//- c/d.md\n//- e\n",
            &[],
            &["*.md", "specs/"],
            "e",
        ),
        (
            "S-A13",
            "//- src/a/b.rs\n//- src/c.rs\n",
            &["src/*.rs"],
            &[],
            "src/c.rs",
        ),
        (
            "S-A13: a star at the end is not a directory",
            "//- src/a/b.rs\n//- src/c.rs\n",
            &["src/*"],
            &[],
            "src/c.rs",
        ),
        (
            "S-A14",
            "//- abbc\n//- abc\n//- a\u{e9}c\n",
            &["a?c"],
            &[],
            "abc a\u{e9}c",
        ),
        (
            "a name matches at any depth",
            some,
            &["README.md"],
            &[],
            "README.md docs/README.md",
        ),
        (
            "an anchored name does not",
            some,
            &["/README.md"],
            &[],
            "README.md",
        ),
        (
            "! takes back",
            some,
            &["src", "!src/mocks", "A.ts"],
            &[],
            "src/b.ts src/c.tsx src/mocks/A.ts",
        ),
        ("! alone", some, &["!src"], &[], "README.md docs/README.md"),
        (
            "! of ignore",
            some,
            &[],
            &["*.ts", "!b.ts", "*.md"],
            "src/b.ts src/c.tsx src/mocks/B.js",
        ),
        (
            "the host reaches into an ignored directory",
            "//- .gitignore\n/gone/\n//- gone/a/keep\n//- gone/a/other\n//- gone/b\n//- c\n",
            &[],
            &["!gone/a/keep"],
            "c gone/a/keep",
        ),
        (
            "a whole directory",
            "//- node_modules/a/x/y\n//- node_modules/b/z\n//- c\n",
            &[],
            &["!node_modules/a"],
            "c node_modules/a/x/y",
        ),
        (
            "a name at any depth",
            "//- node_modules/a/x/y\n//- node_modules/b/z\n//- c\n",
            &[],
            &["!z"],
            "c node_modules/b/z",
        ),
        (
            "never .git",
            "//- .git/config\n//- c\n",
            &[".git/config", "c"],
            &["!.git", "!.git/**"],
            "c",
        ),
        (
            "nothing outside (P-F23)",
            "//- c\n",
            &["/etc/host*"],
            &[],
            "",
        ),
    ] {
        let project = Project::new(tree);
        let got = wanted(&project.root(""), spec(include, ignore));
        assert_eq!(got, expected, "{name}: {include:?} {ignore:?}");
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
                global_excludes: Some(global.join("rules")),
                ..base()
            },
            "x5.log",
        ),
    ] {
        assert_eq!(wanted(&root, spec), expected, "{name}");
    }
}

#[test]
fn broken_patterns_name_their_column() {
    for (pattern, problem) in [
        ("{", "column 1 has a { without its }"),
        ("src/{a,b", "column 5 has a { without its }"),
        ("a[b", "column 2 has a [ without its ]"),
        ("@(a|b", "column 1 has a ( without its )"),
        ("!(a)\\", "column 5 ends with a \\ that escapes nothing"),
        ("", "column 1 is empty"),
        ("!/", "column 2 is empty"),
        ("{a,b}\\", "column 1 ends with a"),
        (
            "../../../etc/host*",
            "column 1 must not leave the root with ..",
        ),
    ] {
        let fault = Selection::new(spec(&[pattern], &[])).unwrap_err();
        match fault {
            Error::Pattern {
                what,
                pattern: named,
                problem: found,
            } => {
                assert_eq!((what, named.as_str()), ("include", pattern));
                assert!(found.starts_with(problem), "{pattern}: {found}");
            }
            other => panic!("{other:?}"),
        }
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
            global_excludes: Some(global.join("rules")),
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
    let mut plain = SelectionSpec::default();
    plain.default_patterns = false;
    assert_eq!(wanted(&project.root(""), plain), "c");
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use moon_repomix::scan::read::read;

    use super::*;

    #[test]
    fn links_are_not_followed() {
        let outside = Project::new("//- secret/s\nhidden\n");
        let project = Project::new("//- src/a\n");
        symlink(outside.join("secret/s"), project.join("src/x")).unwrap();
        symlink(outside.join("secret"), project.join("dir")).unwrap();
        symlink("src", project.join("inner")).unwrap();
        symlink("nowhere", project.join("dangling")).unwrap();
        symlink(outside.join("secret/s"), project.join(".gitignore")).unwrap();
        let root = project.root("");
        let found = found(&root, SelectionSpec::default());
        assert_eq!(found.wanted.len(), 1);
        for path in [".gitignore", "dangling", "dir", "inner", "src/x"] {
            assert_eq!(omission(&found, path).reason, Reason::SymlinkNotFollowed);
        }
        for path in ["src/x", "dir/s", "inner/a", "dangling"] {
            let path = rel(path);
            assert_eq!(
                root.open_file(&path).unwrap_err(),
                Reason::SymlinkNotFollowed,
                "{path}"
            );
            assert_eq!(
                read(&root, &path, ALL),
                Err(Reason::SymlinkNotFollowed),
                "{path}"
            );
            let selection = Selection::new(SelectionSpec::default()).unwrap();
            let looked = look_up(
                &root,
                &selection,
                std::slice::from_ref(&path),
                &Cancel::never(),
            );
            let reason = looked.unwrap().remove(0).unwrap_err().reason;
            assert_eq!(reason, Reason::SymlinkNotFollowed, "{path}");
        }
    }

    #[test]
    fn the_root_may_be_a_link() {
        let project = Project::new("//- real/a\n");
        symlink("real", project.join("link")).unwrap();
        let root = project.root("link");
        assert_eq!(wanted(&root, SelectionSpec::default()), "a");
        assert_eq!(root.name(), "real");
    }

    #[test]
    fn names_that_are_not_utf8_are_reported() {
        let project = Project::new("//- ok\n");
        fs::write(project.dir().join(OsStr::from_bytes(b"f\xff")), "x").unwrap();
        fs::create_dir(project.dir().join(OsStr::from_bytes(b"d\xff"))).unwrap();
        let found = found(&project.root(""), SelectionSpec::default());
        assert_eq!(found.wanted.len(), 1);
        for (path, directory) in [("d\u{fffd}", true), ("f\u{fffd}", false)] {
            let omission = omission(&found, path);
            assert_eq!(
                (omission.reason, omission.directory),
                (Reason::NameNotUtf8, directory)
            );
        }
    }

    #[test]
    fn pipes_do_not_block() {
        let project = Project::new("//- ok\n");
        let pipe = project.join("pipe");
        let made = std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap();
        assert!(made.success());
        let _socket = std::os::unix::net::UnixListener::bind(project.join("socket")).unwrap();
        let root = project.root("");
        let found = found(&root, SelectionSpec::default());
        for path in ["pipe", "socket"] {
            assert_eq!(omission(&found, path).reason, Reason::NotRegularFile);
            assert_eq!(read(&root, &rel(path), ALL), Err(Reason::NotRegularFile));
        }
        let dev = Root::open(std::path::Path::new("/dev")).unwrap();
        assert_eq!(read(&dev, &rel("zero"), ALL), Err(Reason::NotRegularFile));
        // An ignore file that is a pipe holds no rules.
        std::fs::rename(&pipe, project.join(".gitignore")).unwrap();
        assert_eq!(wanted(&root, SelectionSpec::default()), "ok");
    }

    #[test]
    fn an_unreadable_directory_makes_the_walk_partial() {
        let project = Project::new("//- shut/a\n//- open/b\n//- c\n");
        let close = |path: &str, mode| {
            fs::set_permissions(project.join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        close("shut", 0o000);
        close("c", 0o000);
        let root = project.root("");
        let found = found(&root, SelectionSpec::default());
        // A privileged user may read everything; then there is nothing to see.
        if fs::read_dir(project.join("shut")).is_err() {
            let shut = omission(&found, "shut");
            assert!(shut.directory && shut.reason == Reason::PermissionDenied && found.partial);
            assert_eq!(found.wanted.len(), 2);
            assert_eq!(read(&root, &rel("c"), ALL), Err(Reason::PermissionDenied));
        } else {
            assert_eq!(found.wanted.len(), 3);
        }
        close("shut", 0o755);
    }

    #[test]
    fn very_deep_and_very_flat() {
        let project = Project::in_memory("//- flat/\n");
        for number in 0..20_000 {
            fs::write(project.join(&format!("flat/{number}")), "").unwrap();
        }
        // Deeper than one path can say: directories are made relative to each other.
        let mut here = rustix::fs::open(
            project.dir(),
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY,
            rustix::fs::Mode::empty(),
        )
        .unwrap();
        for _ in 0..5_000 {
            rustix::fs::mkdirat(&here, "d", rustix::fs::Mode::RWXU).unwrap();
            here = rustix::fs::openat(
                &here,
                "d",
                rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY,
                rustix::fs::Mode::empty(),
            )
            .unwrap();
        }
        let found = found(&project.root(""), SelectionSpec::default());
        assert_eq!(found.wanted.len(), 20_000);
        let too_long = found
            .omitted
            .iter()
            .find(|o| o.reason == Reason::PathTooLong)
            .unwrap();
        assert_eq!((too_long.path.len(), too_long.directory), (4_097, true));
        assert_eq!(found.omitted.len(), 1);
    }

    /// A directory is swapped for a link to the outside again and again while a file in it is
    /// read; what is outside never comes back.
    #[test]
    fn a_swapped_component_never_leads_outside() {
        let outside = Project::new("//- f\noutside\n");
        let project = Project::new("//- real/f\ninside\n");
        symlink(outside.dir(), project.join("link")).unwrap();
        fs::rename(project.join("real"), project.join("d")).unwrap();
        let root = project.root("");
        let stop = Cancel::new();
        let path = rel("d/f");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.is_set() {
                    fs::rename(project.join("d"), project.join("real")).unwrap();
                    fs::rename(project.join("link"), project.join("d")).unwrap();
                    fs::rename(project.join("d"), project.join("link")).unwrap();
                    fs::rename(project.join("real"), project.join("d")).unwrap();
                }
            });
            for _ in 0..5_000 {
                match read(&root, &path, ALL) {
                    Ok(bytes) => assert_eq!(bytes, b"inside\n"),
                    Err(Reason::NotFound | Reason::SymlinkNotFollowed) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            for _ in 0..200 {
                let found = found(&root, SelectionSpec::default());
                assert!(found.wanted.iter().all(|candidate| candidate.size == 7));
            }
            stop.set();
        });
    }
}

/// Random ignore files over a small tree give what git itself gives.
#[test]
fn ignore_files_mean_what_they_mean_to_git() {
    const NAMES: [&str; 6] = ["a", "b", "ab", "a.c", "b]", "[a"];
    const PARTS: [&str; 22] = [
        "a",
        "b",
        "ab",
        "a.c",
        "*",
        "**",
        "a*",
        "*b",
        "*.c",
        "?",
        "a?",
        "[ab]",
        "[!a]*",
        "[^b]",
        "\\a",
        "*a*",
        "**.c",
        "[[:alpha:]]",
        "[a-]*",
        "b]",
        "[]b]",
        "[a",
    ];
    let project = Project::in_memory("");
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(arguments)
            .current_dir(project.dir())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    let dirs = ["", "a/", "b/", "ab/", "a/b/", "b/a/", "a/b/ab/"];
    for dir in dirs {
        fs::create_dir_all(project.join(dir)).unwrap();
    }
    for dir in dirs {
        for name in NAMES.map(|name| format!("{dir}{name}")) {
            if !project.join(&name).exists() {
                project.write(&name, "");
            }
        }
    }
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % n as u64).unwrap()
    };
    for round in 0..200 {
        let mut files = String::new();
        for dir in ["", "a/", "a/b/"] {
            let mut lines = String::new();
            for _ in 0..below(6) {
                let start = ["", "", "", "/", "!", "!", "!/"][below(7)];
                let parts: Vec<&str> = (0..=below(3)).map(|_| PARTS[below(PARTS.len())]).collect();
                let end = ["", "", "", "/", " ", "/**", "\\ ", "\r"][below(8)];
                lines.push_str(&format!("{start}{}{end}\n", parts.join("/")));
            }
            files.push_str(&format!("--- {dir}\n{lines}"));
            project.write(&format!("{dir}.gitignore"), lines);
        }
        let mut expected: Vec<String> = git(&["ls-files", "--others", "--exclude-standard", "-z"])
            .split_terminator('\0')
            .map(str::to_owned)
            .collect();
        expected.sort();
        let found = found(
            &project.root(""),
            SelectionSpec {
                default_patterns: false,
                ..SelectionSpec::default()
            },
        );
        let got: Vec<&str> = found.wanted.iter().map(|c| c.path.as_str()).collect();
        assert_eq!(got, expected, "round {round}\n{files}");
    }
}
