//! Compiles the host's patterns, lists and switches into a [`Selection`].
//!
//! A selection knows no root: it is made once, when the program starts, and fails then on any
//! pattern that cannot be used.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::path::RelPath;
use crate::reason::{RuleLocation, RuleSource};
use crate::scan::pattern::{HostPattern, Reading};
use crate::scan::repository::GlobalExcludes;
use crate::scan::subject::{Letters, Subject};

/// What a host says about which files it wants.
#[derive(Clone, Debug)]
pub struct SelectionSpec {
    /// Wanted paths; empty means all.
    pub include: Vec<String>,
    /// Unwanted paths, of highest precedence; `!` takes back.
    pub ignore: Vec<String>,
    /// Paths that are never reduced to a skeleton.
    pub keep_full: Vec<String>,
    /// Whether `.gitignore`, `.git/info/exclude` and git's global excludes count.
    pub gitignore: bool,
    /// Whether `.ignore` files count. The program's own ignore files always do.
    pub dot_ignore: bool,
    /// Whether the built-in patterns count.
    pub default_patterns: bool,
    /// Exactly these files, instead of all that are found.
    pub list: Option<Vec<RelPath>>,
    /// Files that this run writes.
    pub outputs: Vec<RelPath>,
    /// Where git's global excludes are.
    pub global_excludes: GlobalExcludes,
    /// Which patterns come from a configuration file.
    pub from_config: FromConfig,
}

/// How many patterns at the front of each list come from a configuration file.
#[derive(Clone, Debug, Default)]
pub struct FromConfig {
    /// Of [`SelectionSpec::include`].
    pub n_include: usize,
    /// Of [`SelectionSpec::ignore`].
    pub n_ignore: usize,
    /// Of [`SelectionSpec::keep_full`].
    pub n_keep_full: usize,
    /// The configuration file relative to the root, if it is inside.
    pub file: Option<String>,
}

impl Default for SelectionSpec {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            ignore: Vec::new(),
            keep_full: Vec::new(),
            gitignore: true,
            dot_ignore: true,
            default_patterns: true,
            list: None,
            outputs: Vec::new(),
            global_excludes: GlobalExcludes::None,
            from_config: FromConfig::default(),
        }
    }
}

/// A compiled [`SelectionSpec`].
#[derive(Clone, Debug)]
pub struct Selection {
    pub(super) include: Vec<HostPattern>,
    pub(super) ignore: Vec<HostPattern>,
    keep_full: Vec<HostPattern>,
    pub(super) gitignore: bool,
    pub(super) dot_ignore: bool,
    pub(super) default_patterns: bool,
    list: Option<Vec<RelPath>>,
    listed: BTreeSet<RelPath>,
    outputs: BTreeSet<RelPath>,
    global_excludes: GlobalExcludes,
    from_config: FromConfig,
}

impl Selection {
    /// Compiles all patterns.
    ///
    /// # Errors
    /// [`Error::Pattern`] names option, pattern and column of the first fault.
    pub fn new(spec: SelectionSpec) -> Result<Self, Error> {
        let compile = |what, patterns: &[String]| -> Result<Vec<_>, Error> {
            patterns
                .iter()
                .map(|one| HostPattern::new(what, one))
                .collect()
        };
        Ok(Self {
            include: compile("include", &spec.include)?,
            ignore: compile("ignore", &spec.ignore)?,
            keep_full: compile("keep-full", &spec.keep_full)?,
            gitignore: spec.gitignore,
            dot_ignore: spec.dot_ignore,
            default_patterns: spec.default_patterns,
            listed: spec.list.iter().flatten().cloned().collect(),
            list: spec.list,
            outputs: spec.outputs.into_iter().collect(),
            global_excludes: spec.global_excludes,
            from_config: spec.from_config,
        })
    }

    /// The full-text exception that holds for `path`, if one does.
    #[must_use]
    pub fn keep_full(&self, path: &RelPath) -> Option<RuleLocation> {
        if self.keep_full.is_empty() {
            return None;
        }
        let cancel = Cancel::never();
        let subject = Subject::new(path.segments(), Letters::Exact, &cancel);
        let selects = |pattern: &HostPattern| {
            pattern.matches(subject.names(), false, Reading::Both)
                || subject
                    .names()
                    .above()
                    .any(|above| pattern.selects_content(above, Reading::Both))
        };
        let index = self.keep_full.iter().rposition(selects)?;
        let pattern = self.keep_full.get(index)?;
        (!pattern.negated()).then(|| {
            let n_config = self.from_config.n_keep_full;
            self.host_rule(RuleSource::HostKeepFull, index, n_config)
        })
    }

    /// The host's list of paths, in its order.
    #[must_use]
    pub fn list(&self) -> Option<&[RelPath]> {
        self.list.as_deref()
    }

    /// Whether `path` may be looked at: there is no list, or it holds `path`.
    #[must_use]
    pub fn is_listed(&self, path: &RelPath) -> bool {
        self.list.is_none() || self.listed.contains(path)
    }

    /// Whether this run writes `path` itself.
    #[must_use]
    pub fn is_output(&self, path: &RelPath) -> bool {
        self.outputs.contains(path)
    }

    pub(super) fn global_excludes(&self) -> Option<PathBuf> {
        self.global_excludes.file()
    }

    pub(super) fn ignore_rule(&self, index: usize) -> RuleLocation {
        self.host_rule(RuleSource::HostIgnore, index, self.from_config.n_ignore)
    }

    /// The set of include patterns as a whole: no single one decided.
    pub(super) fn include_rule(&self) -> RuleLocation {
        RuleLocation {
            source: RuleSource::HostInclude,
            file: None,
            line: None,
            index: None,
        }
    }

    fn host_rule(&self, source: RuleSource, index: usize, n_config: usize) -> RuleLocation {
        let (source, file, index) = match index.checked_sub(n_config) {
            None => (RuleSource::ConfigFile, self.from_config.file.clone(), index),
            Some(index) => (source, None, index),
        };
        RuleLocation {
            source,
            file,
            line: None,
            index: Some(u32::try_from(index).unwrap_or(u32::MAX)),
        }
    }
}
