//! Bounded reads through [`Root`].

use std::fs::File;
use std::io::{self, Read};

use crate::path::RelPath;
use crate::reason::Reason;
use crate::root::{self, Root, Stamp};

/// The bytes of one file, at most `max_bytes` of them. One allocation of exactly the file's size.
///
/// # Errors
/// Why there are none: what [`Root::open_file`] says, [`Reason::FileTooLarge`],
/// [`Reason::ChangedDuringRead`] when size or time of change differ before and after, or
/// [`Reason::ReadFailed`].
pub fn read(root: &Root, path: &RelPath, max_bytes: u64) -> Result<Vec<u8>, Reason> {
    read_stamped(root, path, max_bytes).map(|(bytes, _)| bytes)
}

/// The same, with the stamp that the file had before and after it was read.
pub(crate) fn read_stamped(
    root: &Root,
    path: &RelPath,
    max_bytes: u64,
) -> Result<(Vec<u8>, Stamp), Reason> {
    let (file, _) = root.open_file(path)?;
    read_while(file, max_bytes, || {})
}

/// The stamp that a file has now.
pub(crate) fn stamp(root: &Root, path: &RelPath) -> Result<Stamp, Reason> {
    let (file, _) = root.open_file(path)?;
    root::stamp(&file).map_err(|error| reason(&error))
}

/// The bytes of an open file, under the rules of [`read`].
pub(crate) fn read_open(file: File, max_bytes: u64) -> Result<Vec<u8>, Reason> {
    read_while(file, max_bytes, || {}).map(|(bytes, _)| bytes)
}

/// Reads, with `meanwhile` done when the bytes are there and before the second look at the file.
fn read_while(
    mut file: File,
    max_bytes: u64,
    meanwhile: impl FnOnce(),
) -> Result<(Vec<u8>, Stamp), Reason> {
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
    meanwhile();
    let grown = file.read(&mut [0]).map_err(|error| reason(&error))? > 0;
    let after = root::stamp(&file).map_err(|error| reason(&error))?;
    if grown || bytes.len() != size || !after.same_content(&before) {
        return Err(Reason::ChangedDuringRead);
    }
    Ok((bytes, after))
}

fn reason(error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Reason::PermissionDenied,
        io::ErrorKind::IsADirectory => Reason::NotRegularFile,
        _ => Reason::ReadFailed,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn sizes() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("four"), "four").unwrap();
        fs::write(dir.path().join("none"), "").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let read = |name: &str, max| read(&root, &RelPath::new(name).unwrap(), max);
        let four = read("four", 4).unwrap();
        assert_eq!((four.as_slice(), four.capacity()), (&b"four"[..], 4));
        assert_eq!(read("four", 3), Err(Reason::FileTooLarge));
        assert_eq!(read("none", 0), Ok(vec![]));
        assert_eq!(read("gone", 0), Err(Reason::NotFound));
    }

    #[test]
    fn changes_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let edit = || fs::OpenOptions::new().append(true).open(&path).unwrap();
        let check = |meanwhile: &dyn Fn(), expected: Result<&[u8], Reason>| {
            fs::write(&path, "four").unwrap();
            let file = File::open(&path).unwrap();
            let got = read_while(file, 9, meanwhile).map(|(bytes, _)| bytes);
            assert_eq!(got.as_deref(), expected.as_ref().map(|bytes| &**bytes));
        };
        check(&|| {}, Ok(b"four"));
        check(
            &|| edit().write_all(b"five").unwrap(),
            Err(Reason::ChangedDuringRead),
        );
        check(
            &|| edit().set_len(3).unwrap(),
            Err(Reason::ChangedDuringRead),
        );
        // Written anew at the same size: only the time tells.
        check(
            &|| edit().set_modified(std::time::UNIX_EPOCH).unwrap(),
            Err(Reason::ChangedDuringRead),
        );
        // Replaced by name: what was read is still one complete state.
        check(&|| fs::remove_file(&path).unwrap(), Ok(b"four"));
    }
}
