//! Tests of `pattern`.

use super::*;

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
        let matches = |path: &str| {
            let names: Vec<&str> = path.split('/').collect();
            compiled.matches(&names, false, Reading::Both)
        };
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
        (["a", "i"], Reading::Both, true),
        (["a", "[id]"], Reading::Both, true),
        (["a", "i"], Reading::Literal, false),
        (["a", "[id]"], Reading::Literal, true),
    ] {
        assert_eq!(pattern.matches(&names, true, reading), expected);
        assert!(!pattern.matches(&names, false, reading));
        assert_eq!(pattern.selects_content(&names, reading), expected);
    }
    let plain = HostPattern::new("include", "a").unwrap();
    assert!(plain.literal().is_none() && plain.matches(&["a"], false, Reading::Literal));
}

#[test]
fn expansion_is_bounded() {
    let problem = |pattern: &str| match HostPattern::new("ignore", pattern).unwrap_err() {
        Error::Pattern { problem, .. } => problem,
        other => panic!("{other:?}"),
    };
    assert!(HostPattern::new("ignore", &"{a,b}".repeat(10)).is_ok());
    assert!(problem(&"{a,b}".repeat(11)).contains("1024"));
    assert!(problem(&"{a,b}".repeat(100_000)).contains("1024"));
    let wide = format!("{{{}}}", vec!["a"; 1_025].join(","));
    assert!(problem(&wide).contains("1024"));
    assert!(problem(&"{a,".repeat(100_000)).contains("deeply"));
    assert!(problem("x+(a|b)").starts_with("column 2 "));
}
