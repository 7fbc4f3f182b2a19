//! `list_files`: directories and files with their sizes, as deep as the tokens allow.

use std::collections::BTreeMap;
use std::fmt::Write;

use rayon::prelude::*;

use crate::arguments::distance;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::SEARCH_TIME;
use crate::memory::{Facts, Memory};
use crate::options::HostOptions;
use crate::path::RelPath;
use crate::progress::Progress;
use crate::reason::{Omission, Reason};
use crate::render::quote;
use crate::scan::walk::{self, Candidate};
use crate::tokens::count::with_counter;

use super::answer::{counted, cut, grouped};
use super::clock::Allowance;
use super::request::ListRequest;

/// Single directories that are closed so that the others can be shown one level deeper.
const CLOSED: usize = 8;
/// Names told when a directory does not exist.
const NEAR: usize = 5;

/// What a listing came to.
#[derive(Debug)]
pub enum Listing {
    /// The listing.
    Shown(String),
    /// Why there is none.
    Missing(String),
}

/// Lists the selected files of a directory.
///
/// # Errors
/// [`Error::InputLimit`] as for packing, failures of the root, [`Error::Cancelled`].
pub fn list(
    host: &HostOptions,
    memory: &Memory,
    request: &ListRequest,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Listing, Error> {
    let sources = host.sources();
    let found = walk::walk(
        sources.root,
        sources.selection,
        sources.max_candidates,
        cancel,
    )?;
    let below = |path: &str| match &request.dir {
        None => true,
        Some(dir) => path
            .strip_prefix(dir.as_str())
            .is_some_and(|rest| rest.starts_with('/')),
    };
    let mut wanted = found.wanted;
    if let Some(dir) = &request.dir
        && !wanted.iter().any(|one| below(one.path.as_str()))
    {
        return Ok(Listing::Missing(cut(
            missing(dir, &wanted),
            request.max_tokens,
        )));
    }
    wanted.retain(|one| below(one.path.as_str()) && request.narrow.admits(&one.path));
    if wanted.is_empty() && !request.narrow.is_empty() {
        let text = "The glob matches no file here. Globs are those of ignore files: *.rs at any depth, src/** below src.\n";
        return Ok(Listing::Missing(text.to_owned()));
    }
    let total: u64 = wanted
        .iter()
        .map(|one| one.size)
        .filter(|size| *size <= sources.max_file_bytes)
        .sum();
    if total > sources.max_source_bytes {
        return Err(Error::InputLimit {
            what: "source bytes",
            limit: sources.max_source_bytes,
        });
    }
    let omitted: Vec<&Omission> = found
        .omitted
        .iter()
        .filter(|one| below(&one.path))
        .collect();
    let mut reasons: BTreeMap<&'static str, u64> = BTreeMap::new();
    for one in omitted {
        *reasons.entry(one.reason.as_str()).or_default() += 1;
    }
    let n_wanted = wanted.len();
    let desk = Desk {
        host,
        memory,
        request,
        progress,
        cancel,
    };
    let mut tree = Folder::default();
    let mut n_unseen = 0;
    let skip = request.dir.as_ref().map_or(0, |dir| dir.segments().count());
    for (candidate, looked) in desk.look(&wanted)? {
        match looked {
            None => n_unseen += 1,
            Some(Err(reason)) => *reasons.entry(reason.as_str()).or_default() += 1,
            Some(Ok(facts)) => {
                let names: Vec<&str> = candidate.path.segments().skip(skip).collect();
                tree.add(&names, facts, request.tokens);
            }
        }
    }
    let mut notes = String::new();
    if found.partial {
        notes.push_str("; a directory could not be read");
    }
    if n_unseen > 0 {
        let _ = write!(
            notes,
            "; partial: {} of {} files",
            grouped((n_wanted - n_unseen) as u64),
            grouped(n_wanted as u64)
        );
    }
    let shown = Shown {
        request,
        tree: &tree,
        notes,
        reasons: left_out(&reasons),
    };
    shown.render(cancel).map(Listing::Shown)
}

/// What is at hand for a listing.
struct Desk<'a> {
    host: &'a HostOptions,
    memory: &'a Memory,
    request: &'a ListRequest,
    progress: &'a Progress,
    cancel: &'a Cancel,
}

/// What is known of a file, or why it is left out; nothing when the time was over.
type Looked<'c> = (&'c Candidate, Option<Result<Facts, Reason>>);

impl Desk<'_> {
    fn look<'c>(&self, wanted: &'c [Candidate]) -> Result<Vec<Looked<'c>>, Error> {
        let allowance = Allowance::new(SEARCH_TIME, rayon::current_num_threads());
        self.progress.find(wanted.len() as u64);
        wanted
            .par_iter()
            .map(|candidate| {
                self.cancel.check()?;
                let looked = allowance.spend(|| self.facts(candidate)).transpose()?;
                self.progress.finish_one();
                Ok((candidate, looked))
            })
            .collect()
    }

    fn facts(&self, candidate: &Candidate) -> Result<Result<Facts, Reason>, Error> {
        let sources = self.host.sources();
        let known = self.memory.facts(&sources, &candidate.path);
        if let Some(facts) = known.filter(|facts| !self.request.tokens || facts.tokens.is_some()) {
            return Ok(Ok(facts));
        }
        let read = match self
            .memory
            .read(&sources, candidate.clone(), &mut |_| {}, self.cancel)?
        {
            Ok(read) => read,
            Err(skipped) => return Ok(Err(skipped.omission.reason)),
        };
        let text = &read.accepted.text;
        let mut tokens = None;
        if self.request.tokens {
            let counted = with_counter(|counter| counter.count_checked(text, self.cancel))?;
            self.memory.count(&read, counted);
            tokens = Some(counted);
        }
        Ok(Ok(Facts {
            n_bytes: read.accepted.n_bytes,
            n_lines: crate::text::n_lines(text) as u64,
            tokens,
        }))
    }
}

/// A directory, or a file when it has lines.
#[derive(Debug, Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    files: BTreeMap<String, (u64, u64)>,
    n_files: u64,
    /// Bytes or tokens.
    size: u64,
}

impl Folder {
    fn add(&mut self, names: &[&str], facts: Facts, tokens: bool) {
        let size = if tokens {
            facts.tokens.unwrap_or_default()
        } else {
            facts.n_bytes
        };
        self.n_files += 1;
        self.size += size;
        match names {
            [] => {}
            [name] => {
                self.files.insert((*name).to_owned(), (facts.n_lines, size));
            }
            [first, rest @ ..] => {
                let folder = self.folders.entry((*first).to_owned()).or_default();
                folder.add(rest, facts, tokens);
            }
        }
    }

    /// Counts the directories below each one.
    fn count_folders(&self) -> u64 {
        self.folders
            .values()
            .map(|folder| 1 + folder.count_folders())
            .sum()
    }
}

/// One line, or a directory with what is in it.
struct Line {
    text: String,
    tokens: u64,
    /// The level it stands on, from 1.
    level: u64,
    /// How many lines after it are inside it.
    n_inside: usize,
    folder: bool,
}

struct Shown<'a> {
    request: &'a ListRequest,
    tree: &'a Folder,
    notes: String,
    reasons: Option<String>,
}

fn count(text: &str) -> u64 {
    with_counter(|counter| counter.count(text))
}

impl Shown<'_> {
    fn lines(
        &self,
        folder: &Folder,
        level: u64,
        out: &mut Vec<Line>,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        if level > self.request.depth {
            return Ok(());
        }
        let indent = "  ".repeat(usize::try_from(level).unwrap_or(1));
        let mut push = |text: String, folder: bool| {
            let tokens = count(&text);
            out.push(Line {
                text,
                tokens,
                level,
                n_inside: 0,
                folder,
            });
            out.len() - 1
        };
        for (name, (n_lines, size)) in &folder.files {
            cancel.check()?;
            let name = quote::name(name);
            let lines = counted(*n_lines, "line", "lines");
            push(
                format!("{indent}{name}  {lines}  {}\n", grouped(*size)),
                false,
            );
        }
        Ok(())
    }

    /// All lines down to the deepest level that may be asked for.
    fn all_lines(&self, cancel: &Cancel) -> Result<Vec<Line>, Error> {
        let mut out = Vec::new();
        self.gather(self.tree, 1, &mut out, cancel)?;
        Ok(out)
    }

    fn gather(
        &self,
        folder: &Folder,
        level: u64,
        out: &mut Vec<Line>,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        if level > self.request.depth {
            return Ok(());
        }
        let indent = "  ".repeat(usize::try_from(level).unwrap_or(1));
        for (name, inner) in &folder.folders {
            cancel.check()?;
            let name = quote::name(name);
            let files = counted(inner.n_files, "file", "files");
            let text = format!("{indent}{name}/  {files}  {}\n", grouped(inner.size));
            let tokens = count(&text);
            let at = out.len();
            out.push(Line {
                text,
                tokens,
                level,
                n_inside: 0,
                folder: true,
            });
            self.gather(inner, level + 1, out, cancel)?;
            let n_inside = out.len() - at - 1;
            if let Some(line) = out.get_mut(at) {
                line.n_inside = n_inside;
            }
        }
        self.lines(folder, level, out, cancel)
    }

    fn head(&self, depth: &str, rest: bool) -> String {
        let name = self
            .request
            .dir
            .as_ref()
            .map_or_else(|| ".".into(), |dir| quote::name(dir.as_str()));
        let (files, size) = (
            counted(self.tree.n_files, "file", "files"),
            grouped(self.tree.size),
        );
        let unit = if self.request.tokens {
            "tokens"
        } else {
            "bytes"
        };
        let folders = counted(self.tree.count_folders(), "directory", "directories");
        let more = if rest {
            "; list_files with path shows more"
        } else {
            ""
        };
        format!(
            "{name}: {files}, {size} {unit} in {folders}{}; {depth}{more}\n",
            self.notes
        )
    }

    fn render(&self, cancel: &Cancel) -> Result<String, Error> {
        let lines = self.all_lines(cancel)?;
        let deepest = lines.iter().map(|line| line.level).max().unwrap_or(0);
        let trailer = self.reasons.clone().unwrap_or_default();
        let widest = self.head("shown to depth 16, 8 directories closed", true);
        let fixed = count(&widest) + count(&trailer);
        let room = self.request.max_tokens.saturating_sub(fixed);
        let full_depth = self.depth_below(self.tree);
        let finish = |depth: String, rest: bool, body: &str| {
            let text = format!("{}{body}{trailer}", self.head(&depth, rest));
            cut(text, self.request.max_tokens)
        };
        for level in (1..=deepest).rev() {
            cancel.check()?;
            for n_closed in [0, CLOSED] {
                let Some((body, closed)) = fitting(&lines, level, room, n_closed) else {
                    continue;
                };
                let mut depth = match level < full_depth {
                    true => format!("shown to depth {level}"),
                    false => "shown completely".to_owned(),
                };
                if closed > 0 {
                    depth = format!(
                        "shown to depth {level}, {} closed",
                        counted(closed as u64, "directory", "directories")
                    );
                }
                return Ok(finish(depth, level < full_depth || closed > 0, &body));
            }
        }
        // Not even one level fits: as much of it as does.
        let mut body = String::new();
        let mut left = room.saturating_sub(16);
        let top: Vec<&Line> = lines.iter().filter(|line| line.level == 1).collect();
        let mut n_shown = 0;
        for line in &top {
            if line.tokens > left {
                break;
            }
            left -= line.tokens;
            body.push_str(&line.text);
            n_shown += 1;
        }
        if n_shown < top.len() {
            let _ = writeln!(
                body,
                "  ({} more names here)",
                grouped((top.len() - n_shown) as u64)
            );
        }
        Ok(match top.is_empty() {
            true => finish("nothing to show".to_owned(), false, ""),
            false => finish(
                format!(
                    "shown {} of {} names; glob narrows",
                    grouped(n_shown as u64),
                    grouped(top.len() as u64)
                ),
                true,
                &body,
            ),
        })
    }

    fn depth_below(&self, folder: &Folder) -> u64 {
        let below = folder
            .folders
            .values()
            .map(|inner| 1 + self.depth_below(inner))
            .max();
        below.unwrap_or(u64::from(!folder.files.is_empty()))
    }
}

/// The lines down to `level` when they fit, with at most `n_closed` single directories closed, the
/// largest first.
fn fitting(lines: &[Line], level: u64, room: u64, n_closed: usize) -> Option<(String, usize)> {
    let visible = |line: &Line| line.level <= level;
    let mut total: u64 = lines
        .iter()
        .filter(|line| visible(line))
        .map(|line| line.tokens)
        .sum();
    let mut closed: Vec<usize> = Vec::new();
    if total > room {
        let inside = |at: usize, line: &Line| -> u64 {
            let inner = lines
                .get(at + 1..at + 1 + line.n_inside)
                .unwrap_or_default();
            inner
                .iter()
                .filter(|line| visible(line))
                .map(|line| line.tokens)
                .sum()
        };
        // Directories whose own names are on the last level but one: the level stays one level.
        let mut costs: Vec<(u64, usize)> = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.folder && line.level + 1 == level)
            .map(|(at, line)| (inside(at, line), at))
            .collect();
        costs.sort_by_key(|&(cost, at)| (std::cmp::Reverse(cost), at));
        for (cost, at) in costs.into_iter().take(n_closed) {
            if total <= room {
                break;
            }
            total -= cost;
            closed.push(at);
        }
    }
    if total > room {
        return None;
    }
    let mut body = String::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if visible(line) {
            body.push_str(&line.text);
        }
        at += 1 + if closed.contains(&at) {
            line.n_inside
        } else {
            0
        };
    }
    Some((body, closed.len()))
}

fn left_out(reasons: &BTreeMap<&'static str, u64>) -> Option<String> {
    if reasons.is_empty() {
        return None;
    }
    let words = |reason: &str| {
        if reason == Reason::SecretDetected.as_str() {
            return "with a secret".to_owned();
        }
        let mut out = String::new();
        for c in reason.chars() {
            if c.is_uppercase() && !out.is_empty() {
                out.push(' ');
            }
            out.push(c.to_ascii_lowercase());
        }
        out
    };
    let each: Vec<String> = reasons
        .iter()
        .map(|(reason, n)| format!("{} {}", grouped(*n), words(reason)))
        .collect();
    Some(format!("  (left out: {})\n", each.join(", ")))
}

/// Says that there is no such directory, and what there is.
fn missing(dir: &RelPath, wanted: &[Candidate]) -> String {
    let shown = quote::name(dir.as_str());
    let mut folders: Vec<&str> = Vec::new();
    for candidate in wanted {
        let path = candidate.path.as_str();
        folders.extend(path.match_indices('/').filter_map(|(at, _)| path.get(..at)));
    }
    folders.sort_unstable();
    folders.dedup();
    if let Some(file) = wanted.iter().find(|one| one.path == *dir) {
        let parent = file.path.parent();
        let parent = parent.as_ref().map_or(".", RelPath::as_str);
        return format!(
            "{shown} is a file, in the directory {}; read_code_context reads it.\n",
            quote::name(parent)
        );
    }
    let mut nearest = dir.parent();
    while let Some(above) = &nearest {
        if folders.binary_search(&above.as_str()).is_ok() {
            break;
        }
        nearest = above.parent();
    }
    let nearest = nearest.as_ref().map_or(".", RelPath::as_str);
    let name = dir.name().to_lowercase();
    let near = |folder: &&str| {
        let own = folder.rsplit('/').next().unwrap_or_default().to_lowercase();
        (
            distance(name.as_bytes(), own.as_bytes()),
            folder.len(),
            (*folder).to_owned(),
        )
    };
    folders.sort_by_cached_key(near);
    let close = |folder: &&&str| near(folder).0 <= 2.max(name.len() / 2);
    let names: Vec<String> = folders
        .iter()
        .filter(close)
        .take(NEAR)
        .map(|one| quote::name(one).into_owned())
        .collect();
    let mut text = format!(
        "No selected files below {shown}. Nearest directory: {}",
        quote::name(nearest)
    );
    if !names.is_empty() {
        let _ = write!(text, "; near names: {}", names.join(", "));
    }
    text.push_str(".\n");
    text
}
