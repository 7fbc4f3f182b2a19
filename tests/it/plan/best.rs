//! The choice among real files is the best there is, whatever threads and order do.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use moon_repomix::render::Style;

use super::*;

fn satisfies(form: usize, mode: &Value) -> bool {
    form == 2 || (form == 1 && mode != "full")
}

type Counts = BTreeMap<Reverse<u64>, usize>;

/// Satisfied demands and `either` demands in full, by priority, the highest first; nothing when a
/// required demand is not satisfied.
fn counts(files: &[Value], forms: &[usize]) -> Option<(Counts, Counts)> {
    let (mut satisfied, mut in_full) = (Counts::new(), Counts::new());
    for (file, &form) in files.iter().zip(forms) {
        for demand in list(file, "/demands") {
            let is_satisfied = satisfies(form, &demand["mode"]);
            if demand["list"] == "required" {
                if !is_satisfied {
                    return None;
                }
                continue;
            }
            let priority = Reverse(demand["priority"].as_u64().unwrap());
            *satisfied.entry(priority).or_default() += usize::from(is_satisfied);
            *in_full.entry(priority).or_default() +=
                usize::from(demand["mode"] == "either" && form == 2);
        }
    }
    Some((satisfied, in_full))
}

fn delivered(file: &Value) -> usize {
    ["none", "skeleton", "full"]
        .iter()
        .position(|&form| file["delivered"] == form)
        .unwrap()
}

/// Tokens of a path in each form, from the audit: `None` for a form that it does not have.
fn costs(file: &Value) -> [Option<u64>; 3] {
    let own = |form: usize, other: &str| match delivered(file) == form {
        true => tokens(file, "tokens"),
        false => tokens(file, other),
    };
    [Some(0), own(1, "skeletonTokens"), own(2, "fullTokens")]
}

/// The best forms by trying all.
fn exhaustive(audit: &Value) -> Option<Vec<usize>> {
    let files = list(audit, "/files");
    let costs: Vec<[Option<u64>; 3]> = files.iter().map(costs).collect();
    let room = tokens(&audit["budget"], "maxTokens")
        .unwrap()
        .checked_sub(tokens(&audit["budget"], "frameTokens").unwrap())?;
    (0..3_usize.pow(files.len() as u32))
        .filter_map(|number| {
            let forms: Vec<usize> = (0..files.len())
                .map(|i| number / 3_usize.pow(i as u32) % 3)
                .collect();
            let cost: u64 = costs
                .iter()
                .zip(&forms)
                .map(|(costs, &form)| costs[form])
                .sum::<Option<u64>>()?;
            let (satisfied, in_full) = counts(files, &forms)?;
            let values = |counts: Counts| counts.into_values().collect::<Vec<_>>();
            (cost <= room).then(|| (values(satisfied), values(in_full), Reverse(cost), forms))
        })
        .max()
        .map(|best| best.3)
}

#[test]
fn the_best_choice_of_real_files() {
    let (project, paths) = corpus();
    let mut numbers = Numbers(1);
    let (mut n_failed, mut n_omitting) = (0, 0);
    for round in 0..240 {
        let spec = SelectionSpec {
            keep_full: vec!["src/kept.py".to_owned()],
            ..SelectionSpec::default()
        };
        let mut host = host(&project, spec);
        host.style = Style::ALL[round % 4];
        host.line_numbers = round % 5 == 0;
        host.full_metadata = round % 7 == 0;
        let max_tokens = [200, 600, 1_200, 3_000][numbers.below(4)] + numbers.below(200);
        let arguments = request(&mut numbers, &paths, 6, max_tokens);
        let (audit, success) = run(&host, &arguments);
        let best = exhaustive(&audit);
        match success {
            Some(success) => {
                let chosen: Vec<usize> = list(&audit, "/files").iter().map(delivered).collect();
                assert_eq!(Some(chosen), best, "{arguments}\n{audit:#}");
                n_omitting += usize::from(success.status == "with_omissions");
            }
            None => {
                assert_eq!(audit["status"], "required_over_budget");
                assert_eq!(best, None, "{arguments}\n{audit:#}");
                n_failed += 1;
            }
        }
    }
    assert!(n_failed > 10 && n_omitting > 100, "{n_failed} {n_omitting}");
}

#[test]
fn more_budget_is_never_worse() {
    let (project, paths) = corpus();
    let mut numbers = Numbers(2);
    let host = plain_host(&project);
    for _ in 0..6 {
        let mut before = None;
        let arguments = request(&mut numbers, &paths, 12, 1);
        for max_tokens in (100..4_000).step_by(150) {
            let mut arguments = arguments.clone();
            arguments["maxTokens"] = json!(max_tokens);
            let (audit, Some(_)) = run(&host, &arguments) else {
                assert!(before.is_none(), "a document was lost to a larger budget");
                continue;
            };
            let files = list(&audit, "/files");
            let forms: Vec<usize> = files.iter().map(delivered).collect();
            let (satisfied, in_full) = counts(files, &forms).unwrap();
            let worth: (Vec<usize>, Vec<usize>) = (
                satisfied.into_values().collect(),
                in_full.into_values().collect(),
            );
            if let Some(before) = before.replace(worth.clone()) {
                assert!(worth >= before);
            }
        }
    }
}

#[test]
fn neither_threads_nor_the_order_of_tasks_change_the_document() {
    let (project, paths) = corpus();
    let mut numbers = Numbers(3);
    let host = plain_host(&project);
    let pool = |n| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap()
    };
    let (one, many) = (pool(1), pool(8));
    for _ in 0..20 {
        let mut arguments = request(&mut numbers, &paths, 12, 1_500);
        let (audit, success) = one.install(|| run(&host, &arguments));
        let (other_audit, other) = many.install(|| run(&host, &arguments));
        let text = |success: &Option<Success>| success.as_ref().map(|success| success.text.clone());
        let exact =
            |success: &Option<Success>| success.as_ref().map(|success| success.audit.clone());
        assert_eq!(audit.to_string(), other_audit.to_string());
        assert_eq!(exact(&success), exact(&other));
        assert_eq!(text(&success), text(&other));
        arguments["tasks"].as_array_mut().unwrap().reverse();
        let (turned_audit, turned) = run(&host, &arguments);
        assert_eq!(text(&success), text(&turned));
        assert_eq!(outcomes(&audit), outcomes(&turned_audit));
    }
}
