//! Whole plans whose documents do not come out as their parts say.

use serde_json::{Value, json};

use super::*;
use crate::arguments::Argument;
use crate::root::Root;
use crate::scan::select::{Selection, SelectionSpec};

/// The audit of a plan for `a` (required), `b` and `c`. Documents with more than the required file
/// count `excess` tokens more than they have.
fn audit(excess: u64, max_attempts: u64) -> Value {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        std::fs::write(dir.path().join(name), "words and more words\n").unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    let host = HostOptions::new(root, Selection::new(SelectionSpec::default()).unwrap());
    let item = |path: &str| json!({"path": path, "mode": "full"});
    let arguments = json!({"maxTokens": 1_000, "maxAttempts": max_attempts, "tasks": [
        {"id": "t", "required": [item("a")], "optional": [item("b"), item("c")]}
    ]});
    let arguments = Argument::parse(&arguments.to_string()).unwrap();
    let request = request::parse(&arguments, &host.caps).unwrap();
    let wants = merge(&request);
    let (progress, cancel) = (Progress::new(), Cancel::never());
    let render = |plan: &Plan<'_>, forms: &[Form]| {
        let mut draft = plan.draft(forms)?;
        if forms != [Form::Full, Form::None, Form::None] {
            draft.tokens += excess;
        }
        Ok(draft)
    };
    let planned = Plan::new(&host, &request, &wants, &progress, &cancel).run(render);
    match planned.unwrap() {
        Planned::Success(success) => {
            assert!(success.text.contains("words") && success.tokens <= 1_000);
            serde_json::from_str(&success.audit).unwrap()
        }
        Planned::Failure(failure) => panic!("{failure:?}"),
    }
}

#[test]
fn attempts_that_run_out_are_told() {
    for (excess, max_attempts, status, at_least, optional) in [
        (0, 2, "complete", 2, "accepted Full"),
        (990, 2, "with_omissions", 2, "budget AttemptLimit"),
        // With enough of them it is known that the required document is the best there is.
        (990, 256, "with_omissions", 3, "budget OverBudget"),
    ] {
        let audit = audit(excess, max_attempts);
        assert_eq!(audit["status"], status, "{audit:#}");
        let attempts = audit["limits"]["attempts"].as_u64().unwrap();
        assert!((at_least..=max_attempts).contains(&attempts), "{audit:#}");
        for file in audit["files"].as_array().unwrap().iter().skip(1) {
            let stage = file["stage"].as_str().unwrap_or("accepted");
            let told = format!("{stage} {}", file["reason"].as_str().unwrap());
            assert_eq!(told, optional, "{audit:#}");
        }
        assert_eq!(audit["files"][0]["delivered"], "full");
    }
}

/// The flag is set when a document was just rendered: the required one, or the one to deliver.
#[test]
fn cancelled_after_a_document_was_rendered() {
    for n_documents in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "words\n").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let host = HostOptions::new(root, Selection::new(SelectionSpec::default()).unwrap());
        let arguments = r#"{"maxTokens": 1000, "tasks": [{"id": "t", "optional": [{"path": "a", "mode": "full"}]}]}"#;
        let request = request::parse(&Argument::parse(arguments).unwrap(), &host.caps).unwrap();
        let wants = merge(&request);
        let (progress, cancel) = (Progress::new(), Cancel::new());
        let rendered = std::cell::Cell::new(0);
        let render = |plan: &Plan<'_>, forms: &[Form]| {
            let draft = plan.draft(forms)?;
            rendered.set(rendered.get() + 1);
            if rendered.get() == n_documents {
                cancel.set();
            }
            Ok(draft)
        };
        let planned = Plan::new(&host, &request, &wants, &progress, &cancel).run(render);
        assert!(matches!(planned, Err(Error::Cancelled)), "{n_documents}");
        assert_eq!(rendered.get(), n_documents);
        // After the first document no file had been opened and none was.
        assert_eq!(progress.read().0, n_documents - 1);
    }
}
