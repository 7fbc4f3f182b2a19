//! What is done in an open directory, relative to its descriptor.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, Uid, fchmod, fchown, fstat, mkdirat, open, openat,
    renameat, statat, unlinkat,
};
use rustix::io::Errno;

use super::{LIST, PASS, READ, kind, regular, stamp_of, step};
use crate::root::Kind;
use crate::root::folder::{Move, Standing};

/// The descriptor of a directory.
#[derive(Debug)]
pub(in crate::root) struct Folder(pub(super) OwnedFd);

/// Mode and owners of a file.
#[derive(Clone, Debug)]
pub(in crate::root) struct Rights {
    mode: Mode,
    owner: Uid,
    group: Gid,
}

impl Folder {
    pub(in crate::root) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(open(path, PASS & !OFlags::NOFOLLOW, Mode::empty())?))
    }

    pub(in crate::root) fn make(&self, name: &OsStr) -> io::Result<()> {
        Ok(mkdirat(
            &self.0,
            name,
            Mode::RWXU | Mode::RWXG | Mode::RWXO,
        )?)
    }

    /// `None` when a link stands there.
    pub(in crate::root) fn enter(&self, name: &OsStr) -> io::Result<Option<Self>> {
        match step(self.0.as_fd(), name, PASS) {
            Err(Errno::LOOP) => Ok(None),
            answer => Ok(Some(Self(answer?))),
        }
    }

    pub(in crate::root) fn standing(&self, name: &OsStr) -> io::Result<Standing> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Standing {
            kind: kind(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Other),
            stamp: stamp_of(&stat),
            rights: Rights {
                mode: Mode::from_raw_mode(stat.st_mode),
                owner: Uid::from_raw(stat.st_uid),
                group: Gid::from_raw(stat.st_gid),
            },
        })
    }

    pub(in crate::root) fn read(&self, name: &OsStr) -> io::Result<File> {
        match regular(openat(&self.0, name, READ, Mode::empty())?) {
            Ok((file, _)) => Ok(file),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    pub(in crate::root) fn names(&self) -> io::Result<Vec<OsString>> {
        let listed = openat(&self.0, ".", LIST, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&listed)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    pub(in crate::root) fn create(&self, name: &OsStr, like: Option<&Rights>) -> io::Result<File> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Some(like) = like else {
            let mode = Mode::from_raw_mode(0o666);
            return Ok(File::from(openat(&self.0, name, flags, mode)?));
        };
        // Until the owners are right, only this process's user may use the file.
        let file = openat(&self.0, name, flags, like.mode & Mode::RWXU)?;
        give(&file, like).inspect_err(|_| {
            let _ = self.remove(name);
        })?;
        Ok(File::from(file))
    }

    pub(in crate::root) fn rename(&self, from: &OsStr, to: &OsStr, how: Move) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            let flags = match how {
                Move::Over => RenameFlags::empty(),
                Move::New => RenameFlags::NOREPLACE,
                Move::Exchange => RenameFlags::EXCHANGE,
            };
            if how != Move::Over {
                return Ok(renameat_with(&self.0, from, &self.0, to, flags)?);
            }
        }
        if how != Move::Over {
            return Err(Errno::INVAL.into());
        }
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    pub(in crate::root) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }
}

/// Whether an answer of [`Folder::rename`] means that system or file system lack this move.
pub(in crate::root) fn cannot_move_so(error: &io::Error) -> bool {
    let lacking = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    Errno::from_io_error(error).is_some_and(|errno| lacking.contains(&errno))
}

/// Gives a new file the owners and then the mode of another. A group that cannot be given gets no
/// more than everybody.
fn give(file: &OwnedFd, like: &Rights) -> Result<(), Errno> {
    let mut mode = like.mode & (Mode::RWXU | Mode::RWXG | Mode::RWXO);
    let now = fstat(file)?;
    if now.st_uid != like.owner.as_raw() {
        // Only the superuser can.
        let _ = fchown(file, Some(like.owner), None);
    }
    if now.st_gid != like.group.as_raw() && fchown(file, None, Some(like.group)).is_err() {
        let everybody = (mode & Mode::RWXO).as_raw_mode();
        mode &= Mode::RWXU | Mode::RWXO | Mode::from_raw_mode(everybody << 3);
    }
    fchmod(file, mode)
}
