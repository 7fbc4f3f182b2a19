//! The opened root directory: the only door to the file system for everything that is packed.
//!
//! Guarantees, on Linux by `openat2` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
//! RESOLVE_NO_MAGICLINKS`, on other Unix systems (and older kernels) by opening each component
//! without following links: what is opened lies below the directory that was opened at the start,
//! and no link was followed, even when a component is swapped while the program runs. Elsewhere
//! each component is looked at before the file is opened, which leaves a moment for a swap.
//!
//! At most two descriptors are open at a time beside the root's own, whatever the depth of a path.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::path::RelPath;
use crate::reason::Reason;

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

/// The directory everything is read from, held open for the life of the process.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    name: String,
    handle: system::Handle,
}

/// What a name stands for, without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A device, pipe or socket.
    Other,
}

/// What was found under a name, without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// What it is.
    pub kind: Kind,
    /// Size in bytes of a regular file, else 0.
    pub size: u64,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name as the system has it.
    pub name: OsString,
    /// What stands under it.
    pub look: Look,
}

/// What an open file looks like now; equal before and after a read means that it held still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Size in bytes.
    pub(crate) size: u64,
    /// When the content changed last: seconds and nanoseconds since the epoch.
    modified: Option<(i64, i64)>,
    /// When content, name or rights changed last, which nobody can set; absent where the system
    /// does not tell.
    changed: Option<(i64, i64)>,
    identity: (u64, u64),
}

/// Seconds for which a change may leave no trace in a stamp: the coarsest time that a file system
/// keeps.
const STAMP_SECONDS: i64 = 2;

impl Stamp {
    /// Whether the content is that of `earlier`. Links and rights may have changed meanwhile.
    pub(crate) fn same_content(&self, earlier: &Self) -> bool {
        let content = |stamp: &Self| (stamp.size, stamp.modified, stamp.identity);
        content(self) == content(earlier)
    }

    /// Whether any later change would give another stamp. A file that changed a moment ago could
    /// change again within the same tick, and what is known of it must not be kept.
    pub(crate) fn is_settled(&self) -> bool {
        let limit = system::now().saturating_sub(STAMP_SECONDS);
        let before = |time: Option<(i64, i64)>| time.is_some_and(|(seconds, _)| seconds < limit);
        before(self.modified) && self.changed.is_none_or(|time| before(Some(time)))
    }
}

impl Root {
    /// Opens `dir`, which may itself be reached through links.
    ///
    /// # Errors
    /// [`Error::Io`] when `dir` does not exist, is not a directory or may not be read.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let fail = |source: io::Error| Error::Io {
            operation: "opening the root directory",
            path: None,
            kind: source.kind(),
        };
        let path = dir.canonicalize().map_err(fail)?;
        let handle = system::Handle::open(&path).map_err(fail)?;
        let name = path.file_name().map_or_else(
            || "repository".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        Ok(Self { path, name, handle })
    }

    /// The absolute path at the time of opening. For child processes only: it is never shown.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last component of the path, for labels; `repository` for the file system's root.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens a regular file for reading and gives its size in bytes. Does not block on pipes and
    /// devices.
    ///
    /// # Errors
    /// Why it cannot be read: [`Reason::NotFound`], [`Reason::NotRegularFile`],
    /// [`Reason::SymlinkNotFollowed`], [`Reason::OutsideRoot`], [`Reason::PermissionDenied`] or
    /// [`Reason::ReadFailed`].
    pub fn open_file(&self, path: &RelPath) -> Result<(File, u64), Reason> {
        self.handle.open_file(path.as_str())
    }

    /// Looks at `path` without following it if it is a link.
    ///
    /// # Errors
    /// As [`Root::open_file`]; a link in the middle of `path` is [`Reason::SymlinkNotFollowed`].
    pub fn look(&self, path: &RelPath) -> Result<Look, Reason> {
        self.handle.look(path.as_str())
    }

    /// The names in a directory (`None` is the root itself), in no particular order. Stops after
    /// `at_most` names.
    ///
    /// # Errors
    /// As [`Root::open_file`].
    pub fn list(&self, dir: Option<&RelPath>, at_most: usize) -> Result<Vec<Entry>, Reason> {
        self.handle.list(dir.map_or(".", RelPath::as_str), at_most)
    }

    /// Whether the directory still stands somewhere in the file system.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.handle.exists()
    }
}

/// What an open file looks like now.
pub(crate) fn stamp(file: &File) -> io::Result<Stamp> {
    system::stamp(file)
}

/// Opens a regular file outside the root by its absolute path, such as an ignore file of an
/// enclosing directory. The last component is not followed if it is a link.
pub(crate) fn open_outside(path: &Path) -> Result<(File, u64), Reason> {
    system::open_outside(path)
}

#[cfg(test)]
mod tests;
