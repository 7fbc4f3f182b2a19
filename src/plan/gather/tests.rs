//! What happens to files that are not what they were when their path was looked up.

use super::*;
use crate::plan::request::Mode;
use crate::plan::wants::{Demand, List};
use crate::root::Root;
use crate::scan::select::{Selection, SelectionSpec};

#[test]
fn a_file_is_read_only_at_the_size_it_was_looked_up_with() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["gone", "grown", "same", "shrunk"];
    for name in names {
        std::fs::write(dir.path().join(name), "12345678").unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    let selection = Selection::new(SelectionSpec::default()).unwrap();
    let host = HostOptions::new(root, selection);
    let wants: Vec<Want> = names
        .iter()
        .map(|name| Want {
            path: RelPath::new(name).unwrap(),
            demands: vec![Demand {
                task: 0,
                list: List::Optional,
                mode: Mode::Full,
                priority: Some(0),
            }],
        })
        .collect();
    let paths: Vec<RelPath> = wants.iter().map(|want| want.path.clone()).collect();
    let cancel = Cancel::never();
    let found = walk::look_up(&host.root, &host.selection, &paths, &cancel).unwrap();
    std::fs::remove_file(dir.path().join("gone")).unwrap();
    std::fs::write(dir.path().join("grown"), "123456789").unwrap();
    std::fs::write(dir.path().join("shrunk"), "1").unwrap();
    let mut gatherer = Gatherer {
        host: &host,
        wants: &wants,
        outcomes: (0..4).map(|_| None).collect(),
        max_read_bytes: 100,
        read_bytes: 0,
        progress: &Progress::new(),
        cancel: &cancel,
    };
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
