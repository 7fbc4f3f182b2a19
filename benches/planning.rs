//! The choice alone at its largest, and whole plans over this crate's sources.
//!
//! `choice` is 128 paths in a room of 16,000 tokens: with one demand each, with 16 demands each at
//! three priorities, and with 16 demands each at all 101 priorities. `call` reads, scans, cuts and
//! counts up to 128 files of `src` and chooses among all of them.

#![allow(missing_docs, reason = "benchmarks are not an interface")]
#![allow(clippy::unwrap_used, reason = "benchmarks stop at the first surprise")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::Criterion;
use moon_repomix::arguments::Argument;
use moon_repomix::cancel::Cancel;
use moon_repomix::options::HostOptions;
use moon_repomix::plan::choose::{Form, Item, choose};
use moon_repomix::plan::request::{Mode, parse};
use moon_repomix::plan::{Planned, plan};
use moon_repomix::progress::Progress;
use moon_repomix::root::Root;
use moon_repomix::scan::select::{Selection, SelectionSpec};
use serde_json::{Value, json};

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    choice(&mut criterion);
    call(&mut criterion);
    criterion.final_summary();
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

const MODES: [Mode; 3] = [Mode::Full, Mode::Skeleton, Mode::Either];

fn choice(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("choice");
    for (name, n_demands, n_priorities, size) in [
        ("one-demand", 1, 1, 1_500),
        ("three-priorities", 16, 3, 1_500),
        ("all-priorities", 16, 101, 1_500),
        // Small files: every cost up to the room is reached at once.
        ("all-priorities-small", 16, 101, 300),
    ] {
        let mut numbers = Numbers(11);
        let items: Vec<Item> = (0..128)
            .map(|_| {
                let full = 2 + numbers.below(size);
                Item {
                    least: Form::None,
                    skeleton: Some(1 + numbers.below(full - 1)),
                    full: Some(full),
                    optional: (0..n_demands)
                        .map(|_| {
                            let priority = numbers.below(n_priorities) as u8;
                            (priority, MODES[numbers.below(3) as usize])
                        })
                        .collect(),
                }
            })
            .collect();
        group.bench_function(name, |bencher| {
            bencher.iter(|| choose(black_box(&items), 16_000, &Cancel::never()));
        });
    }
    group.finish();
}

fn call(criterion: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(root, &root.join("src"), &mut paths);
    paths.sort();
    paths.truncate(128);
    let selection = Selection::new(SelectionSpec::default()).unwrap();
    let host = HostOptions::new(Root::open(root).unwrap(), selection);
    let wishes: Vec<Value> = (0..)
        .zip(&paths)
        .map(|(i, path)| json!({"path": path, "mode": "either", "priority": i % 5}))
        .collect();
    let arguments = json!({"maxTokens": 16_000, "tasks": [{"id": "t", "optional": wishes}]});
    let request = parse(
        &Argument::parse(&arguments.to_string()).unwrap(),
        &host.caps,
    )
    .unwrap();
    let run = || plan(&host, &request, &Progress::new(), &Cancel::never()).unwrap();
    let Planned::Success(success) = run() else {
        panic!("nothing is required");
    };
    assert!(success.tokens <= 16_000);
    let name = format!("call/{}-files-{}-tokens", paths.len(), success.tokens);
    criterion.bench_function(&name, |bencher| bencher.iter(&run));
}

/// Rust files below `dir`, relative to `root`.
fn collect(root: &Path, dir: &Path, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, paths);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let relative = path.strip_prefix(root).unwrap();
            paths.push(relative.to_str().unwrap().to_owned());
        }
    }
}
