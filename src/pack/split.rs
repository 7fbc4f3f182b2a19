//! Cuts a run's segments into volumes that each fit the token cap.
//!
//! Files keep their order. A file that fits an empty volume is never divided; a longer one is
//! divided at line ends into parts that are disjoint and cover all its lines. Every volume repeats
//! the frame. Each part is rendered and counted as it will stand, because a cut can change the
//! tokens on both sides of it; a volume's count is then a sum.

use rayon::prelude::*;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::Skipped;
use crate::intake::form::Body;
use crate::options::HostOptions;
use crate::path::RelPath;
use crate::reason::{Omission, Reason};
use crate::render::document::{Around, Frame, around};
use crate::render::tree::Tree;
use crate::render::{Part, separator};
use crate::text::{self, LineRange, slice};
use crate::tokens::count::{Counter, with_counter};

use super::Request;
use super::piece::{FileFacts, Lines, Piece, elided_within, part_range, part_segment};

/// What bounds the volumes of a run.
#[derive(Clone, Copy, Debug)]
pub struct VolumeCaps {
    /// Tokens of one volume.
    pub tokens: u64,
    /// Bytes of one volume.
    pub bytes: u64,
    /// Number of volumes.
    pub volumes: u64,
}

/// One piece of a divided document, complete and counted.
#[derive(Debug)]
pub struct Volume {
    /// `volume-001.md` and so on.
    pub name: String,
    /// The document.
    pub text: String,
    /// Its tokens.
    pub tokens: u64,
    /// Tokens of what stands around the entries.
    pub frame_tokens: u64,
    /// The files in it.
    pub entries: Vec<VolumeEntry>,
}

/// One file, or part of it, in a volume.
#[derive(Clone, Debug)]
pub struct VolumeEntry {
    /// Index among the accepted files.
    pub file: usize,
    /// Tokens of the segment.
    pub tokens: u64,
    /// Source lines.
    pub lines: Option<LineRange>,
    /// Which part of a divided file.
    pub part: Option<Part>,
    /// Source lines that markers in it replaced.
    pub elided: Vec<(u32, u32)>,
}

/// The volumes, and the files that had to be left out.
#[derive(Debug)]
pub struct Division {
    /// In reading order.
    pub volumes: Vec<Volume>,
    /// What is told about each accepted file, in path order.
    pub files: Vec<FileFacts>,
    /// Files with a single line over the cap.
    pub over: Vec<Skipped>,
}

/// Tokens a volume has for files, the frame taken off.
///
/// # Errors
/// [`Error::FrameOverCap`] when nothing is left.
pub fn room(host: &HostOptions, request: &Request<'_>, caps: &VolumeCaps) -> Result<u64, Error> {
    let largest = u32::try_from(caps.volumes).unwrap_or(u32::MAX);
    let around = frame(host, request, None, (largest, largest));
    let tokens = with_counter(|counter| counter.count(&around.head) + counter.count(&around.tail));
    match caps.tokens.checked_sub(tokens) {
        Some(room) => Ok(room),
        None => Err(Error::FrameOverCap {
            tokens,
            cap: caps.tokens,
        }),
    }
}

/// Divides `pieces` into volumes.
///
/// # Errors
/// [`Error::VolumeLimit`] when all volumes that are needed are too many, [`Error::ResourceLimit`] as
/// soon as one is too large, [`Error::FrameOverCap`], [`Error::Cancelled`].
pub fn divide(
    host: &HostOptions,
    request: &Request<'_>,
    pieces: Vec<Piece>,
    caps: &VolumeCaps,
    cancel: &Cancel,
) -> Result<Division, Error> {
    let room = room(host, request, caps)?;
    let (drafts, files, over) = with_counter(|counter| {
        let mut work = Work {
            host,
            request,
            caps,
            room,
            cancel,
            counter,
            drafts: vec![Draft::default()],
        };
        let (kept, parted, over) = work.part_long_files(pieces)?;
        if host.sections.tree {
            work.place_tree(&Tree::new(
                kept.iter().map(|piece| piece.file.path.as_str()),
            ))?;
        }
        let mut files = Vec::with_capacity(kept.len());
        for (file, piece) in kept.into_iter().enumerate() {
            match parted.get(file).and_then(Option::as_ref) {
                Some(body) => work.place_parts(file, &piece.file.path, body)?,
                None if host.sections.files => {
                    work.place_whole(file, &piece.file, piece.segment, piece.tokens)?
                }
                None => {}
            }
            files.push(piece.file);
        }
        work.check_volumes()?;
        Ok((work.drafts, files, over))
    })?;
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let of = number(drafts.len());
    let volumes = drafts
        .into_par_iter()
        .enumerate()
        .map(|(at, draft)| finish(host, request, caps, draft, (number(at + 1), of), cancel))
        .collect::<Result<Vec<Volume>, Error>>()?;
    Ok(Division {
        volumes,
        files,
        over,
    })
}

/// A volume being filled.
#[derive(Debug, Default)]
struct Draft {
    tree: Option<String>,
    segments: Vec<String>,
    entries: Vec<VolumeEntry>,
    /// Tokens used beyond the plain frame.
    used: u64,
    /// Bytes of the segments.
    n_bytes: u64,
}

impl Draft {
    fn is_empty(&self) -> bool {
        self.tree.is_none() && self.segments.is_empty()
    }
}

struct Work<'a> {
    host: &'a HostOptions,
    request: &'a Request<'a>,
    caps: &'a VolumeCaps,
    /// Tokens of a volume beyond the plain frame.
    room: u64,
    cancel: &'a Cancel,
    counter: &'a mut Counter,
    drafts: Vec<Draft>,
}

/// Bodies of files to divide, by position among the kept files.
type Bodies = Vec<Option<Body>>;

impl Work<'_> {
    /// Separates files that no division can fit from the others.
    fn part_long_files(
        &mut self,
        pieces: Vec<Piece>,
    ) -> Result<(Vec<Piece>, Bodies, Vec<Skipped>), Error> {
        let mut kept = Vec::with_capacity(pieces.len());
        let mut bodies = Vec::with_capacity(pieces.len());
        let mut over = Vec::new();
        for mut piece in pieces {
            self.cancel.check()?;
            match piece.body.take() {
                Some(body) if self.has_long_line(&piece, &body)? => {
                    over.push(Skipped::from(Omission::new(
                        &piece.file.path,
                        Reason::LineOverCap,
                    )));
                }
                body => {
                    kept.push(piece);
                    bodies.push(body);
                }
            }
        }
        Ok((kept, bodies, over))
    }

    /// Whether a single line of the file does not fit an empty volume.
    fn has_long_line(&mut self, piece: &Piece, body: &Body) -> Result<bool, Error> {
        let index = text::Lines::new(&body.text);
        let path = &piece.file.path;
        let bare = part_segment(
            self.host,
            self.request,
            path,
            body,
            &lines(&body.text, &index, 0, 0),
            WIDEST,
        )
        .len();
        for line in 0..index.n_lines() {
            self.cancel.check()?;
            let lines = lines(&body.text, &index, line, line + 1);
            // A token is at least one byte and an escape at most six bytes for one: short lines
            // cannot be over the cap and need no counting.
            if (bare + 6 * lines.text.len() + 64) as u64 <= self.room {
                continue;
            }
            let segment = part_segment(self.host, self.request, path, body, &lines, WIDEST);
            if self.counter.count_limited(&segment, self.room).is_none() {
                return Ok(true);
            }
        }
        Ok(index.n_lines() == 0)
    }

    fn draft(&mut self) -> Result<&mut Draft, Error> {
        self.drafts.last_mut().ok_or(Error::Internal("no volume"))
    }

    fn left(&self) -> u64 {
        self.drafts
            .last()
            .map_or(0, |draft| self.room.saturating_sub(draft.used))
    }

    fn next_volume(&mut self) {
        self.drafts.push(Draft::default());
    }

    /// Refuses more volumes than the host allows, once it is known how many are needed.
    fn check_volumes(&self) -> Result<(), Error> {
        let needed = self.drafts.len() as u64;
        if needed > self.caps.volumes {
            return Err(self.too_many(needed, self.caps.volumes));
        }
        Ok(())
    }

    fn too_many(&self, needed: u64, limit: u64) -> Error {
        Error::VolumeLimit {
            limit,
            needed,
            tokens: self.caps.tokens,
            compress: self.request.compress,
        }
    }

    fn put(&mut self, segment: String, entry: VolumeEntry) -> Result<(), Error> {
        let limit = self.caps.bytes;
        let n_bytes = segment.len() as u64;
        if self.draft()?.n_bytes + n_bytes > limit {
            if n_bytes > limit {
                return Err(Error::ResourceLimit {
                    limit,
                    size: n_bytes,
                });
            }
            self.next_volume();
        }
        let draft = self.draft()?;
        draft.used += entry.tokens;
        draft.n_bytes += n_bytes;
        draft.segments.push(segment);
        draft.entries.push(entry);
        Ok(())
    }

    fn place_whole(
        &mut self,
        file: usize,
        facts: &FileFacts,
        segment: String,
        tokens: u64,
    ) -> Result<(), Error> {
        if tokens > self.left() {
            self.next_volume();
        }
        let lines = (facts.source_lines > 0).then_some(LineRange {
            start: 1,
            end: facts.source_lines,
        });
        let entry = VolumeEntry {
            file,
            tokens,
            lines,
            part: None,
            elided: facts.elided.clone(),
        };
        self.put(segment, entry)
    }

    /// Divides one file. Its first part begins in the volume at hand when at least a quarter of
    /// that is free.
    fn place_parts(&mut self, file: usize, path: &RelPath, body: &Body) -> Result<(), Error> {
        if self.left() < self.room / 4 {
            self.next_volume();
        }
        let index = text::Lines::new(&body.text);
        let mut cuts = vec![0];
        let mut placed = Vec::new();
        let mut lines_before = 64;
        while let Some(&from) = cuts.last().filter(|&&from| from < index.n_lines()) {
            self.cancel.check()?;
            let left = self.left();
            let n = {
                let mut fits = |n: usize| {
                    let lines = lines(&body.text, &index, from, from + n);
                    let segment = part_segment(self.host, self.request, path, body, &lines, WIDEST);
                    segment.len() as u64 <= self.caps.bytes
                        && self.counter.count_limited(&segment, left).is_some()
                };
                most(index.n_lines() - from, lines_before, &mut fits)
            };
            if n == 0 {
                // Every single line fits an empty volume, so this can happen only in a begun one.
                if self.draft()?.is_empty() {
                    let line = lines(&body.text, &index, from, from + 1);
                    let line = part_segment(self.host, self.request, path, body, &line, WIDEST);
                    return Err(Error::ResourceLimit {
                        limit: self.caps.bytes,
                        size: line.len() as u64,
                    });
                }
                self.next_volume();
                continue;
            }
            lines_before = n;
            cuts.push(from + n);
            placed.push((self.drafts.len() - 1, from, from + n));
            // The tokens are set when the number of parts is known; until then the room is taken.
            self.draft()?.used = self.room;
            if from + n < index.n_lines() {
                self.next_volume();
            }
        }
        self.finish_parts(file, path, body, &index, &placed)
    }

    fn finish_parts(
        &mut self,
        file: usize,
        path: &RelPath,
        body: &Body,
        index: &text::Lines,
        placed: &[(usize, usize, usize)],
    ) -> Result<(), Error> {
        let of = u32::try_from(placed.len()).unwrap_or(u32::MAX);
        if of > WIDEST.of {
            return Err(self.too_many(u64::from(of), u64::from(WIDEST.of)));
        }
        for (i, &(volume, from, to)) in placed.iter().enumerate() {
            let part = Part {
                number: u32::try_from(i).unwrap_or(u32::MAX).saturating_add(1),
                of,
            };
            let lines = lines(&body.text, index, from, to);
            let segment = part_segment(self.host, self.request, path, body, &lines, part);
            let tokens = self.counter.count_checked(&segment, self.cancel)?;
            let range = part_range(body, &lines);
            let elided = elided_within(&body.elided, range);
            let entry = VolumeEntry {
                file,
                tokens,
                lines: Some(range),
                part: Some(part),
                elided,
            };
            let tree = self.tree_tokens(volume)?;
            let draft = self
                .drafts
                .get_mut(volume)
                .ok_or(Error::Internal("no volume"))?;
            draft.n_bytes += segment.len() as u64;
            draft.segments.push(segment);
            draft.entries.push(entry);
            draft.used = tree + draft.entries.iter().map(|entry| entry.tokens).sum::<u64>();
        }
        Ok(())
    }

    /// The tree stands in the heads of the first volumes, in as many pieces as it needs.
    fn place_tree(&mut self, tree: &Tree) -> Result<(), Error> {
        let mut from = 0;
        while from < tree.n_lines() {
            self.cancel.check()?;
            let room = self.room;
            let n = {
                let mut fits = |n: usize| {
                    let text = tree.text(from, from + n);
                    text.len() as u64 <= self.caps.bytes
                        && self.extra_tokens(&text).is_ok_and(|extra| extra <= room)
                };
                most(tree.n_lines() - from, tree.n_lines() - from, &mut fits)
            };
            if n == 0 {
                let tokens =
                    self.caps.tokens - self.room + self.extra_tokens(&tree.text(from, from + 1))?;
                return Err(Error::FrameOverCap {
                    tokens,
                    cap: self.caps.tokens,
                });
            }
            let text = tree.text(from, from + n);
            let extra = self.extra_tokens(&text)?;
            let draft = self.draft()?;
            draft.tree = Some(text);
            draft.used = extra;
            from += n;
            if from < tree.n_lines() {
                self.next_volume();
            }
        }
        Ok(())
    }

    /// Tokens that a piece of the tree adds to the plain frame.
    fn extra_tokens(&mut self, tree: &str) -> Result<u64, Error> {
        let largest = u32::try_from(self.caps.volumes).unwrap_or(u32::MAX);
        let around = frame(self.host, self.request, Some(tree), (largest, largest));
        let tokens = self.counter.count_checked(&around.head, self.cancel)?
            + self.counter.count_checked(&around.tail, self.cancel)?;
        Ok((tokens + self.room).saturating_sub(self.caps.tokens))
    }

    fn tree_tokens(&mut self, volume: usize) -> Result<u64, Error> {
        match self.drafts.get(volume).and_then(|draft| draft.tree.clone()) {
            Some(tree) => self.extra_tokens(&tree),
            None => Ok(0),
        }
    }
}

/// The frame of one volume: its number, and how many there are.
fn frame(
    host: &HostOptions,
    request: &Request<'_>,
    tree: Option<&str>,
    volume: (u32, u32),
) -> Around {
    let plain = host.frame(request.style, request.compress);
    around(&Frame {
        tree,
        volume: Some(volume),
        ..plain
    })
}

/// Joins one draft, counts it once more as a whole and compares.
fn finish(
    host: &HostOptions,
    request: &Request<'_>,
    caps: &VolumeCaps,
    draft: Draft,
    (number, of): (u32, u32),
    cancel: &Cancel,
) -> Result<Volume, Error> {
    let around = frame(host, request, draft.tree.as_deref(), (number, of));
    let text = [
        around.head.as_str(),
        &draft.segments.join(separator(request.style)),
        &around.tail,
    ]
    .concat();
    let size = text.len() as u64;
    if size > caps.bytes {
        return Err(Error::ResourceLimit {
            limit: caps.bytes,
            size,
        });
    }
    with_counter(|counter| {
        let frame_tokens = counter.count(&around.head) + counter.count(&around.tail);
        let tokens = frame_tokens + draft.entries.iter().map(|entry| entry.tokens).sum::<u64>();
        let counted = counter.count_checked(&text, cancel)?;
        if counted != tokens || tokens > caps.tokens {
            return Err(Error::Internal(
                "the count of a volume is not the sum of its segments",
            ));
        }
        Ok(Volume {
            name: format!("volume-{number:03}.{}", request.style.extension()),
            text,
            tokens,
            frame_tokens,
            entries: draft.entries,
        })
    })
}

/// The part numbers a segment is measured with: no real ones take more tokens.
const WIDEST: Part = Part {
    number: 9_999,
    of: 9_999,
};

/// Lines `from..to` (0-based) of a body.
fn lines<'t>(text: &'t str, index: &text::Lines, from: usize, to: usize) -> Lines<'t> {
    let bytes = index.range(from + 1, to).unwrap_or_default();
    Lines {
        text: slice(text, bytes).unwrap_or_default(),
        from,
        to,
        last: to >= index.n_lines(),
    }
}

/// A large `n` of `0..=n_max` that fits, found with few questions: grows from `guess` by halves,
/// then narrows to within a sixty-fourth. Zero when not even one fits.
fn most(n_max: usize, guess: usize, fits: &mut dyn FnMut(usize) -> bool) -> usize {
    let mut tried = guess.clamp(1, n_max.max(1));
    let (mut good, mut bad) = (0, n_max + 1);
    while good + 1 < bad && (good == 0 || bad - good > 1 + good / 64) {
        if fits(tried) {
            good = tried;
        } else {
            bad = tried;
        }
        tried = if bad > n_max {
            (good + good / 2 + 1).min(n_max)
        } else {
            good + (bad - good) / 2
        };
    }
    good
}

#[cfg(test)]
mod tests {
    use super::most;

    #[test]
    fn the_search_finds_something_that_fits() {
        for n_max in [1_usize, 2, 3, 100, 5_000] {
            for limit in [0_usize, 1, 2, 63, 64, 65, 4_000, 9_000] {
                for guess in [1, 64, 4_999] {
                    let mut asked = 0;
                    let found = most(n_max, guess, &mut |n| {
                        asked += 1;
                        n <= limit
                    });
                    let best = n_max.min(limit);
                    assert!(
                        found <= best && found + 1 + found / 32 >= best,
                        "{n_max} {limit} {guess}: {found}"
                    );
                    assert!(asked <= 40, "{asked} questions");
                }
            }
        }
    }
}
