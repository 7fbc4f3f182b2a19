//! The text of an answer: as much as fits its tokens, and never more.
//!
//! Every line ends in a line end and begins with a character at which counts add (see
//! [`crate::tokens::count::Profile`]), so that each is counted once; the whole is counted again
//! before it leaves.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::path::RelPath;
use crate::render::quote;
use crate::tokens::count::with_counter;

use super::place::Place;

/// Places of one file that stand before those of all files after it.
const FIRST: usize = 3;
/// Characters of the query that the first line repeats.
const ECHO: usize = 60;
/// Levels of directories that are summed up.
const LEVELS: usize = 3;

/// The matches of one file.
#[derive(Debug)]
pub(super) struct FileAnswer {
    pub(super) path: RelPath,
    pub(super) n_matches: u64,
    /// Its places, best first; none when nobody looked into it.
    pub(super) places: Vec<Place>,
    /// What is to be known about its lines.
    pub(super) note: &'static str,
}

/// All that is told.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub(super) mode: &'static str,
    pub(super) query: &'a str,
    /// Files in their order.
    pub(super) files: Vec<FileAnswer>,
    /// Files that were looked through.
    pub(super) n_searched: usize,
    pub(super) n_withheld: usize,
    /// Files that were looked at, of how many, when not all could be.
    pub(super) partial: Option<(usize, usize)>,
    pub(super) notes: Vec<String>,
    /// Whether the order says what matters most; then places of one file give way to other files.
    pub(super) ranked: bool,
}

/// One line of the list of places: a place, or a file of which none are known.
#[derive(Clone, Copy)]
struct Group {
    file: usize,
    place: Option<usize>,
}

/// Whether lines of source are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Source,
    Bare,
}

/// Some text and its tokens.
#[derive(Default)]
struct Piece {
    text: String,
    tokens: u64,
}

impl Piece {
    fn push(&mut self, line: &Piece) {
        self.text.push_str(&line.text);
        self.tokens += line.tokens;
    }
}

fn count(text: &str) -> u64 {
    with_counter(|counter| counter.count(text))
}

fn piece(text: String) -> Piece {
    let tokens = count(&text);
    Piece { text, tokens }
}

/// A whole number with separators.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 file`, `2,000 files`.
pub(super) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

fn matches(n: u64) -> String {
    counted(n, "match", "matches")
}

impl Answer<'_> {
    /// The text: at most `max_tokens` tokens, the places from `offset` on.
    pub(super) fn render(
        &self,
        max_tokens: u64,
        offset: usize,
        cancel: &Cancel,
    ) -> Result<String, Error> {
        let groups = self.groups();
        let after = groups.get(offset..).unwrap_or_default();
        let trailer = self.trailer();
        let mut room = max_tokens;
        loop {
            cancel.check()?;
            // No other numbers make the first line longer.
            let widest = self.head(
                groups.len(),
                offset,
                after.len(),
                max_tokens,
                true,
                max_tokens,
            );
            let fixed = count(&widest) + trailer.tokens;
            let (shown, body) = self.body(after, room.saturating_sub(fixed), cancel)?;
            let mut text = String::new();
            let mut told = body.tokens + fixed;
            for _ in 0..4 {
                let more = offset + shown < groups.len();
                let head = self.head(groups.len(), offset, shown, told, more, max_tokens);
                text = format!("{head}{}{}", body.text, trailer.text);
                let exact = count(&text);
                if exact == told {
                    break;
                }
                told = exact;
            }
            if told <= max_tokens {
                return Ok(text);
            }
            if room == 0 {
                return Ok(cut(text, max_tokens));
            }
            room = room.saturating_sub((told - max_tokens).max(room / 8 + 1));
        }
    }

    /// The order of places: the best few of each file, then the others.
    fn groups(&self) -> Vec<Group> {
        let first = if self.ranked { FIRST } else { usize::MAX };
        let mut groups = Vec::new();
        for (file, answer) in self.files.iter().enumerate() {
            if answer.places.is_empty() {
                groups.push(Group { file, place: None });
            }
            let places = (0..answer.places.len()).take(first);
            groups.extend(places.map(|place| Group {
                file,
                place: Some(place),
            }));
        }
        for (file, answer) in self.files.iter().enumerate() {
            let places = (0..answer.places.len()).skip(first);
            groups.extend(places.map(|place| Group {
                file,
                place: Some(place),
            }));
        }
        groups
    }

    fn head(
        &self,
        n_groups: usize,
        offset: usize,
        shown: usize,
        tokens: u64,
        more: bool,
        max_tokens: u64,
    ) -> String {
        let mut echo: String = self.query.chars().take(ECHO).collect();
        if echo.len() < self.query.len() {
            echo.push_str("...");
        }
        let n_matches: u64 = self.files.iter().map(|file| file.n_matches).sum();
        let mut rest = String::new();
        if self.files.is_empty() {
            let _ = write!(
                rest,
                "no match in {}",
                counted(self.n_searched as u64, "file", "files")
            );
        } else {
            let _ = write!(
                rest,
                "{} in {} of {}",
                matches(n_matches),
                counted(n_groups as u64, "place", "places"),
                counted(self.files.len() as u64, "file", "files"),
            );
        }
        for note in &self.notes {
            let _ = write!(rest, ", {note}");
        }
        if let Some((seen, all)) = self.partial {
            let _ = write!(
                rest,
                "; partial: {} of {} files",
                grouped(seen as u64),
                grouped(all as u64)
            );
        }
        if !self.files.is_empty() {
            if shown == 0 {
                rest.push_str("; shown none");
                if offset >= n_groups {
                    rest.push_str(": offset is past the last");
                }
            } else {
                let (from, to) = (offset + 1, offset + shown);
                let _ = write!(
                    rest,
                    "; shown {}-{} of {}",
                    grouped(from as u64),
                    grouped(to as u64),
                    grouped(n_groups as u64)
                );
            }
            let _ = write!(rest, ", {} tokens", grouped(tokens));
            if more && shown > 0 {
                let _ = write!(rest, "; next offset {}", offset + shown);
            } else if more {
                rest.push_str("; raise maxTokens");
            }
        }
        let long = format!("search_code {} {}: {rest}\n", self.mode, quote::json(&echo));
        if count(&long) <= max_tokens / 2 {
            long
        } else {
            format!("search_code {}: {rest}\n", self.mode)
        }
    }

    fn trailer(&self) -> Piece {
        if self.n_withheld == 0 {
            return Piece::default();
        }
        let files = counted(self.n_withheld as u64, "file", "files");
        piece(format!("{files} withheld (secret)\n"))
    }

    /// The lines about `after`, and how many of those are shown.
    fn body(&self, after: &[Group], room: u64, cancel: &Cancel) -> Result<(usize, Piece), Error> {
        let (shown, all) = self.page(after, Step::Source, room, cancel)?;
        if shown == after.len() {
            return Ok((shown, all));
        }
        let step = if self.ranked {
            Step::Source
        } else {
            Step::Bare
        };
        if step == Step::Bare {
            let (shown, all) = self.page(after, step, room, cancel)?;
            if shown == after.len() {
                return Ok((shown, all));
            }
        }
        let (mut shown, mut page) = self.page(after, step, room / 4 * 3, cancel)?;
        let mut tail = self.tail(after, shown, room.saturating_sub(page.tokens), cancel)?;
        let wider = room.saturating_sub(tail.tokens);
        if wider > page.tokens {
            (shown, page) = self.page(after, step, wider, cancel)?;
            tail = self.tail(after, shown, room.saturating_sub(page.tokens), cancel)?;
        }
        if shown == 0 {
            (shown, page) = self.page(after, Step::Bare, room, cancel)?;
            tail = self.tail(after, shown, room.saturating_sub(page.tokens), cancel)?;
        }
        page.push(&tail);
        Ok((shown, page))
    }

    /// As many groups as fit, file by file.
    fn page(
        &self,
        after: &[Group],
        step: Step,
        room: u64,
        cancel: &Cancel,
    ) -> Result<(usize, Piece), Error> {
        let mut page = Piece::default();
        let mut at = 0;
        let mut file = None;
        for group in after {
            cancel.check()?;
            let mut lines = Piece::default();
            match (group.place, self.files.get(group.file)) {
                (_, None) => {}
                (None, Some(answer)) => lines.push(&piece(file_line(answer, answer.n_matches, 0))),
                (Some(place), Some(answer)) => {
                    if file != Some(group.file) {
                        lines.push(&piece(format!(
                            "{}{}\n",
                            quote::name(answer.path.as_str()),
                            answer.note
                        )));
                    }
                    if let Some(place) = answer.places.get(place) {
                        lines.push(&piece(place_line(place, step)));
                    }
                }
            }
            if page.tokens + lines.tokens > room {
                break;
            }
            page.push(&lines);
            file = Some(group.file);
            at += 1;
        }
        Ok((at, page))
    }

    /// What follows a page: files with counts, and directories for those that do not fit.
    fn tail(
        &self,
        after: &[Group],
        shown: usize,
        room: u64,
        cancel: &Cancel,
    ) -> Result<Piece, Error> {
        let (page, rest) = after.split_at_checked(shown).unwrap_or((after, &[]));
        let here: std::collections::BTreeSet<usize> = page.iter().map(|group| group.file).collect();
        let mut left: Vec<(usize, u64, usize)> = Vec::new();
        let mut place_of: BTreeMap<usize, usize> = BTreeMap::new();
        for group in rest.iter().filter(|group| !here.contains(&group.file)) {
            let Some(answer) = self.files.get(group.file) else {
                continue;
            };
            let place = group.place.and_then(|place| answer.places.get(place));
            let n_matches = place.map_or(answer.n_matches, Place::total);
            let at = *place_of.entry(group.file).or_insert_with(|| {
                left.push((group.file, 0, 0));
                left.len() - 1
            });
            if let Some((_, sum, n_places)) = left.get_mut(at) {
                *sum += n_matches;
                *n_places += usize::from(place.is_some());
            }
        }
        let mut files = Piece::default();
        let mut n_listed = 0;
        for (index, limit) in [room, room / 2].into_iter().enumerate() {
            files = Piece::default();
            n_listed = 0;
            for (file, n_matches, n_places) in &left {
                cancel.check()?;
                let Some(answer) = self.files.get(*file) else {
                    continue;
                };
                let line = piece(file_line(answer, *n_matches, *n_places));
                if files.tokens + line.tokens > limit {
                    break;
                }
                files.push(&line);
                n_listed += 1;
            }
            if n_listed == left.len() || index == 1 {
                break;
            }
        }
        let others = left.get(n_listed..).unwrap_or_default();
        if !others.is_empty() {
            let dirs = self.directories(others, room.saturating_sub(files.tokens));
            files.push(&dirs);
        }
        Ok(files)
    }

    /// Files summed up by directory, as deep as fits.
    fn directories(&self, files: &[(usize, u64, usize)], room: u64) -> Piece {
        for level in (0..=LEVELS).rev() {
            let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            for (file, n_matches, _) in files {
                let Some(answer) = self.files.get(*file) else {
                    continue;
                };
                let segments: Vec<&str> = answer.path.segments().collect();
                let above = segments.len().saturating_sub(1).min(level);
                let dir = segments.get(..above).unwrap_or_default().join("/");
                let sum = sums.entry(dir).or_default();
                *sum = (sum.0 + 1, sum.1 + n_matches);
            }
            let mut lines = Piece::default();
            for (dir, (n_files, n_matches)) in sums {
                let (files, matches) = (
                    counted(n_files, "more file", "more files"),
                    matches(n_matches),
                );
                let line = if dir.is_empty() {
                    format!("{files}, {matches}\n")
                } else {
                    format!("{}/: {files}, {matches}\n", quote::name(&dir))
                };
                lines.push(&piece(line));
                if lines.tokens > room {
                    break;
                }
            }
            if lines.tokens <= room {
                return lines;
            }
        }
        Piece::default()
    }
}

fn file_line(answer: &FileAnswer, n_matches: u64, n_places: usize) -> String {
    let path = quote::name(answer.path.as_str());
    let matches = matches(n_matches);
    if n_places > 0 {
        let places = counted(n_places as u64, "place", "places");
        format!("{path}: {places}, {matches}\n")
    } else {
        format!("{path}: {matches}\n")
    }
}

fn place_line(place: &Place, step: Step) -> String {
    let mut line = String::from("  ");
    let lines = place.lines;
    let _ = match lines.end > lines.start {
        true => write!(line, "{}-{}", lines.start, lines.end),
        false => write!(line, "{}", lines.start),
    };
    if let Some(symbol) = &place.symbol {
        let _ = write!(line, " {} {}", symbol.kind, symbol.path);
    }
    let n = place.total();
    let times = if n > 1 {
        format!("{n}x")
    } else {
        String::new()
    };
    for word in [place.mark, times.as_str()] {
        if !word.is_empty() {
            let _ = write!(line, " {word}");
        }
    }
    if step == Step::Source && !place.source.is_empty() {
        let _ = write!(line, " | {}", place.source);
    }
    line.push('\n');
    line
}

/// The beginning of a text that is over a limit by itself.
pub(super) fn cut(mut text: String, max_tokens: u64) -> String {
    while count(&text) > max_tokens {
        let half = crate::text::floor_boundary(&text, text.len() * 7 / 8);
        text.truncate(half.min(text.len().saturating_sub(1)));
        while !text.is_char_boundary(text.len()) {
            text.pop();
        }
    }
    text
}
