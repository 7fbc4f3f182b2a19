//! Where git keeps the rules that stand outside the work tree.
//!
//! Nothing is run and nothing is written: only `.git`, `commondir` and git's global configuration
//! files are read, each in the small part that says where rules are.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::limits::MIB;
use crate::path::RelPath;
use crate::root::{Root, open_outside};
use crate::scan::read;

/// Longest file `.git` that is looked at, in bytes: a few words and a path.
const POINTER_BYTES: u64 = 16 * 1024;
/// Longest git file that is looked at, in bytes.
const GIT_FILE_BYTES: u64 = MIB as u64;

/// The repository that a root stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    /// The directory that holds `.git`.
    pub(super) work_tree: PathBuf,
    /// `info/exclude` of the shared git directory.
    pub(super) exclude: PathBuf,
}

/// The innermost repository that `root` is in, itself included.
pub(super) fn find(root: &Path) -> Option<Repository> {
    root.ancestors().find_map(|dir| {
        let git = git_dir(dir)?;
        let common = match read_text(&git.join("commondir")) {
            Some(common) => git.join(common.trim_end_matches(['\r', '\n'])),
            None => git,
        };
        Some(Repository {
            work_tree: dir.to_owned(),
            exclude: common.join("info").join("exclude"),
        })
    })
}

/// The git directory of the work tree `dir`: `.git`, or what the file `.git` points to.
fn git_dir(dir: &Path) -> Option<PathBuf> {
    let git = dir.join(".git");
    let data = fs::symlink_metadata(&git).ok()?;
    if !data.is_file() {
        return Some(git);
    }
    let text = read_text(&git)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(dir.join(target))
}

/// Whether `git`, a path in `root`, is the pointer of a worktree: a file that names a directory
/// `worktrees/NAME` of a git directory. Submodules name one below `modules`, also those of a
/// worktree.
pub(super) fn is_worktree(root: &Root, git: &RelPath) -> bool {
    let Ok(bytes) = read::read(root, git, POINTER_BYTES) else {
        return false;
    };
    let target = std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| text.strip_prefix("gitdir:"));
    target.is_some_and(|target| {
        let target = target.trim().replace('\\', "/");
        let names: Vec<&str> = target.split('/').filter(|name| !name.is_empty()).collect();
        let mut inside = names.iter().skip_while(|name| **name != ".git");
        matches!(names.as_slice(), [.., _, "worktrees", _])
            && !inside.any(|name| *name == "modules")
    })
}

/// Where git's global excludes are. Nothing is read before a walk or look-up asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GlobalExcludes {
    /// They do not count.
    #[default]
    None,
    /// In this file.
    File(PathBuf),
    /// Where the user's git configuration says, see [`global_excludes`].
    OfUser {
        /// The home directory.
        home: Option<PathBuf>,
        /// The value of `XDG_CONFIG_HOME`.
        xdg: Option<PathBuf>,
    },
}

impl GlobalExcludes {
    /// The file as of now.
    pub(super) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::None => None,
            Self::File(path) => Some(path.clone()),
            Self::OfUser { home, xdg } => global_excludes(home.as_deref(), xdg.as_deref()),
        }
    }
}

/// Git's global excludes file: `core.excludesFile` of the user's configuration files, else
/// `ignore` beside the newer one. `home` is the home directory, `xdg` the value of
/// `XDG_CONFIG_HOME`; files that these include are not followed.
#[must_use]
pub fn global_excludes(home: Option<&Path>, xdg: Option<&Path>) -> Option<PathBuf> {
    let config = xdg
        .filter(|xdg| xdg.is_absolute())
        .map(Path::to_owned)
        .or_else(|| home.map(|home| home.join(".config")))
        .map(|config| config.join("git"));
    let older = home.map(|home| home.join(".gitconfig"));
    let newer = config.as_ref().map(|config| config.join("config"));
    let named = [older, newer]
        .into_iter()
        .flatten()
        .find_map(|file| excludes_file(&read_text(&file)?));
    match named {
        Some(named) => match (named.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => Some(home.join(below)),
            _ => Some(PathBuf::from(named)).filter(|path| path.is_absolute()),
        },
        None => config.map(|config| config.join("ignore")),
    }
}

/// The last value of `core.excludesFile` in the text of a git configuration file.
fn excludes_file(config: &str) -> Option<String> {
    let mut in_core = false;
    let mut found = None;
    for line in config.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (section, after) = rest.split_once(']')?;
            in_core = section.trim().eq_ignore_ascii_case("core");
            line = after.trim();
        }
        if let Some((key, value)) = line.split_once('=')
            && in_core
            && key.trim().eq_ignore_ascii_case("excludesfile")
        {
            found = Some(config_value(value));
        }
    }
    found.filter(|value| !value.is_empty())
}

/// A value without quotes, escapes and comment.
fn config_value(text: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut kept = 0;
    let mut chars = text.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => value.extend(chars.next()),
            c => value.push(c),
        }
        if quoted || !c.is_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}

fn read_text(path: &Path) -> Option<String> {
    // A home directory is often a set of links, so the user's files may be reached through one.
    let path = path.canonicalize().ok()?;
    let (file, size) = open_outside(&path).ok()?;
    if size > GIT_FILE_BYTES {
        return None;
    }
    let mut text = String::new();
    file.take(GIT_FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests;
