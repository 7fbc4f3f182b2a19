//! The order of files and of places within them.
//!
//! Words: BM25 over three fields, text, path and the names that are defined, with the terms as
//! split and stemmed. What the query names outright is lifted, divided by the number of files that
//! define it. A file whose best place holds much of the query in one symbol is lifted, and one
//! with several good places a little. What is beside the point (tests, examples, generated,
//! vendored, minified files and prose) comes after code that scores the same. Ties go by path.

use std::collections::{BTreeMap, BTreeSet};

use crate::path::RelPath;
use crate::syntax::symbols::Index;

use super::Looked;
use super::answer::FileAnswer;
use super::pass::{Hits, Pass};
use super::place::Place;
use super::terms::{self, Term, parts, piece, stem};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Weights of the fields.
const TEXT: f64 = 1.0;
const PATH: f64 = 1.0;
const NAMES: f64 = 1.5;

/// What a file is to someone who asks how something works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// What the program is made of.
    Code,
    /// Documentation and data.
    Prose,
    /// Tests and what they use, examples, benchmarks.
    Trial,
    /// Made by a program, or by others.
    Foreign,
}

impl Class {
    /// Of a file by its path.
    pub(super) fn of(path: &RelPath) -> Self {
        let name = path.name();
        let lower = name.to_ascii_lowercase();
        let dirs = || path.segments().rev().skip(1);
        let within =
            |list: &[&str]| dirs().any(|dir| list.contains(&dir.to_ascii_lowercase().as_str()));
        let (base, extension) = lower.rsplit_once('.').unwrap_or((&lower, ""));
        let foreign_name = base.ends_with(".min")
            || base.ends_with(".bundle")
            || base.contains("generated")
            || base.ends_with("_pb2")
            || base.ends_with(".pb")
            || matches!(extension, "lock" | "map" | "snap");
        if foreign_name || within(&FOREIGN) {
            return Self::Foreign;
        }
        let trial_name = base.starts_with("test_")
            || base.ends_with("_test")
            || base.ends_with("_tests")
            || base.ends_with(".test")
            || base.ends_with(".spec")
            || base.ends_with("_spec")
            || base.ends_with(".test-d")
            || matches!(base, "test" | "tests" | "conftest")
            || name
                .split('.')
                .next()
                .is_some_and(|stem| stem.ends_with("Test") || stem.ends_with("Tests"));
        if trial_name || within(&TRIAL) {
            return Self::Trial;
        }
        if PROSE.contains(&extension) || within(&["docs", "doc", "locale", "locales", "man"]) {
            return Self::Prose;
        }
        Self::Code
    }

    /// What a score counts when the query does not ask for this class.
    fn factor(self) -> f64 {
        match self {
            Self::Code => 1.0,
            Self::Prose => 0.5,
            Self::Trial => 0.5,
            Self::Foreign => 0.3,
        }
    }
}

const FOREIGN: [&str; 12] = [
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "node_modules",
    "generated",
    "dist",
    "_vendor",
    "extern",
    "external",
    "snapshots",
];
const TRIAL: [&str; 28] = [
    "test",
    "tests",
    "testing",
    "__tests__",
    "spec",
    "specs",
    "spec-dtslint",
    "e2e",
    "fixtures",
    "fixture",
    "__fixtures__",
    "testdata",
    "test_data",
    "test-data",
    "mocks",
    "__mocks__",
    "mdtest",
    "js_tests",
    "benches",
    "bench",
    "benchmark",
    "benchmarks",
    "examples",
    "example",
    "samples",
    "sample",
    "demo",
    "demos",
];
const PROSE: [&str; 22] = [
    "md", "markdown", "rst", "txt", "adoc", "html", "htm", "po", "pot", "json", "jsonc", "yaml",
    "yml", "toml", "csv", "tsv", "svg", "xml", "ini", "cfg", "css", "ipynb",
];

/// Figures about all files, and the terms.
#[derive(Debug)]
pub(super) struct Scales {
    /// How much each term tells.
    pub(super) idf: Vec<f64>,
    mean_bytes: f64,
    mean_path: f64,
    mean_names: f64,
    idf_path: Vec<f64>,
    idf_names: Vec<f64>,
    /// Whether the query asks for tests or examples, and for documentation.
    trial: bool,
    prose: bool,
}

/// The fields of a file as counts of terms.
struct Fields {
    path: (Vec<u32>, usize),
    names: (Vec<u32>, usize),
}

fn idf(n_files: usize, n_with: usize) -> f64 {
    let (all, with) = (n_files as f64, n_with as f64);
    (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

fn saturated(n: u32, len: f64, mean: f64) -> f64 {
    let n = f64::from(n);
    n * (K1 + 1.0) / (n + K1 * (1.0 - B + B * len / mean.max(1e-9)))
}

/// How often each term stands in a name or path, and how many parts that has.
pub(super) fn in_name(name: &str, terms: &[Term]) -> (Vec<u32>, usize) {
    let mut counts = vec![0; terms.len()];
    let mut n_parts = 0;
    for part in parts(name) {
        n_parts += 1;
        let own = stem(piece(name, part));
        for (count, term) in counts.iter_mut().zip(terms) {
            *count += u32::from(!term.whole && term.text == own);
        }
    }
    let folded = name.to_lowercase();
    for word in folded.split(|c: char| !super::terms::is_word(c)) {
        for (count, term) in counts.iter_mut().zip(terms) {
            *count += u32::from(term.whole && term.text == word);
        }
    }
    (counts, n_parts)
}

impl Scales {
    /// Over what the first pass found.
    pub(super) fn new(pass: &Pass, terms: &[Term]) -> Self {
        let n_files = pass.n_files.max(1);
        let per_term = |has: &dyn Fn(&Hits, usize) -> bool| -> Vec<f64> {
            (0..terms.len())
                .map(|term| {
                    idf(
                        n_files,
                        pass.files.iter().filter(|file| has(file, term)).count(),
                    )
                })
                .collect()
        };
        let at = |counts: &[u32], term: usize| counts.get(term).copied().unwrap_or_default();
        let paths: Vec<(Vec<u32>, usize)> = pass
            .files
            .iter()
            .map(|file| in_name(file.candidate.path.as_str(), terms))
            .collect();
        let mean = |sum: usize, n: usize| sum as f64 / n.max(1) as f64;
        let asks = |words: &[&str]| terms.iter().any(|term| words.contains(&term.text.as_str()));
        Self {
            idf: per_term(&|file, term| at(&file.counts, term) > 0),
            mean_bytes: pass.n_bytes as f64 / n_files as f64,
            mean_path: mean(paths.iter().map(|path| path.1).sum(), paths.len()),
            mean_names: 20.0,
            idf_path: (0..terms.len())
                .map(|term| {
                    idf(
                        n_files,
                        paths.iter().filter(|path| at(&path.0, term) > 0).count(),
                    )
                })
                .collect(),
            idf_names: per_term(&|file, term| at(&file.defining, term) > 0),
            trial: asks(&["test", "exampl", "fixtur", "benchmark", "mock", "demo"]),
            prose: asks(&["doc", "documentation", "readm", "changelog"]),
        }
    }

    /// The score of a file by the first pass alone.
    pub(super) fn first(&self, hits: &Hits, terms: &[Term]) -> f64 {
        let n_names = hits.defining.iter().sum::<u32>() as usize;
        let fields = Fields {
            path: in_name(hits.candidate.path.as_str(), terms),
            names: (hits.defining.clone(), n_names.max(20)),
        };
        self.score(hits, &fields)
    }

    /// The score of a file of which the names it defines are known.
    pub(super) fn second(&self, hits: &Hits, terms: &[Term], names: (Vec<u32>, usize)) -> f64 {
        let fields = Fields {
            path: in_name(hits.candidate.path.as_str(), terms),
            names,
        };
        self.score(hits, &fields)
    }

    fn score(&self, hits: &Hits, fields: &Fields) -> f64 {
        let field = |counts: &[u32], len: f64, mean: f64, idf: &[f64]| -> f64 {
            let each = counts.iter().zip(idf);
            each.map(|(&n, idf)| idf * saturated(n, len, mean)).sum()
        };
        let text = field(
            &hits.counts,
            hits.n_bytes as f64,
            self.mean_bytes,
            &self.idf,
        );
        let path = field(
            &fields.path.0,
            fields.path.1 as f64,
            self.mean_path,
            &self.idf_path,
        );
        let names = field(
            &fields.names.0,
            fields.names.1 as f64,
            self.mean_names,
            &self.idf_names,
        );
        (TEXT * text + PATH * path + NAMES * names) * self.factor(&hits.candidate.path)
    }

    fn factor(&self, path: &RelPath) -> f64 {
        match Class::of(path) {
            Class::Trial if self.trial => 1.0,
            Class::Prose if self.prose => 1.0,
            class => class.factor(),
        }
    }

    /// The score of a place by its matches, the lines it has, and its name.
    pub(super) fn place(&self, place: &Place, terms: &[Term]) -> f64 {
        let n_lines = f64::from(place.lines.end - place.lines.start + 1);
        let each = place.counts.iter().zip(&self.idf);
        let text: f64 = each
            .map(|(&n, idf)| idf * saturated(n, n_lines, 30.0))
            .sum();
        let Some(symbol) = &place.symbol else {
            return text * 0.5;
        };
        let (counts, n_parts) = in_name(&symbol.path, terms);
        let named: f64 = counts
            .iter()
            .zip(&self.idf_names)
            .map(|(&n, idf)| idf * saturated(n, n_parts as f64, 3.0))
            .sum();
        text + NAMES * named
    }
}

/// The names that a file defines: the terms in them, how many parts they have, and the names.
pub(super) fn names_of(index: &Index, terms: &[Term]) -> ((Vec<u32>, usize), Vec<String>) {
    let (mut counts, mut n_parts) = (vec![0; terms.len()], 0);
    let mut names = Vec::new();
    for (id, _) in (0_u32..).zip(&index.symbols) {
        let Some(name) = index.segments(id).last().map(|name| (*name).to_owned()) else {
            continue;
        };
        let (own, own_parts) = in_name(&name, terms);
        for (count, n) in counts.iter_mut().zip(own) {
            *count += n;
        }
        n_parts += own_parts;
        names.push(name);
    }
    names.sort_unstable();
    names.dedup();
    ((counts, n_parts), names)
}

/// What the query names outright, in one file.
pub(super) struct Lift {
    pub(super) file: f64,
    pub(super) places: Vec<f64>,
}

/// Lifts what the query names outright, divided by the number of files that define it.
pub(super) fn lifts(looked: &[Looked], query: &str, terms: &[Term], scales: &Scales) -> Vec<Lift> {
    let words: BTreeSet<&str> = terms::words(query)
        .into_iter()
        .filter(|word| word.chars().count() > 2)
        .collect();
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for word in &words {
        let defines = |one: &&Looked| {
            one.defined
                .binary_search_by(|name| name.as_str().cmp(word))
                .is_ok()
        };
        let n_files = looked.iter().filter(defines).count();
        let own = in_name(word, terms).0;
        let worth: f64 = own
            .iter()
            .zip(&scales.idf)
            .filter(|(n, _)| **n > 0)
            .map(|(_, idf)| idf)
            .sum();
        if n_files > 0 {
            shares.insert(word, worth / n_files as f64);
        }
    }
    looked
        .iter()
        .map(|one| {
            let named = shares.iter().filter(|(word, _)| {
                one.defined
                    .binary_search_by(|name| name.as_str().cmp(word))
                    .is_ok()
            });
            let share = |place: &Place| {
                let own = place
                    .symbol
                    .as_ref()
                    .and_then(|symbol| symbol.path.rsplit('.').next());
                own.and_then(|own| shares.get(own))
                    .copied()
                    .unwrap_or_default()
            };
            Lift {
                file: named.map(|(_, share)| share).sum(),
                places: one.answer.places.iter().map(share).collect(),
            }
        })
        .collect()
}

impl Scales {
    /// What the places of a file add to its score: the best one much, further ones a little.
    pub(super) fn of_places(&self, answer: &FileAnswer, lift: f64) -> f64 {
        let mut best = answer.places.iter().map(|place| place.score);
        let first = best.next().unwrap_or_default();
        let more: f64 = best.take(4).sum::<f64>() / 4.0;
        (lift + 0.5 * first + 0.15 * more) * self.factor(&answer.path)
    }
}
