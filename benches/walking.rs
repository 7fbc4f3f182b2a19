//! How long it takes to find the wanted files of a tree, with few rules and with very many.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]
#![allow(missing_docs, reason = "the macros of criterion make public functions")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use moon_repomix::cancel::Cancel;
use moon_repomix::root::Root;
use moon_repomix::scan::select::{Selection, SelectionSpec};
use moon_repomix::scan::walk::walk;

/// A tree of `n_dirs` directories with 20 small files each, nested in tens.
fn tree(dir: &Path, n_dirs: usize) {
    for number in 0..n_dirs {
        let dir = dir.join(format!("crate{}/module{number}", number / 10));
        fs::create_dir_all(&dir).unwrap();
        for file in 0..20 {
            let suffix = if file % 10 == 0 { "log" } else { "rs" };
            fs::write(dir.join(format!("file{file}.{suffix}")), "fn f() {}\n").unwrap();
        }
    }
}

fn walking(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    tree(dir.path(), 115);
    let mut group = criterion.benchmark_group("walking");
    group.throughput(Throughput::Elements(2_300));
    let mut measure = |name: &str, spec: SelectionSpec| {
        let root = Root::open(dir.path()).unwrap();
        let selection = Selection::new(spec).unwrap();
        group.bench_function(name, |bencher| {
            bencher.iter(|| walk(&root, &selection, 100_000, &Cancel::never()).unwrap());
        });
    };
    measure("2300 files", SelectionSpec::default());
    measure(
        "2300 files, 5 host patterns",
        SelectionSpec {
            include: vec!["**/*.{rs,log}".into(), "crate*/module1*/".into()],
            ignore: vec!["file1?.rs".into(), "!file15.rs".into(), "x/**/y".into()],
            ..SelectionSpec::default()
        },
    );
    let mut rules = String::new();
    for number in 0..10_000 {
        writeln!(
            rules,
            "gone{number}\n*.gone{number}\n/gone{number}/*/x*\nsome/gone{number}"
        )
        .unwrap();
    }
    fs::write(dir.path().join(".gitignore"), rules).unwrap();
    measure("2300 files, 40000 rules", SelectionSpec::default());
    group.finish();
}

criterion_group!(benches, walking);
criterion_main!(benches);
