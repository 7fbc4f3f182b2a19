//! Plans over real files. Each file below holds one subject; what they share stands here.

mod best;
mod cancel;
mod limits;
mod reasons;
mod told;

use moon_repomix::arguments::Argument;
use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::options::HostOptions;
use moon_repomix::plan::{self, Planned, Success, request};
use moon_repomix::progress::Progress;
use moon_repomix::scan::select::SelectionSpec;
use serde_json::{Value, json};

use crate::support::{Project, host, plain_host, reference};

/// The checked request of these arguments.
fn parsed(host: &HostOptions, arguments: &Value) -> request::Request {
    let arguments = Argument::parse(&arguments.to_string()).unwrap();
    request::parse(&arguments, &host.caps).unwrap()
}

fn try_plan(host: &HostOptions, arguments: &Value) -> Result<Planned, Error> {
    let request = parsed(host, arguments);
    let progress = Progress::new();
    let planned = plan::plan(host, &request, &progress, &Cancel::never());
    if planned.is_ok() {
        let (done, found) = progress.read();
        assert_eq!(done, found);
    }
    planned
}

/// The audit, and the document if there is one. Checks what holds of every plan.
fn run(host: &HostOptions, arguments: &Value) -> (Value, Option<Success>) {
    match try_plan(host, arguments).unwrap() {
        Planned::Success(success) => {
            assert_eq!(reference(&success.text), success.tokens);
            assert_eq!(reference(&success.audit), success.audit_tokens);
            assert!(success.tokens <= success.max_tokens);
            let audit: Value = serde_json::from_str(&success.audit).unwrap();
            let sum: u64 = list(&audit, "/files")
                .iter()
                .map(|file| tokens(file, "tokens").unwrap_or(0))
                .sum();
            let budget = &audit["budget"];
            let context = tokens(budget, "contextTokens").unwrap();
            assert_eq!(sum + tokens(budget, "frameTokens").unwrap(), context);
            assert_eq!(context, success.tokens);
            assert_eq!(audit["status"], success.status);
            (audit, Some(success))
        }
        Planned::Failure(failure) => {
            let result = serde_json::to_value(&failure).unwrap();
            assert_eq!(result["status"], failure.status);
            assert_eq!(result["audit"]["status"], failure.status);
            assert_eq!(result["audit"]["security"], result["security"]);
            (result["audit"].clone(), None)
        }
    }
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).unwrap().as_array().unwrap()
}

fn tokens(value: &Value, member: &str) -> Option<u64> {
    Some(value.get(member)?.as_str()?.parse().unwrap())
}

fn file<'a>(audit: &'a Value, path: &str) -> &'a Value {
    let mut files = list(audit, "/files").iter();
    files.find(|file| file["path"] == path).unwrap()
}

/// `delivered` and `reason` of every path.
fn outcomes(audit: &Value) -> Vec<String> {
    let files = list(audit, "/files").iter();
    files
        .map(|file| {
            let text = |member: &str| file[member].as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {} {}",
                text("path"),
                text("delivered"),
                text("stage"),
                text("reason")
            )
        })
        .collect()
}

fn one(required: Value, optional: Value, max_tokens: u64) -> Value {
    json!({"maxTokens": max_tokens, "tasks": [{"id": "t", "required": required, "optional": optional}]})
}

fn item(path: &str, mode: &str) -> Value {
    json!({"path": path, "mode": mode})
}

/// A source file with `n` functions whose bodies a skeleton leaves out.
fn python(name: &str, n: usize) -> String {
    let mut text = format!("\"\"\"Module {name}.\"\"\"\n\n");
    for i in 0..n {
        text.push_str(&format!(
            "def {name}_{i}(first, second):\n    total = first * {i}\n    for step in range(second):\n        total += step * {i}\n    return total\n\n\n"
        ));
    }
    text
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Files with and without skeletons, small and large, and one that is not there.
fn corpus() -> (Project, Vec<String>) {
    let project = Project::new("");
    let mut paths = vec!["gone.py".to_owned()];
    for (i, n) in [1, 2, 4, 4, 7, 12].into_iter().enumerate() {
        let path = format!("src/m{i}.py");
        project.write(&path, python(&format!("m{i}"), n));
        paths.push(path);
    }
    for (i, n) in [1, 8, 30].into_iter().enumerate() {
        let path = format!("notes/n{i}.txt");
        project.write(&path, "A line of notes < that & is prose.\n".repeat(n));
        paths.push(path);
    }
    project.write("src/kept.py", python("kept", 3));
    paths.push("src/kept.py".to_owned());
    (project, paths)
}

/// A random request over up to `most` of `paths`.
fn request(numbers: &mut Numbers, paths: &[String], most: usize, max_tokens: usize) -> Value {
    let mut chosen: Vec<&String> = paths.iter().collect();
    while chosen.len() > most {
        let position = numbers.below(chosen.len());
        chosen.remove(position);
    }
    let n_tasks = 1 + numbers.below(4);
    let n_priorities = [1, 2, 101][numbers.below(3)];
    let tasks: Vec<Value> = (0..n_tasks)
        .map(|task| {
            let (mut required, mut optional) = (Vec::new(), Vec::new());
            for path in &chosen {
                match numbers.below(8) {
                    0 if path.as_str() != "gone.py" => {
                        required.push(item(path, numbers.pick(&["full", "skeleton"])))
                    }
                    1..=5 => optional.push(json!({
                        "path": path,
                        "mode": numbers.pick(&["full", "skeleton", "either"]),
                        "priority": numbers.below(n_priorities)
                    })),
                    _ => {}
                }
            }
            json!({"id": format!("t{task}"), "required": required, "optional": optional})
        })
        .collect();
    json!({"maxTokens": max_tokens, "tasks": tasks})
}
