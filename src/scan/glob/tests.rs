//! Tests of `glob`.

use super::*;
use crate::cancel::Cancel;
use crate::scan::subject::Subject;

/// Asks something about the path `path`; an empty one has no names.
fn on(path: &str, ask: impl Fn(Names<'_>) -> bool) -> bool {
    let cancel = Cancel::never();
    let names = path.split('/').filter(|name| !name.is_empty());
    ask(Subject::new(names, Letters::Exact, &cancel).names())
}

#[test]
fn matching() {
    for (pattern, yes, no) in [
        (
            "a",
            &["a", "x/a", "x/y/a"][..],
            &["b", "a/b", "ab", "A"][..],
        ),
        ("/a", &["a"], &["x/a"]),
        ("a/b", &["a/b"], &["x/a/b", "a/b/c"]),
        ("a/", &["a", "x/a"], &["a/b"]),
        ("*.rs", &["a.rs", ".rs", "x/b.rs"], &["a.rs.x", "rs"]),
        ("src/*.rs", &["src/a.rs"], &["src/a/b.rs", "x/src/a.rs"]),
        ("a?c", &["abc", "a\u{e9}c", "a.c"], &["abbc", "ac"]),
        ("**/a", &["a", "x/a", "x/y/a"], &["a/b"]),
        ("a/**", &["a/b", "a/b/c"], &["a", "x/a/b"]),
        ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/b/x", "a/xb"]),
        ("a/**/**/b", &["a/b", "a/x/b"], &["ab"]),
        ("**", &["a", "a/b"], &[]),
        ("a**b", &["ab", "axxb"], &["a/b"]),
        ("*a*b*c*", &["abc", "xaxbxcx", "aabbcc"], &["acb", "ab"]),
        ("[ch]", &["c", "h"], &["ch", "x", "[ch]"]),
        ("[!a-c]x", &["dx", "\u{e9}x"], &["ax", "bx", "x"]),
        ("[^a]", &["b"], &["a"]),
        ("[]a]", &["]", "a"], &["b"]),
        ("[a\\]b]", &["a", "]", "b"], &["\\"]),
        ("[[:digit:]_]", &["1", "_"], &["d", ":"]),
        ("[a-]", &["a", "-"], &["b"]),
        ("\\*", &["*"], &["a"]),
        ("\\[a]", &["[a]"], &["a"]),
        ("{a,b}", &["{a,b}"], &["a", "b"]),
        ("\u{e9}", &["\u{e9}"], &["e\u{301}"]),
    ] {
        let glob = Glob::new(pattern).unwrap();
        for path in yes {
            assert!(on(path, |names| glob.matches(names)), "{pattern} {path}");
        }
        for path in no {
            assert!(!on(path, |names| glob.matches(names)), "{pattern} {path}");
        }
    }
}

#[test]
fn reaching() {
    for (pattern, yes, no) in [
        ("src/*.rs", &["src"][..], &["lib", "src/a", "x/src"][..]),
        ("a/b/c", &["a", "a/b"], &["a/b/c", "b", "a/c"]),
        ("*.rs", &["a", "a/b"], &[]),
        ("a/**/c", &["a", "a/b", "a/b/c", "a/c"], &["b"]),
        ("a/**", &["a", "a/b", "a/b/c"], &["b"]),
        ("/*/x", &["a"], &["a/b"]),
    ] {
        let glob = Glob::new(pattern).unwrap();
        assert!(on("", |names| glob.reaches_below(names)), "{pattern}");
        for path in yes {
            assert!(
                on(path, |names| glob.reaches_below(names)),
                "{pattern} {path}"
            );
        }
        for path in no {
            assert!(
                !on(path, |names| glob.reaches_below(names)),
                "{pattern} {path}"
            );
        }
    }
}

#[test]
fn faults() {
    for (pattern, column) in [
        ("", 1),
        ("/", 1),
        ("a[b", 2),
        ("x/\u{e9}[", 4),
        ("a\\", 2),
        ("[a-", 1),
        ("[\\]", 1),
    ] {
        assert_eq!(Glob::new(pattern).unwrap_err().column, column, "{pattern}");
    }
}

/// Patterns that take exponential or quadratic time where places are tried one after the other.
#[test]
fn hostile_patterns_end() {
    let matches = |glob: &Glob, path: &str| on(path, |names| glob.matches(names));
    let many = Glob::new(&"*a".repeat(200)).unwrap();
    assert!(!matches(&many, &"a".repeat(199)));
    assert!(matches(&many, &"a".repeat(200)));
    let deep = Glob::new(&"**/a/".repeat(100)).unwrap();
    let path = ["a"; 99].join("/");
    assert!(!matches(&deep, &path));
    assert!(matches(&deep, &format!("{path}/b/a")));
    assert!(on(&["a"; 2_000].join("/"), |names| deep.reaches_below(names)));
    let mebibyte = 1 << 20;
    assert_eq!(Glob::new(&"[".repeat(mebibyte)).unwrap_err().column, 1);
    assert_eq!(Glob::new(&"[:".repeat(mebibyte / 2)).unwrap_err().column, 1);
    let class = format!("{}]x", "[".repeat(mebibyte));
    assert!(matches(&Glob::new(&class).unwrap(), "[x"));
    let stars = Glob::new(&format!("{}b", "*a".repeat(mebibyte / 2))).unwrap();
    assert!(!matches(&stars, &"a".repeat(255)));
}

/// Names of every length around the words of a set.
#[test]
fn lengths_of_names() {
    for length in [1, 62, 63, 64, 65, 127, 128, 254, 255, 256, 257, 1_000] {
        let name: String = "ab\u{e9}".chars().cycle().take(length).collect();
        let check = |pattern: &str, expected: bool| {
            let glob = Glob::new(pattern).unwrap();
            assert_eq!(
                on(&name, |names| glob.matches(names)),
                expected,
                "{pattern} {length}"
            );
        };
        check(&"?".repeat(length), true);
        check(&"?".repeat(length + 1), false);
        check(&format!("*{}", "?".repeat(length)), true);
        check(&format!("*{}*", "[ab\u{e9}]".repeat(length)), true);
        check(&format!("*{}*?", "[ab\u{e9}]".repeat(length)), false);
        check("*[!ab\u{e9}]*", false);
    }
}

/// Once the flag is set nothing matches, so that the time to an end is short.
#[test]
fn a_cancelled_match_stops() {
    let cancel = Cancel::new();
    let name = "a".repeat(255);
    let subject = Subject::new([name.as_str()], Letters::Exact, &cancel);
    let glob = Glob::new("*[a-z]*").unwrap();
    assert!(glob.matches(subject.names()));
    cancel.set();
    let n_matches = (0..1 << 20).take_while(|_| glob.matches(subject.names()));
    assert!(n_matches.count() <= 1 << 14);
    assert!(!glob.matches(subject.names()));
}

#[test]
fn folded_letters() {
    for (pattern, path, expected) in [
        ("README", "readme", true),
        ("readme", "README", true),
        ("*.TXT", "a.txt", true),
        ("A*", "ab", true),
        ("[A-C]x", "bX", true),
        ("[a-c]x", "BX", true),
        ("[[:upper:]]x", "bx", true),
        ("[!A]x", "ax", false),
        ("\\A?", "ab", true),
        ("\u{c9}", "\u{e9}", false),
        ("Src/**/X", "sRC/a/x", true),
    ] {
        let mut store = Store::default();
        store.add(pattern, Letters::Folded).unwrap();
        let whole = Pattern {
            text: &store.text,
            segments: &store.segments,
        };
        let cancel = Cancel::never();
        let subject = Subject::new(path.split('/'), Letters::Folded, &cancel);
        assert_eq!(whole.matches(subject.names()), expected, "{pattern} {path}");
    }
}
