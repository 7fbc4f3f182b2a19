//! Tests of `pattern`.

use super::*;
use crate::cancel::Cancel;
use crate::scan::subject::{Letters, Subject};

fn on(path: &str, ask: impl Fn(Names<'_>) -> bool) -> bool {
    let cancel = Cancel::never();
    ask(Subject::new(path.split('/'), Letters::Exact, &cancel).names())
}

#[test]
fn lists() {
    for (list, expected) in [
        ("", &[][..]),
        (" a , b,,", &["a", "b"]),
        ("src/**/*.{ts,tsx},b", &["src/**/*.{ts,tsx}", "b"]),
        ("{a,{b,c}},@(d|e,f)", &["{a,{b,c}}", "@(d|e,f)"]),
        ("[,],a\\,b", &["[,]", "a\\,b"]),
        ("},a", &["}", "a"]),
    ] {
        assert_eq!(split_list(list), expected, "{list}");
    }
}

#[test]
fn expansion() {
    for (pattern, yes, no) in [
        ("*.{ts,tsx}", &["a.ts", "a.tsx"][..], &["a.t", "a.js"][..]),
        ("{a,{b,c}d}", &["a", "bd", "cd"], &["b", "ad"]),
        ("{a}", &["{a}"], &["a"]),
        ("a{,b}", &["a", "ab"], &["b"]),
        ("?(a)b", &["ab", "b"], &["aab"]),
        ("@(a|b*).c", &["a.c", "bx.c"], &["c.c"]),
        ("\\{a,b\\}", &["{a,b}"], &["a"]),
        ("[{,}]", &["{", ",", "}"], &["[{,}"]),
        ("{[,],b}x", &[",x", "bx"], &["x"]),
        ("(a)", &["(a)"], &["a"]),
        ("a}", &["a}"], &["a"]),
        ("/{a,b}/c", &["a/c", "b/c"], &["x/a/c"]),
    ] {
        let compiled = HostPattern::new("include", pattern).unwrap();
        let matches = |path: &str| on(path, |names| compiled.matches(names, false, Reading::Both));
        for path in yes {
            assert!(matches(path), "{pattern} {path}");
        }
        for path in no {
            assert!(!matches(path), "{pattern} {path}");
        }
    }
}

#[test]
fn readings() {
    let pattern = HostPattern::new("include", "!/a/[id]/").unwrap();
    assert!(pattern.negated());
    assert_eq!(pattern.literal().unwrap().as_str(), "a/[id]");
    for (names, reading, expected) in [
        ("a/i", Reading::Both, true),
        ("a/[id]", Reading::Both, true),
        ("a/i", Reading::Literal, false),
        ("a/[id]", Reading::Literal, true),
    ] {
        let matches = |directory| on(names, |names| pattern.matches(names, directory, reading));
        assert_eq!(matches(true), expected);
        assert!(!matches(false));
        let selects = on(names, |names| pattern.selects_content(names, reading));
        assert_eq!(selects, expected);
    }
    let plain = HostPattern::new("include", "a").unwrap();
    assert!(plain.literal().is_none());
    assert!(on("a", |names| plain.matches(
        names,
        false,
        Reading::Literal
    )));
}

#[test]
fn expansion_is_bounded() {
    let problem = |pattern: &str| match HostPattern::new("ignore", pattern).unwrap_err() {
        Error::Pattern { problem, .. } => problem,
        other => panic!("{other:?}"),
    };
    assert!(HostPattern::new("ignore", &"{a,b}".repeat(10)).is_ok());
    assert!(problem(&"{a,b}".repeat(11)).contains("1024"));
    assert!(problem(&"{a,b}".repeat(13_107)).contains("4194304"));
    let wide = format!("{{{}}}", vec!["a"; 1_025].join(","));
    assert!(problem(&wide).contains("1024"));
    assert!(problem(&"{a,".repeat(10_000)).contains("deeply"));
    assert!(problem("x+(a|b)").starts_with("column 2 "));
    assert!(HostPattern::new("ignore", &"a".repeat(PATTERN_BYTES)).is_ok());
    assert!(problem(&"a".repeat(PATTERN_BYTES + 1)).contains("65536 bytes"));
    let long =
        |n_alternatives: usize| format!("{}{}", "{a,b}".repeat(n_alternatives), "x".repeat(8_192));
    assert!(HostPattern::new("ignore", &long(8)).is_ok());
    assert!(problem(&long(9)).contains("4194304"));
}

/// A class whose end is sought anew at every bracket takes quadratic time.
#[test]
fn classes_are_read_once() {
    let start = std::time::Instant::now();
    let open = "[[:".repeat(PATTERN_BYTES / 3);
    assert!(HostPattern::new("ignore", &open).is_err());
    let named = HostPattern::new("ignore", "[[:xdigit:]]x").unwrap();
    assert!(on("fx", |names| named.matches(names, false, Reading::Both)));
    assert!(start.elapsed().as_secs() < 5);
}
