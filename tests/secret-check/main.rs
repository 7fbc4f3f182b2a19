//! Measures the secret scan on made-up texts, and how often it is right.
//!
//! `cargo run --release --example secret-check` prints recall per label and per embedding, what was
//! found in harmless text, and precision; `--second` does it with the set that the scan was not
//! tuned on, `--missed` shows what was not found, `--write DIR` writes the texts for other programs
//! and `--judge FILE` prints the same figures for the files that such a program named, one a line.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::exit,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a program for developers that stops at the first surprise"
)]

mod corpus;
mod fill;
mod tally;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use corpus::{Sample, Set, samples};
use tally::{Tally, found};

/// Texts of each label in each embedding.
const ROUNDS: u64 = 3;
const SEED: u64 = 20_261_203;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)
    };
    let (set, seed) = if has("--second") {
        (Set::Second, SEED + 1)
    } else {
        (Set::Secrets, SEED)
    };
    let positives = samples(set, ROUNDS, seed);
    let negatives = samples(Set::Harmless, ROUNDS, seed);
    if let Some(folder) = after("--write") {
        write(Path::new(folder), &positives, "p");
        write(Path::new(folder), &negatives, "n");
        return;
    }
    let named: Option<BTreeSet<String>> = after("--judge").map(|file| {
        let names = fs::read_to_string(file).unwrap();
        names.lines().filter_map(|line| line.rsplit('/').next()).map(str::to_owned).collect()
    });
    let mut tally = Tally::default();
    for (prefix, samples) in [("p", &positives), ("n", &negatives)] {
        for (number, sample) in samples.iter().enumerate() {
            let (hit, right) = match &named {
                Some(named) => (named.contains(&file_name(prefix, number, sample)), false),
                None => found(sample, prefix == "p"),
            };
            if hit != (prefix == "p") && (has("--missed") || prefix == "n" && named.is_none()) {
                println!("{} in {}: {}", sample.kind, sample.embedding, sample.text.replace('\n', "\\n"));
            }
            if has("--labels") && hit && prefix == "p" && !right {
                println!("{} in {}: other label", sample.kind, sample.embedding);
            }
            tally.add(sample, prefix == "p", hit, right);
        }
    }
    print!("{tally}");
    if named.is_none() && !tally.good(set == Set::Second) {
        std::process::exit(1);
    }
}

fn file_name(prefix: &str, number: usize, sample: &Sample) -> String {
    let ending = if sample.file.is_empty() { "txt" } else { sample.file };
    format!("{prefix}{number:05}.{ending}")
}

fn write(folder: &Path, samples: &[Sample], prefix: &str) {
    fs::create_dir_all(folder).unwrap();
    for (number, sample) in samples.iter().enumerate() {
        fs::write(folder.join(file_name(prefix, number, sample)), &sample.text).unwrap();
    }
}
