//! Budgets: exact to the token, and what is told when one is too small.

use moon_repomix::limits::RESOURCE_BYTES;

use super::*;

/// The items of a document as they stand in it, a line each.
fn items(text: &str) -> Vec<&str> {
    let (_, rest) = text.split_once("\"items\":[\n").unwrap();
    let (items, _) = rest.split_once("\n],\n").unwrap();
    items
        .lines()
        .map(|line| line.strip_suffix(',').unwrap_or(line))
        .collect()
}

#[test]
fn the_needed_budget_is_enough_and_one_token_less_is_not() {
    let project = project();
    project.write(
        "words.txt",
        "Some words < in \u{6f22}\u{5b57} & \"quotes\".\n".repeat(90),
    );
    let host = plain_host(&project);
    let cases: [&[&str]; 5] = [
        &["a.py:helper"],
        &["a.py:1-2", "a.py:", "a.py:twice#2"],
        &["a.py", "a.py:Store.get+", "a.py:size"],
        &["words.txt"],
        &["words.txt", "a.py:", "words.txt:3-40", "a.py"],
    ];
    let n_used = [(1, 0, None), (2, 777, Some("6")), (3, 10_000, Some("12"))];
    for (specs, (number, used_tokens, previous_run_id)) in cases
        .into_iter()
        .flat_map(|specs| n_used.map(|used| (specs, used)))
    {
        let round = |remaining: u64| Round {
            run_id: "13",
            previous_run_id,
            number,
            max_tokens: used_tokens + remaining,
            used_tokens,
        };
        // The budget stands in the document, so its digits are part of what is needed.
        let mut budget = 100;
        let mut asked = 0;
        let delivered = loop {
            let failed = match outcome(&host, specs, &round(budget)).unwrap() {
                Ok(delivered) => break delivered,
                Err(failed) => to_json(&failed),
            };
            let needed = failed["neededTokens"].as_str().unwrap().parse().unwrap();
            assert!(needed > budget, "{failed}");
            (budget, asked) = (needed, asked + 1);
        };
        assert!((1..=2).contains(&asked), "{specs:?} {asked}");
        assert_eq!(delivered.tokens, budget, "{specs:?}");
        let items: Vec<String> = items(&delivered.text)
            .into_iter()
            .map(|item| format!("\"{}\"", reference(item)))
            .collect();
        assert_eq!(items.len(), specs.len());
        let failed = outcome(&host, specs, &round(budget - 1)).unwrap();
        let failed = serde_json::to_string(&failed.unwrap_err()).unwrap();
        let n_files = if specs.concat().contains("words") && specs.len() > 1 {
            2
        } else {
            1
        };
        let expected = format!(
            r#"{{"schemaVersion":1,"status":"over_budget","security":{{"status":"clean","scannedFiles":{n_files},"flaggedFiles":0,"detectors":[]}},"neededTokens":"{budget}","remainingTokens":"{}","itemTokens":[{}]}}"#,
            budget - 1,
            items.join(",")
        );
        assert_eq!(failed, expected, "{specs:?}");
        // What the sequence stood at is told in the document.
        let code: Value = serde_json::from_str(&delivered.text).unwrap();
        assert_eq!(
            code["sequence"],
            json!({
                "round": number,
                "maxTokens": (used_tokens + budget).to_string(),
                "usedBeforeTokens": used_tokens.to_string(),
                "previousRunId": previous_run_id
            })
        );
    }
}

#[test]
fn a_used_up_budget_gives_nothing() {
    let project = project();
    for used_tokens in [16_000, 16_001] {
        let round = Round {
            used_tokens,
            ..ROUND
        };
        let failed = failed(&plain_host(&project), &["a.py:1"], &round);
        assert_eq!(failed["status"], "over_budget");
        assert_eq!(failed["remainingTokens"], "0");
    }
}

#[test]
fn a_document_has_at_most_4_mib() {
    let project = Project::new("");
    let mut host = plain_host(&project);
    host.caps.output_bytes = 2 * RESOURCE_BYTES as u64;
    // All but the text, and the two numbers that tell its bytes.
    project.write("some.txt", "xx");
    let small = outcome(&host, &["some.txt"], &ROUND).unwrap().unwrap().text;
    let fits = RESOURCE_BYTES - (small.len() - 4) - 2 * RESOURCE_BYTES.to_string().len();
    project.write("some.txt", "x".repeat(fits));
    assert_eq!(
        failed(&host, &["some.txt"], &ROUND)["status"],
        "over_budget"
    );
    project.write("some.txt", "x".repeat(fits + 1));
    let stopped = outcome(&host, &["some.txt"], &ROUND);
    assert!(
        matches!(stopped, Err(Error::ResourceLimit { limit, .. }) if limit == RESOURCE_BYTES as u64)
    );
}
