//! Links, pipes, permissions, depth and races.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use moon_repomix::scan::read::read;

use super::*;

#[test]
fn links_are_not_followed() {
    let outside = Project::new("//- secret/s\nhidden\n");
    let project = Project::new("//- src/a\n");
    symlink(outside.join("secret/s"), project.join("src/x")).unwrap();
    symlink(outside.join("secret"), project.join("dir")).unwrap();
    symlink("src", project.join("inner")).unwrap();
    symlink("nowhere", project.join("dangling")).unwrap();
    symlink(outside.join("secret/s"), project.join(".gitignore")).unwrap();
    let root = project.root("");
    let found = found(&root, SelectionSpec::default());
    assert_eq!(found.wanted.len(), 1);
    for path in [".gitignore", "dangling", "dir", "inner", "src/x"] {
        assert_eq!(omission(&found, path).reason, Reason::SymlinkNotFollowed);
    }
    for path in ["src/x", "dir/s", "inner/a", "dangling"] {
        let path = rel(path);
        assert_eq!(
            root.open_file(&path).unwrap_err(),
            Reason::SymlinkNotFollowed,
            "{path}"
        );
        assert_eq!(
            read(&root, &path, ALL),
            Err(Reason::SymlinkNotFollowed),
            "{path}"
        );
        let selection = Selection::new(SelectionSpec::default()).unwrap();
        let looked = look_up(
            &root,
            &selection,
            std::slice::from_ref(&path),
            &Cancel::never(),
        );
        let reason = looked.unwrap().remove(0).unwrap_err().reason;
        assert_eq!(reason, Reason::SymlinkNotFollowed, "{path}");
    }
}

#[test]
fn the_root_may_be_a_link() {
    let project = Project::new("//- real/a\n");
    symlink("real", project.join("link")).unwrap();
    let root = project.root("link");
    assert_eq!(wanted(&root, SelectionSpec::default()), "a");
    assert_eq!(root.name(), "real");
}

#[test]
fn names_that_are_not_utf8_are_reported() {
    let project = Project::new("//- ok\n");
    fs::write(project.dir().join(OsStr::from_bytes(b"f\xff")), "x").unwrap();
    fs::create_dir(project.dir().join(OsStr::from_bytes(b"d\xff"))).unwrap();
    let found = found(&project.root(""), SelectionSpec::default());
    assert_eq!(found.wanted.len(), 1);
    for (path, directory) in [("d\u{fffd}", true), ("f\u{fffd}", false)] {
        let omission = omission(&found, path);
        assert_eq!(
            (omission.reason, omission.directory),
            (Reason::NameNotUtf8, directory)
        );
    }
}

#[test]
fn pipes_do_not_block() {
    let project = Project::new("//- ok\n");
    let pipe = project.join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(project.join("socket")).unwrap();
    let root = project.root("");
    let found = found(&root, SelectionSpec::default());
    for path in ["pipe", "socket"] {
        assert_eq!(omission(&found, path).reason, Reason::NotRegularFile);
        assert_eq!(read(&root, &rel(path), ALL), Err(Reason::NotRegularFile));
    }
    let dev = Root::open(std::path::Path::new("/dev")).unwrap();
    assert_eq!(read(&dev, &rel("zero"), ALL), Err(Reason::NotRegularFile));
    // An ignore file that is a pipe holds no rules.
    std::fs::rename(&pipe, project.join(".gitignore")).unwrap();
    assert_eq!(wanted(&root, SelectionSpec::default()), "ok");
}

#[test]
fn an_unreadable_directory_makes_the_walk_partial() {
    let name = "scan::unix::an_unreadable_directory_makes_the_walk_partial";
    if !crate::support::is_ordinary_user(name) {
        return;
    }
    let project = Project::new("//- shut/a\n//- open/b\n//- c\n");
    project.set_mode("shut", 0o000);
    project.set_mode("c", 0o000);
    let root = project.root("");
    let found = found(&root, SelectionSpec::default());
    let shut = omission(&found, "shut");
    assert!(shut.directory && shut.reason == Reason::PermissionDenied && found.partial);
    assert_eq!(found.wanted.len(), 2);
    assert_eq!(read(&root, &rel("c"), ALL), Err(Reason::PermissionDenied));
    project.set_mode("shut", 0o755);
}

#[test]
fn very_deep_and_very_flat() {
    let project = Project::in_memory("//- flat/\n");
    for number in 0..20_000 {
        fs::write(project.join(&format!("flat/{number}")), "").unwrap();
    }
    // Deeper than one path can say: directories are made relative to each other.
    let mut here = rustix::fs::open(
        project.dir(),
        rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY,
        rustix::fs::Mode::empty(),
    )
    .unwrap();
    for _ in 0..5_000 {
        rustix::fs::mkdirat(&here, "d", rustix::fs::Mode::RWXU).unwrap();
        here = rustix::fs::openat(
            &here,
            "d",
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY,
            rustix::fs::Mode::empty(),
        )
        .unwrap();
    }
    let found = found(&project.root(""), SelectionSpec::default());
    assert_eq!(found.wanted.len(), 20_000);
    let too_long = found
        .omitted
        .iter()
        .find(|o| o.reason == Reason::PathTooLong)
        .unwrap();
    assert_eq!((too_long.path.len(), too_long.directory), (4_097, true));
    assert_eq!(found.omitted.len(), 1);
}

/// A directory is swapped for a link to the outside again and again while a file in it is
/// read; what is outside never comes back.
#[test]
fn a_swapped_component_never_leads_outside() {
    let outside = Project::new("//- f\noutside\n");
    let project = Project::new("//- real/f\ninside\n");
    symlink(outside.dir(), project.join("link")).unwrap();
    fs::rename(project.join("real"), project.join("d")).unwrap();
    let root = project.root("");
    let stop = Cancel::new();
    let path = rel("d/f");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.is_set() {
                fs::rename(project.join("d"), project.join("real")).unwrap();
                fs::rename(project.join("link"), project.join("d")).unwrap();
                fs::rename(project.join("d"), project.join("link")).unwrap();
                fs::rename(project.join("real"), project.join("d")).unwrap();
            }
        });
        for _ in 0..5_000 {
            match read(&root, &path, ALL) {
                Ok(bytes) => assert_eq!(bytes, b"inside\n"),
                Err(Reason::NotFound | Reason::SymlinkNotFollowed) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        for _ in 0..200 {
            let found = found(&root, SelectionSpec::default());
            assert!(found.wanted.iter().all(|candidate| candidate.size == 7));
        }
        stop.set();
    });
}
