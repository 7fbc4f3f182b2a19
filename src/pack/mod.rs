//! Packing: all wanted files as one document, or as volumes under a token cap.
//!
//! One pass takes each file from disk to its counted segment, in parallel. What remains is
//! addition: a document's count is the sum of its segments.

pub mod document;
pub mod index;
pub mod piece;
pub mod report;
pub mod split;
pub mod volumes;

use crate::path::RelPath;
use crate::render::Style;

/// What one run is to pack.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// These paths only, in byte order without repetition; or the host's scope.
    pub paths: Option<&'a [RelPath]>,
    /// The form of the document.
    pub style: Style,
    /// Whether function bodies are cut.
    pub compress: bool,
}
