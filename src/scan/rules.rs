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

use std::path::Path;
use std::rc::Rc;
use std::sync::LazyLock;

use crate::error::Error;
use crate::limits::IGNORE_FILE_BYTES;
use crate::path::RelPath;
use crate::reason::{Reason, RuleLocation, RuleSource};
use crate::root::{Root, open_outside};
use crate::scan::ignore::{Hit, RuleSet};
use crate::scan::pattern::{HostPattern, Reading};
use crate::scan::read::read_open;
use crate::scan::repository;
use crate::scan::select::Selection;

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
    exclude: Option<File>,
    global: Option<File>,
}

/// The rules of one file and the name it is shown under.
struct File {
    rules: RuleSet,
    shown: Option<String>,
}

/// The ignore files of one directory.
struct Level {
    /// Number of names that lead to the directory from the repository's root.
    depth: usize,
    files: [Option<File>; FILES.len()],
}

/// What holds for everything in one directory.
#[derive(Clone)]
pub(super) struct Folder {
    levels: Rc<[Rc<Level>]>,
    /// The rule that ignores the directory, where only a pattern of the host leads further.
    ignored: Option<RuleLocation>,
    /// The last include pattern that selects the content of the directory.
    cover: Option<usize>,
}

/// Why something is out.
pub(super) type Verdict = Option<(Reason, Option<RuleLocation>)>;

impl<'s> Rules<'s> {
    /// Reads the rules that hold for the whole root.
    pub(super) fn bind(root: &Root, selection: &'s Selection) -> Result<(Self, Folder), Error> {
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
        let mut exclude = None;
        let mut global = None;
        if selection.gitignore {
            if let Some(repository) = &repository {
                let shown = format!("{up}.git/info/exclude");
                exclude = read_outside(&repository.exclude, Some(shown))?;
            }
            if let Some(path) = selection.global_excludes() {
                // The user's own files may be reached through links.
                let path = path.canonicalize().unwrap_or(path);
                global = read_outside(&path, None)?;
            }
        }
        let rules = Self {
            selection,
            include: readings(root, &selection.include),
            ignore: readings(root, &selection.ignore),
            above,
            exclude,
            global,
        };
        let levels = rules.enclosing(work_tree)?;
        let folder = Folder {
            levels: levels.into(),
            ignored: None,
            cover: None,
        };
        Ok((rules, folder))
    }

    /// The ignore files of the directories from the repository's root down to above the root.
    fn enclosing(&self, work_tree: &Path) -> Result<Vec<Rc<Level>>, Error> {
        let mut levels = Vec::new();
        let mut dir = work_tree.to_owned();
        for (depth, name) in self.above.iter().enumerate() {
            let up = "../".repeat(self.above.len() - depth);
            let mut files = [const { None }; FILES.len()];
            for (slot, name) in files.iter_mut().zip(FILES) {
                if self.uses(name) {
                    *slot = read_outside(&dir.join(name), Some(format!("{up}{name}")))?;
                }
            }
            if files.iter().any(Option::is_some) {
                levels.push(Rc::new(Level { depth, files }));
            }
            dir.push(name);
        }
        Ok(levels)
    }

    fn uses(&self, file: &str) -> bool {
        match file {
            ".gitignore" => self.selection.gitignore,
            ".ignore" => self.selection.dot_ignore,
            _ => true,
        }
    }

    /// Adds the ignore files of `dir` itself (`None` is the root) to `folder`. `has` says whether
    /// the directory holds a name. Gives whether one of them could not be read.
    pub(super) fn open_folder(
        &self,
        root: &Root,
        dir: Option<&RelPath>,
        has: impl Fn(&str) -> bool,
        folder: &mut Folder,
    ) -> Result<bool, Error> {
        let mut files = [const { None }; FILES.len()];
        let mut partial = false;
        for (slot, name) in files.iter_mut().zip(FILES) {
            if !self.uses(name) || !has(name) {
                continue;
            }
            let path = match dir {
                Some(dir) => dir.join(name),
                None => RelPath::new(name),
            };
            let Ok(path) = path else { continue };
            let shown = path.as_str().to_owned();
            match root.open_file(&path) {
                Ok((file, size)) => match parse(file, size, &shown)? {
                    Some(rules) => {
                        *slot = Some(File {
                            rules,
                            shown: Some(shown),
                        });
                    }
                    None => partial = true,
                },
                Err(Reason::NotFound | Reason::NotRegularFile | Reason::SymlinkNotFollowed) => {}
                Err(_) => partial = true,
            }
        }
        if files.iter().any(Option::is_some) {
            let depth = self.above.len() + dir.map_or(0, |dir| dir.segments().count());
            let level = Rc::new(Level { depth, files });
            folder.levels = folder.levels.iter().cloned().chain([level]).collect();
        }
        Ok(partial)
    }

    /// What holds inside the directory made of `names`, whose parent is `parent`, before its own
    /// ignore files are read; and why it need not be entered at all, if so.
    pub(super) fn judge_folder(&self, parent: &Folder, names: &[&str]) -> (Folder, Verdict) {
        let cover = self
            .last_include(|pattern, reading| pattern.selects_content(names, reading))
            .max(parent.cover);
        let ignored = match self.last_rule(parent, names, true) {
            Some((true, _)) => None,
            Some((false, rule)) => Some(rule),
            None => parent.ignored.clone(),
        };
        let verdict = if !self.may_include(cover, names) {
            Some((Reason::NotIncluded, Some(self.selection.include_rule())))
        } else if names.last() == Some(&".git") {
            Some((Reason::Ignored, Some(git_rule())))
        } else {
            ignored
                .as_ref()
                .filter(|_| !self.takes_back_below(names))
                .map(|rule| (Reason::Ignored, Some(rule.clone())))
        };
        let folder = Folder {
            levels: Rc::clone(&parent.levels),
            ignored,
            cover,
        };
        (folder, verdict)
    }

    /// Why the file made of `names` in `folder` is out, if it is.
    pub(super) fn judge_file(&self, folder: &Folder, names: &[&str]) -> Verdict {
        let own = self.last_include(|pattern, reading| pattern.matches(names, false, reading));
        if !self.is_included(own.max(folder.cover)) {
            return Some((Reason::NotIncluded, Some(self.selection.include_rule())));
        }
        if names.contains(&".git") {
            return Some((Reason::Ignored, Some(git_rule())));
        }
        match self.last_rule(folder, names, false) {
            Some((true, _)) => None,
            Some((false, rule)) => Some((Reason::Ignored, Some(rule))),
            None => folder
                .ignored
                .clone()
                .map(|rule| (Reason::Ignored, Some(rule))),
        }
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
    fn may_include(&self, cover: Option<usize>, names: &[&str]) -> bool {
        let mut all = self.selection.include.iter().zip(&self.include);
        self.is_included(cover)
            || all.any(|(pattern, &reading)| {
                !pattern.negated() && pattern.reaches_below(names, reading)
            })
    }

    /// Whether a `!` pattern of the host could match something below an ignored directory.
    fn takes_back_below(&self, names: &[&str]) -> bool {
        let mut all = self.selection.ignore.iter().zip(&self.ignore);
        all.any(|(pattern, &reading)| pattern.negated() && pattern.reaches_below(names, reading))
    }

    /// The rule that decides about one path by itself, and whether it takes back (`!`). Inside an
    /// ignored directory only the host's patterns are asked.
    fn last_rule(
        &self,
        folder: &Folder,
        names: &[&str],
        is_directory: bool,
    ) -> Option<(bool, RuleLocation)> {
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
        let mut full: Vec<&str> = Vec::with_capacity(self.above.len() + names.len());
        full.extend(self.above.iter().map(String::as_str));
        full.extend(names);
        for source in SOURCES {
            for level in folder.levels.iter().rev() {
                let relative = full.get(level.depth..).unwrap_or_default();
                let mut files = source.iter().filter_map(|&index| level.files.get(index));
                let found = files.find_map(|file| {
                    let file = file.as_ref()?;
                    Some((file.rules.last_match(relative, is_directory)?, file))
                });
                if let Some((hit, file)) = found {
                    return Some((hit.negated, file.location(hit)));
                }
            }
        }
        for file in [&self.exclude, &self.global].into_iter().flatten() {
            if let Some(hit) = file.rules.last_match(&full, is_directory) {
                return Some((hit.negated, file.location(hit)));
            }
        }
        if self.selection.default_patterns
            && let Some(hit) = BUILT_IN.last_match(names, is_directory)
        {
            return Some((hit.negated, built_in_rule(hit.index)));
        }
        None
    }
}

impl File {
    fn location(&self, hit: Hit) -> RuleLocation {
        RuleLocation {
            source: RuleSource::IgnoreFile,
            file: self.shown.clone(),
            line: Some(hit.line),
            index: None,
        }
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

fn read_outside(path: &Path, shown: Option<String>) -> Result<Option<File>, Error> {
    let Ok((file, size)) = open_outside(path) else {
        return Ok(None);
    };
    let name = shown
        .clone()
        .unwrap_or_else(|| "git's global excludes".to_owned());
    Ok(parse(file, size, &name)?.map(|rules| File { rules, shown }))
}

/// The rules in an open file; none if it cannot be read.
fn parse(file: std::fs::File, size: u64, name: &str) -> Result<Option<RuleSet>, Error> {
    let limit = IGNORE_FILE_BYTES as u64;
    if size > limit {
        return Err(Error::Configuration(format!(
            "the ignore file {name} is over {limit} bytes"
        )));
    }
    match read_open(file, limit) {
        Ok(bytes) => Ok(Some(RuleSet::parse(&bytes))),
        Err(_) => Ok(None),
    }
}
