//! One document with everything in it.

use std::io::{self, Write};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::{Security, Skipped};
use crate::options::HostOptions;
use crate::progress::Progress;
use crate::reason::IdleRules;
use crate::render::document::{Around, Frame, around};
use crate::render::tree::Tree;
use crate::render::{Style, separator};
use crate::tokens::count::with_counter;
use crate::tokens::verify;

use super::Request;
use super::piece::{Piece, Room, gather};

/// A complete document, held as its segments.
#[derive(Debug)]
pub struct Document {
    /// The form.
    pub style: Style,
    /// What stands around the files.
    pub around: Around,
    /// Tokens of `around`.
    pub frame_tokens: u64,
    /// The files, in path order.
    pub pieces: Vec<Piece>,
    /// Everything left out, in path order.
    pub skipped: Vec<Skipped>,
    /// The outcome of the secret scan.
    pub security: Security,
    /// Rule files that are not in force, in ascending order.
    pub idle: Vec<IdleRules>,
    /// Whether a directory could not be listed or a rule file is not in force.
    pub partial: bool,
    /// Tokens of the whole document.
    pub tokens: u64,
    /// Bytes of the whole document.
    pub n_bytes: u64,
}

/// Packs the request's files into one document.
///
/// # Errors
/// Those of [`gather`]; [`Error::CountMismatch`] when the host asked for the check and it failed.
pub fn pack(
    host: &HostOptions,
    request: &Request<'_>,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Document, Error> {
    let gathered = gather(host, request, Room::UNBOUNDED, progress, cancel)?;
    let tree = host.sections.tree.then(|| {
        Tree::new(
            gathered
                .accepted
                .iter()
                .map(|piece| piece.file.path.as_str()),
        )
        .full_text()
    });
    let frame = Frame {
        tree: tree.as_deref(),
        ..host.frame(request.style, request.compress)
    };
    let around = around(&frame);
    let frame_tokens = with_counter(|counter| {
        Ok::<u64, Error>(
            counter.count_checked(&around.head, cancel)?
                + counter.count_checked(&around.tail, cancel)?,
        )
    })?;
    let pieces = gathered.accepted;
    let separators = separator(request.style).len() * n_shown(&pieces).saturating_sub(1);
    let n_bytes = around.n_bytes()
        + separators
        + pieces
            .iter()
            .map(|piece| piece.segment.len())
            .sum::<usize>();
    let document = Document {
        style: request.style,
        tokens: frame_tokens + pieces.iter().map(|piece| piece.tokens).sum::<u64>(),
        n_bytes: n_bytes as u64,
        around,
        frame_tokens,
        pieces,
        skipped: gathered.skipped,
        security: gathered.security,
        idle: gathered.idle,
        partial: gathered.partial,
    };
    if host.verify_counts {
        verify::check(&document.to_text(), document.tokens)?;
    }
    Ok(document)
}

fn n_shown(pieces: &[Piece]) -> usize {
    pieces
        .iter()
        .filter(|piece| !piece.segment.is_empty())
        .count()
}

impl Document {
    /// Writes the document, exactly the bytes that were counted.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.around.head.as_bytes())?;
        let shown = self.pieces.iter().filter(|piece| !piece.segment.is_empty());
        for (i, piece) in shown.enumerate() {
            if i > 0 {
                out.write_all(separator(self.style).as_bytes())?;
            }
            out.write_all(piece.segment.as_bytes())?;
        }
        out.write_all(self.around.tail.as_bytes())
    }

    /// The document as one string.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut bytes = Vec::with_capacity(usize::try_from(self.n_bytes).unwrap_or(0));
        // Writing to memory does not fail, and every segment is text.
        let _ = self.write_to(&mut bytes);
        String::from_utf8(bytes).unwrap_or_default()
    }
}
