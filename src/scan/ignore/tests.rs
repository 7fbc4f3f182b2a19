//! Tests of `ignore`.

use super::*;

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
        let hit = set.last_match(&names, directory);
        let got = hit.map(|hit| (hit.line, hit.index, hit.negated));
        assert_eq!(got, expected, "{path}");
    }
    assert_eq!(set.last_match(&[], true), None);
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
                        .rposition(|one| one.last_match(path, directory).is_some());
                    let got = set
                        .last_match(path, directory)
                        .map(|hit| hit.index as usize);
                    assert_eq!(got, expected, "{path:?} {directory}");
                }
            }
        }
    }
}
