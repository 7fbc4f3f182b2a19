//! Tests of `glob`.

use super::*;

fn names(path: &str) -> Vec<&str> {
    path.split('/').collect()
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
            assert!(glob.matches(&names(path)), "{pattern} {path}");
        }
        for path in no {
            assert!(!glob.matches(&names(path)), "{pattern} {path}");
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
        assert!(glob.reaches_below(&[]), "{pattern}");
        for path in yes {
            assert!(glob.reaches_below(&names(path)), "{pattern} {path}");
        }
        for path in no {
            assert!(!glob.reaches_below(&names(path)), "{pattern} {path}");
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

/// Patterns that take exponential time where every star is gone back to.
#[test]
fn hostile_patterns_end() {
    let many = Glob::new(&"*a".repeat(200)).unwrap();
    assert!(!many.matches(&["a".repeat(199).as_str()]));
    assert!(many.matches(&["a".repeat(200).as_str()]));
    let deep = Glob::new(&"**/a/".repeat(100)).unwrap();
    let path = vec!["a"; 99];
    assert!(!deep.matches(&path));
    assert!(deep.matches(&[&path[..], &["b", "a"]].concat()));
    assert!(deep.reaches_below(&vec!["a"; 2_000]));
}
