//! From a target to an opened directory, and a file that is complete before it takes its place.
//!
//! What somebody typed is followed through links and replaced. A place that nobody typed is reached
//! from an opened directory without following a link, and only what begins with this program's own
//! marker is replaced there: a repository that was merely cloned chooses neither where the result
//! goes nor what it overwrites.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::settings::{Reach, Target};
use crate::marker::{is_own_output, temporary_name};
use crate::path::RelPath;
use crate::root::folder::{Folder, Missing, Standing};
use crate::root::{Kind, Root};

/// Bytes of a file that show whether this program wrote it.
const MARKER_BYTES: u64 = 256;
/// Links that are followed one after the other, as many as the system follows itself.
const LINKS: usize = 40;
/// Names that are tried; one of them is taken already about once in 2^64 times.
const NAMES: usize = 8;

/// An open directory in which files are put.
#[derive(Debug)]
pub(super) struct Place {
    folder: Folder,
    /// The directory as it is shown.
    shown: PathBuf,
}

impl Place {
    /// Opens the directory in which the target lies, and gives its name there.
    ///
    /// # Errors
    /// [`Failure::Write`], [`Failure::Linked`].
    pub(super) fn around(
        target: &Target,
        root: &Root,
        missing: Missing,
    ) -> Result<(Self, OsString), Failure> {
        let path = match target.reach {
            Reach::Typed => behind_links(&target.path)?,
            _ => target.path.clone(),
        };
        let nameless = || write_failure(&path, &ErrorKind::InvalidInput.into());
        let name = path.file_name().ok_or_else(nameless)?.to_owned();
        let place = match base(target, root)? {
            None => Self::follow(path.parent().unwrap_or(Path::new("")), missing)?,
            Some((base, below)) => base.descend(below.parent().as_ref(), missing)?,
        };
        Ok((place, name))
    }

    /// Opens the directory that the target is.
    ///
    /// # Errors
    /// [`Failure::Write`], [`Failure::Linked`].
    pub(super) fn at(target: &Target, root: &Root, missing: Missing) -> Result<Self, Failure> {
        match base(target, root)? {
            None if target.reach == Reach::Typed => Self::follow(&target.path, missing),
            None => {
                let (place, name) = Self::around(target, root, missing)?;
                place.enter(&name, missing)
            }
            Some((base, below)) => base.descend(Some(below), missing),
        }
    }

    /// Through whatever links there are.
    fn follow(shown: &Path, missing: Missing) -> Result<Self, Failure> {
        let here = match shown.as_os_str().is_empty() {
            true => Path::new("."),
            false => shown,
        };
        let made = match missing {
            Missing::Make => fs::create_dir_all(here),
            Missing::Refuse => Ok(()),
        };
        let folder = made.and_then(|()| Folder::open(here));
        let folder = folder.map_err(|error| write_failure(shown, &error))?;
        let shown = shown.to_owned();
        Ok(Self { folder, shown })
    }

    fn descend(self, path: Option<&RelPath>, missing: Missing) -> Result<Self, Failure> {
        let mut names = path.into_iter().flat_map(RelPath::segments);
        names.try_fold(self, |here, name| here.enter(OsStr::new(name), missing))
    }

    fn enter(&self, name: &OsStr, missing: Missing) -> Result<Self, Failure> {
        let shown = self.shown.join(name);
        match self.folder.enter(name, missing) {
            Ok(Some(folder)) => Ok(Self { folder, shown }),
            Ok(None) => Err(Failure::Linked(shown)),
            Err(error) => Err(write_failure(&shown, &error)),
        }
    }

    /// The names of files of this program that `wanted` knows, sorted.
    ///
    /// # Errors
    /// [`Failure::Write`].
    pub(super) fn own_files(&self, wanted: fn(&str) -> bool) -> Result<Vec<OsString>, Failure> {
        let names = self.folder.names();
        let mut names = names.map_err(|error| write_failure(&self.shown, &error))?;
        names.retain(|name| name.to_str().is_some_and(wanted) && self.own(name).is_ok());
        names.sort();
        Ok(names)
    }

    /// What stands under a name, which must be nothing or a file of this program.
    ///
    /// # Errors
    /// [`Failure::Linked`], [`Failure::NotOurs`], [`Failure::Write`].
    pub(super) fn own(&self, name: &OsStr) -> Result<Option<Standing>, Failure> {
        let Some(standing) = self.standing(name)? else {
            return Ok(None);
        };
        match standing.kind {
            Kind::Symlink => Err(Failure::Linked(self.shown.join(name))),
            Kind::File if self.has_marker(name, &standing) => Ok(Some(standing)),
            _ => Err(Failure::NotOurs(self.shown.join(name))),
        }
    }

    /// What stands under a name.
    ///
    /// # Errors
    /// [`Failure::Write`].
    pub(super) fn standing(&self, name: &OsStr) -> Result<Option<Standing>, Failure> {
        let standing = self.folder.standing(name);
        standing.map_err(|error| write_failure(&self.shown.join(name), &error))
    }

    fn has_marker(&self, name: &OsStr, standing: &Standing) -> bool {
        let Ok(Some(file)) = self.folder.read(name, standing) else {
            return false;
        };
        let mut bytes = Vec::new();
        let read = file.take(MARKER_BYTES).read_to_end(&mut bytes);
        read.is_ok() && is_own_output(&String::from_utf8_lossy(&bytes))
    }

    /// Removes a file of this program.
    ///
    /// # Errors
    /// As [`Place::own`].
    pub(super) fn remove(&self, name: &OsStr) -> Result<(), Failure> {
        self.own(name)?;
        let removed = self.folder.remove(name);
        removed.map_err(|error| write_failure(&self.shown.join(name), &error))
    }
}

/// The directory that a place nobody typed is relative to, and the way from there.
fn base<'a>(target: &'a Target, root: &Root) -> Result<Option<(Place, &'a RelPath)>, Failure> {
    let (folder, below) = match &target.reach {
        Reach::Typed | Reach::Outside => return Ok(None),
        Reach::Root(below) => (root.folder(), below),
        Reach::Current(below) => (Folder::open(Path::new(".")), below),
    };
    let shown = target.path.ancestors().nth(below.segments().count());
    let place = Place {
        folder: folder.map_err(|error| write_failure(&target.path, &error))?,
        shown: shown.unwrap_or(Path::new("")).to_owned(),
    };
    Ok(Some((place, below)))
}

/// Where `path` leads, so that links to a file stay: also when there is no file yet.
fn behind_links(path: &Path) -> Result<PathBuf, Failure> {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    let mut here = path.to_owned();
    for _ in 0..LINKS {
        if !is_link(&here) {
            break;
        }
        match here.canonicalize() {
            Ok(real) => return Ok(real),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(write_failure(path, &error)),
        }
        let next = fs::read_link(&here).map_err(|error| write_failure(path, &error))?;
        here = here.parent().unwrap_or(Path::new("")).join(next);
    }
    Ok(here)
}

/// Which file a new one may replace.
#[derive(Debug)]
pub(super) enum Over {
    /// Any: its place was typed.
    Any(Option<Standing>),
    /// The one that was looked at, or none.
    Only(Option<Standing>),
}

/// A complete file under a temporary name; removed unless it is put in its place.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    place: &'a Place,
    temporary: OsString,
    name: OsString,
    over: Over,
    is_put: bool,
}

impl<'a> Temporary<'a> {
    /// Writes what is to become `name`.
    ///
    /// # Errors
    /// [`Failure::Write`].
    pub(super) fn create(
        place: &'a Place,
        name: &OsStr,
        over: Over,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let fail = |error: io::Error| write_failure(&place.shown.join(name), &error);
        let (Over::Any(like) | Over::Only(like)) = &over;
        let (temporary, file) = open_new(&place.folder, like.as_ref()).map_err(fail)?;
        let this = Self {
            place,
            temporary,
            name: name.to_owned(),
            over,
            is_put: false,
        };
        let mut out = BufWriter::with_capacity(1 << 16, file);
        write(&mut out).and_then(|()| out.flush()).map_err(fail)?;
        Ok(this)
    }

    /// Moves it to its place.
    ///
    /// # Errors
    /// [`Failure::Write`]; [`Failure::NotOurs`] when something else stands there by now.
    pub(super) fn put(mut self) -> Result<(), Failure> {
        let (folder, from) = (&self.place.folder, &self.temporary);
        let put = match &self.over {
            Over::Any(_) => folder.put_over(from, &self.name).map(|()| true),
            Over::Only(looked_at) => folder.put(from, &self.name, looked_at.as_ref()),
        };
        let shown = || self.place.shown.join(&self.name);
        self.is_put = put.map_err(|error| write_failure(&shown(), &error))?;
        match self.is_put {
            true => Ok(()),
            false => Err(Failure::NotOurs(shown())),
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_put {
            let _ = self.place.folder.remove(&self.temporary);
        }
    }
}

/// A new file under a name that no other run takes, whatever earlier ones left behind.
fn open_new(folder: &Folder, like: Option<&Standing>) -> io::Result<(OsString, File)> {
    let mut taken = io::Error::other("every name is taken");
    for _ in 0..NAMES {
        // The keys of the standard hasher are random, another pair each time.
        let name = OsString::from(temporary_name(RandomState::new().hash_one(0)));
        match folder.create(&name, like) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// Says that `path` cannot be written.
pub(super) fn write_failure(path: &Path, error: &io::Error) -> Failure {
    Failure::Write {
        path: path.to_owned(),
        kind: error.kind(),
    }
}
