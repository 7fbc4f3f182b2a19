//! One accepted file as a counted segment.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::form::{Body, Wanted};
use crate::intake::{self, Accepted, Gathered, Scope};
use crate::options::HostOptions;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::reason::Reason;
use crate::render::{self, Entry, Marks, Part};
use crate::text::{LineRange, Origin};
use crate::tokens::count::with_counter;

use super::Request;

/// One accepted file, rendered and counted.
#[derive(Debug)]
pub struct Piece {
    /// What is told about the file.
    pub file: FileFacts,
    /// The complete segment.
    pub segment: String,
    /// Tokens of the segment.
    pub tokens: u64,
    /// The body, kept only when the segment is over the room of a volume and must be divided.
    pub body: Option<Body>,
}

/// What results tell about one accepted file.
#[derive(Clone, Debug)]
pub struct FileFacts {
    /// Root-relative path.
    pub path: RelPath,
    /// Bytes on disk.
    pub source_bytes: u64,
    /// Lines of the source.
    pub source_lines: u32,
    /// The accepted reason.
    pub reason: Reason,
    /// Source lines that markers replaced.
    pub elided: Vec<(u32, u32)>,
    /// How the source was found in its bytes.
    pub origin: Origin,
    /// Characters that the style cannot carry and that were replaced.
    pub n_replaced: u32,
}

/// What pieces may cost before the run fails early or keeps their bodies.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Tokens a volume has for files. Larger segments keep their body for dividing.
    pub tokens: u64,
    /// Bytes of all segments together.
    pub bytes: u64,
}

impl Room {
    /// For one document of any size.
    pub const UNBOUNDED: Self = Self {
        tokens: u64::MAX,
        bytes: u64::MAX,
    };
}

/// Gathers the request's files as pieces.
///
/// # Errors
/// Those of [`intake::gather`]; [`Error::SelectionTooLarge`] as soon as the segments pass
/// `room.bytes`; [`Error::SecretInText`] for the host's own texts.
pub fn gather(
    host: &HostOptions,
    request: &Request<'_>,
    room: Room,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Gathered<Piece>, Error> {
    host.check_texts(cancel)?;
    let scope = request.paths.map_or(Scope::Host, Scope::Paths);
    let n_bytes = AtomicU64::new(0);
    let make = |accepted: Accepted| {
        let piece = piece(host, request, accepted, room.tokens, cancel)?;
        let added = piece.segment.len() as u64;
        // Whether the sum passes the limit does not depend on the order of files.
        if n_bytes.fetch_add(added, Ordering::Relaxed) + added > room.bytes {
            return Err(Error::SelectionTooLarge {
                limit: room.bytes,
                source_bytes: 0,
                compress: request.compress,
            });
        }
        Ok(piece)
    };
    let sources = host.sources();
    match intake::gather(&sources, scope, make, progress, cancel) {
        Err(Error::SelectionTooLarge {
            limit, compress, ..
        }) => Err(Error::SelectionTooLarge {
            limit,
            source_bytes: intake::source_bytes(&sources, scope, cancel)?,
            compress,
        }),
        gathered => gathered,
    }
}

fn piece(
    host: &HostOptions,
    request: &Request<'_>,
    accepted: Accepted,
    room: u64,
    cancel: &Cancel,
) -> Result<Piece, Error> {
    let path = accepted.path.clone();
    let source_bytes = accepted.n_bytes;
    let wanted = Wanted::of_run(request.compress);
    with_counter(|counter| {
        let body = Body::new(accepted, wanted, &mut |text| counter.count(text), cancel)?;
        let segment = if host.sections.files {
            host.segment(request.style, &path, &body)
        } else {
            String::new()
        };
        let tokens = counter.count_checked(&segment, cancel)?;
        let file = FileFacts {
            source_bytes,
            source_lines: body.n_source_lines,
            reason: body.reason,
            elided: body.elided.clone(),
            origin: body.origin,
            n_replaced: render::n_replaced(request.style, &body.text),
            path,
        };
        let body = (tokens > room).then_some(body);
        Ok(Piece {
            file,
            segment,
            tokens,
            body,
        })
    })
}

/// Lines `from..to` (0-based) of a divided file's body.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// The text of these lines.
    pub text: &'a str,
    /// First line.
    pub from: usize,
    /// One past the last line.
    pub to: usize,
    /// Whether the body ends here.
    pub last: bool,
}

/// The source lines that a part stands for: up to the line before the next part's first, so that
/// the parts of a file cover all its lines once.
#[must_use]
pub fn part_range(body: &Body, lines: &Lines<'_>) -> LineRange {
    let start = if lines.from == 0 {
        1
    } else {
        body.source_line(lines.from)
    };
    let end = if lines.last {
        body.n_source_lines
    } else {
        body.source_line(lines.to).saturating_sub(1).max(start)
    };
    LineRange { start, end }
}

/// The segment of one part of a divided file.
#[must_use]
pub fn part_segment(
    host: &HostOptions,
    request: &Request<'_>,
    path: &RelPath,
    body: &Body,
    lines: &Lines<'_>,
    part: Part,
) -> String {
    let numbers = host
        .line_numbers
        .then(|| body.source_lines(lines.from, lines.to));
    let range = part_range(body, lines);
    let elided: Vec<(u32, u32)> = if host.full_metadata {
        elided_within(&body.elided, range)
    } else {
        Vec::new()
    };
    let marks = Marks {
        part: Some(part),
        lines: Some(range),
        skeleton: body.is_skeleton(),
        undecoded: body.origin.undecoded,
        elided: &elided,
    };
    let entry = Entry {
        path: path.as_str(),
        body: lines.text,
        numbers: numbers.as_deref(),
        marks,
    };
    render::entry(request.style, &entry)
}

/// The replaced ranges whose marker stands in `range`.
#[must_use]
pub fn elided_within(elided: &[(u32, u32)], range: LineRange) -> Vec<(u32, u32)> {
    elided
        .iter()
        .copied()
        .filter(|(first, _)| range.start <= *first && *first <= range.end)
        .collect()
}
