//! The secret scan through its public interface, on tables of text.

use std::collections::BTreeSet;

use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::secrets::{Finding, detect, labels};

const POSITIVE: &str = include_str!("../fixtures/secrets/positive.txt");
const NEGATIVE: &str = include_str!("../fixtures/secrets/negative.txt");

/// A fixed sequence that looks random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }

    fn text(&mut self, class: &str, len: usize) -> String {
        let small = "abcdefghijklmnopqrstuvwxyz";
        let capital = small.to_uppercase();
        let digits = "0123456789";
        let set = match class {
            "a" => format!("{small}{capital}{digits}"),
            "h" => format!("{digits}abcdef"),
            "H" => format!("{digits}ABCDEF"),
            "u" => format!("{capital}{digits}"),
            "b" => format!("{capital}234567"),
            "6" => format!("{small}{capital}{digits}+/"),
            "w" => format!("{small}{capital}{digits}-_"),
            "l" => format!("{small}{digits}"),
            "d" => digits.to_owned(),
            _ => panic!("class {class}"),
        };
        let set = set.as_bytes();
        // The first and last are letters or digits, so that a boundary never depends on the seed.
        let plain: Vec<u8> = set
            .iter()
            .copied()
            .filter(u8::is_ascii_alphanumeric)
            .collect();
        (0..len)
            .map(|at| {
                let set = if at == 0 || at + 1 == len {
                    &plain
                } else {
                    set
                };
                char::from(set[self.next() % set.len()])
            })
            .collect()
    }
}

fn base64(bytes: &[u8], padded: bool) -> String {
    let set = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            bits << 8 | chunk.get(at).map_or(0, |&b| usize::from(b))
        });
        for at in 0..=chunk.len() {
            out.push(char::from(set[bits >> (18 - 6 * at) & 63]));
        }
        if padded {
            out.push_str(&"==="[chunk.len()..]);
        }
    }
    out
}

/// Puts random text and line ends in place of the markers.
fn fill(template: &str, noise: &mut Noise) -> String {
    let template = template
        .replace("\\\\", "\u{1}")
        .replace("\\n", "\n")
        .replace("\\r", "\r");
    let mut out = String::new();
    let mut rest = template.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((marker, after_marker)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let count = marker
            .split_once(':')
            .and_then(|(class, n)| Some((class, n.parse().ok()?)));
        match (marker, count) {
            (_, Some((class, n))) => out.push_str(&noise.text(class, n)),
            ("basic", _) => {
                let login = format!("deploy:{}", noise.text("a", 14));
                out.push_str(&base64(login.as_bytes(), true));
            }
            ("jwt", _) => {
                let header = base64(br#"{"alg":"HS256","typ":"JWT"}"#, false);
                let payload = base64(br#"{"sub":"svc","scope":"all"}"#, false);
                out.push_str(&format!("{header}.{payload}.{}", noise.text("w", 43)));
            }
            _ if marker.chars().count() <= 2 && !marker.is_empty() => out.push_str(marker),
            _ => {
                out.push('{');
                rest = after;
                continue;
            }
        }
        rest = after_marker;
    }
    out.push_str(rest);
    out.replace('\u{1}', "\\")
}

fn scan(text: &str) -> Vec<Finding> {
    detect(text, &Cancel::never()).unwrap()
}

fn rows(table: &str) -> impl Iterator<Item = &str> {
    table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
}

#[test]
fn every_kind_is_found_with_its_lines() {
    let mut missed = Vec::new();
    for seed in 1..=20 {
        let mut noise = Noise(seed);
        for row in rows(POSITIVE) {
            let (label, template) = row.split_once(" | ").unwrap();
            let text = fill(template, &mut noise);
            let findings = scan(&format!("first\n{text}\nlast\n"));
            let lines = text.trim_end().lines().count() as u32;
            let good = matches!(findings[..], [f] if f.label == label && f.start_line >= 2
                && f.start_line <= f.end_line && f.end_line <= lines + 1);
            if !good {
                missed.push(format!("{seed} {row}: {findings:?}"));
            }
        }
    }
    // Random text looks like words once in a while; each kind must be found nearly always.
    let total = 20 * rows(POSITIVE).count();
    assert!(
        missed.len() * 200 <= total,
        "{} of {total}\n{}",
        missed.len(),
        missed.join("\n")
    );
}

#[test]
fn every_label_has_a_positive_row() {
    let tested: BTreeSet<&str> = rows(POSITIVE)
        .map(|row| row.split_once(" | ").unwrap().0)
        .collect();
    let known: BTreeSet<&str> = labels().collect();
    assert_eq!(tested, known);
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let mut wrong = Vec::new();
    for seed in 1..=20 {
        let mut noise = Noise(seed);
        for row in rows(NEGATIVE) {
            let findings = scan(&fill(row, &mut noise));
            if !findings.is_empty() {
                wrong.push(format!("{seed} {row}: {findings:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_cancelled_scan_has_no_result() {
    let cancel = Cancel::new();
    cancel.set();
    let outcome = detect("text", &cancel);
    assert!(matches!(outcome, Err(Error::Cancelled)));
}
