//! Opens and reads the discovery files by descriptor, following no link.
//!
//! The directories are held open, each step is relative to the one before, and every check looks
//! at what was opened, not at what a path may mean a moment later.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::crib::fault::{Code, Fault};
use crate::crib::wire::API_DIRECTORY;

/// Why discovery stops.
pub(super) enum Trouble {
    /// The file with this role has no name any more: it was replaced meanwhile.
    Replaced(&'static str),
    /// Anything else.
    Fault(Fault),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The open directory of the discovery files.
pub(super) struct Files {
    directory: File,
}

impl Files {
    /// Opens the directory inside `user_data`, both checked.
    pub(super) fn open(user_data: &Path) -> Result<Self, Trouble> {
        // Components drop a trailing slash, which would make the system follow a link.
        let user_data: PathBuf = user_data.components().collect();
        let role = "user-data directory";
        let outer = open(rustix::fs::CWD, &user_data, OFlags::DIRECTORY, role)?;
        check_owner(&metadata(&outer, role)?, 0o022, role)?;

        let role = "api directory";
        let directory = open(&outer, Path::new(API_DIRECTORY), OFlags::DIRECTORY, role)?;
        check_owner(&metadata(&directory, role)?, 0o077, role)?;
        Ok(Self { directory })
    }

    /// Reads the file `name` into `buffer`, which is one byte larger than the file may be, and
    /// tells how many bytes it has. `opened` is called between opening and reading.
    pub(super) fn read(
        &self,
        name: &str,
        role: &'static str,
        buffer: &mut [u8],
        opened: &mut dyn FnMut(&'static str),
    ) -> Result<usize, Trouble> {
        let mut file = open(&self.directory, Path::new(name), OFlags::NONBLOCK, role)?;
        let before = metadata(&file, role)?;
        if !before.is_file() {
            return Err(Fault::discovery(role, "is not a regular file").into());
        }
        check_owner(&before, 0o077, role)?;
        match before.nlink() {
            0 => return Err(Trouble::Replaced(role)),
            1 => {}
            _ => return Err(Fault::discovery(role, "has several hard links").into()),
        }
        if before.size() >= buffer.len() as u64 {
            return Err(Fault::discovery(role, "is too large").into());
        }

        opened(role);
        let length =
            fill(&mut file, buffer).map_err(|_| Fault::discovery(role, "could not be read"))?;
        let after = metadata(&file, role)?;
        if after.nlink() == 0 {
            return Err(Trouble::Replaced(role));
        }
        let mark = |of: &Metadata| {
            (
                of.dev(),
                of.ino(),
                of.size(),
                of.mtime(),
                of.mtime_nsec(),
                of.nlink(),
            )
        };
        if mark(&before) != mark(&after) || length as u64 != after.size() {
            return Err(Fault::discovery(role, "changed while it was read").into());
        }
        Ok(length)
    }
}

fn open(
    directory: impl AsFd,
    name: &Path,
    extra: OFlags,
    role: &'static str,
) -> Result<File, Fault> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY | extra;
    match rustix::fs::openat(directory, name, flags, Mode::empty()) {
        Ok(descriptor) => Ok(File::from(descriptor)),
        Err(Errno::NOENT) => Err(Fault::new(Code::LocalApiUnavailable)),
        Err(_) => Err(Fault::discovery(
            role,
            "is a link or not what it should be, or cannot be opened",
        )),
    }
}

fn metadata(file: &File, role: &'static str) -> Result<Metadata, Fault> {
    file.metadata()
        .map_err(|_| Fault::discovery(role, "cannot be examined"))
}

/// Checks that the file is ours and that none of the permission bits in `closed` is set.
fn check_owner(of: &Metadata, closed: u32, role: &'static str) -> Result<(), Fault> {
    if of.uid() != rustix::process::geteuid().as_raw() {
        return Err(Fault::discovery(role, "belongs to another user"));
    }
    if of.mode() & closed != 0 {
        return Err(Fault::discovery(role, "is open to other users"));
    }
    Ok(())
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}
