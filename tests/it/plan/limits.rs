//! Budgets, the byte limit and what the host allows, each at its edge.

use super::*;

#[test]
fn exact_budgets() {
    let project = Project::new("");
    project.write("a.py", python("a", 4));
    project.write("b.py", python("b", 2));
    let host = plain_host(&project);
    let ask = |max_tokens: u64| {
        one(
            json!([item("a.py", "full")]),
            json!([item("b.py", "full")]),
            max_tokens,
        )
    };
    let (audit, _) = run(&host, &ask(16_000));
    assert_eq!(audit["status"], "complete");
    let required = tokens(&audit["budget"], "requiredTokens").unwrap();
    let all = tokens(&audit["budget"], "contextTokens").unwrap();
    for (max_tokens, status) in [
        (all, "complete"),
        (all - 1, "with_omissions"),
        (required, "with_omissions"),
        (required - 1, "required_over_budget"),
        (1, "required_over_budget"),
    ] {
        let (audit, success) = run(&host, &ask(max_tokens));
        assert_eq!(audit["status"], status, "{max_tokens}");
        assert_eq!(tokens(&audit["budget"], "requiredTokens"), Some(required));
        if success.is_none() {
            assert_eq!(outcomes(&audit), ["a.py none budget OverBudget"]);
            assert_eq!(audit["budget"].get("contextTokens"), None);
            assert_eq!(audit["limits"]["attempts"], 1);
            assert_eq!(audit["tasks"][0]["status"], "failed");
            assert_eq!(
                audit["tasks"][0]["optional"],
                json!({"total": 1, "satisfied": 0})
            );
        }
    }
    // The empty frame is a document too.
    let nothing = |max_tokens: u64| one(json!([]), json!([]), max_tokens);
    let frame = tokens(&run(&host, &nothing(16_000)).0["budget"], "frameTokens").unwrap();
    assert_eq!(run(&host, &nothing(frame)).0["status"], "complete");
    assert_eq!(
        run(&host, &nothing(frame - 1)).0["status"],
        "required_over_budget"
    );
}

#[test]
fn files_are_opened_lazily_and_the_least_wanted_last() {
    let project = Project::new("");
    for (path, n) in [("a", 100), ("b", 50), ("c", 30), ("d", 20)] {
        project.write(path, "x".repeat(n));
    }
    let host = plain_host(&project);
    let optional =
        |path: &str, priority: u64| json!({"path": path, "mode": "full", "priority": priority});
    let ask = |max_read_bytes: u64, max_tokens: u64, required: Value| {
        json!({"maxTokens": max_tokens, "maxReadBytes": max_read_bytes, "tasks": [
            {"id": "t", "required": required, "optional": [optional("b", 1), optional("c", 2), optional("d", 1)]},
            {"id": "u", "optional": [optional("d", 0)]}
        ]})
    };
    let a = || json!([item("a", "full")]);
    let read = |arguments: &Value| {
        let (audit, _) = run(&host, arguments);
        let bytes = tokens(&audit["limits"], "readBytes").unwrap();
        (audit, bytes)
    };
    for (max_read_bytes, read_bytes, unread) in [
        (200, 200, &[][..]),
        (199, 150, &["b"]),
        (150, 150, &["b"]),
        (149, 130, &["b", "d"]),
        (130, 130, &["b", "d"]),
        // A smaller file may still fit behind one that does not.
        (129, 120, &["b", "c"]),
        (119, 100, &["b", "c", "d"]),
        (100, 100, &["b", "c", "d"]),
    ] {
        let (audit, bytes) = read(&ask(max_read_bytes, 16_000, a()));
        assert_eq!(bytes, read_bytes, "{max_read_bytes}");
        let files = list(&audit, "/files").iter();
        let limited: Vec<&str> = files
            .filter(|file| file["reason"] == "ReadLimit" && file["stage"] == "limit")
            .map(|file| file["path"].as_str().unwrap())
            .collect();
        assert_eq!(limited, unread, "{max_read_bytes}");
    }
    let (audit, bytes) = read(&ask(99, 16_000, a()));
    assert_eq!(
        (audit["status"].as_str().unwrap(), bytes),
        ("required_unavailable", 0)
    );
    assert_eq!(outcomes(&audit), ["a none limit ReadLimit"]);
    // A required path that fails: the others are looked at, no optional one is.
    let (audit, bytes) = read(&ask(
        200,
        16_000,
        json!([
            item("a", "full"),
            item("gone", "full"),
            item("lost", "skeleton")
        ]),
    ));
    assert_eq!(bytes, 100);
    assert_eq!(audit["status"], "required_unavailable");
    assert_eq!(
        outcomes(&audit),
        [
            "a none accepted Full",
            "gone none resolve NotFound",
            "lost none resolve NotFound"
        ]
    );
    assert_eq!(audit["budget"].get("requiredTokens"), None);
    assert_eq!(audit["limits"]["attempts"], 0);
    // A required document over the budget.
    let (audit, bytes) = read(&ask(200, 1, a()));
    assert_eq!(
        (audit["status"].as_str().unwrap(), bytes),
        ("required_over_budget", 100)
    );
    // The host's own limit is not widened by a request.
    let mut narrow = plain_host(&project);
    narrow.input.source_bytes = 100;
    let (audit, _) = run(&narrow, &ask(200, 16_000, a()));
    assert_eq!(audit["limits"]["maxReadBytes"], "100");
    assert_eq!(audit["limits"]["readBytes"], "100");
}

#[test]
fn set_ups_and_limits_that_give_nothing() {
    let project = Project::new("");
    project.write("wide", " ".repeat(20_000));
    let mut host = plain_host(&project);
    let arguments = one(json!([item("wide", "full")]), json!([]), 16_000);
    let (_, success) = run(&host, &arguments);
    let success = success.unwrap();
    let n_bytes = (success.text.len() + success.audit.len()) as u64;
    host.caps.output_bytes = n_bytes;
    assert!(matches!(
        try_plan(&host, &arguments),
        Ok(Planned::Success(_))
    ));
    host.caps.output_bytes = n_bytes - 1;
    assert!(
        matches!(try_plan(&host, &arguments), Err(Error::ResourceLimit { limit, size }) if (limit, size) == (n_bytes - 1, n_bytes))
    );
    let failing = one(json!([item("gone", "full")]), json!([]), 16_000);
    let Ok(Planned::Failure(failure)) = try_plan(&host, &failing) else {
        panic!()
    };
    let n_bytes = serde_json::to_string(&failure).unwrap().len() as u64;
    host.caps.output_bytes = n_bytes;
    assert!(matches!(try_plan(&host, &failing), Ok(Planned::Failure(_))));
    host.caps.output_bytes = n_bytes - 1;
    assert!(matches!(
        try_plan(&host, &failing),
        Err(Error::ResourceLimit { .. })
    ));
    let mut bodiless = plain_host(&project);
    bodiless.sections.files = false;
    assert!(matches!(
        try_plan(&bodiless, &failing),
        Err(Error::Configuration(_))
    ));
}
