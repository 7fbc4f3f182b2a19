//! Tests of `root`.

use std::fs;

use super::{Kind, Root};
use crate::path::RelPath;
use crate::reason::Reason;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

#[test]
fn opens_regular_files_only() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("d/f"), "four").unwrap();
    let root = Root::open(dir.path()).unwrap();
    assert_eq!(root.open_file(&path("d/f")).unwrap().1, 4);
    assert_eq!(root.look(&path("d")).unwrap().kind, Kind::Directory);
    for (bad, reason) in [
        ("d", Reason::NotRegularFile),
        ("x", Reason::NotFound),
        ("x/y", Reason::NotFound),
        ("d/f/x", Reason::NotFound),
    ] {
        assert_eq!(root.open_file(&path(bad)).unwrap_err(), reason, "{bad}");
    }
}
