//! The root, and the files and lists that the host names.

use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::args::SelectionArgs;
use super::failure::{Failure, ReadFault};
use crate::error::Error;
use crate::limits::MIB;
use crate::path::RelPath;
use crate::root::Root;
use crate::scan::list::{self, Separator};

/// Longest list of paths, in bytes.
const LIST_BYTES: u64 = 256 * MIB as u64;

/// Opens the root.
///
/// # Errors
/// [`Failure::Root`].
pub(super) fn open_root(path: &Path) -> Result<Root, Failure> {
    let fail = |kind| Failure::Root {
        path: path.to_owned(),
        kind,
    };
    Root::open(path).map_err(|error| match error {
        Error::Io { kind, .. } => fail(kind),
        _ => fail(io::ErrorKind::Other),
    })
}

/// Whether nobody can mean to serve `directory`: the top of the file system, or a home directory.
pub(super) fn is_no_project(directory: Option<&Path>) -> bool {
    let Some(directory) = directory else {
        return true;
    };
    let is_home = |home: PathBuf| home.canonicalize().unwrap_or(home) == directory;
    let homes = ["/home", "/Users"];
    directory
        .parent()
        .is_none_or(|parent| homes.iter().any(|home| parent == Path::new(home)))
        || directory == Path::new("/root")
        || env::home_dir().is_some_and(is_home)
}

/// The host's list of paths, if it gives one: from a file or from standard input.
///
/// # Errors
/// [`Failure::Read`], [`Failure::LongList`], and those of [`list::parse`].
pub(super) fn read_list(
    args: &SelectionArgs,
    root: &Root,
    max_paths: u64,
) -> Result<Option<Vec<RelPath>>, Failure> {
    let (bytes, separator) = if let Some(path) = &args.files_from {
        (read_file("the list", path, LIST_BYTES)?, Separator::Line)
    } else if args.stdin || args.stdin0 {
        let bytes = read_all(io::stdin().lock(), LIST_BYTES).map_err(|why| Failure::Read {
            what: "the list on",
            path: PathBuf::from("standard input"),
            why,
        })?;
        let separator = if args.stdin0 {
            Separator::Nul
        } else {
            Separator::Line
        };
        (bytes, separator)
    } else {
        return Ok(None);
    };
    match list::parse(&bytes, separator, Some(root.path()), max_paths) {
        Err(Error::InputLimit { limit, .. }) => Err(Failure::LongList { limit }),
        list => Ok(Some(list?)),
    }
}

/// `path` relative to the root, where it is inside.
pub(super) fn inside_root(root: &Root, path: &Path) -> Option<RelPath> {
    let absolute = env::current_dir().ok()?.join(path);
    let name = match absolute.components().next_back()? {
        Component::Normal(name) => name,
        _ => return None,
    };
    // The directory may not exist yet; then nothing in it can be packed either.
    let directory = absolute.parent()?.canonicalize().ok()?;
    below(root, &directory.join(name))
}

/// An absolute path relative to the root, where it begins with the root's.
pub(super) fn below(root: &Root, path: &Path) -> Option<RelPath> {
    let below = path.strip_prefix(root.path()).ok()?;
    let segments: Option<Vec<&str>> = below.iter().map(|one| one.to_str()).collect();
    RelPath::new(&segments?.join("/")).ok()
}

/// An absolute path with each `..` and the name before it taken out, whatever stands there.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// All bytes of a file that the host named.
///
/// # Errors
/// [`Failure::Read`].
pub(super) fn read_file(what: &'static str, path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let fail = |why| Failure::Read {
        what,
        path: path.to_owned(),
        why,
    };
    let file = File::open(path).map_err(|error| fail(ReadFault::System(error.kind())))?;
    read_all(file, limit).map_err(fail)
}

/// All bytes of `source`.
///
/// # Errors
/// [`ReadFault`], also when there are more than `limit`.
pub(super) fn read_all(source: impl Read, limit: u64) -> Result<Vec<u8>, ReadFault> {
    let mut bytes = Vec::new();
    source
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ReadFault::System(error.kind()))?;
    if bytes.len() as u64 > limit {
        return Err(ReadFault::TooLong(limit));
    }
    Ok(bytes)
}

/// The characters of a file in UTF-8, without a byte order mark.
///
/// # Errors
/// [`ReadFault::NotUtf8`].
pub(super) fn to_text(bytes: Vec<u8>) -> Result<String, ReadFault> {
    let mut text = String::from_utf8(bytes).map_err(|_| ReadFault::NotUtf8)?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}
