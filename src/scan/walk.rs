//! All candidates of a root in path order, or the decision about single paths.
//!
//! The walk keeps its own stack, so depth costs no call stack, and opens one directory at a time.
//! Every name it meets is either wanted or an omission with its reason; a directory that is not
//! entered is one omission. Links are never followed.

use crate::cancel::Cancel;
use crate::error::Error;
use crate::path::{PathFault, RelPath};
use crate::reason::{IdleRules, Omission, Reason, RuleLocation};
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
    /// Rule files that are not in force, in ascending order.
    pub idle: Vec<IdleRules>,
    /// Whether a directory could not be read or a rule file is not in force, so that files may be
    /// missing or too many.
    pub partial: bool,
}

/// Finds all files that `selection` wants: those of the host's list, else those of the tree.
///
/// Time is linear in the names met, times the length of a path. A chain of nested directories
/// costs the square of its depth, which the length of a path bounds.
///
/// # Errors
/// [`Error::InputLimit`] when more than `max_candidates` names are met, [`Error::Io`] when the
/// root cannot be listed, [`Error::Cancelled`].
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
        Some(list) if list.len() as u64 > max_candidates => return Err(over(max_candidates)),
        Some(list) => return find_listed(root, selection, list, cancel),
        None => walk_tree(root, selection, max_candidates, cancel)?,
    };
    found.sort();
    Ok(found)
}

/// What becomes of single paths, taken literally, as a walk gives it.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn find_listed(
    root: &Root,
    selection: &Selection,
    paths: &[RelPath],
    cancel: &Cancel,
) -> Result<Found, Error> {
    let mut found = Found::default();
    for decision in look_up_noting(root, selection, paths, &mut found.idle, cancel)? {
        match decision {
            Ok(candidate) => found.wanted.push(candidate),
            Err(omission) => found.omitted.push(omission),
        }
    }
    found.sort();
    Ok(found)
}

impl Found {
    fn sort(&mut self) {
        self.wanted.sort_by(|a, b| a.path.cmp(&b.path));
        self.omitted.sort_by(|a, b| a.path.cmp(&b.path));
        self.idle.sort();
        self.partial |= !self.idle.is_empty();
    }
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
    let mut found = Found::default();
    let (rules, top) = Rules::bind(root, selection, &mut found.idle, cancel);
    let mut tree = Tree {
        rules,
        selection,
        found,
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
        let n_entries = entries.len() as u64;
        // Of a directory that is over the limit not all names are known.
        let cut_short = n_entries > left;
        let has = |name: &str| cut_short || entries.iter().any(|entry| entry.name == *name);
        if let Some(dir) = &dir
            && tree.rules.close_worktree(root, dir, has, &mut folder)
        {
            tree.found.omitted.push(Omission {
                directory: true,
                ..Omission::new(dir, Reason::NestedWorktree)
            });
            continue;
        }
        left = left
            .checked_sub(n_entries)
            .ok_or_else(|| over(max_candidates))?;
        let idle = &mut tree.found.idle;
        tree.rules
            .open_folder(root, dir.as_ref(), has, &mut folder, idle);
        let above: Vec<&str> = dir.iter().flat_map(RelPath::segments).collect();
        for entry in &entries {
            cancel.check()?;
            tree.meet(dir.as_ref(), &folder, &above, entry);
        }
    }
    // Nothing matches once the flag is set: what was decided since does not count.
    cancel.check()?;
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
    selection
        .is_output(path)
        .then_some((Reason::OwnOutput, None))
}

/// Decides about single paths, taken literally, in the order given. A path outside the host's
/// list is not looked at.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn look_up(
    root: &Root,
    selection: &Selection,
    paths: &[RelPath],
    cancel: &Cancel,
) -> Result<Vec<Result<Candidate, Omission>>, Error> {
    look_up_noting(root, selection, paths, &mut Vec::new(), cancel)
}

/// As [`look_up`]; the rule files on the way that are not in force are added to `idle`.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn look_up_noting(
    root: &Root,
    selection: &Selection,
    paths: &[RelPath],
    idle: &mut Vec<IdleRules>,
    cancel: &Cancel,
) -> Result<Vec<Result<Candidate, Omission>>, Error> {
    let (rules, mut top) = Rules::bind(root, selection, idle, cancel);
    rules.open_folder(root, None, |_| true, &mut top, idle);
    let mut desk = Desk {
        root,
        selection,
        rules,
        top,
        folders: Vec::new(),
        spellings: Spellings::new(root),
        idle,
    };
    // In the order of the paths no directory is opened twice, and only those on the way to one
    // path are held.
    let mut order: Vec<usize> = (0..paths.len()).collect();
    order.sort_by_key(|&index| paths.get(index));
    let mut decisions: Vec<Option<_>> = paths.iter().map(|_| None).collect();
    for index in order {
        cancel.check()?;
        if let (Some(path), Some(place)) = (paths.get(index), decisions.get_mut(index)) {
            *place = Some(desk.decide(path));
        }
    }
    // Nothing matches once the flag is set: what was decided since does not count.
    cancel.check()?;
    Ok(decisions.into_iter().flatten().collect())
}

/// What is kept between the decisions about single paths.
struct Desk<'a> {
    root: &'a Root,
    selection: &'a Selection,
    rules: Rules<'a>,
    top: Folder,
    /// The directories on the way to the last path, outermost first.
    folders: Vec<(&'a str, Folder)>,
    spellings: Spellings<'a>,
    idle: &'a mut Vec<IdleRules>,
}

impl<'a> Desk<'a> {
    fn decide(&mut self, path: &'a RelPath) -> Result<Candidate, Omission> {
        let omit = |reason, rule| {
            Err(Omission {
                rule,
                ..Omission::new(path, reason)
            })
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
                return Err(Omission {
                    directory: true,
                    ..Omission::new(path, Reason::NotRegularFile)
                });
            }
        }
        let names: Vec<&str> = path.segments().collect();
        let folder = self.folder_of(path, &names);
        let verdict = self.rules.judge_file(&folder, &names);
        match verdict.or_else(|| own_output(self.selection, path)) {
            Some((reason, rule)) => omit(reason, rule),
            None => Ok(Candidate {
                path: path.clone(),
                size: look.size,
            }),
        }
    }

    /// What holds in the directory of `path`.
    fn folder_of(&mut self, path: &'a RelPath, names: &[&str]) -> Folder {
        let path = path.as_str();
        let leads = |dir: &str| {
            let rest = path.strip_prefix(dir);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let shared = self.folders.iter().take_while(|(dir, _)| leads(dir));
        let n_shared = shared.count();
        self.folders.truncate(n_shared);
        let ends = path.match_indices('/').map(|(end, _)| end);
        for (depth, end) in ends.enumerate().skip(n_shared) {
            let dir = path.get(..end).unwrap_or_default();
            let parent = self.folders.last().map_or(&self.top, |(_, folder)| folder);
            let above = names.get(..=depth).unwrap_or_default();
            let (mut inner, verdict) = self.rules.judge_folder(parent, above);
            if let Ok(dir) = RelPath::new(dir) {
                // A walk does not enter a directory with a verdict.
                let (root, has) = (self.root, |_: &str| true);
                if verdict.is_none() {
                    self.rules.close_worktree(root, &dir, has, &mut inner);
                }
                self.rules
                    .open_folder(root, Some(&dir), has, &mut inner, self.idle);
            }
            self.folders.push((dir, inner));
        }
        self.folders
            .last()
            .map_or_else(|| self.top.clone(), |(_, folder)| folder.clone())
    }
}
