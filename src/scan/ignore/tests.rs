//! Tests of `ignore`.

use super::*;
use crate::cancel::Cancel;
use crate::scan::subject::Subject;

fn ask(set: &RuleSet, path: &[&str], is_directory: bool) -> Option<Hit> {
    let cancel = Cancel::never();
    let subject = Subject::new(path.iter().copied(), Letters::Exact, &cancel);
    set.last_match(subject.names(), is_directory)
}

#[test]
fn the_last_match_decides() {
    let set = RuleSet::parse(
        b"\xef\xbb\xbf*.log\r\n\n# comment\n!keep.log\nbuild/\n/docs/*.md\n\\#x\n\\!y\nz\\ \nw  \n\xff\n[bad\n*\\\nlib/*\n",
    );
    for (path, directory, expected) in [
        ("a.log", false, Some((1, 0, false))),
        ("x/keep.log", false, Some((4, 1, true))),
        ("build", true, Some((5, 2, false))),
        ("build", false, None),
        ("docs/a.md", false, Some((6, 3, false))),
        ("x/docs/a.md", false, None),
        ("#x", false, Some((7, 4, false))),
        ("!y", false, Some((8, 5, false))),
        ("z ", false, Some((9, 6, false))),
        ("w", false, Some((10, 7, false))),
        ("lib/a.log", false, Some((14, 8, false))),
        ("[bad", false, None),
    ] {
        let names: Vec<&str> = path.split('/').collect();
        let hit = ask(&set, &names, directory);
        let got = hit.map(|hit| (hit.line, hit.index, hit.negated));
        assert_eq!(got, expected, "{path}");
    }
    assert_eq!(ask(&set, &[], true), None);
    assert!(RuleSet::parse(b"\n#\n").is_empty());
}

/// The tables change nothing about the answer: every rule is asked alone for comparison.
#[test]
fn tables_agree_with_a_plain_search() {
    let lines = [
        "*.c", "a", "a/*", "!*.c", "**/b/a", "/a/**", "*", "!a.c", "b/*.c", "x*", "*/a",
        "*.tar.gz", "!*a/", "a/",
    ];
    let set = RuleSet::parse(lines.join("\n").as_bytes());
    let alone: Vec<RuleSet> = lines
        .iter()
        .map(|line| RuleSet::parse(line.as_bytes()))
        .collect();
    let names = ["a", "b", "a.c", "x.tar.gz", "xa"];
    for first in names {
        for second in names {
            for path in [&[first][..], &[first, second]] {
                for directory in [false, true] {
                    let expected = alone
                        .iter()
                        .rposition(|one| ask(one, path, directory).is_some());
                    let got = ask(&set, path, directory).map(|hit| hit.index as usize);
                    assert_eq!(got, expected, "{path:?} {directory}");
                }
            }
        }
    }
}

/// The limit of rules, at N and N + 1; comments, blank and broken lines are no rules.
#[test]
fn rules_are_limited() {
    let text = b"# a\n\na\n[\nb\nc\n";
    for (max_rules, n_rules, over) in [(4, 3, None), (3, 3, None), (2, 2, Some(6)), (0, 0, Some(3))]
    {
        let (set, got) = RuleSet::parse_at_most(text, Letters::Exact, max_rules);
        assert_eq!((set.len(), got), (n_rules, over), "{max_rules}");
    }
    let (all, over) = RuleSet::parse_at_most("a\n".repeat(RULES).as_bytes(), Letters::Exact, RULES);
    assert_eq!((all.len(), over), (RULES, None));
    let more = "a\n".repeat(RULES + 1);
    let (_, over) = RuleSet::parse_at_most(more.as_bytes(), Letters::Exact, RULES);
    assert_eq!(over, Some(100_001));
}
