//! The patterns of the host over whole trees.

use super::*;

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
