//! Finding: what files there are, and where in them a name, a text or an answer stands.
//!
//! Both read only, and see what packing sees: the same selection, reading, decoding and secret
//! scan. There is no index on disk; a [`Memory`] makes later answers cheaper and changes none.
//! An answer is one text of at most the tokens that were asked for, counted exactly; its first
//! line says what there is altogether.
//!
//! | module | what it knows |
//! |---|---|
//! | `request` `narrow` | what is asked for |
//! | `list` | directories and files |
//! | `terms` `matcher` | what a query looks for in a text |
//! | `pass` `clock` | the first pass, over all files, and its time |
//! | `place` | matches by symbol |
//! | `names` | definitions and references |
//! | `rank` | the order |
//! | `answer` | the text, within its tokens |

mod answer;
mod clock;
pub mod list;
mod matcher;
mod names;
pub mod narrow;
mod pass;
mod place;
mod rank;
pub mod request;
mod terms;

use rayon::prelude::*;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::SEARCH_FILES;
use crate::memory::Memory;
use crate::options::HostOptions;
use crate::progress::Progress;
use crate::scan::walk::Candidate;

use self::answer::{Answer, FileAnswer};
use self::matcher::Matcher;
use self::pass::{Desk, Hits, Pass};
use self::place::Marked;
use self::rank::{Class, Scales};
use self::request::{Mode, SearchRequest};

/// Says what is wrong with a query in its mode.
pub(crate) fn check(request: &SearchRequest) -> Result<(), String> {
    Matcher::new(request, request.mode).map(drop)
}

/// Searches the selected files.
///
/// # Errors
/// [`Error::InputLimit`] as for packing, [`Error::Configuration`] for a query that cannot be used
/// in its mode, failures of the root, [`Error::Cancelled`].
pub fn search(
    host: &HostOptions,
    memory: &Memory,
    request: &SearchRequest,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<String, Error> {
    let desk = Desk {
        host,
        memory,
        progress,
        cancel,
    };
    let (candidates, partial) = pass::candidates(desk, &request.narrow)?;
    let search = Search {
        desk,
        request,
        candidates,
        partial,
    };
    if request.mode == Mode::Auto
        && matcher::segments(&request.query).is_some()
        && let Some(text) = search.run(Mode::Symbol)?
    {
        return Ok(text);
    }
    let mode = match request.mode {
        Mode::Auto => Mode::Words,
        mode => mode,
    };
    search
        .run(mode)?
        .ok_or(Error::Internal("a search came to nothing"))
}

/// A search under way.
struct Search<'a> {
    desk: Desk<'a>,
    request: &'a SearchRequest,
    candidates: Vec<Candidate>,
    partial: bool,
}

impl Search<'_> {
    /// The answer in one mode; `None` when another mode is to be tried.
    fn run(&self, mode: Mode) -> Result<Option<String>, Error> {
        let matcher = Matcher::new(self.request, mode).map_err(Error::Configuration)?;
        let pass = pass::look_through(self.desk, &self.candidates, &matcher)?;
        let may_fall_back = self.request.mode == Mode::Auto && mode == Mode::Symbol;
        let found = match &matcher {
            Matcher::Name(name) if mode == Mode::Symbol => {
                names::definitions(self.desk, &pass, (name, &matcher), may_fall_back)?
            }
            Matcher::Name(_) => names::references(self.desk, &pass, &matcher)?,
            Matcher::Words(words) => self.by_words(&pass, &matcher, words)?,
            Matcher::Pattern(_) => self.by_pattern(&pass, &matcher)?,
        };
        if may_fall_back && found.files.is_empty() {
            return Ok(None);
        }
        let (n_seen, n_all) = (
            self.candidates.len() - pass.n_unseen - found.n_unseen,
            self.candidates.len(),
        );
        let mut notes = found.notes;
        if self.partial {
            notes.push("a directory could not be read".to_owned());
        }
        let answer = Answer {
            mode: mode.as_str(),
            query: &self.request.query,
            files: found.files,
            n_searched: pass.n_files,
            n_withheld: pass.n_withheld,
            partial: (n_seen < n_all).then_some((n_seen, n_all)),
            notes,
            ranked: matches!(mode, Mode::Words),
        };
        answer
            .render(
                self.request.max_tokens,
                self.request.offset,
                self.desk.cancel,
            )
            .map(Some)
    }

    fn by_words(
        &self,
        pass: &Pass,
        matcher: &Matcher,
        words: &matcher::Words,
    ) -> Result<Found, Error> {
        let terms = words.terms.as_slice();
        let scales = Scales::new(pass, terms);
        let mut order: Vec<(f64, &Hits)> = pass
            .files
            .iter()
            .map(|hits| (scales.first(hits, terms), hits))
            .collect();
        best_first(&mut order);
        let best = order
            .get(..SEARCH_FILES.min(order.len()))
            .unwrap_or_default();
        let looked = best
            .par_iter()
            .map(|(_, hits)| self.look_into(hits, matcher, &scales.idf))
            .collect::<Result<Vec<Looked>, Error>>()?;
        let lifted = rank::lifts(&looked, &self.request.query, terms, &scales);
        let mut files: Vec<(f64, FileAnswer)> = Vec::with_capacity(order.len());
        for ((looked, (_, hits)), lift) in looked.into_iter().zip(best).zip(lifted) {
            let mut answer = looked.answer;
            for (place, lift) in answer.places.iter_mut().zip(&lift.places) {
                place.score = scales.place(place, terms) + lift;
            }
            answer.places.sort_by(|a, b| {
                b.score
                    .total_cmp(&a.score)
                    .then(a.lines.start.cmp(&b.lines.start))
            });
            let score =
                scales.second(hits, terms, looked.names) + scales.of_places(&answer, lift.file);
            files.push((score, answer));
        }
        best_first_answers(&mut files);
        let mut files: Vec<FileAnswer> = files.into_iter().map(|(_, answer)| answer).collect();
        let others = order.get(SEARCH_FILES..).unwrap_or_default();
        files.extend(others.iter().map(|(_, hits)| unseen(hits)));
        Ok(Found::of(files))
    }

    fn by_pattern(&self, pass: &Pass, matcher: &Matcher) -> Result<Found, Error> {
        let mut order: Vec<&Hits> = pass.files.iter().collect();
        order.sort_by_cached_key(|hits| {
            let path = &hits.candidate.path;
            (
                Class::of(path),
                std::cmp::Reverse(hits.total()),
                path.clone(),
            )
        });
        let files = order
            .par_iter()
            .enumerate()
            .map(|(rank, hits)| {
                if rank < SEARCH_FILES {
                    self.look_into(hits, matcher, &[1.0])
                        .map(|looked| looked.answer)
                } else {
                    Ok(unseen(hits))
                }
            })
            .collect::<Result<Vec<FileAnswer>, Error>>()?;
        Ok(Found::of(files))
    }

    /// Reads a file again and puts its matches together.
    fn look_into(&self, hits: &Hits, matcher: &Matcher, weights: &[f64]) -> Result<Looked, Error> {
        let desk = self.desk;
        let Some(read) = pass::reread(desk, &hits.candidate)? else {
            return Ok(Looked {
                answer: unseen(hits),
                names: (vec![0; weights.len()], 0),
                defined: Vec::new(),
            });
        };
        let text = read.accepted.text.as_str();
        let outline = desk.memory.outline(&read, desk.cancel)?;
        let index = outline.as_ref().as_ref().ok();
        let mut marked = Vec::new();
        let mut keep = |hit| marked.push(Marked { hit, mark: "" });
        matcher.look(text, &mut keep, desk.cancel)?;
        let mut answer = FileAnswer {
            places: place::gather(text, index, &marked, weights),
            ..unseen(hits)
        };
        let (mut names, mut defined) = ((vec![0; weights.len()], 0), Vec::new());
        if let (Some(index), Matcher::Words(words)) = (index, matcher) {
            (names, defined) = rank::names_of(index, &words.terms);
            mark_definitions(&mut answer, text, index, &words.terms);
        }
        Ok(Looked {
            answer,
            names,
            defined,
        })
    }
}

/// Marks the places whose own name holds a term.
fn mark_definitions(
    answer: &mut FileAnswer,
    _text: &str,
    _index: &crate::syntax::symbols::Index,
    terms: &[terms::Term],
) {
    for place in &mut answer.places {
        let Some(symbol) = &place.symbol else {
            continue;
        };
        let own = symbol.path.rsplit('.').next().unwrap_or_default();
        if rank::in_name(own, terms).0.iter().any(|&n| n > 0) {
            place.mark = "def";
        }
    }
}

/// A file that was looked into.
struct Looked {
    answer: FileAnswer,
    /// Terms in the names it defines, and how many parts those have.
    names: (Vec<u32>, usize),
    /// The names it defines.
    defined: Vec<String>,
}

/// The files of an answer, in their order.
struct Found {
    files: Vec<FileAnswer>,
    notes: Vec<String>,
    /// Files that the time did not suffice for.
    n_unseen: usize,
}

impl Found {
    fn of(files: Vec<FileAnswer>) -> Self {
        Self {
            files,
            notes: Vec::new(),
            n_unseen: 0,
        }
    }
}

/// A file of which only the number of matches is known.
fn unseen(hits: &Hits) -> FileAnswer {
    FileAnswer {
        path: hits.candidate.path.clone(),
        n_matches: hits.total(),
        places: Vec::new(),
        note: "",
    }
}

fn best_first(order: &mut [(f64, &Hits)]) {
    order.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| a.1.candidate.path.cmp(&b.1.candidate.path))
    });
}

fn best_first_answers(order: &mut [(f64, FileAnswer)]) {
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
}
