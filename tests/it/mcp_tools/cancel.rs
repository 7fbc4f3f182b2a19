//! Real calls cancelled in mid-work: no answer, a free slot, and the result before stays.

use std::time::{Duration, Instant};

use super::*;

/// The promise of a free slot after a cancel.
const FREE: Duration = Duration::from_millis(250);

/// Files that take long to count and long to parse.
fn slow() -> Project {
    let project = project();
    hard_to_count(&project);
    project.write("long.py", "x = 1\n".repeat(200_000));
    for n in 0..64 {
        std::fs::hard_link(project.join("long.py"), project.join(&format!("l{n}.py"))).unwrap();
    }
    project
}

#[test]
fn what_was_there_before_a_cancelled_call_stays() {
    let project = slow();
    let many: Vec<String> = (0..12).map(|n| format!("many/f{n}.txt")).collect();
    let wishes: Vec<Value> = many
        .iter()
        .map(|path| json!({"path": path, "mode": "full"}))
        .collect();
    let outlines: Vec<Value> = (0..64)
        .map(|n| json!({"path": format!("l{n}.py"), "kind": "outline"}))
        .collect();
    let good = json!([{"path": "src/a.py", "kind": "full"}]);
    for (tool, arguments) in [
        ("pack_repository", json!({"filePaths": many})),
        (
            "plan_task_context",
            json!({"maxTokens": 9_000, "tasks": [{"id": "t", "optional": wishes}]}),
        ),
        ("read_code_context", json!({"items": outlines})),
        (
            "read_code_context",
            json!({"continueFrom": "1", "items": outlines}),
        ),
    ] {
        let mut client = client(host(&project));
        ok(&client.call("read_code_context", json!({"items": good})));
        let look = |client: &mut Client| {
            let listed = client.ask("resources/list", json!({}))["result"].clone();
            let uri = &listed["resources"][0]["uri"];
            let read = client.ask("resources/read", json!({"uri": uri}));
            (listed.clone(), read["result"]["contents"].clone())
        };
        let before = look(&mut client);
        let (id, mut request) =
            client.build("tools/call", json!({"name": tool, "arguments": arguments}));
        request["params"]["_meta"]["progressToken"] = json!(tool);
        client.send(&request);
        // A file is finished, and the call has not ended.
        let note = client.wait(|message| message["method"] == "notifications/progress");
        assert_eq!(note["params"]["progressToken"], tool);
        let explain = json!({"paths": ["src/a.py"]});
        let waiting = client.post("explain_selection", explain);
        for message in client.unasked() {
            assert_eq!(message["method"], "notifications/progress", "{message}");
        }
        client.cancel(id);
        let cancelled = Instant::now();
        ok(&client.answer(waiting));
        assert!(cancelled.elapsed() < FREE, "{tool}");
        assert_eq!(look(&mut client), before, "{tool}");
        assert_eq!(client.answers(&json!(id)), 0, "{tool}");
        for message in client.unasked() {
            assert_eq!(message["method"], "notifications/progress", "{message}");
        }
        // The run number was not used, the round neither.
        let next = json!({"continueFrom": "1", "items": good});
        let next = ok(&client.call("read_code_context", next));
        assert_eq!((&next["runId"], &next["round"]), (&"2".into(), &2.into()));
    }
}
