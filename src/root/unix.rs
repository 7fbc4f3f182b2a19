//! Opening below a directory descriptor without following links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, statat};
use rustix::io::Errno;

use super::{Entry, Kind, Look, Stamp};
use crate::reason::Reason;

/// Flags of every file that is opened for its content.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Flags of every directory that is opened for its names.
const LIST: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Flags of every directory that is only passed through.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = LIST;

/// The descriptor of the root.
#[derive(Debug)]
pub(super) struct Handle(OwnedFd);

impl Handle {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(open(path, flags, Mode::empty())?))
    }

    pub(super) fn open_file(&self, path: &str) -> Result<(File, u64), Reason> {
        regular(self.open_beneath(path, READ).map_err(reason)?)
    }

    pub(super) fn look(&self, path: &str) -> Result<Look, Reason> {
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
        let parent = self.open_beneath(parent, PASS).map_err(reason)?;
        look_at(parent.as_fd(), OsStr::new(name)).map_err(reason)
    }

    pub(super) fn list(&self, dir: &str, at_most: usize) -> Result<Vec<Entry>, Reason> {
        let dir = self.open_beneath(dir, LIST).map_err(reason)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&dir).map_err(reason)? {
            let entry = entry.map_err(reason)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsString::from(OsStr::from_bytes(name));
            let look = match kind(entry.file_type()) {
                Some(kind) if kind != Kind::File => Look { kind, size: 0 },
                // A name that vanished since is no longer an entry.
                _ => match look_at(dir.as_fd(), &name) {
                    Ok(look) => look,
                    Err(Errno::NOENT) => continue,
                    Err(_) => Look {
                        kind: Kind::File,
                        size: 0,
                    },
                },
            };
            entries.push(Entry { name, look });
            if entries.len() >= at_most {
                break;
            }
        }
        Ok(entries)
    }

    pub(super) fn exists(&self) -> bool {
        fstat(&self.0).is_ok_and(|stat| stat.st_nlink > 0)
    }

    /// Opens `path` below the root with `flags`, following no link at any component.
    fn open_beneath(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{ResolveFlags, openat2};
            let resolve =
                ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            // The kernel answers AGAIN when a rename elsewhere made the walk uncertain.
            for _ in 0..16 {
                match openat2(&self.0, path, flags, Mode::empty(), resolve) {
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    // No such call, a filter that forbids it, or a path too long for one call. The
                    // last code is also given for a link in place of a directory: look closer.
                    Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG | Errno::NOTDIR) => break,
                    answer => return answer,
                }
            }
        }
        step_beneath(self.0.as_fd(), path, flags)
    }
}

/// Opens one component after the other.
fn step_beneath(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut here: Option<OwnedFd> = None;
    let mut rest = path;
    while let Some((first, after)) = rest.split_once('/') {
        let at = here.as_ref().map_or(root, AsFd::as_fd);
        here = Some(step(at, first, PASS)?);
        rest = after;
    }
    step(here.as_ref().map_or(root, AsFd::as_fd), rest, flags)
}

fn step(at: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    if name == ".." || name.is_empty() {
        return Err(Errno::XDEV);
    }
    openat(at, name, flags, Mode::empty()).map_err(|errno| {
        // Systems disagree about the code for a link that was not followed.
        match look_at(at, OsStr::new(name)) {
            Ok(look) if look.kind == Kind::Symlink => Errno::LOOP,
            _ => errno,
        }
    })
}

fn look_at(dir: BorrowedFd<'_>, name: &OsStr) -> Result<Look, Errno> {
    let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let kind = kind(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Other);
    Ok(Look {
        kind,
        size: if kind == Kind::File { size(&stat) } else { 0 },
    })
}

fn kind(file_type: FileType) -> Option<Kind> {
    match file_type {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Directory),
        FileType::Symlink => Some(Kind::Symlink),
        FileType::Unknown => None,
        _ => Some(Kind::Other),
    }
}

fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

fn regular(file: OwnedFd) -> Result<(File, u64), Reason> {
    let stat = fstat(&file).map_err(reason)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
        Ok((File::from(file), size(&stat)))
    } else {
        Err(Reason::NotRegularFile)
    }
}

pub(super) fn open_outside(path: &Path) -> Result<(File, u64), Reason> {
    regular(open(path, READ, Mode::empty()).map_err(reason)?)
}

#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_cast,
    reason = "the field types differ between systems"
)]
pub(super) fn stamp(file: &File) -> io::Result<Stamp> {
    let stat = fstat(file)?;
    Ok(Stamp {
        size: size(&stat),
        modified: Some((stat.st_mtime as i64, stat.st_mtime_nsec as i64)),
        changed: Some((stat.st_ctime as i64, stat.st_ctime_nsec as i64)),
        identity: (stat.st_dev as u64, stat.st_ino as u64),
    })
}

/// Seconds since the epoch.
pub(super) fn now() -> i64 {
    rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec
}

fn reason(errno: Errno) -> Reason {
    match errno {
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Reason::NotFound,
        Errno::LOOP => Reason::SymlinkNotFollowed,
        Errno::XDEV => Reason::OutsideRoot,
        Errno::ACCESS | Errno::PERM => Reason::PermissionDenied,
        Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP => Reason::NotRegularFile,
        _ => Reason::ReadFailed,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::mkdirat;

    use super::*;

    /// Both ways of opening give the same answers.
    #[test]
    fn one_call_and_step_by_step() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/f"), "x").unwrap();
        symlink("d", dir.path().join("l")).unwrap();
        symlink("d/f", dir.path().join("m")).unwrap();
        let handle = Handle::open(dir.path()).unwrap();
        let long = "n".repeat(300);
        for (path, expected) in [
            ("d/f", Ok(())),
            ("d", Ok(())),
            (".", Ok(())),
            ("l", Err(Reason::SymlinkNotFollowed)),
            ("m", Err(Reason::SymlinkNotFollowed)),
            ("l/f", Err(Reason::SymlinkNotFollowed)),
            ("l/gone", Err(Reason::SymlinkNotFollowed)),
            ("d/f/x", Err(Reason::NotFound)),
            ("gone/f", Err(Reason::NotFound)),
            (&long, Err(Reason::NotFound)),
            ("..", Err(Reason::OutsideRoot)),
            ("d/../../x", Err(Reason::OutsideRoot)),
        ] {
            let once = handle.open_beneath(path, READ).map(drop);
            assert_eq!(once.map_err(reason), expected, "{path}");
            let steps = step_beneath(handle.0.as_fd(), path, READ).map(drop);
            assert_eq!(steps.map_err(reason), expected, "{path}");
        }
    }

    /// The longest path of all is longer than one system call takes.
    #[test]
    fn the_longest_path_opens() {
        let dir = tempfile::tempdir().unwrap();
        let handle = Handle::open(dir.path()).unwrap();
        let name = "n".repeat(240);
        let mut here = handle.open_beneath(".", LIST).unwrap();
        let mut path = String::new();
        while 4_096 - path.len() > 255 {
            mkdirat(&here, &*name, Mode::RWXU).unwrap();
            here = openat(&here, &*name, LIST, Mode::empty()).unwrap();
            path.push_str(&name);
            path.push('/');
        }
        let last = "f".repeat(4_096 - path.len());
        path.push_str(&last);
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        openat(&here, &*last, flags, Mode::RWXU).unwrap();
        assert_eq!(path.len(), 4_096);
        assert_eq!(handle.open_file(&path).unwrap().1, 0);
        assert_eq!(handle.look(&path).unwrap().kind, Kind::File);
    }
}
