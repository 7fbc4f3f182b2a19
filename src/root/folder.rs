//! A directory that is held open for writing: whatever is made, moved or removed in it stands under
//! a plain name of this very directory, wherever its path leads by now.
//!
//! No operation follows a link under such a name, and [`Folder::put`] looks at what it replaces
//! in the same step: on Linux and macOS two names are exchanged and what came out is compared with
//! what was meant. On file systems that cannot exchange names, and on other systems, a moment
//! remains between the look and the move; even then nothing is written through a link.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

use super::system::folder as system;
use super::{Kind, Stamp};

/// An open directory.
#[derive(Debug)]
pub struct Folder(pub(super) system::Folder);

/// Whether a directory is made where none is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Yes.
    Make,
    /// No, that is [`io::ErrorKind::NotFound`].
    Refuse,
}

/// What stands under a name.
#[derive(Clone, Debug)]
pub struct Standing {
    /// What it is.
    pub kind: Kind,
    /// Which file it is. Numbers of removed files are given again, so the time of the last change
    /// belongs to it.
    pub(super) stamp: Stamp,
    /// Who may do what with it, as the system has it.
    pub(super) rights: system::Rights,
}

/// How a name is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Over whatever stands there.
    Over,
    /// Only where nothing stands.
    New,
    /// Both change places.
    Exchange,
}

impl Folder {
    /// Opens `path`, following links.
    ///
    /// # Errors
    /// What the system says, also when it is no directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        system::Folder::open(path).map(Self)
    }

    /// Opens the directory `name` in this one; `None` when a link stands there.
    ///
    /// # Errors
    /// What the system says.
    pub fn enter(&self, name: &OsStr, missing: Missing) -> io::Result<Option<Self>> {
        if missing == Missing::Make {
            match self.0.make(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(self.0.enter(name)?.map(Self))
    }

    /// What stands under `name`, if anything does.
    ///
    /// # Errors
    /// What the system says.
    pub fn standing(&self, name: &OsStr) -> io::Result<Option<Standing>> {
        match self.0.standing(name) {
            Ok(standing) => Ok(Some(standing)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the regular file `name` for reading if it is still the one that was looked at.
    ///
    /// # Errors
    /// What the system says; [`io::ErrorKind::InvalidInput`] when it is no regular file.
    pub fn read(&self, name: &OsStr, looked_at: &Standing) -> io::Result<Option<File>> {
        let file = self.0.read(name)?;
        Ok((super::stamp(&file)? == looked_at.stamp).then_some(file))
    }

    /// All names, in no particular order.
    ///
    /// # Errors
    /// What the system says.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        self.0.names()
    }

    /// Makes the file `name`, which must not exist, with the rights of what it is to replace. At
    /// no moment has it wider ones.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(&self, name: &OsStr, like: Option<&Standing>) -> io::Result<File> {
        self.0.create(name, like.map(|standing| &standing.rights))
    }

    /// Moves `name` to `place`, over whatever stands there.
    ///
    /// # Errors
    /// What the system says.
    pub fn put_over(&self, name: &OsStr, place: &OsStr) -> io::Result<()> {
        self.0.rename(name, place, Move::Over)
    }

    /// Moves `name` to `place` and says whether it did: not where by now anything else stands
    /// there than what was looked at. `name` remains then.
    ///
    /// # Errors
    /// What the system says.
    pub fn put(
        &self,
        name: &OsStr,
        place: &OsStr,
        looked_at: Option<&Standing>,
    ) -> io::Result<bool> {
        let how = looked_at.map_or(Move::New, |_| Move::Exchange);
        match self.0.rename(name, place, how) {
            Ok(()) if looked_at.is_none() => Ok(true),
            Ok(()) if self.is(name, looked_at)? => self.0.remove(name).map(|()| true),
            Ok(()) => self.0.rename(name, place, how).map(|()| false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            // What was looked at went away.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) if system::cannot_move_so(&error) && self.is(place, looked_at)? => {
                self.put_over(name, place).map(|()| true)
            }
            Err(error) if system::cannot_move_so(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes the file `name`.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove(name)
    }

    /// Whether `name` is what was looked at.
    fn is(&self, name: &OsStr, looked_at: Option<&Standing>) -> io::Result<bool> {
        let which = |standing: &Standing| (standing.kind, standing.stamp);
        Ok(self.standing(name)?.as_ref().map(which) == looked_at.map(which))
    }
}
