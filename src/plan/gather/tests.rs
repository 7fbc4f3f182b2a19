//! What happens to files that are not what they were when their path was looked up.

use super::*;
use crate::plan::request::Mode;
use crate::plan::wants::{Demand, List};
use crate::root::Root;
use crate::scan::select::{Selection, SelectionSpec};

/// A directory with these files, eight bytes each.
fn host(dir: &tempfile::TempDir, names: &[&str]) -> HostOptions {
    for name in names {
        std::fs::write(dir.path().join(name), "12345678").unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    HostOptions::new(root, Selection::new(SelectionSpec::default()).unwrap())
}

fn wants(names: &[&str]) -> Vec<Want> {
    let want = |name: &&str| Want {
        path: RelPath::new(name).unwrap(),
        demands: vec![Demand {
            task: 0,
            list: List::Optional,
            mode: Mode::Full,
            priority: Some(0),
        }],
    };
    names.iter().map(want).collect()
}

fn gatherer<'a>(
    host: &'a HostOptions,
    wants: &'a [Want],
    progress: &'a Progress,
    cancel: &'a Cancel,
) -> Gatherer<'a> {
    Gatherer {
        host,
        wants,
        outcomes: wants.iter().map(|_| None).collect(),
        max_read_bytes: 100,
        read_bytes: 0,
        progress,
        cancel,
    }
}

#[test]
fn a_file_is_read_only_at_the_size_it_was_looked_up_with() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["gone", "grown", "same", "shrunk"];
    let host = host(&dir, &names);
    let wants = wants(&names);
    let paths: Vec<RelPath> = wants.iter().map(|want| want.path.clone()).collect();
    let cancel = Cancel::never();
    let found = walk::look_up(&host.root, &host.selection, &paths, &cancel).unwrap();
    std::fs::remove_file(dir.path().join("gone")).unwrap();
    std::fs::write(dir.path().join("grown"), "123456789").unwrap();
    std::fs::write(dir.path().join("shrunk"), "1").unwrap();
    let progress = Progress::new();
    let mut gatherer = gatherer(&host, &wants, &progress, &cancel);
    let ordered: Vec<(usize, &Want)> = wants.iter().enumerate().collect();
    gatherer.take(&ordered, found).unwrap();
    let reasons: Vec<Option<Reason>> = gatherer
        .outcomes
        .iter()
        .map(|outcome| {
            let outcome = outcome.as_ref().unwrap();
            outcome
                .as_ref()
                .err()
                .map(|skipped| skipped.omission.reason)
        })
        .collect();
    assert_eq!(
        reasons,
        [
            Some(Reason::NotFound),
            Some(Reason::ChangedDuringRead),
            None,
            Some(Reason::ChangedDuringRead)
        ]
    );
    // The file that is gone was not opened.
    assert_eq!(gatherer.read_bytes, 24);
}

/// The flag is set when the third of five files is about to be read: two were opened, no more are.
#[test]
fn cancelled_while_reading() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["a", "b", "c", "d", "e"];
    let host = host(&dir, &names);
    let wants = wants(&names);
    let (progress, cancel) = (Progress::new(), Cancel::new());
    let mut gatherer = gatherer(&host, &wants, &progress, &cancel);
    let ordered: Vec<(usize, &Want)> = wants.iter().enumerate().collect();
    let found = ordered.iter().map(|&(position, want)| {
        if position == 2 {
            cancel.set();
        }
        let path = want.path.clone();
        Ok(Candidate { path, size: 8 })
    });
    let outcome = gatherer.take(&ordered, found);
    assert!(matches!(outcome, Err(Error::Cancelled)));
    assert_eq!(gatherer.read_bytes, 16);
    assert!(gatherer.outcomes.iter().all(Option::is_none));
    assert_eq!(progress.read().0, 0);
}
