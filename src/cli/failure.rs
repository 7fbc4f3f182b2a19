//! Why a run of the command line failed, as one sentence, and the exit code that goes with it.

use std::path::PathBuf;
use std::{fmt, io};

use super::Exit;
use super::config::ConfigFault;
use super::size::grouped;
use super::tree::share;
use crate::code::request::SpecFault;
use crate::error::{Error, ErrorCode};
use crate::path::PathFault;
use crate::render::quote;

/// A run that gave no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The engine failed.
    #[error("{}", sentence(.0))]
    Run(#[from] Error),
    /// The root is not a directory that can be read.
    #[error("the root {} cannot be opened: {kind}", path.display())]
    Root {
        /// As typed.
        path: PathBuf,
        /// The kind of failure.
        kind: io::ErrorKind,
    },
    /// A start without a root where none can be meant.
    #[error("the current directory is / or a home directory: name the root to serve")]
    RootNotNamed,
    /// A number outside its range.
    #[error("{what} must be {min} to {max}")]
    Range {
        /// The option or the key of the configuration file.
        what: String,
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// Two options that exclude each other.
    #[error("{one} cannot be combined with {other}")]
    Conflict {
        /// The one.
        one: &'static str,
        /// The other.
        other: &'static str,
    },
    /// An option that has a meaning only beside another.
    #[error("{option} needs {other}")]
    Needs {
        /// The option given.
        option: &'static str,
        /// The option missing.
        other: &'static str,
    },
    /// More values than an option takes.
    #[error("{option} takes at most {limit} values")]
    TooMany {
        /// The option.
        option: &'static str,
        /// Its limit.
        limit: usize,
    },
    /// A list with more paths than the host allows.
    #[error("the list has more than {} paths; --max-files sets how many it may have", grouped(*.limit))]
    LongList {
        /// The limit.
        limit: u64,
    },
    /// A path that cannot be one of the root's.
    #[error("{option} {path:?}: the path {fault}")]
    Path {
        /// The option.
        option: &'static str,
        /// As typed.
        path: String,
        /// The rule it breaks.
        fault: PathFault,
    },
    /// The configuration file cannot be used.
    #[error("{file}: {fault}")]
    Config {
        /// The file, as named or found.
        file: String,
        /// What is wrong with it.
        fault: ConfigFault,
    },
    /// A file named by the host could not be read.
    #[error("{what} {} cannot be read: {why}", path.display())]
    Read {
        /// What the file is, as a fixed phrase.
        what: &'static str,
        /// Where it is.
        path: PathBuf,
        /// Why not.
        why: ReadFault,
    },
    /// Output could not be written. What stood there before is unchanged.
    #[error("{} cannot be written: {kind}", path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// The kind of failure.
        kind: io::ErrorKind,
    },
    /// Standard output could not be written.
    #[error("standard output cannot be written: {0}")]
    Stdout(io::ErrorKind),
    /// Something stands where the output would go that this program did not write.
    #[error("{} was not written by moon-repomix and is left alone", .0.display())]
    NotOurs(PathBuf),
    /// The document is over the budget. Nothing was written.
    #[error("{0}")]
    OverBudget(OverBudget),
    /// The request of a plan cannot be used.
    #[error("{}: {problem}", file.display())]
    Plan {
        /// Where it is.
        file: PathBuf,
        /// The member and the rule it breaks.
        problem: String,
    },
    /// A short form that cannot be read.
    #[error("--code {spec:?}: {fault}")]
    Spec {
        /// As typed.
        spec: String,
        /// What is wrong with it.
        fault: SpecFault,
    },
    /// A listing or search that cannot be read.
    #[error("{option} {problem}")]
    Find {
        /// The option.
        option: &'static str,
        /// The rule it breaks, to be read after it.
        problem: String,
    },
    /// There is no such directory, or no such file in it.
    #[error("{0}")]
    NotListed(String),
    /// A context that cannot be given. Nothing was written.
    #[error("{json}")]
    NoContext {
        /// The complete result that says why.
        json: String,
        /// Whether the budget is the reason.
        over_budget: bool,
    },
}

/// A document over its budget.
#[derive(Clone, Debug)]
pub(super) struct OverBudget {
    /// Tokens of the document.
    pub(super) tokens: u64,
    /// The budget.
    pub(super) budget: u64,
    /// The files with the most tokens, and these.
    pub(super) contributors: Vec<(String, u64)>,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tokens, budget) = (grouped(self.tokens), grouped(self.budget));
        write!(
            f,
            "the document has {tokens} tokens, over the budget of {budget}; nothing was written"
        )?;
        for (i, (path, tokens)) in self.contributors.iter().enumerate() {
            f.write_str(if i == 0 { "; largest: " } else { ", " })?;
            let share = share(*tokens, self.tokens);
            write!(f, "{} ({}, {share})", quote::name(path), grouped(*tokens))?;
        }
        Ok(())
    }
}

/// Why a file named by the host could not be read.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum ReadFault {
    /// The system refused.
    #[error("{0}")]
    System(io::ErrorKind),
    /// Over the limit, in bytes.
    #[error("it has more than {0} bytes")]
    TooLong(u64),
    /// Not text.
    #[error("it is not valid UTF-8")]
    NotUtf8,
}

/// An engine's error for somebody who may know paths.
fn sentence(error: &Error) -> String {
    match error {
        Error::Cancelled => "interrupted".to_owned(),
        Error::Io {
            operation,
            path: Some(path),
            kind,
        } => format!(
            "{operation} failed for {}: {kind}",
            quote::name(path.as_str())
        ),
        error => error.to_string(),
    }
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Run(Error::Cancelled) => Exit::Interrupted,
            Self::Run(error) if error.code() == ErrorCode::ConfigurationError => Exit::Usage,
            Self::Run(_)
            | Self::Write { .. }
            | Self::Stdout(_)
            | Self::NotOurs(_)
            | Self::NotListed(_) => Exit::Failed,
            Self::NoContext {
                over_budget: false, ..
            } => Exit::Failed,
            Self::OverBudget(_) | Self::NoContext { .. } => Exit::OverBudget,
            Self::Root { .. }
            | Self::RootNotNamed
            | Self::Range { .. }
            | Self::Conflict { .. }
            | Self::Needs { .. }
            | Self::TooMany { .. }
            | Self::LongList { .. }
            | Self::Path { .. }
            | Self::Config { .. }
            | Self::Plan { .. }
            | Self::Spec { .. }
            | Self::Find { .. }
            | Self::Read { .. } => Exit::Usage,
        }
    }

    /// The code in a JSON report.
    #[must_use]
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Run(Error::Cancelled) => "Interrupted",
            Self::Run(error) => error.code().as_str(),
            Self::Write { .. } | Self::Stdout(_) | Self::NotOurs(_) => {
                ErrorCode::IoFailure.as_str()
            }
            Self::OverBudget(_)
            | Self::NoContext {
                over_budget: true, ..
            } => "OverBudget",
            Self::NoContext { .. } | Self::NotListed(_) => "Unavailable",
            _ => ErrorCode::ConfigurationError.as_str(),
        }
    }
}
