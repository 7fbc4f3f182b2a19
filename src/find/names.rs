//! Definitions and references of a name, from the syntax trees of the files that hold it.

use rayon::prelude::*;

use crate::error::Error;
use crate::limits::{SEARCH_FILES, SEARCH_TIME};
use crate::memory::Outline;
use crate::path::RelPath;
use crate::syntax::grammar;
use crate::syntax::symbols::{Index, Kind, Symbol};
use crate::syntax::uses::Use;
use crate::text::{Lines, floor_boundary};

use super::Found;
use super::answer::{FileAnswer, counted};
use super::clock::Allowance;
use super::matcher::{Hit, Matcher, Name};
use super::pass::{self, Desk, Hits, Pass};
use super::place::{self, Marked, Named, Place};
use super::rank::Class;
use super::terms::{is_word, piece};

/// How near a defined name is to the one that is asked for; nearest first.
const TIERS: [fn(&str, &str) -> bool; 4] = [
    |own, wanted| own == wanted,
    |own, wanted| own.to_lowercase() == wanted.to_lowercase(),
    |own, wanted| own.to_lowercase().starts_with(&wanted.to_lowercase()),
    |own, wanted| own.to_lowercase().contains(&wanted.to_lowercase()),
];
/// Bytes of a line that only a program writes.
const LONG_LINE: usize = 4_096;
/// Tiers that a query which may as well be words is content with.
const SURE: usize = 2;

/// A definition on its way into an answer.
struct Definition {
    file: usize,
    /// Segments of the query that its path has, from the end.
    n_segments: usize,
    /// Segments of the query that the file's path has before those.
    n_above: usize,
    /// Bound to what another file defines.
    imported: bool,
    place: Place,
}

/// The definitions of a name or symbol path, in the nearest tier that has any.
pub(super) fn definitions(
    desk: Desk<'_>,
    pass: &Pass,
    (name, matcher): (&Name, &Matcher),
    sure: bool,
) -> Result<Found, Error> {
    let allowance = Allowance::new(SEARCH_TIME, rayon::current_num_threads());
    let n_tiers = if sure { SURE } else { TIERS.len() };
    for (tier, fits) in TIERS.iter().enumerate().take(n_tiers) {
        let has = |hits: &&Hits| {
            let count = |term: usize| hits.counts.get(term).copied().unwrap_or_default();
            match tier {
                0 => count(Name::EXACT) > 0,
                1 => count(Name::EXACT) + count(Name::FOLDED) > 0,
                _ => true,
            }
        };
        let mut files: Vec<&Hits> = pass.files.iter().filter(has).collect();
        if tier > 1 {
            files.sort_by_cached_key(|hits| {
                let path = &hits.candidate.path;
                (
                    Class::of(path),
                    std::cmp::Reverse(hits.total()),
                    path.clone(),
                )
            });
            files.truncate(SEARCH_FILES);
        }
        let found = files
            .par_iter()
            .enumerate()
            .map(|(file, hits)| {
                desk.cancel.check()?;
                let found =
                    allowance.spend(|| defined_in(desk, file, hits, (name, matcher), *fits));
                found.transpose()
            })
            .collect::<Result<Vec<Option<Vec<Definition>>>, Error>>()?;
        let n_unseen = found.iter().filter(|one| one.is_none()).count();
        let mut found: Vec<Definition> = found.into_iter().flatten().flatten().collect();
        let nearest = |one: &Definition| (!one.imported, one.n_segments, one.n_above);
        let best = found.iter().map(nearest).max();
        found.retain(|one| Some(nearest(one)) == best);
        if !found.is_empty() || n_unseen > 0 {
            return Ok(told(found, &files, n_unseen));
        }
    }
    Ok(Found::of(Vec::new()))
}

fn told(found: Vec<Definition>, files: &[&Hits], n_unseen: usize) -> Found {
    let mut answers: Vec<FileAnswer> = Vec::new();
    let mut latest = None;
    for definition in found {
        if latest != Some(definition.file) {
            let Some(hits) = files.get(definition.file) else {
                continue;
            };
            answers.push(FileAnswer {
                n_matches: 0,
                ..super::unseen(hits)
            });
            latest = Some(definition.file);
        }
        if let Some(answer) = answers.last_mut() {
            answer.n_matches += 1;
            answer.places.push(definition.place);
        }
    }
    answers.sort_by_cached_key(|answer| (Class::of(&answer.path), answer.path.clone()));
    let mut notes = Vec::new();
    if answers.len() > 1 {
        notes.push(format!("defined in {} files", answers.len()));
    }
    Found {
        files: answers,
        notes,
        n_unseen,
    }
}

fn defined_in(
    desk: Desk<'_>,
    file: usize,
    hits: &Hits,
    (name, matcher): (&Name, &Matcher),
    fits: fn(&str, &str) -> bool,
) -> Result<Vec<Definition>, Error> {
    let Some(read) = pass::reread(desk, &hits.candidate)? else {
        return Ok(Vec::new());
    };
    let outline = desk.memory.outline(&read, desk.cancel)?;
    let Ok(index) = outline.as_ref() else {
        return Ok(Vec::new());
    };
    let text = read.accepted.text.as_str();
    let lines = Lines::new(text);
    let wanted = name.last();
    let mut found = Vec::new();
    for id in index
        .named(|own| fits(own, wanted) || fits(own.trim_start_matches(['#', '$', '@']), wanted))
    {
        let Some(symbol) = index.symbol(id) else {
            continue;
        };
        let (n_segments, n_above) = common(index, id, name, &hits.candidate.path);
        found.push(Definition {
            file,
            n_segments,
            n_above,
            imported: is_imported(symbol, text),
            place: Place {
                lines: symbol.lines,
                symbol: place::named(index, id),
                mark: "def",
                counts: vec![1],
                source: place::source(text, &lines, &symbol.name),
                score: 0.0,
            },
        });
    }
    // A class in a function has no address, but its methods are defined all the same.
    if name.segments.len() == 1 {
        let local = |hit: &Hit| {
            let (kind, lines) = index.local_definition(&hit.bytes, &lines)?;
            let known = index.use_of(&hit.bytes, text) == Some(Use::Definition);
            (!known && kind != Kind::Variable && kind != Kind::Field).then_some((kind, lines))
        };
        let mut hits = Vec::new();
        let mut keep = |hit: Hit| hits.push(hit);
        matcher.look(text, &mut keep, desk.cancel)?;
        for hit in hits
            .iter()
            .filter(|hit| fits(piece(text, hit.bytes.clone()), wanted))
        {
            let Some((kind, range)) = local(hit).filter(|_| hit.term != Name::PART) else {
                continue;
            };
            found.push(Definition {
                file,
                n_segments: 1,
                n_above: 0,
                imported: false,
                place: Place {
                    lines: range,
                    symbol: Some(Named {
                        kind: kind.as_str(),
                        path: piece(text, hit.bytes.clone()).to_owned(),
                    }),
                    mark: "def",
                    counts: vec![1],
                    source: place::source(text, &lines, &hit.bytes),
                    score: 0.0,
                },
            });
        }
        found.sort_by_key(|one| one.place.lines.start);
    }
    Ok(found)
}

/// Whether a variable only stands for what another file defines.
fn is_imported(symbol: &Symbol, text: &str) -> bool {
    symbol.kind == Kind::Variable && piece(text, symbol.bytes.clone()).contains("require(")
}

/// How many segments of the query, from its end, the path of a symbol has, and how many before
/// those the path of its file.
fn common(index: &Index, id: u32, name: &Name, path: &RelPath) -> (usize, usize) {
    let own = index.segments(id);
    let mut wanted = name.segments.iter().rev().skip(1);
    let mut n_segments = 1;
    for (own, wanted) in own.iter().rev().skip(1).zip(wanted.by_ref()) {
        // `Display for Point` belongs to both.
        let has = own.split(|c: char| !is_word(c)).any(|word| word == wanted) || own == wanted;
        if !has {
            return (n_segments, 0);
        }
        n_segments += 1;
    }
    let left = name.segments.len().saturating_sub(own.len().max(1));
    let above = name.segments.get(..left).unwrap_or_default();
    let in_path = |segment: &&String| {
        path.segments()
            .any(|own| own.split('.').next() == Some(segment.as_str()))
    };
    (n_segments, above.iter().filter(in_path).count())
}

/// The places in code where a name stands.
pub(super) fn references(desk: Desk<'_>, pass: &Pass, matcher: &Matcher) -> Result<Found, Error> {
    let allowance = Allowance::new(SEARCH_TIME, rayon::current_num_threads());
    let has = |hits: &&Hits| {
        let count = |term: usize| hits.counts.get(term).copied().unwrap_or_default();
        count(Name::EXACT) + count(Name::FOLDED) > 0
    };
    let files: Vec<&Hits> = pass.files.iter().filter(has).collect();
    let found = files
        .par_iter()
        .map(|hits| {
            desk.cancel.check()?;
            allowance.spend(|| used_in(desk, hits, matcher)).transpose()
        })
        .collect::<Result<Vec<Option<Option<Used>>>, Error>>()?;
    let n_unseen = found.iter().filter(|one| one.is_none()).count();
    let mut found: Vec<Used> = found.into_iter().flatten().flatten().collect();
    found.sort_by_cached_key(|used| {
        let answer = &used.answer;
        (
            used.by_word,
            used.n_definitions == 0,
            Class::of(&answer.path),
            std::cmp::Reverse(answer.n_matches),
            answer.path.clone(),
        )
    });
    let n_definitions: u64 = found.iter().map(|used| used.n_definitions).sum();
    let mut notes = vec!["by name, not by type".to_owned()];
    match n_definitions {
        0 => notes.push("not defined here".to_owned()),
        1 => {}
        n => notes.push(counted(
            n,
            "definition of the name",
            "definitions of the name",
        )),
    }
    Ok(Found {
        files: found.into_iter().map(|used| used.answer).collect(),
        notes,
        n_unseen,
    })
}

/// Whether what stands at `start` of source that could not be parsed looks like code: not behind an
/// open quote or a comment mark of its line, and not in a line that no person wrote.
fn reads_as_code(text: &str, start: usize) -> bool {
    let before = piece(
        text,
        floor_boundary(text, start.saturating_sub(LONG_LINE))..start,
    );
    let line = match before.rsplit_once('\n') {
        Some((_, line)) => line,
        None if start > LONG_LINE => return false,
        None => before,
    };
    let open = |quote: char| line.matches(quote).count() % 2 == 1;
    !open('"') && !open('\'') && !line.contains("//") && !line.trim_start().starts_with(['#', '*'])
}

/// The references in one file.
struct Used {
    answer: FileAnswer,
    n_definitions: u64,
    /// Without a syntax tree: every match is one.
    by_word: bool,
}

fn used_in(desk: Desk<'_>, hits: &Hits, matcher: &Matcher) -> Result<Option<Used>, Error> {
    let Some(read) = pass::reread(desk, &hits.candidate)? else {
        return Ok(None);
    };
    let text = read.accepted.text.as_str();
    let outline: Outline = desk.memory.outline(&read, desk.cancel)?;
    let index = outline.as_ref().as_ref().ok();
    let known = grammar::language(&hits.candidate.path).is_some();
    let mut all = Vec::new();
    matcher.look(text, &mut |hit| all.push(hit), desk.cancel)?;
    let mut marked = Vec::new();
    for (n, hit) in all
        .into_iter()
        .filter(|hit| hit.term != Name::PART)
        .enumerate()
    {
        if n % 1024 == 0 {
            desk.cancel.check()?;
        }
        let mark = match index.map(|index| index.use_of(&hit.bytes, text)) {
            None if known && !reads_as_code(text, hit.bytes.start) => continue,
            None | Some(Some(Use::Reference)) => "",
            Some(Some(Use::Definition)) => "def",
            Some(Some(Use::Import)) => "import",
            Some(None) => continue,
        };
        marked.push(Marked { hit, mark });
    }
    if marked.is_empty() {
        return Ok(None);
    }
    let n_definitions = marked.iter().filter(|one| one.mark == "def").count() as u64;
    let by_word = index.is_none();
    let places = place::gather(text, index, &marked, &[1.0, 1.0, 1.0]);
    Ok(Some(Used {
        answer: FileAnswer {
            n_matches: marked.len() as u64,
            places,
            note: match by_word {
                true if known => "  (not parsed: words)",
                true => "  (words)",
                false => "",
            },
            ..super::unseen(hits)
        },
        n_definitions,
        by_word,
    }))
}
