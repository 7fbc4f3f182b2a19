//! Cancelling, at the start and in mid-work.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn before_the_start() {
    let (project, paths) = corpus();
    let mut host = plain_host(&project);
    host.verify_counts = true;
    let arguments = request(&mut Numbers(5), &paths, 12, 2_000);
    assert!(try_plan(&host, &arguments).is_ok());
    let cancel = Cancel::new();
    cancel.set();
    let planned = plan::plan(&host, &parsed(&host, &arguments), &Progress::new(), &cancel);
    assert!(matches!(planned, Err(Error::Cancelled)));
}

/// Plans on one thread while another waits for `at` finished files and then sets the flag. Gives
/// the outcome, how many files were finished at last and how long that took after the flag.
fn cancel_at(
    host: &HostOptions,
    request: &request::Request,
    at: u64,
) -> (Result<Planned, Error>, u64, Duration) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.unwrap();
    let (progress, cancel) = (Progress::new(), Cancel::new());
    std::thread::scope(|scope| {
        let planning = scope.spawn(|| {
            let planned = pool.install(|| plan::plan(host, request, &progress, &cancel));
            (planned, Instant::now())
        });
        while !planning.is_finished() {
            let (done, found) = progress.read();
            if found > 0 && done >= at {
                break;
            }
            std::thread::yield_now();
        }
        let set = Instant::now();
        cancel.set();
        let (planned, end) = planning.join().unwrap();
        let took = end.saturating_duration_since(set);
        (planned, progress.read().0, took)
    })
}

/// Progress comes file by file, and at each of its steps a plan can be stopped: while required or
/// optional files are prepared, and when all of them are and the choice is made.
#[test]
fn at_any_step_of_the_way() {
    const N_REQUIRED: u64 = 4;
    const N_FILES: u64 = 64;
    let project = Project::new("");
    let text = python("f", 60);
    let wish = |number: u64| {
        let path = format!("f{number:02}.py");
        project.write(&path, &text);
        item(
            &path,
            if number < N_REQUIRED {
                "skeleton"
            } else {
                "either"
            },
        )
    };
    let wishes: Vec<Value> = (0..N_FILES).map(wish).collect();
    let (required, optional) = wishes.split_at(N_REQUIRED as usize);
    let host = plain_host(&project);
    let arguments = one(json!(required), json!(optional), 16_000);
    let request = parsed(&host, &arguments);
    let start = Instant::now();
    assert!(try_plan(&host, &arguments).is_ok());
    let whole = start.elapsed();
    for at in [0, 1, N_REQUIRED - 1, N_REQUIRED + 1, 20, 40, N_FILES] {
        // Who is scheduled when is left to chance, so there is more than one try.
        let is_prompt = (0..50).any(|_| {
            let (planned, done, took) = cancel_at(&host, &request, at);
            let is_cancelled = matches!(planned, Err(Error::Cancelled));
            is_cancelled && done <= at + 1 && took < whole / 8
        });
        assert!(is_prompt, "{at}");
    }
}
