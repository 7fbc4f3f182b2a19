//! Exact counting beside the reference tokenizer, on the same text in one run.
//!
//! Corpora: this crate's sources, and Rust and C sources from cargo's registry folder where there
//! is one. `first` begins with an empty cache in each round, `again` has seen the text before.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use moon_repomix::tokens::count::Counter;

/// Bytes taken of each corpus.
const CORPUS_BYTES: usize = 4_000_000;
/// Bytes of each hostile text, few enough for the reference.
const HOSTILE_BYTES: usize = 256 * 1024;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut corpora = vec![
        ("own", files(&crate_folder.join("src"), "rs")),
        ("registry-rust", Vec::new()),
        ("registry-c", Vec::new()),
    ];
    for (name, texts) in &mut corpora[1..] {
        let ending = if *name == "registry-c" { "c" } else { "rs" };
        for package in registry_packages() {
            if total(texts) < CORPUS_BYTES {
                texts.extend(files(&package, ending));
            }
        }
    }
    for (name, texts) in corpora {
        if !texts.is_empty() {
            compare(&mut criterion, name, &texts);
        }
    }
    for (name, text) in hostile() {
        compare(&mut criterion, &format!("hostile-{name}"), &[text]);
    }
    criterion.final_summary();
}

fn compare(criterion: &mut Criterion, name: &str, texts: &[String]) {
    let reference = tiktoken_rs::o200k_base_singleton();
    let reference = || -> u64 {
        let counts = texts
            .iter()
            .map(|text| reference.encode_ordinary(text).len() as u64);
        counts.sum()
    };
    let count =
        |counter: &mut Counter| -> u64 { texts.iter().map(|text| counter.count(text)).sum() };
    assert_eq!(
        count(&mut Counter::new()),
        reference(),
        "{name}: the counts must be the same"
    );

    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(total(texts) as u64));
    group.bench_function(BenchmarkId::from_parameter("first"), |bencher| {
        bencher.iter_batched_ref(
            Counter::new,
            |counter| count(counter),
            BatchSize::PerIteration,
        );
    });
    let mut counter = Counter::new();
    group.bench_function(BenchmarkId::from_parameter("again"), |bencher| {
        bencher.iter(|| count(&mut counter));
    });
    group.bench_function(BenchmarkId::from_parameter("reference"), |bencher| {
        bencher.iter(|| black_box(reference()));
    });
    group.finish();
}

fn total(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

/// The packages in cargo's registry folder, in order of name.
fn registry_packages() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let Some(home) = home else {
        return Vec::new();
    };
    let registries = entries(&home.join("registry").join("src"));
    registries
        .iter()
        .flat_map(|registry| entries(registry))
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The texts below `folder` whose names end in `ending`.
fn files(folder: &Path, ending: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            texts.extend(files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            texts.extend(std::fs::read_to_string(&path));
        }
    }
    texts
}

/// Texts on which counters are slow.
fn hostile() -> Vec<(&'static str, String)> {
    let mut state = 0x5EED_u64;
    let mut random = |alphabet: &[char]| -> String {
        let mut text = String::new();
        while text.len() < HOSTILE_BYTES {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push(alphabet[(state >> 33) as usize % alphabet.len()]);
        }
        text
    };
    let letters: Vec<char> = ('a'..='z').collect();
    let ideographs: Vec<char> = ('\u{4E00}'..'\u{9F00}').collect();
    vec![
        ("one-letter", "a".repeat(HOSTILE_BYTES)),
        ("spaces", " ".repeat(HOSTILE_BYTES)),
        ("dashes", "-".repeat(HOSTILE_BYTES)),
        ("random-letters", random(&letters)),
        ("random-blanks", random(&[' ', '\t'])),
        (
            "random-punctuation",
            random(&['!', '-', '=', '*', '#', '.', ')', '(']),
        ),
        ("random-ideographs", random(&ideographs)),
        ("marks", "e\u{301}\u{301}".repeat(HOSTILE_BYTES / 5)),
    ]
}
