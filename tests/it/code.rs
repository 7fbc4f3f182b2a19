//! Code read by symbol, lines, outline or in full: exact texts, exact counts, every refusal. Each
//! file below holds one subject; what they share stands here.

mod budget;
mod lines;
mod reasons;
mod symbols;

use moon_repomix::cancel::Cancel;
use moon_repomix::code::request::parse_spec;
use moon_repomix::code::{self, Delivered, Failed, Round};
use moon_repomix::error::Error;
use moon_repomix::options::HostOptions;
use moon_repomix::progress::Progress;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Project, plain_host, reference, rel};

const SOURCE: &str = "\u{feff}import os
import sys


class Store:
    \"\"\"Keeps values.\"\"\"

    @property
    def size(self):
        return len(os.environ)

    @size.setter
    def size(self, value):
        pass

    def get(self, key):
        return helper(key)


def helper(key):
    return inner(key)


def inner(key):
    return key


def twice():
    return 1


if os.name == 'nt':
    def twice():
        return 2
";

fn project() -> Project {
    let project = Project::new("");
    project.write("a.py", SOURCE);
    project
}

const ROUND: Round<'static> = Round {
    run_id: "1",
    previous_run_id: None,
    number: 1,
    max_tokens: 16_000,
    used_tokens: 0,
};

/// What `specs` come to. Checks what holds of every delivery.
fn outcome(
    host: &HostOptions,
    specs: &[&str],
    round: &Round<'_>,
) -> Result<Result<Delivered, Box<Failed>>, Error> {
    let items: Vec<_> = specs.iter().map(|spec| parse_spec(spec).unwrap()).collect();
    let outcome = code::read(host, &items, round, &Progress::new(), &Cancel::never())?;
    let outcome = outcome.delivered(round);
    if let Ok(delivered) = &outcome {
        assert_eq!(delivered.tokens, reference(&delivered.text));
        assert!(delivered.tokens <= round.remaining());
        assert!(delivered.text.ends_with("}\n"));
    }
    Ok(outcome)
}

fn to_json(failed: &Failed) -> Value {
    serde_json::to_value(failed).unwrap()
}

/// The document of a delivery.
fn read(host: &HostOptions, specs: &[&str]) -> Value {
    let delivered = outcome(host, specs, &ROUND).unwrap();
    let delivered = delivered.unwrap_or_else(|failed| panic!("{}", to_json(&failed)));
    serde_json::from_str(&delivered.text).unwrap()
}

/// The result that says why there is no document.
fn failed(host: &HostOptions, specs: &[&str], round: &Round<'_>) -> Value {
    to_json(&outcome(host, specs, round).unwrap().unwrap_err())
}

/// Index and reason of each problem.
fn problems(host: &HostOptions, specs: &[&str]) -> Vec<(u64, String)> {
    let failed = failed(host, specs, &ROUND);
    assert_eq!(failed["status"], "unavailable");
    let all = failed["problems"].as_array().unwrap();
    all.iter()
        .map(|one| {
            (
                one["index"].as_u64().unwrap(),
                one["reason"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[test]
fn the_audit_describes_the_file_as_it_is_on_disk() {
    let project = project();
    let code = read(&plain_host(&project), &["a.py:helper", "a.py:1-2"]);
    let files = code["audit"]["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "one file, read once");
    let hex: String = Sha256::digest(SOURCE.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(files[0]["sha256"], hex);
    assert_eq!(files[0]["byteOrderMark"], true);
    assert_eq!(files[0]["sourceBytes"], SOURCE.len().to_string());
    assert_eq!(code["audit"]["security"]["scannedFiles"], 1);
}

#[test]
fn bytes_are_limited_and_threads_do_not_matter() {
    let project = project();
    let mut host = plain_host(&project);
    let items = [
        parse_spec("a.py:Store").unwrap(),
        parse_spec("a.py").unwrap(),
    ];
    let text = |host: &HostOptions, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| code::read(host, &items, &ROUND, &Progress::new(), &Cancel::never()))
            .map(|outcome| outcome.delivered(&ROUND).unwrap().text)
    };
    let one = text(&host, 1).unwrap();
    assert_eq!(one, text(&host, 8).unwrap());
    host.caps.output_bytes = one.len() as u64;
    assert!(text(&host, 1).is_ok());
    host.caps.output_bytes -= 1;
    assert!(matches!(text(&host, 1), Err(Error::ResourceLimit { .. })));

    let cancel = Cancel::new();
    cancel.set();
    let stopped = code::read(&host, &items, &ROUND, &Progress::new(), &cancel);
    assert!(matches!(stopped, Err(Error::Cancelled)));
    assert_eq!(items[0].path, rel("a.py"));
}
