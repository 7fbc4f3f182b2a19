//! Bounded reads through [`Root`].

use std::fs::File;
use std::io::{self, Read};

use crate::path::RelPath;
use crate::reason::Reason;
use crate::root::{self, Root};

/// The bytes of one file, at most `max_bytes` of them. One allocation of exactly the file's size.
///
/// # Errors
/// Why there are none: what [`Root::open_file`] says, [`Reason::FileTooLarge`],
/// [`Reason::ChangedDuringRead`] when size or time of change differ before and after, or
/// [`Reason::ReadFailed`].
pub fn read(root: &Root, path: &RelPath, max_bytes: u64) -> Result<Vec<u8>, Reason> {
    let (file, _) = root.open_file(path)?;
    read_open(file, max_bytes)
}

/// The bytes of an open file, under the rules of [`read`].
pub(crate) fn read_open(mut file: File, max_bytes: u64) -> Result<Vec<u8>, Reason> {
    let before = root::stamp(&file).map_err(|error| reason(&error))?;
    if before.size > max_bytes {
        return Err(Reason::FileTooLarge);
    }
    let size = usize::try_from(before.size).map_err(|_| Reason::FileTooLarge)?;
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(size)
        .map_err(|_| Reason::ReadFailed)?;
    (&mut file)
        .take(before.size)
        .read_to_end(&mut bytes)
        .map_err(|error| reason(&error))?;
    let grown = file.read(&mut [0]).map_err(|error| reason(&error))? > 0;
    let after = root::stamp(&file).map_err(|error| reason(&error))?;
    if grown || bytes.len() != size || before != after {
        return Err(Reason::ChangedDuringRead);
    }
    Ok(bytes)
}

fn reason(error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Reason::PermissionDenied,
        io::ErrorKind::IsADirectory => Reason::NotRegularFile,
        _ => Reason::ReadFailed,
    }
}
