//! Speed of the secret scan on this crate's own source and on hostile text.

#![allow(missing_docs, reason = "benchmarks are not an interface")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use moon_repomix::cancel::Cancel;
use moon_repomix::secrets::detect;

const SOURCES: [&str; 6] = [
    include_str!("../src/reason.rs"),
    include_str!("../src/cancel.rs"),
    include_str!("../src/progress.rs"),
    include_str!("../src/error.rs"),
    include_str!("../src/limits.rs"),
    include_str!("../src/path.rs"),
];

fn repeated(unit: &str, len: usize) -> String {
    unit.repeat(len.div_ceil(unit.len()))
}

fn secrets(criterion: &mut Criterion) {
    let source = SOURCES.concat();
    let begin = ["-----BEGIN PRIVATE", " KEY-----"].concat();
    let inputs = [
        (
            "source-1k",
            source.get(..1024).unwrap_or_default().to_owned(),
        ),
        ("source-100k", repeated(&source, 100_000)),
        ("source-10m", repeated(&source, 10_000_000)),
        ("hostile-letter", repeated("a", 1_000_000)),
        ("hostile-begin", repeated(&begin, 1_000_000)),
        ("hostile-prefix", repeated("xoxb-", 1_000_000)),
        ("hostile-jwt", repeated("eyJ", 1_000_000)),
        ("hostile-name", repeated("password=", 1_000_000)),
        ("hostile-url", repeated("a://a:", 1_000_000)),
    ];
    let cancel = Cancel::never();
    let mut group = criterion.benchmark_group("secrets");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for (name, text) in &inputs {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(*name, |bencher| {
            bencher.iter(|| detect(black_box(text), &cancel).map(|found| found.len()));
        });
    }
    group.finish();
}

criterion_group!(benches, secrets);
criterion_main!(benches);
