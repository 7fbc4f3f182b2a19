//! What is remembered, and what must not be.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;
use crate::options::HostOptions;
use crate::root::Root;
use crate::scan::select::{Selection, SelectionSpec};

const SECRET: &str = "key = \"ghp\x5f16C7e42F292c6912E7710c838347Ae178B4a\"\n";

fn host(dir: &Path) -> HostOptions {
    let selection = Selection::new(SelectionSpec::default()).unwrap();
    HostOptions::new(Root::open(dir).unwrap(), selection)
}

fn read(memory: &Memory, host: &HostOptions, name: &str) -> Result<Read, Skipped> {
    let path = RelPath::new(name).unwrap();
    let candidate = Candidate { path, size: 0 };
    memory
        .read(&host.sources(), candidate, &mut |_| {}, &Cancel::never())
        .unwrap()
}

/// Makes a file as old as its stamp must be to be remembered. Its time of change cannot be set, so
/// tests that need it wait for that.
fn age(path: &Path) {
    let old = SystemTime::now() - Duration::from_secs(100);
    fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(old)
        .unwrap();
}

fn entry(stamp: Stamp) -> (Stamp, Facts) {
    let facts = Facts {
        n_bytes: 1,
        n_lines: 1,
        tokens: None,
    };
    (stamp, facts)
}

#[test]
fn a_file_that_just_changed_is_not_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.py");
    fs::write(&file, "def one(): pass\n").unwrap();
    let (host, memory) = (host(dir.path()), Memory::new());
    let first = read(&memory, &host, "a.py").unwrap();
    memory.outline(&first, &Cancel::never()).unwrap();
    assert!(memory.entries().by_path.is_empty());
    // The same size in the same second, and the time of modification put back.
    age(&file);
    fs::write(&file, SECRET).unwrap();
    age(&file);
    assert!(read(&memory, &host, "a.py").is_err());
}

/// Whatever is remembered under another stamp counts for nothing: size and modification alike, the
/// time of change tells.
#[test]
fn another_stamp_is_another_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.py");
    fs::write(&file, SECRET).unwrap();
    age(&file);
    let (host, memory) = (host(dir.path()), Memory::new());
    let path = RelPath::new("a.py").unwrap();
    let before = read::stamp(&host.root, &path).unwrap();
    let (stamp, facts) = entry(before);
    memory.entries().put(&path, stamp, facts, None);
    // An entry is believed while the stamp is the same...
    assert!(read(&memory, &host, "a.py").is_ok());
    assert_eq!(memory.facts(&host.sources(), &path), Some(facts));
    // ... and no longer when anything was done to the file.
    std::thread::sleep(Duration::from_millis(20));
    fs::write(&file, SECRET.replace("key", "KEY")).unwrap();
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    assert!(modified.elapsed().unwrap() < Duration::from_secs(50));
    age(&file);
    assert_eq!(memory.facts(&host.sources(), &path), None);
    assert!(read(&memory, &host, "a.py").is_err());
    memory.clear();
    assert!(memory.entries().by_path.is_empty());
}

#[test]
fn an_outline_is_made_once_and_forgotten_first() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.py"), "def one(): pass\n".repeat(50)).unwrap();
    let (host, memory) = (host(dir.path()), Memory::new());
    let read = read(&memory, &host, "a.py").unwrap();
    let path = read.accepted.path.clone();
    let (stamp, facts) = entry(read.stamp);
    memory.entries().put(&path, stamp, facts, None);
    let first = memory.outline(&read, &Cancel::never()).unwrap();
    let again = memory.outline(&read, &Cancel::never()).unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    memory.count(&read, 7);
    assert_eq!(
        memory.facts(&host.sources(), &path).unwrap().tokens,
        Some(7)
    );
    memory.entries().forget_half();
    let entries = memory.entries();
    let kept = entries.by_path.get(&path).unwrap();
    assert!(kept.outline.is_none());
    assert_eq!(kept.facts.tokens, Some(7));
    assert_eq!(entries.n_bytes, kept.n_bytes);
}

#[test]
fn it_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "x").unwrap();
    let root = Root::open(dir.path()).unwrap();
    let (stamp, facts) = entry(read::stamp(&root, &RelPath::new("a").unwrap()).unwrap());
    let mut entries = Entries::default();
    for n in 0..MEMORY_ENTRIES {
        let path = RelPath::new(&format!("f{n}")).unwrap();
        entries.put(&path, stamp, facts, None);
    }
    assert_eq!(entries.by_path.len(), MEMORY_ENTRIES);
    entries.put(&RelPath::new("last").unwrap(), stamp, facts, None);
    assert!(entries.by_path.len() <= MEMORY_ENTRIES / 2 + 1);
    assert!(entries.by_path.contains_key(&RelPath::new("last").unwrap()));
    let sum: usize = entries.by_path.values().map(|entry| entry.n_bytes).sum();
    assert_eq!(entries.n_bytes, sum);
}
