//! Skeletons and indexes: source of this repository at several sizes, and inputs made to be slow.

#![allow(missing_docs, reason = "a benchmark is not an interface")]
#![allow(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use moon_repomix::cancel::Cancel;
use moon_repomix::path::RelPath;
use moon_repomix::syntax::skeleton::skeleton;
use moon_repomix::syntax::symbols::index;

const SOURCE: &str = include_str!("../src/syntax/outline.rs");

fn inputs() -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("rust", "a.rs", SOURCE.to_owned()),
        ("rust x 10", "a.rs", SOURCE.repeat(10)),
        ("generics", "a.ts", "a<".repeat(250_000)),
        ("brackets", "a.js", "[".repeat(100_000)),
        (
            "one line",
            "a.js",
            "function f(a){var b=a+1;return b}".repeat(10_000),
        ),
    ]
}

fn bench(c: &mut Criterion) {
    let mut count = |text: &str| text.len() as u64;
    let mut group = c.benchmark_group("syntax");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for (name, path, text) in inputs() {
        let path = RelPath::new(path).unwrap();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("skeleton", name), &text, |b, text| {
            b.iter(|| black_box(skeleton(&path, text, &mut count, &Cancel::never())));
        });
        group.bench_with_input(BenchmarkId::new("index", name), &text, |b, text| {
            b.iter(|| black_box(index(&path, text, &Cancel::never())));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
