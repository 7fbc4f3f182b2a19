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

mod folder {
    use std::ffi::OsStr;
    use std::fs;
    use std::io::{Read, Write};
    use std::path::Path;

    use crate::root::folder::{Folder, Missing};

    fn put(dir: &Path, name: &str, text: &str) {
        fs::write(dir.join(name), text).unwrap();
    }

    fn text(dir: &Path, name: &str) -> String {
        fs::read_to_string(dir.join(name)).unwrap()
    }

    /// What appeared, went away or was exchanged after the look is left alone, and nothing is lost.
    #[test]
    fn only_what_was_looked_at_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let folder = Folder::open(path).unwrap();
        let (new, place) = (OsStr::new("new"), OsStr::new("place"));
        let none = folder.standing(place).unwrap();
        assert!(none.is_none());

        put(path, "new", "new");
        put(path, "place", "foreign");
        assert!(!folder.put(new, place, None).unwrap());
        assert_eq!(
            (text(path, "new"), text(path, "place")),
            ("new".into(), "foreign".into())
        );

        let looked_at = folder.standing(place).unwrap();
        put(path, "other", "other");
        fs::rename(path.join("other"), path.join("place")).unwrap();
        assert!(!folder.put(new, place, looked_at.as_ref()).unwrap());
        assert_eq!(
            (text(path, "new"), text(path, "place")),
            ("new".into(), "other".into())
        );
        assert!(
            folder
                .read(place, looked_at.as_ref().unwrap())
                .unwrap()
                .is_none()
        );

        fs::remove_file(path.join("place")).unwrap();
        assert!(!folder.put(new, place, looked_at.as_ref()).unwrap());
        assert_eq!(text(path, "new"), "new");
        assert!(folder.put(new, place, None).unwrap());

        put(path, "new", "newer");
        let looked_at = folder.standing(place).unwrap();
        assert!(folder.put(new, place, looked_at.as_ref()).unwrap());
        assert_eq!(text(path, "place"), "newer");
        assert_eq!(fs::read_dir(path).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_appears_is_neither_followed_nor_replaced() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        put(path, "target", "mine");
        fs::create_dir(path.join("d")).unwrap();
        let outer = Folder::open(path).unwrap();
        let folder = outer
            .enter(OsStr::new("d"), Missing::Refuse)
            .unwrap()
            .unwrap();
        // The directory is swapped for a link: what is held is held.
        fs::rename(path.join("d"), path.join("moved")).unwrap();
        symlink(".", path.join("d")).unwrap();
        assert!(
            outer
                .enter(OsStr::new("d"), Missing::Make)
                .unwrap()
                .is_none()
        );

        let (new, place) = (OsStr::new("new"), OsStr::new("place"));
        folder.create(new, None).unwrap().write_all(b"new").unwrap();
        symlink("../target", path.join("moved/place")).unwrap();
        assert!(!folder.put(new, place, None).unwrap());
        assert!(folder.create(place, None).is_err());
        assert!(
            folder
                .read(place, &folder.standing(place).unwrap().unwrap())
                .is_err()
        );
        fs::remove_file(path.join("moved/place")).unwrap();
        put(path, "moved/place", "old");
        fs::set_permissions(path.join("moved/place"), fs::Permissions::from_mode(0o604)).unwrap();
        let looked_at = folder.standing(place).unwrap();
        fs::remove_file(path.join("moved/place")).unwrap();
        symlink("../target", path.join("moved/place")).unwrap();
        assert!(!folder.put(new, place, looked_at.as_ref()).unwrap());
        folder.put_over(new, place).unwrap();
        assert_eq!(
            (text(path, "target"), text(path, "moved/place")),
            ("mine".into(), "new".into())
        );

        // A copy of rights is there from the first byte on.
        let file = folder.create(new, looked_at.as_ref()).unwrap();
        assert_eq!(
            file.metadata().unwrap().permissions().mode() & 0o7777,
            0o604
        );
        let mut read = String::new();
        let looked_at = folder.standing(place).unwrap().unwrap();
        folder
            .read(place, &looked_at)
            .unwrap()
            .unwrap()
            .read_to_string(&mut read)
            .unwrap();
        assert_eq!(read, "new");
    }
}
