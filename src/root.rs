//! The opened root directory: the only door to the file system for everything that is packed.
//!
//! Guarantees, on Linux by `openat2` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
//! RESOLVE_NO_MAGICLINKS`, elsewhere by opening each component without following links: what is
//! opened lies below the directory that was opened at the start, and no link was followed, even
//! when a component is swapped while the program runs.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::path::RelPath;
use crate::reason::Reason;

/// The directory everything is read from, held open for the life of the process.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
}
