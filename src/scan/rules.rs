//! All sources of rules over one root.
//!
//! Sources in order of precedence; the last match within the highest source that has one decides:
//!
//! 1. the host's ignore patterns,
//! 2. `.moon-repomixignore` and `.repomixignore`,
//! 3. `.ignore`,
//! 4. `.gitignore`,
//! 5. `info/exclude` of the repository,
//! 6. git's global excludes,
//! 7. the built-in patterns.
//!
//! Within 2, 3 and 4 files of inner directories come before those of outer ones, and files of
//! enclosing directories up to the repository's root count. As in git, what is below an ignored
//! directory is ignored; only a `!` pattern of the host reaches into one. `.git` is never wanted.

use std::fs::File;
use std::path::Path;
use std::rc::Rc;
use std::sync::LazyLock;

use crate::cancel::Cancel;
use crate::path::RelPath;
use crate::reason::{IdleRules, Reason, RuleLocation, RuleSource};
use crate::root::{Kind, Root, open_outside};
use crate::scan::ignore::RuleSet;
use crate::scan::pattern::{HostPattern, Reading};
use crate::scan::repository;
use crate::scan::rule_file::{RuleFile, Shelf};
use crate::scan::select::Selection;
use crate::scan::subject::{Letters, Names, Subject};

/// The built-in patterns. The first one is `.git`.
static BUILT_IN: LazyLock<RuleSet> =
    LazyLock::new(|| RuleSet::parse(include_bytes!("../../assets/default-ignore.txt")));

/// Names of ignore files, in order of precedence.
const FILES: [&str; 4] = [
    ".moon-repomixignore",
    ".repomixignore",
    ".ignore",
    ".gitignore",
];
/// Which of [`FILES`] are one source.
const SOURCES: [&[usize]; 3] = [&[0, 1], &[2], &[3]];

/// The rules of a selection over one root.
pub(super) struct Rules<'s> {
    selection: &'s Selection,
    include: Vec<Reading>,
    ignore: Vec<Reading>,
    /// Names that lead from the repository's root to the root.
    above: Vec<String>,
    exclude: Option<RuleFile>,
    global: Option<RuleFile>,
    shelf: Shelf,
    cancel: &'s Cancel,
}

/// The ignore files of one directory, and of those above it.
struct Level {
    outer: Option<Rc<Level>>,
    /// Number of names that lead to the directory from the repository's root.
    depth: usize,
    files: [Option<RuleFile>; FILES.len()],
}

impl Drop for Level {
    /// One level after the other: a chain may be thousands long.
    fn drop(&mut self) {
        let mut outer = self.outer.take();
        while let Some(mut level) = outer.and_then(Rc::into_inner) {
            outer = level.outer.take();
        }
    }
}

/// What holds for everything in one directory.
#[derive(Clone)]
pub(super) struct Folder {
    /// The innermost ignore files.
    level: Option<Rc<Level>>,
    /// The rule that ignores the directory, where only a pattern of the host leads further.
    ignored: Option<RuleLocation>,
    /// Whether the directory is in a checkout that is left out.
    worktree: bool,
    /// The last include pattern that selects the content of the directory.
    cover: Option<usize>,
}

/// Why something is out.
pub(super) type Verdict = Option<(Reason, Option<RuleLocation>)>;

impl<'s> Rules<'s> {
    /// Reads the rules that hold for the whole root. What of them is not in force is added to
    /// `idle`.
    pub(super) fn bind(
        root: &Root,
        selection: &'s Selection,
        idle: &mut Vec<IdleRules>,
        cancel: &'s Cancel,
    ) -> (Self, Folder) {
        let repository = repository::find(root.path());
        let work_tree = repository.as_ref().map_or(root.path(), |r| &r.work_tree);
        let above: Vec<String> = root
            .path()
            .strip_prefix(work_tree)
            .unwrap_or(Path::new(""))
            .iter()
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        let up = "../".repeat(above.len());
        let shelf = Shelf::new(Letters::Exact);
        let mut exclude = None;
        let mut global = None;
        if selection.gitignore {
            if let Some(repository) = &repository {
                let shown = format!("{up}.git/info/exclude");
                let opened = open_outside(&repository.exclude);
                exclude = shelf.room().read(opened, Some(shown), idle);
            }
            if let Some(path) = selection.global_excludes() {
                // The user's own files may be reached through links.
                let path = path.canonicalize().unwrap_or(path);
                global = shelf.room().read(open_outside(&path), None, idle);
            }
        }
        let rules = Self {
            selection,
            include: readings(root, &selection.include),
            ignore: readings(root, &selection.ignore),
            above,
            exclude,
            global,
            shelf,
            cancel,
        };
        let folder = Folder {
            level: rules.enclosing(work_tree, idle),
            ignored: None,
            worktree: false,
            cover: None,
        };
        (rules, folder)
    }

    /// The ignore files of the directories from the repository's root down to above the root.
    fn enclosing(&self, work_tree: &Path, idle: &mut Vec<IdleRules>) -> Option<Rc<Level>> {
        let mut level = None;
        let mut dir = work_tree.to_owned();
        for (depth, name) in self.above.iter().enumerate() {
            let up = "../".repeat(self.above.len() - depth);
            let open = |name: &str| open_rules(&dir.join(name));
            level = self.level(level, depth, &up, open, idle);
            dir.push(name);
        }
        level
    }

    /// The ignore files of one directory, `depth` names below the repository's root, on top of
    /// `outer`. `prefix` leads to the directory in results.
    fn level(
        &self,
        outer: Option<Rc<Level>>,
        depth: usize,
        prefix: &str,
        open: impl Fn(&str) -> Result<(File, u64), Reason>,
        idle: &mut Vec<IdleRules>,
    ) -> Option<Rc<Level>> {
        let mut files = [const { None }; FILES.len()];
        let mut room = self.shelf.room();
        for (slot, name) in files.iter_mut().zip(FILES) {
            if self.uses(name) {
                *slot = room.read(open(name), Some(format!("{prefix}{name}")), idle);
            }
        }
        if files.iter().all(Option::is_none) {
            return outer;
        }
        Some(Rc::new(Level {
            outer,
            depth,
            files,
        }))
    }

    fn uses(&self, file: &str) -> bool {
        match file {
            ".gitignore" => self.selection.gitignore,
            ".ignore" => self.selection.dot_ignore,
            _ => true,
        }
    }

    /// Adds the ignore files of `dir` itself (`None` is the root) to `folder`. `has` says whether
    /// the directory holds a name. What of them is not in force is added to `idle`.
    pub(super) fn open_folder(
        &self,
        root: &Root,
        dir: Option<&RelPath>,
        has: impl Fn(&str) -> bool,
        folder: &mut Folder,
        idle: &mut Vec<IdleRules>,
    ) {
        let depth = self.above.len() + dir.map_or(0, |dir| dir.segments().count());
        let prefix = dir.map_or_else(String::new, |dir| format!("{dir}/"));
        let open = |name: &str| {
            if !has(name) {
                return Err(Reason::NotFound);
            }
            let path = inside(dir, name).ok_or(Reason::NotFound)?;
            root.open_file(&path).map_err(|reason| match reason {
                // A directory of that name is no file of rules.
                Reason::NotRegularFile if is_directory(root, &path) => Reason::NotFound,
                reason => reason,
            })
        };
        folder.level = self.level(folder.level.take(), depth, &prefix, open, idle);
    }

    /// Leaves the directory `dir` out if it is another checkout of a repository, and says whether
    /// it is. `has` says whether the directory holds a name.
    pub(super) fn close_worktree(
        &self,
        root: &Root,
        dir: &RelPath,
        has: impl Fn(&str) -> bool,
        folder: &mut Folder,
    ) -> bool {
        folder.worktree |= has(".git")
            && inside(Some(dir), ".git").is_some_and(|git| repository::is_worktree(root, &git));
        folder.worktree
    }

    /// What holds inside the directory made of `names`, whose parent is `parent`, before its own
    /// ignore files are read; and why it need not be entered at all, if so.
    pub(super) fn judge_folder(&self, parent: &Folder, names: &[&str]) -> (Folder, Verdict) {
        let is_git = names.last() == Some(&".git");
        let subject = self.subject(names);
        let names = subject.below(self.above.len());
        let cover = self
            .last_include(|pattern, reading| pattern.selects_content(names, reading))
            .max(parent.cover);
        let ignored = match self.last_rule(parent, &subject, true) {
            Some((true, _)) => None,
            Some((false, rule)) => Some(rule),
            None => parent.ignored.clone(),
        };
        let verdict = if !self.may_include(cover, names) {
            Some((Reason::NotIncluded, Some(self.selection.include_rule())))
        } else if is_git {
            Some((Reason::Ignored, Some(git_rule())))
        } else {
            ignored
                .as_ref()
                .filter(|_| !self.takes_back_below(names))
                .map(|rule| (Reason::Ignored, Some(rule.clone())))
        };
        let folder = Folder {
            level: parent.level.clone(),
            ignored,
            worktree: parent.worktree,
            cover,
        };
        (folder, verdict)
    }

    /// Why the file made of `names` in `folder` is out, if it is.
    pub(super) fn judge_file(&self, folder: &Folder, names: &[&str]) -> Verdict {
        let subject = self.subject(names);
        let below = subject.below(self.above.len());
        let own = self.last_include(|pattern, reading| pattern.matches(below, false, reading));
        if !self.is_included(own.max(folder.cover)) {
            return Some((Reason::NotIncluded, Some(self.selection.include_rule())));
        }
        if folder.worktree {
            return Some((Reason::NestedWorktree, None));
        }
        if names.contains(&".git") {
            return Some((Reason::Ignored, Some(git_rule())));
        }
        match self.last_rule(folder, &subject, false) {
            Some((true, _)) => None,
            Some((false, rule)) => Some((Reason::Ignored, Some(rule))),
            None => folder
                .ignored
                .clone()
                .map(|rule| (Reason::Ignored, Some(rule))),
        }
    }

    /// The path made of `names`, from the repository's root on. Once the work is cancelled nothing
    /// matches it.
    fn subject<'n>(&'n self, names: &[&'n str]) -> Subject<'n> {
        let above = self.above.iter().map(String::as_str);
        Subject::new(
            above.chain(names.iter().copied()),
            Letters::Exact,
            self.cancel,
        )
    }

    fn last_include(&self, selects: impl Fn(&HostPattern, Reading) -> bool) -> Option<usize> {
        let patterns = &self.selection.include;
        patterns
            .iter()
            .zip(&self.include)
            .rposition(|(pattern, &reading)| selects(pattern, reading))
    }

    /// Whether a path is wanted when this is the last include pattern that selects it. Without
    /// any that includes, everything is wanted that none excludes.
    fn is_included(&self, last: Option<usize>) -> bool {
        let patterns = &self.selection.include;
        match last.and_then(|index| patterns.get(index)) {
            Some(pattern) => !pattern.negated(),
            None => patterns.iter().all(HostPattern::negated),
        }
    }

    /// Whether something below a directory could be wanted.
    fn may_include(&self, cover: Option<usize>, names: Names<'_>) -> bool {
        let mut all = self.selection.include.iter().zip(&self.include);
        self.is_included(cover)
            || all.any(|(pattern, &reading)| {
                !pattern.negated() && pattern.reaches_below(names, reading)
            })
    }

    /// Whether a `!` pattern of the host could match something below an ignored directory.
    fn takes_back_below(&self, names: Names<'_>) -> bool {
        let mut all = self.selection.ignore.iter().zip(&self.ignore);
        all.any(|(pattern, &reading)| pattern.negated() && pattern.reaches_below(names, reading))
    }

    /// The rule that decides about one path by itself, and whether it takes back (`!`). Inside an
    /// ignored directory only the host's patterns are asked.
    fn last_rule(
        &self,
        folder: &Folder,
        subject: &Subject<'_>,
        is_directory: bool,
    ) -> Option<(bool, RuleLocation)> {
        let names = subject.below(self.above.len());
        let mut host = self.selection.ignore.iter().zip(&self.ignore);
        if let Some(index) =
            host.rposition(|(pattern, &reading)| pattern.matches(names, is_directory, reading))
        {
            let negated = self.selection.ignore.get(index)?.negated();
            return Some((negated, self.selection.ignore_rule(index)));
        }
        if folder.ignored.is_some() {
            return None;
        }
        if let Some(found) = self.last_rule_of_files(folder, subject, is_directory) {
            return Some(found);
        }
        if self.selection.default_patterns
            && let Some(hit) = BUILT_IN.last_match(names, is_directory)
        {
            return Some((hit.negated, built_in_rule(hit.index)));
        }
        None
    }

    fn last_rule_of_files(
        &self,
        folder: &Folder,
        subject: &Subject<'_>,
        is_directory: bool,
    ) -> Option<(bool, RuleLocation)> {
        let folded;
        let subject = match self.shelf.letters() {
            Letters::Exact => subject,
            Letters::Folded => {
                folded = subject.with(Letters::Folded);
                &folded
            }
        };
        let asked = |file: &RuleFile, depth: usize| {
            let hit = file.rules.last_match(subject.below(depth), is_directory)?;
            Some((hit.negated, file.location(hit)))
        };
        for source in SOURCES {
            let mut next = folder.level.as_deref();
            while let Some(level) = next {
                let mut files = source.iter().filter_map(|&index| level.files.get(index));
                let found = files.find_map(|file| asked(file.as_ref()?, level.depth));
                if found.is_some() {
                    return found;
                }
                next = level.outer.as_deref();
            }
        }
        let mut whole = [&self.exclude, &self.global].into_iter().flatten();
        whole.find_map(|file| asked(file, 0))
    }
}

fn built_in_rule(index: u32) -> RuleLocation {
    RuleLocation {
        source: RuleSource::DefaultPatterns,
        file: None,
        line: None,
        index: Some(index),
    }
}

/// The rule that keeps `.git` out, whatever the host says.
fn git_rule() -> RuleLocation {
    built_in_rule(0)
}

fn readings(root: &Root, patterns: &[HostPattern]) -> Vec<Reading> {
    let reading = |pattern: &HostPattern| match pattern.literal() {
        Some(path) if root.look(path).is_ok() => Reading::Literal,
        _ => Reading::Both,
    };
    patterns.iter().map(reading).collect()
}

/// Opens an ignore file of a directory above the root.
fn open_rules(path: &Path) -> Result<(File, u64), Reason> {
    open_outside(path).map_err(|reason| match reason {
        Reason::NotRegularFile if path.is_dir() => Reason::NotFound,
        reason => reason,
    })
}

fn inside(dir: Option<&RelPath>, name: &str) -> Option<RelPath> {
    dir.map_or_else(|| RelPath::new(name), |dir| dir.join(name))
        .ok()
}

fn is_directory(root: &Root, path: &RelPath) -> bool {
    root.look(path)
        .is_ok_and(|look| look.kind == Kind::Directory)
}
