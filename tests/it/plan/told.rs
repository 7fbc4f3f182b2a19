//! What document, audit and result say.

use moon_repomix::render::Style;

use super::*;

#[test]
fn what_is_told() {
    let project = Project::new("");
    project.write("a.py", python("a", 3));
    project.write("b.txt", "text\n");
    project.write("big.txt", "A line of prose.\n".repeat(500));
    let mut host = plain_host(&project);
    host.style = Style::Markdown;
    host.sections.summary = false;
    let arguments = json!({"maxTokens": 300, "tasks": [
        {"id": "review", "required": [item("b.txt", "full")], "optional": [{"path": "a.py", "mode": "either", "priority": 80}]},
        {"id": "docs", "optional": [item("a.py", "skeleton"), item("big.txt", "full"), item("gone", "full")]}
    ]});
    let (audit, success) = run(&host, &arguments);
    let success = success.unwrap();
    assert!(success.audit.starts_with("{\"schemaVersion\":1,\n\"kind\":\"task_audit\",\n\"status\":\"with_omissions\",\n\"encoding\":\"o200k_base\",\n\"style\":\"markdown\",\n\"budget\":"));
    assert!(success.audit.ends_with("]}\n"));
    assert_eq!(
        outcomes(&audit),
        [
            "a.py full - Full",
            "b.txt full - Full",
            "big.txt none budget OverBudget",
            "gone none resolve NotFound"
        ]
    );
    assert_eq!(
        audit["tasks"],
        json!([
            {"id": "review", "status": "complete", "required": {"total": 1, "satisfied": 1}, "optional": {"total": 1, "satisfied": 1}},
            {"id": "docs", "status": "with_omissions", "required": {"total": 0, "satisfied": 0}, "optional": {"total": 3, "satisfied": 1}}
        ])
    );
    assert_eq!(
        file(&audit, "a.py")["demands"],
        json!([
            {"task": "review", "list": "optional", "mode": "either", "priority": 80, "satisfied": true},
            {"task": "docs", "list": "optional", "mode": "skeleton", "priority": 0, "satisfied": true}
        ])
    );
    assert_eq!(audit["limits"]["attempts"], 2);
    assert_eq!(file(&audit, "gone").as_object().unwrap().len(), 5);
    let result = serde_json::to_string(&success.result(
        "8",
        Some(json!({"uri": "u"})),
        Some(json!({"uri": "v"})),
    ))
    .unwrap();
    let (tokens, bytes) = (success.tokens, success.text.len());
    let (audit_tokens, audit_bytes) = (success.audit_tokens, success.audit.len());
    assert_eq!(
        result,
        format!(
            "{{\"schemaVersion\":1,\"status\":\"with_omissions\",\"runId\":\"8\",\
            \"security\":{{\"status\":\"clean\",\"scannedFiles\":3,\"flaggedFiles\":0,\"detectors\":[]}},\
            \"context\":{{\"maxTokens\":\"300\",\"tokens\":\"{tokens}\",\"bytes\":\"{bytes}\",\"resource\":{{\"uri\":\"u\"}}}},\
            \"audit\":{{\"tokens\":\"{audit_tokens}\",\"bytes\":\"{audit_bytes}\",\"resource\":{{\"uri\":\"v\"}}}}}}"
        )
    );
    assert_eq!(
        (success.name().as_str(), Success::audit_name()),
        ("context.md", "audit.json")
    );
    // A demand for the complete text beside a delivered skeleton says why it is not satisfied.
    let arguments = json!({"maxTokens": tokens, "tasks": [
        {"id": "x", "required": [item("a.py", "skeleton")]},
        {"id": "y", "optional": [{"path": "a.py", "mode": "full"}, {"path": "big.txt", "mode": "full", "priority": 9}]}
    ]});
    host.caps.tokens = 16_000;
    let mut tight = arguments.clone();
    let skeleton = {
        let (audit, _) = run(
            &host,
            &one(json!([item("a.py", "skeleton")]), json!([]), 16_000),
        );
        self::tokens(&audit["budget"], "contextTokens").unwrap()
    };
    tight["maxTokens"] = json!(skeleton);
    let (audit, _) = run(&host, &tight);
    let shown = file(&audit, "a.py");
    assert_eq!(shown["delivered"], "skeleton");
    assert_eq!(shown["elided"], json!([[4, 7], [11, 14], [18, 21]]));
    assert_eq!(
        shown["demands"][1],
        json!({"task": "y", "list": "optional", "mode": "full", "priority": 0, "satisfied": false, "reason": "OverBudget"})
    );
}
