//! Path to language.

use crate::path::RelPath;

/// Info string for a Markdown fence.
#[must_use]
pub fn fence_hint(path: &RelPath) -> &'static str {
    match path.name().rsplit_once('.').map(|(_, extension)| extension) {
        Some("rs") => "rust",
        Some("py") => "python",
        _ => "",
    }
}
