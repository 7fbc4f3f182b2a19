//! What tables of whole texts cannot show: work done, cuts between chunks, merging, lengths.

use proptest::prelude::*;

use super::*;

const LETTERS: &str = "uV4nJ8sYq2LwZ7tRk0XbC5mD9fHe3GaPiT1oQy6S";

fn found(text: &str) -> Vec<(&'static str, u32, u32)> {
    detect(text, &Cancel::never())
        .unwrap()
        .iter()
        .map(|f| (f.label, f.start_line, f.end_line))
        .collect()
}

fn github(len: usize) -> String {
    ["gh", "p_", &LETTERS.repeat(8)[..len]].concat()
}

#[test]
fn lengths_are_exact() {
    let aws = |len: usize| ["AK", "IA", &"Q7XW2LZK5TRB3NVCPMD4"[..len]].concat();
    for (text, expected) in [
        (github(35), false),
        (github(36), true),
        (github(255), true),
        (github(256), false),
        (aws(15), false),
        (aws(16), true),
        (aws(17), false),
        (format!("token = \"{}\"", &LETTERS[..15]), false),
        (format!("token = \"{}\"", &LETTERS[..16]), true),
        (format!("password = \"{}\"", &LETTERS[..7]), false),
        (format!("password = \"{}\"", &LETTERS[..8]), true),
        (format!("token = \"{}\"", &LETTERS.repeat(20)[..511]), true),
        (format!("token = \"{}\"", &LETTERS.repeat(20)[..512]), true),
        (format!("token = \"{}\"", &LETTERS.repeat(20)[..513]), false),
    ] {
        assert_eq!(!found(&text).is_empty(), expected, "{text}");
    }
}

#[test]
fn an_anchor_may_lie_across_chunks() {
    let token = github(36);
    for before in CHUNK_BYTES - 45..=CHUNK_BYTES + 5 {
        let text = format!("{}\n{token}\n", ".".repeat(before));
        assert_eq!(found(&text), [("github-token", 2, 2)], "{before}");
    }
}

#[test]
fn findings_of_one_place_are_one() {
    let (token, other) = (github(36), github(40));
    for (text, expected) in [
        (format!("{token} {other}"), vec![("github-token", 1, 1)]),
        (
            format!("{token}\n{other}"),
            vec![("github-token", 1, 1), ("github-token", 2, 2)],
        ),
        (
            format!("api_token = \"{token}\""),
            vec![("github-token", 1, 1)],
        ),
        (
            format!("password = \"{}\" {token}", &LETTERS[..12]),
            vec![("github-token", 1, 1), ("secret-assignment", 1, 1)],
        ),
    ] {
        assert_eq!(found(&text), expected);
    }
}

#[test]
fn nothing_in_the_text_switches_the_scan_off() {
    let token = github(36);
    for comment in [
        "secretlint-disable",
        "nosec",
        "gitleaks:allow",
        "pragma: allowlist secret",
        "trufflehog:ignore",
        "noqa",
        "eslint-disable",
        "ggignore",
    ] {
        let text = format!("// {comment}\nlet t = \"{token}\"; // {comment}\n");
        assert_eq!(found(&text), [("github-token", 2, 2)], "{comment}");
    }
}

#[test]
fn a_set_flag_stops_the_scan() {
    let cancel = Cancel::new();
    cancel.set();
    assert!(matches!(detect("", &cancel), Err(Error::Cancelled)));
}

#[test]
fn labels_are_sorted_and_plain() {
    let labels: Vec<&str> = labels().collect();
    assert!(labels.is_sorted());
    for label in [
        "private-key",
        "github-token",
        "aws-access-key-id",
        "url-credentials",
    ] {
        assert!(labels.contains(&label));
    }
    let plain = |label: &&str| {
        label
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    assert!(labels.iter().all(plain));
}

/// Steps of all checks on `unit` repeated to about `len` bytes.
fn steps(unit: &str, len: usize) -> u64 {
    let text = unit.repeat(len / unit.len() + 1);
    let reader = Reader::new(text.as_bytes());
    let hits = scan(&reader, &text, &Cancel::never()).unwrap();
    let places: usize = hits.iter().map(|hit| hit.span.len()).sum();
    reader.steps() + places as u64
}

#[test]
fn work_grows_with_the_text() {
    let table = rules::table().unwrap();
    let mut units: Vec<String> = Vec::new();
    for anchor in &table.anchors {
        let anchor = String::from_utf8(anchor.text.clone()).unwrap();
        for tail in ["", " ", "=", "=\"", "-", "a1", ": '", "\n", "://", "(\"\\"] {
            units.push(format!("{anchor}{tail}"));
        }
    }
    let begin = ["-----BEGIN PRIVATE", " KEY-----"].concat();
    units.push(begin.clone());
    units.push(format!("{begin}{}\n", LETTERS));
    units.push(format!("{begin}{}", LETTERS.repeat(3)));
    units.push(format!("password=\"{LETTERS}\""));
    units.push(format!("\"d\":\"{LETTERS}aB1\""));
    units.push("eyJhbGciOiJIUzI1NiJ9.eyJ".to_owned());
    units.push("a:b@://".to_owned());
    units.push("password\\\\\\".to_owned());
    units.push("password                              ".to_owned());
    for unit in &units {
        let (small, large) = (steps(unit, 15_000), steps(unit, 60_000));
        assert!(large <= 6 * small.max(1_000), "{unit:?}: {small} {large}");
        assert!(large <= 60_000 * 256, "{unit:?}: {large}");
    }
}

#[test]
fn one_long_tail_is_looked_at_few_times() {
    // One anchor often, then a run that each could take to its end.
    for head in [
        "eyJ",
        "sk-",
        "-----BEGIN PRIVATE ",
        "password=",
        "\"d\":\"",
        "://",
        "xoxb-",
        "bearer ",
    ] {
        let of = |n: usize| {
            let text = format!("{}{}", head.repeat(n), "aB3".repeat(n));
            let reader = Reader::new(text.as_bytes());
            scan(&reader, &text, &Cancel::never()).unwrap();
            reader.steps()
        };
        let (small, large) = (of(4_000), of(16_000));
        assert!(large <= 6 * small, "{head}: {small} {large}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_scanned(parts in proptest::collection::vec(
        prop_oneof![
            "\\PC{0,12}",
            "[a-zA-Z0-9+/=_-]{0,80}",
            (0..rules::table().unwrap().anchors.len()).prop_map(|at| {
                String::from_utf8(rules::table().unwrap().anchors[at].text.clone()).unwrap()
            }),
            "[ \n\r\t\"'`\\\\:=,.(){}@$-]{0,4}",
        ],
        0..24,
    )) {
        let text = parts.concat();
        let findings = detect(&text, &Cancel::never()).unwrap();
        let lines = text.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        prop_assert!(findings.is_sorted());
        for finding in &findings {
            prop_assert!(1 <= finding.start_line && finding.start_line <= finding.end_line);
            prop_assert!(finding.end_line <= lines);
        }
    }

    #[test]
    fn no_finding_shows_its_value(value in "[a-z][0-9][A-Z][a-zA-Z0-9]{20,60}") {
        let text = format!("x\napi_key = \"{value}\"\nurl = https://svc:{value}@db.internal/\n");
        let shown = format!("{:?}", detect(&text, &Cancel::never()).unwrap());
        for part in value.as_bytes().windows(8) {
            prop_assert!(!shown.as_bytes().windows(8).any(|window| window == part));
        }
        let length = value.len().to_string();
        prop_assert!(!shown.contains(&length));
    }
}
