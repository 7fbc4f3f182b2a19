//! The same operations through paths, for systems without directory descriptors: every component
//! is looked at, and refused if it is a link, before the last one is opened.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::{Entry, Kind, Look, Stamp};
use crate::reason::Reason;

/// The path of the root.
#[derive(Debug)]
pub(super) struct Handle(PathBuf);

impl Handle {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        fs::read_dir(path)?;
        Ok(Self(path.to_owned()))
    }

    pub(super) fn open_file(&self, path: &str) -> Result<(File, u64), Reason> {
        let look = self.look(path)?;
        if look.kind != Kind::File {
            return Err(match look.kind {
                Kind::Symlink => Reason::SymlinkNotFollowed,
                _ => Reason::NotRegularFile,
            });
        }
        open_outside(&self.0.join(path))
    }

    pub(super) fn look(&self, path: &str) -> Result<Look, Reason> {
        let mut here = self.0.clone();
        let mut segments = path.split('/').peekable();
        while let Some(segment) = segments.next() {
            here.push(segment);
            let look = look_at(&fs::symlink_metadata(&here).map_err(|e| reason(&e))?);
            if segments.peek().is_none() {
                return Ok(look);
            }
            match look.kind {
                Kind::Directory => {}
                Kind::Symlink => return Err(Reason::SymlinkNotFollowed),
                Kind::File | Kind::Other => return Err(Reason::NotFound),
            }
        }
        Err(Reason::NotFound)
    }

    pub(super) fn list(&self, dir: &str, at_most: usize) -> Result<Vec<Entry>, Reason> {
        let mut path = self.0.clone();
        if dir != "." {
            match self.look(dir)?.kind {
                Kind::Directory => path.push(dir),
                Kind::Symlink => return Err(Reason::SymlinkNotFollowed),
                Kind::File | Kind::Other => return Err(Reason::NotFound),
            }
        }
        let mut entries = Vec::new();
        for entry in walkdir::WalkDir::new(&path).min_depth(1).max_depth(1) {
            let entry =
                entry.map_err(|error| error.io_error().map_or(Reason::ReadFailed, reason))?;
            let look = entry.metadata().map_or(
                Look {
                    kind: Kind::Other,
                    size: 0,
                },
                |data| look_at(&data),
            );
            entries.push(Entry {
                name: entry.file_name().to_owned(),
                look,
            });
            if entries.len() >= at_most {
                break;
            }
        }
        Ok(entries)
    }

    pub(super) fn exists(&self) -> bool {
        self.0.is_dir()
    }
}

fn look_at(data: &Metadata) -> Look {
    let kind = if data.is_symlink() {
        Kind::Symlink
    } else if data.is_dir() {
        Kind::Directory
    } else if data.is_file() {
        Kind::File
    } else {
        Kind::Other
    };
    Look {
        kind,
        size: if kind == Kind::File { data.len() } else { 0 },
    }
}

pub(super) fn open_outside(path: &Path) -> Result<(File, u64), Reason> {
    match look_at(&fs::symlink_metadata(path).map_err(|e| reason(&e))?).kind {
        Kind::File => {}
        Kind::Symlink => return Err(Reason::SymlinkNotFollowed),
        Kind::Directory | Kind::Other => return Err(Reason::NotRegularFile),
    }
    let file = File::open(path).map_err(|e| reason(&e))?;
    let size = file.metadata().map_err(|e| reason(&e))?.len();
    Ok((file, size))
}

pub(super) fn stamp(file: &File) -> io::Result<Stamp> {
    let data = file.metadata()?;
    let modified = data.modified().ok().and_then(|time| {
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some((
            i64::try_from(since.as_secs()).ok()?,
            i64::from(since.subsec_nanos()),
        ))
    });
    Ok(Stamp {
        size: data.len(),
        modified,
        changed: None,
        identity: (0, 0),
    })
}

/// Seconds since the epoch.
pub(super) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}

fn reason(error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Reason::NotFound,
        io::ErrorKind::PermissionDenied => Reason::PermissionDenied,
        _ => Reason::ReadFailed,
    }
}
