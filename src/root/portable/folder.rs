//! What is done in an open directory, through its path.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::{look_at, open_outside, stamp_of};
use crate::root::Kind;
use crate::root::folder::{Move, Standing};

/// The path of a directory.
#[derive(Debug)]
pub(in crate::root) struct Folder(pub(super) PathBuf);

/// What the system says about the use of a file.
pub(in crate::root) type Rights = Permissions;

impl Folder {
    pub(in crate::root) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(path.canonicalize()?))
    }

    pub(in crate::root) fn make(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    /// `None` when a link stands there.
    pub(in crate::root) fn enter(&self, name: &OsStr) -> io::Result<Option<Self>> {
        match self.standing(name)?.kind {
            Kind::Directory => Ok(Some(Self(self.0.join(name)))),
            Kind::Symlink => Ok(None),
            Kind::File | Kind::Other => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(in crate::root) fn standing(&self, name: &OsStr) -> io::Result<Standing> {
        let data = fs::symlink_metadata(self.0.join(name))?;
        Ok(Standing {
            kind: look_at(&data).kind,
            stamp: stamp_of(&data),
            rights: data.permissions(),
        })
    }

    pub(in crate::root) fn read(&self, name: &OsStr) -> io::Result<File> {
        match open_outside(&self.0.join(name)) {
            Ok((file, _)) => Ok(file),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    pub(in crate::root) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.0)?
            .map(|entry| Ok(entry?.file_name()))
            .collect()
    }

    pub(in crate::root) fn create(&self, name: &OsStr, like: Option<&Rights>) -> io::Result<File> {
        let path = self.0.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        if let Some(rights) = like {
            file.set_permissions(rights.clone())?;
        }
        Ok(file)
    }

    pub(in crate::root) fn rename(&self, from: &OsStr, to: &OsStr, how: Move) -> io::Result<()> {
        if how != Move::Over {
            return Err(io::ErrorKind::Unsupported.into());
        }
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(in crate::root) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }
}

/// Whether an answer of [`Folder::rename`] means that it lacks this move.
pub(in crate::root) fn cannot_move_so(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}
