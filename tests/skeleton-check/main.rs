//! Checks skeletons and symbol indexes on real source, and compares them with another packer.
//!
//! `cargo run --release --features langs-all --example skeleton-check -- [--against FILE] DIR`
//! reads every file below DIR, prints one row a language and every property that does not hold,
//! and exits with 1 if there is one. FILE is the document that Repomix made of DIR with
//! `--compress`, in its XML style: what it leaves of the same files is measured beside ours.

#![allow(
    missing_docs,
    clippy::exit,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a program for developers that stops at the first surprise"
)]

mod check;
mod languages;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use check::{Report, Specs, folded, tokens};
use rayon::prelude::*;

/// Files larger than this are data.
const FILE_BYTES: u64 = 1 << 20;

fn main() {
    let mut against = None;
    let mut lost = false;
    let mut folders = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--against" => against = arguments.next(),
            "--lost" => lost = true,
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    let rival = against.map(|file| entries(&fs::read_to_string(file).unwrap()));
    let specs = Specs::new();
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut n_violations = 0;
    for folder in &folders {
        let files = files(folder);
        let reports: Vec<_> = files
            .par_iter()
            .filter_map(|path| {
                let name = path.strip_prefix(folder).ok()?.to_str()?.to_owned();
                let text = fs::read_to_string(path).ok()?;
                let report = check::check(&name, &text, &specs)?;
                Some((name, report))
            })
            .collect();
        for (name, report) in reports {
            for (line, what) in &report.violations {
                println!("{name}:{line}: {what}");
            }
            for found in report.found.iter().filter(|found| lost && !found.kept) {
                println!("{name}:{}: lost: {}", found.line, found.text);
            }
            for (line, word, _) in report.named.iter().filter(|named| lost && !named.2) {
                println!("{name}:{line}: not listed: {word}");
            }
            n_violations += report.violations.len();
            let theirs = rival
                .as_ref()
                .map(|rival| rival.get(&name).map(String::as_str));
            rows.entry(report.language)
                .or_default()
                .add(&name, &report, theirs);
        }
    }
    for (language, row) in &rows {
        println!("{}", row.line(language));
    }
    println!("{n_violations} violations");
    if n_violations > 0 {
        std::process::exit(1);
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() && entry.metadata().unwrap().len() <= FILE_BYTES {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// The files of a packed document in XML style.
fn entries(document: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open: Option<(String, String)> = None;
    for line in document.split_inclusive('\n') {
        let start = line
            .trim_end()
            .strip_prefix("<file path=\"")
            .and_then(|rest| rest.strip_suffix("\">"));
        match (&mut open, start) {
            (None, Some(name)) => open = Some((name.to_owned(), String::new())),
            (Some(_), _) if line.trim_end() == "</file>" => found.extend(open.take()),
            (Some((_, text)), _) => text.push_str(line),
            (None, None) => {}
        }
    }
    found
}

/// Definitions or imports: how many, and how many are kept.
#[derive(Default)]
struct Kept {
    found: usize,
    exact: usize,
    text: usize,
    theirs: usize,
    compared: usize,
}

/// The sums of a language.
#[derive(Default)]
struct Row {
    files: usize,
    skeletons: usize,
    timeouts: usize,
    full: u64,
    left: u64,
    symbols: usize,
    differ: usize,
    named: usize,
    listed: usize,
    definitions: Kept,
    imports: Kept,
    /// Files that the rival has too: how many, their tokens, and the tokens of its text.
    theirs: (usize, u64, u64),
    slowest: (Duration, String),
}

impl Row {
    fn add(&mut self, name: &str, report: &Report, theirs: Option<Option<&str>>) {
        self.files += 1;
        self.skeletons += usize::from(report.skeleton);
        self.timeouts += usize::from(report.timeout);
        self.full += report.full_tokens;
        self.left += report.left_tokens;
        self.symbols += report.symbols;
        self.differ += report.differ;
        self.named += report.named.len();
        self.listed += report.named.iter().filter(|named| named.2).count();
        if report.elapsed > self.slowest.0 {
            self.slowest = (report.elapsed, name.to_owned());
        }
        let ours = folded(&report.left);
        let theirs = theirs.flatten();
        if let Some(text) = theirs {
            self.theirs.0 += 1;
            self.theirs.1 += report.full_tokens;
            self.theirs.2 += tokens(text);
        }
        let theirs = theirs.map(folded);
        for found in &report.found {
            let kept = if found.import {
                &mut self.imports
            } else {
                &mut self.definitions
            };
            kept.found += 1;
            kept.exact += usize::from(found.kept);
            kept.text += usize::from(ours.contains(&found.text));
            kept.compared += usize::from(theirs.is_some());
            kept.theirs += usize::from(
                theirs
                    .as_ref()
                    .is_some_and(|text| text.contains(&found.text)),
            );
        }
    }

    fn line(&self, language: &str) -> String {
        let share = |part: u64, of: u64| {
            if of == 0 {
                "—".to_owned()
            } else {
                format!("{:.1} %", part as f64 * 100.0 / of as f64)
            }
        };
        let kept = |kept: &Kept| {
            let of = kept.found as u64;
            format!(
                "{of}: {} exact, {} as text, theirs {}",
                share(kept.exact as u64, of),
                share(kept.text as u64, of),
                share(kept.theirs as u64, kept.compared as u64)
            )
        };
        format!(
            "{language}: {} files, {} skeletons, {} timeouts, {} tokens, {} left, theirs {} of {} files; definitions {}; imports {}; {} symbols, {} differ beside errors; {} of {} named definitions listed; slowest {:?} {}",
            self.files,
            self.skeletons,
            self.timeouts,
            self.full,
            share(self.left, self.full),
            share(self.theirs.2, self.theirs.1),
            self.theirs.0,
            kept(&self.definitions),
            kept(&self.imports),
            self.symbols,
            self.differ,
            self.listed,
            self.named,
            self.slowest.0,
            self.slowest.1,
        )
    }
}
