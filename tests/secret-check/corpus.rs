//! Labelled texts for the secret scan, made anew from a seed: secrets and things that look like
//! them, each in many notations.
//!
//! `tokens.txt` says what a credential looks like and what it is called, `embeddings.txt` how text
//! holds a value under a name, `negatives.txt` what is no secret.

use crate::fill::{Noise, fill};

const TOKENS: &str = include_str!("tokens.txt");
const SECOND: &str = include_str!("second.txt");
const NEGATIVES: &str = include_str!("negatives.txt");
const EMBEDDINGS: &str = include_str!("embeddings.txt");

/// Names that say nothing about the value.
const NEUTRAL: [&str; 6] = [
    "value",
    "input data",
    "remote",
    "setting one",
    "client info",
    "thing",
];

/// One text with what is known about it.
pub struct Sample {
    /// What it holds: a label, or a kind of harmless value.
    pub kind: &'static str,
    /// How it holds it.
    pub embedding: &'static str,
    /// Name of the file it would stand in.
    pub file: &'static str,
    pub text: String,
    /// First and last line of the value, counted from 1.
    pub lines: (u32, u32),
}

/// Which texts are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// Secrets that the scan was made for.
    Secrets,
    /// Secrets written down after it was finished.
    Second,
    /// What is no secret.
    Harmless,
}

/// The rows of a table of so many columns between ` | `, without comments.
pub fn rows(table: &'static str, columns: usize) -> impl Iterator<Item = Vec<&'static str>> {
    table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(move |line| line.splitn(columns, " | ").map(str::trim_start).collect())
}

/// All texts of `set`, `rounds` of each kind in each embedding, from `seed`.
pub fn samples(set: Set, rounds: u64, seed: u64) -> Vec<Sample> {
    let table = match set {
        Set::Secrets => TOKENS,
        Set::Second => SECOND,
        Set::Harmless => NEGATIVES,
    };
    let mut samples = Vec::new();
    for round in 0..rounds {
        for (number, row) in rows(table, 3).enumerate() {
            let [kind, names, template] = row[..] else {
                panic!("{row:?}");
            };
            let mut noise = Noise(seed ^ (round << 20 | number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            if names == "file" {
                let text = fill(template, &mut noise);
                let lines = (1, text.lines().count() as u32);
                samples.push(Sample { kind, embedding: "whole", file: "", text, lines });
                continue;
            }
            for row in rows(EMBEDDINGS, 4) {
                let [embedding, how, file, holder] = row[..] else {
                    panic!("{row:?}");
                };
                if names != "-" && how.contains('n') {
                    continue;
                }
                let name = if names == "-" {
                    noise.one(&NEUTRAL)
                } else {
                    let names: Vec<&str> = names.split(", ").collect();
                    noise.one(&names)
                };
                let value = fill(template, &mut noise);
                if let Some((text, lines)) = embed(holder, how, name, &value, &mut noise) {
                    samples.push(Sample { kind, embedding, file, text, lines });
                }
            }
        }
    }
    samples
}

/// `value` under `name` as `holder` writes it, with the lines of the value; nothing where it cannot
/// stand.
fn embed(holder: &'static str, how: &str, name: &str, value: &str, noise: &mut Noise) -> Option<(String, (u32, u32))> {
    let has = |mark: char| how.contains(mark);
    let lined = value.contains('\n');
    if (lined || value.contains('"')) && has('1') || value.contains(' ') && has('w') {
        return None;
    }
    let mut text = fill(holder, noise);
    for (mark, form) in [
        ("@S", Form::Shout),
        ("@s", Form::Snake),
        ("@c", Form::Camel),
        ("@P", Form::Pascal),
        ("@k", Form::Kebab),
        ("@d", Form::Dotted),
        ("@w", Form::Words),
    ] {
        text = text.replace(mark, &form.of(name));
    }
    let (before, after) = text.split_once("@V")?;
    let indent: String = before
        .rsplit('\n')
        .next()?
        .chars()
        .map(|c| if c == '+' { '+' } else { ' ' })
        .collect();
    let value = if has('e') {
        value.replace('\\', "\\\\").replace('"', "\\\"").replace('\r', "\\r").replace('\n', "\\n")
    } else if has('x') {
        value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
    } else if has('u') {
        percent(value)
    } else if has('c') {
        value.replace('"', "\"\"")
    } else if has('b') {
        crate::fill::base64(value.as_bytes(), true)
    } else {
        value.replace('\n', &format!("\n{indent}"))
    };
    let first = before.matches('\n').count() as u32 + 1;
    let last = first + value.trim_end().matches('\n').count() as u32;
    Some((format!("{before}{value}{after}"), (first, last)))
}

fn percent(value: &str) -> String {
    value
        .bytes()
        .map(|b| match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(b).to_string(),
            _ => format!("%{b:02X}"),
        })
        .collect()
}

/// How a language writes a name of several words.
#[derive(Clone, Copy)]
enum Form {
    Shout,
    Snake,
    Camel,
    Pascal,
    Kebab,
    Dotted,
    Words,
}

impl Form {
    fn of(self, name: &str) -> String {
        let words: Vec<&str> = name.split(' ').collect();
        let capital = |word: &&str| word[..1].to_uppercase() + &word[1..];
        match self {
            Self::Shout => words.join("_").to_uppercase(),
            Self::Snake => words.join("_"),
            Self::Camel => words[0].to_owned() + &words[1..].iter().map(capital).collect::<String>(),
            Self::Pascal => words.iter().map(capital).collect(),
            Self::Kebab => words.join("-"),
            Self::Dotted => words.join("."),
            Self::Words => words.join(" "),
        }
    }
}
