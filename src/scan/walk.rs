//! All candidates of a root in path order, or the decision about single paths.
//!
//! The walk keeps its own stack, so depth costs no call stack, and opens one directory at a time.
//! Every name it meets is either wanted or an omission with its reason; a directory that is not
//! entered is one omission. Links are never followed.

use std::collections::BTreeMap;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::marker::is_temporary_name;
use crate::path::{PathFault, RelPath};
use crate::reason::{Omission, Reason, RuleLocation};
use crate::root::{Entry, Kind, Root};
use crate::scan::rules::{Folder, Rules};
use crate::scan::select::Selection;
use crate::scan::spelling::{FOLDING, Spellings};

/// A file that is wanted as far as its path says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where it is.
    pub path: RelPath,
    /// Its size when it was met, in bytes.
    pub size: u64,
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Wanted files in ascending byte order of their paths.
    pub wanted: Vec<Candidate>,
    /// Everything that was left out, in ascending byte order of the paths as shown.
    pub omitted: Vec<Omission>,
    /// Whether a directory or an ignore file could not be read, so that files may be missing.
    pub partial: bool,
}

/// Finds all files that `selection` wants: those of the host's list, else those of the tree.
///
/// Time is linear in the names met, times the length of a path. A chain of nested directories
/// costs the square of its depth, which the length of a path bounds.
///
/// # Errors
/// [`Error::InputLimit`] when more than `max_candidates` names are met, [`Error::Io`] when the
/// root cannot be listed, [`Error::Configuration`] for an oversized ignore file,
/// [`Error::Cancelled`].
pub fn walk(
    root: &Root,
    selection: &Selection,
    max_candidates: u64,
    cancel: &Cancel,
) -> Result<Found, Error> {
    if !root.exists() {
        return Err(root_failed(Reason::NotFound));
    }
    let mut found = match selection.list() {
        Some(list) => {
            if list.len() as u64 > max_candidates {
                return Err(over(max_candidates));
            }
            let mut found = Found::default();
            for decision in look_up(root, selection, list, cancel)? {
                match decision {
                    Ok(candidate) => found.wanted.push(candidate),
                    Err(omission) => found.omitted.push(omission),
                }
            }
            found
        }
        None => walk_tree(root, selection, max_candidates, cancel)?,
    };
    found.wanted.sort_by(|a, b| a.path.cmp(&b.path));
    found.omitted.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn over(limit: u64) -> Error {
    Error::InputLimit {
        what: "files and directories",
        limit,
    }
}

fn root_failed(reason: Reason) -> Error {
    let kind = match reason {
        Reason::NotFound => std::io::ErrorKind::NotFound,
        Reason::PermissionDenied => std::io::ErrorKind::PermissionDenied,
        _ => std::io::ErrorKind::Other,
    };
    Error::Io {
        operation: "listing the root directory",
        path: None,
        kind,
    }
}

fn walk_tree(
    root: &Root,
    selection: &Selection,
    max_candidates: u64,
    cancel: &Cancel,
) -> Result<Found, Error> {
    let (rules, top) = Rules::bind(root, selection)?;
    let mut tree = Tree {
        rules,
        selection,
        found: Found::default(),
        pending: vec![(None, top)],
    };
    let mut left = max_candidates;
    while let Some((dir, mut folder)) = tree.pending.pop() {
        cancel.check()?;
        let at_most = usize::try_from(left.saturating_add(1)).unwrap_or(usize::MAX);
        let entries = match (root.list(dir.as_ref(), at_most), &dir) {
            (Ok(entries), _) => entries,
            (Err(reason), None) => return Err(root_failed(reason)),
            (Err(reason), Some(dir)) => {
                tree.found.partial = true;
                tree.found.omitted.push(Omission {
                    directory: true,
                    ..Omission::new(dir, reason)
                });
                continue;
            }
        };
        left = left
            .checked_sub(entries.len() as u64)
            .ok_or_else(|| over(max_candidates))?;
        let has = |name: &str| entries.iter().any(|entry| entry.name == *name);
        tree.found.partial |= tree
            .rules
            .open_folder(root, dir.as_ref(), has, &mut folder)?;
        let above: Vec<&str> = dir.iter().flat_map(RelPath::segments).collect();
        for entry in &entries {
            cancel.check()?;
            tree.meet(dir.as_ref(), &folder, &above, entry);
        }
    }
    Ok(tree.found)
}

/// A walk under way.
struct Tree<'s> {
    rules: Rules<'s>,
    selection: &'s Selection,
    found: Found,
    pending: Vec<(Option<RelPath>, Folder)>,
}

impl Tree<'_> {
    /// Decides about one name in the directory `dir`, whose names are `above`.
    fn meet(&mut self, dir: Option<&RelPath>, folder: &Folder, above: &[&str], entry: &Entry) {
        let directory = entry.look.kind == Kind::Directory;
        let mut omit = |path: String, reason: Reason, rule: Option<RuleLocation>| {
            self.found.omitted.push(Omission {
                path,
                reason,
                rule,
                directory,
            });
        };
        let shown = || {
            let name = entry.name.to_string_lossy();
            dir.map_or_else(|| name.clone().into_owned(), |dir| format!("{dir}/{name}"))
        };
        let Some(name) = entry.name.to_str() else {
            return omit(shown(), Reason::NameNotUtf8, None);
        };
        let path = match dir.map_or_else(|| RelPath::new(name), |dir| dir.join(name)) {
            Ok(path) => path,
            Err(PathFault::TooLong) => return omit(shown(), Reason::PathTooLong, None),
            Err(_) => return omit(shown(), Reason::OutsideRoot, None),
        };
        let names: Vec<&str> = above.iter().copied().chain([name]).collect();
        match entry.look.kind {
            Kind::Symlink => omit(shown(), Reason::SymlinkNotFollowed, None),
            Kind::Other => omit(shown(), Reason::NotRegularFile, None),
            Kind::Directory => match self.rules.judge_folder(folder, &names) {
                (_, Some((reason, rule))) => omit(shown(), reason, rule),
                (inner, None) => self.pending.push((Some(path), inner)),
            },
            Kind::File => {
                let verdict = self.rules.judge_file(folder, &names);
                match verdict.or_else(|| own_output(self.selection, &path)) {
                    Some((reason, rule)) => omit(shown(), reason, rule),
                    None => self.found.wanted.push(Candidate {
                        path,
                        size: entry.look.size,
                    }),
                }
            }
        }
    }
}

fn own_output(selection: &Selection, path: &RelPath) -> Option<(Reason, Option<RuleLocation>)> {
    (selection.is_output(path) || is_temporary_name(path.name()))
        .then_some((Reason::OwnOutput, None))
}

/// Decides about single paths, taken literally, in the order given. A path outside the host's
/// list is not looked at.
///
/// # Errors
/// [`Error::Configuration`] for an oversized ignore file, [`Error::Cancelled`].
pub fn look_up<'a>(
    root: &'a Root,
    selection: &'a Selection,
    paths: &'a [RelPath],
    cancel: &Cancel,
) -> Result<Vec<Result<Candidate, Omission>>, Error> {
    if !root.exists() {
        return Err(root_failed(Reason::NotFound));
    }
    let (rules, mut top) = Rules::bind(root, selection)?;
    rules.open_folder(root, None, |_| true, &mut top)?;
    let mut desk = Desk {
        root,
        selection,
        rules,
        top,
        folders: BTreeMap::new(),
        spellings: Spellings::new(root),
    };
    let mut decisions = Vec::with_capacity(paths.len());
    for path in paths {
        cancel.check()?;
        decisions.push(desk.decide(path)?);
    }
    Ok(decisions)
}

/// What is kept between the decisions about single paths.
struct Desk<'a> {
    root: &'a Root,
    selection: &'a Selection,
    rules: Rules<'a>,
    top: Folder,
    folders: BTreeMap<&'a str, Folder>,
    spellings: Spellings<'a>,
}

impl<'a> Desk<'a> {
    fn decide(&mut self, path: &'a RelPath) -> Result<Result<Candidate, Omission>, Error> {
        let omit = |reason, rule| {
            Ok(Err(Omission {
                rule,
                ..Omission::new(path, reason)
            }))
        };
        if !self.selection.is_listed(path) {
            return omit(Reason::NotListed, None);
        }
        let look = match self.root.look(path) {
            // Some file systems answer to every spelling of a name.
            Ok(_) if FOLDING && self.spellings.is_other(path) => {
                return omit(Reason::SpellingMismatch, None);
            }
            Err(Reason::NotFound) if self.spellings.is_other(path) => {
                return omit(Reason::SpellingMismatch, None);
            }
            Ok(look) => look,
            Err(reason) => return omit(reason, None),
        };
        match look.kind {
            Kind::File => {}
            Kind::Symlink => return omit(Reason::SymlinkNotFollowed, None),
            Kind::Other => return omit(Reason::NotRegularFile, None),
            Kind::Directory => {
                return Ok(Err(Omission {
                    directory: true,
                    ..Omission::new(path, Reason::NotRegularFile)
                }));
            }
        }
        let names: Vec<&str> = path.segments().collect();
        let folder = self.folder_of(path, &names)?;
        let verdict = self.rules.judge_file(&folder, &names);
        match verdict.or_else(|| own_output(self.selection, path)) {
            Some((reason, rule)) => omit(reason, rule),
            None => Ok(Ok(Candidate {
                path: path.clone(),
                size: look.size,
            })),
        }
    }

    /// What holds in the directory of `path`.
    fn folder_of(&mut self, path: &'a RelPath, names: &[&str]) -> Result<Folder, Error> {
        let mut folder = self.top.clone();
        for (depth, (end, _)) in path.as_str().match_indices('/').enumerate() {
            let prefix = path.as_str().get(..end).unwrap_or_default();
            if let Some(known) = self.folders.get(prefix) {
                folder = known.clone();
                continue;
            }
            let above = names.get(..=depth).unwrap_or_default();
            let (mut inner, _) = self.rules.judge_folder(&folder, above);
            if let Ok(dir) = RelPath::new(prefix) {
                self.rules
                    .open_folder(self.root, Some(&dir), |_| true, &mut inner)?;
            }
            self.folders.insert(prefix, inner.clone());
            folder = inner;
        }
        Ok(folder)
    }
}
