//! Sources without function bodies.

use std::ops::Range;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::path::RelPath;
use crate::reason::Reason;

/// A source with bodies replaced by markers.
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// The text.
    pub text: String,
    /// What was replaced.
    pub cuts: Vec<Cut>,
}

/// One replaced stretch.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Bytes of the source.
    pub source: Range<usize>,
    /// Bytes of the marker in the skeleton.
    pub output: Range<usize>,
    /// First source line.
    pub first_line: u32,
    /// Last source line.
    pub last_line: u32,
}

/// Cuts function bodies out of `text`.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn skeleton(
    _path: &RelPath,
    _text: &str,
    _count: &mut dyn FnMut(&str) -> u64,
    cancel: &Cancel,
) -> Result<Result<Skeleton, Reason>, Error> {
    cancel.check()?;
    Ok(Err(Reason::SkeletonUnsupportedLanguage))
}
