//! Files and directories, written completely or not at all.
//!
//! A file is written beside its place under a temporary name and then moved there, so a failure or
//! an interruption leaves what stood there before. Volumes are moved only when all of them are
//! written; of an earlier run only what begins with this program's own marker is replaced or
//! removed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::settings::{Destination, Target};
use crate::cancel::Cancel;
use crate::marker::is_own_output;
use crate::pack::document::Document;
use crate::pack::volumes::Pack;

/// The name of the index beside the volumes.
const INDEX: &str = "index.json";
/// Bytes of a file that show whether this program wrote it.
const MARKER_BYTES: u64 = 256;

/// Writes a document to its destination. A reader of standard output that went away is no failure.
///
/// # Errors
/// [`Failure::Write`], [`Failure::Stdout`], [`Failure::NotOurs`], and cancellation.
pub(super) fn write_document(
    document: &Document,
    destination: &Destination,
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
        Destination::File(target) => {
            make_directory(target, target.path.parent())?;
            if target.within.is_some() {
                refuse_foreign(&target.path)?;
            }
            let path = behind_link(&target.path);
            if fs::metadata(&path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
                // A device or pipe is written, not replaced.
                return OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .and_then(|mut file| document.write_to(&mut file))
                    .map_err(|error| write_failure(&path, &error));
            }
            let temporary = Temporary::create(&path, |out| document.write_to(out))?;
            cancel.check()?;
            temporary.put()
        }
    }
}

/// Writes volumes and index into a directory.
///
/// # Errors
/// As [`write_document`].
pub(super) fn write_volumes(pack: &Pack, target: &Target, cancel: &Cancel) -> Result<(), Failure> {
    let volumes = pack
        .volumes
        .iter()
        .map(|volume| (volume.name.as_str(), volume.text.as_str()));
    let files: Vec<(&str, &str)> = volumes.chain([(INDEX, pack.index.as_str())]).collect();
    write_files(&files, target, is_volume_name, cancel)
}

/// Writes files into a directory, all or none. What an earlier run left there under names that
/// `is_earlier` knows, and that begins with this program's marker, is replaced or removed.
///
/// # Errors
/// As [`write_document`].
pub(super) fn write_files(
    files: &[(&str, &str)],
    target: &Target,
    is_earlier: fn(&str) -> bool,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let directory = &target.path;
    make_directory(target, Some(directory))?;
    let earlier = earlier_files(directory, is_earlier)?;
    for (name, _) in files {
        refuse_foreign(&directory.join(name))?;
    }
    let mut written = Vec::with_capacity(files.len());
    for (name, text) in files {
        cancel.check()?;
        let path = directory.join(name);
        written.push(Temporary::create(&path, |out| {
            out.write_all(text.as_bytes())
        })?);
    }
    cancel.check()?;
    for path in earlier {
        let name = path.file_name().and_then(|name| name.to_str());
        if files.iter().all(|(new, _)| Some(*new) != name) {
            fs::remove_file(&path).map_err(|error| write_failure(&path, &error))?;
        }
    }
    written.into_iter().try_for_each(Temporary::put)
}

/// Fails early when a document cannot be written where it is to go.
///
/// # Errors
/// [`Failure::Write`] for a directory in the place of the file, or the other way round.
pub(super) fn check_target(target: &Target, wants_directory: bool) -> Result<(), Failure> {
    let Ok(data) = fs::metadata(&target.path) else {
        return Ok(());
    };
    let kind = match (data.is_dir(), wants_directory) {
        (true, false) => ErrorKind::IsADirectory,
        (false, true) => ErrorKind::NotADirectory,
        _ => return Ok(()),
    };
    Err(Failure::Write {
        path: target.path.clone(),
        kind,
    })
}

/// Makes a directory and those above it; one that the repository named must lie inside it.
fn make_directory(target: &Target, directory: Option<&Path>) -> Result<(), Failure> {
    let Some(directory) = directory.filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(());
    };
    let fail = |error: &io::Error| write_failure(directory, error);
    if let Some(within) = &target.within {
        let existing = directory
            .ancestors()
            .find_map(|above| above.canonicalize().ok());
        if !existing.is_some_and(|path| path.starts_with(within)) {
            return Err(Failure::Write {
                path: directory.to_owned(),
                kind: ErrorKind::PermissionDenied,
            });
        }
    }
    fs::create_dir_all(directory).map_err(|error| fail(&error))
}

/// What an earlier run left.
fn earlier_files(directory: &Path, is_earlier: fn(&str) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(directory).map_err(|error| write_failure(directory, &error))?;
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(is_earlier) && is_ours(path)
        })
        .collect();
    found.sort();
    Ok(found)
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

fn refuse_foreign(path: &Path) -> Result<(), Failure> {
    match fs::symlink_metadata(path) {
        Ok(_) if !is_ours(path) => Err(Failure::NotOurs(path.to_owned())),
        _ => Ok(()),
    }
}

/// Whether a regular file begins with this program's marker.
fn is_ours(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    let mut bytes = Vec::new();
    let begins = is_file
        && File::open(path)
            .and_then(|file| file.take(MARKER_BYTES).read_to_end(&mut bytes))
            .is_ok();
    begins && is_own_output(&String::from_utf8_lossy(&bytes))
}

/// The file itself when `path` is a link to one, so that the link stays.
fn behind_link(path: &Path) -> PathBuf {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        _ => path.to_owned(),
    }
}

fn write_failure(path: &Path, error: &io::Error) -> Failure {
    Failure::Write {
        path: path.to_owned(),
        kind: error.kind(),
    }
}

/// A complete file under a temporary name; removed unless it is put in its place.
struct Temporary {
    temporary: PathBuf,
    place: PathBuf,
    is_put: bool,
}

impl Temporary {
    fn create(
        place: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let fail = |error: io::Error| write_failure(place, &error);
        let (temporary, file) = open_beside(place).map_err(fail)?;
        let this = Self {
            temporary,
            place: place.to_owned(),
            is_put: false,
        };
        let mut out = BufWriter::with_capacity(1 << 16, file);
        write(&mut out).and_then(|()| out.flush()).map_err(fail)?;
        if let Ok(data) = fs::metadata(place) {
            fs::set_permissions(&this.temporary, data.permissions()).map_err(fail)?;
        }
        Ok(this)
    }

    fn put(mut self) -> Result<(), Failure> {
        fs::rename(&self.temporary, &self.place)
            .map_err(|error| write_failure(&self.place, &error))?;
        self.is_put = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_put {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// A new file in the directory of `place`.
fn open_beside(place: &Path) -> io::Result<(PathBuf, File)> {
    let directory = place.parent().unwrap_or(Path::new(""));
    if place.file_name().is_none() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut last = io::Error::from(ErrorKind::AlreadyExists);
    for attempt in 0..1_000 {
        let path = directory.join(format!(".moon-repomix.{attempt}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}
