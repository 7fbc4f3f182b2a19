//! Files and directories, written completely or not at all.
//!
//! A file is written beside its place under a temporary name and then moved there, so a failure or
//! an interruption leaves what stood there before. Volumes are moved only when all of them are
//! written; of an earlier run only what begins with this program's own marker is replaced or
//! removed. [`place`](super::place) says where all this may happen.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};

use super::failure::Failure;
use super::place::{Over, Place, Temporary, write_failure};
use super::settings::{Destination, Reach, Target};
use crate::cancel::Cancel;
use crate::pack::document::Document;
use crate::pack::volumes::Pack;
use crate::root::folder::Missing;
use crate::root::{Kind, Root};

/// The name of the index beside the volumes.
const INDEX: &str = "index.json";

/// Writes a document to its destination. A reader of standard output that went away is no failure.
///
/// # Errors
/// [`Failure::Write`], [`Failure::Stdout`], [`Failure::NotOurs`], [`Failure::Linked`], and
/// cancellation.
pub(super) fn write_document(
    document: &Document,
    destination: &Destination,
    root: &Root,
    cancel: &Cancel,
) -> Result<(), Failure> {
    match destination {
        Destination::Stdout => {
            let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
            match document.write_to(&mut out).and_then(|()| out.flush()) {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    Err(Failure::Stdout(error.kind()))
                }
                _ => Ok(()),
            }
        }
        Destination::File(target) if is_device(target) => OpenOptions::new()
            .write(true)
            .open(&target.path)
            .and_then(|mut file| document.write_to(&mut file))
            .map_err(|error| write_failure(&target.path, &error)),
        Destination::File(target) => {
            let (place, name) = Place::around(target, root, Missing::Make)?;
            let over = match target.reach {
                Reach::Typed => Over::Any(place.standing(&name)?),
                _ => Over::Only(place.own(&name)?),
            };
            let temporary = Temporary::create(&place, &name, over, |out| document.write_to(out))?;
            cancel.check()?;
            temporary.put()
        }
    }
}

/// Writes volumes and index into a directory.
///
/// # Errors
/// As [`write_document`].
pub(super) fn write_volumes(
    pack: &Pack,
    target: &Target,
    root: &Root,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let volumes = pack
        .volumes
        .iter()
        .map(|volume| (volume.name.as_str(), volume.text.as_str()));
    let files: Vec<(&str, &str)> = volumes.chain([(INDEX, pack.index.as_str())]).collect();
    write_files(&files, target, root, is_volume_name, cancel)
}

/// Writes files into a directory, all or none. What an earlier run left there under names that
/// `is_earlier` knows, and that begins with this program's marker, is replaced or removed.
///
/// # Errors
/// As [`write_document`].
pub(super) fn write_files(
    files: &[(&str, &str)],
    target: &Target,
    root: &Root,
    is_earlier: fn(&str) -> bool,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let place = Place::at(target, root, Missing::Make)?;
    let earlier = place.own_files(is_earlier)?;
    let mut over = Vec::with_capacity(files.len());
    for (name, _) in files {
        over.push(Over::Only(place.own(OsStr::new(name))?));
    }
    let mut written = Vec::with_capacity(files.len());
    for ((name, text), over) in files.iter().zip(over) {
        cancel.check()?;
        written.push(Temporary::create(&place, OsStr::new(name), over, |out| {
            out.write_all(text.as_bytes())
        })?);
    }
    cancel.check()?;
    let new: HashSet<&OsStr> = files.iter().map(|(name, _)| OsStr::new(name)).collect();
    for name in earlier
        .iter()
        .filter(|name| !new.contains(name.as_os_str()))
    {
        place.remove(name)?;
    }
    written.into_iter().try_for_each(Temporary::put)
}

/// Fails early when a document cannot be written where it is to go.
///
/// # Errors
/// [`Failure::Write`] for a directory in the place of the file, or the other way round; for a place
/// that nobody typed also [`Failure::NotOurs`] and [`Failure::Linked`].
pub(super) fn check_target(target: &Target, root: &Root, wanted: Kind) -> Result<(), Failure> {
    let mismatch = |is_directory: bool| match (is_directory, wanted == Kind::Directory) {
        (true, false) => Err(write_failure(&target.path, &ErrorKind::IsADirectory.into())),
        (false, true) => Err(write_failure(
            &target.path,
            &ErrorKind::NotADirectory.into(),
        )),
        _ => Ok(()),
    };
    if target.reach == Reach::Typed {
        return fs::metadata(&target.path).map_or(Ok(()), |data| mismatch(data.is_dir()));
    }
    let (place, name) = match Place::around(target, root, Missing::Refuse) {
        Err(Failure::Write {
            kind: ErrorKind::NotFound,
            ..
        }) => return Ok(()),
        found => found?,
    };
    match place.standing(&name)?.map(|standing| standing.kind) {
        None => Ok(()),
        Some(Kind::Symlink) => Err(Failure::Linked(target.path.clone())),
        Some(kind) => {
            mismatch(kind == Kind::Directory)?;
            match wanted {
                Kind::Directory => Ok(()),
                _ => place.own(&name).map(drop),
            }
        }
    }
}

/// A device or pipe that somebody typed is written, not replaced.
fn is_device(target: &Target) -> bool {
    let is_device = |data: fs::Metadata| !data.is_file() && !data.is_dir();
    target.reach == Reach::Typed && fs::metadata(&target.path).is_ok_and(is_device)
}

/// `index.json`, `volume-001.xml` and so on.
fn is_volume_name(name: &str) -> bool {
    let number = |rest: &str| {
        rest.split_once('.').is_some_and(|(number, extension)| {
            number.len() >= 3
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && ["xml", "md", "json", "txt"].contains(&extension)
        })
    };
    name == INDEX || name.strip_prefix("volume-").is_some_and(number)
}
