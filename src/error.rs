//! The one error type of the library and the public codes it leaves as.
//!
//! Variants hold paths, numbers and codes, never file content, rule text, keys or system
//! messages. A failure of one file is not an error: it is a skip with a reason.

use std::borrow::Cow;

use crate::path::RelPath;
use crate::text::grouped;

/// A request or run that gives no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The owner of the work asked it to stop.
    #[error("cancelled")]
    Cancelled,
    /// The host's set-up does not permit the operation.
    #[error("{0}")]
    Configuration(String),
    /// An operating system call failed for the whole run. Names the operation, not the system's text.
    #[error("{operation} failed: {kind}")]
    Io {
        /// What was being done, as a fixed phrase.
        operation: &'static str,
        /// The file inside the root it was done to.
        path: Option<RelPath>,
        /// The kind of failure.
        kind: std::io::ErrorKind,
    },
    /// More candidates, source bytes or child output than the host allows.
    #[error("more than {limit} {what}")]
    InputLimit {
        /// What was counted, as a fixed phrase.
        what: &'static str,
        /// The host's limit.
        limit: u64,
    },
    /// More volumes than the host allows.
    #[error("{needed} volumes of {tokens} tokens are needed, more than {limit} volumes")]
    VolumeLimit {
        /// The host's limit.
        limit: u64,
        /// Volumes that the selection needs.
        needed: u64,
        /// Tokens of one volume.
        tokens: u64,
        /// Whether function bodies were cut already.
        compress: bool,
    },
    /// The parts that every volume repeats are over the cap by themselves.
    #[error("the frame alone has {tokens} tokens, over the cap of {cap}")]
    FrameOverCap {
        /// Tokens of the frame.
        tokens: u64,
        /// The cap, in tokens.
        cap: u64,
    },
    /// A result is larger than the host or the program allows.
    #[error("the result is over {limit} bytes: it has {size}")]
    ResourceLimit {
        /// The limit, in bytes.
        limit: u64,
        /// Bytes that the result has.
        size: u64,
    },
    /// The selected files cannot make a result that the host or the program allows.
    #[error("the result is over {limit} bytes: the selected files have {source_bytes}")]
    SelectionTooLarge {
        /// The limit, in bytes.
        limit: u64,
        /// Bytes of the selected files.
        source_bytes: u64,
        /// Whether function bodies were cut already.
        compress: bool,
    },
    /// A secret stands in text that the host itself supplied (header or instruction).
    #[error("{what} holds what looks like a secret ({label}, line {line})")]
    SecretInText {
        /// Which text, as a fixed phrase.
        what: &'static str,
        /// The detector's label.
        label: &'static str,
        /// 1-based line.
        line: u32,
    },
    /// The request took longer than the host allows.
    #[error("the time limit was reached")]
    Timeout,
    /// A pattern given by the host cannot be used.
    #[error("{what} pattern {pattern:?}: {problem}")]
    Pattern {
        /// Which option, as a fixed phrase.
        what: &'static str,
        /// The pattern as given by the host.
        pattern: String,
        /// What is wrong with it and where.
        problem: String,
    },
    /// The self-check found another count than the counter did.
    #[error("count check failed: counted {counted}, reference {reference}")]
    CountMismatch {
        /// Tokens by the counter.
        counted: u64,
        /// Tokens by the reference.
        reference: u64,
    },
    /// A broken invariant.
    #[error("internal error: {0}")]
    Internal(&'static str),
}

/// The public code of an [`Error`], as it appears in tool results and JSON reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// As many requests are in flight as the server takes.
    Busy,
    /// The host's set-up does not permit the operation.
    ConfigurationError,
    /// A result is above 4 MiB or above the host's output limit.
    ResourceLimit,
    /// An input limit of the host was passed.
    InputLimit,
    /// More volumes than the host allows.
    VolumeLimit,
    /// The frame alone is over the per-volume cap.
    FrameOverCap,
    /// The request took too long.
    Timeout,
    /// Root, tokenizer data or other I/O failed for the whole run.
    IoFailure,
    /// A resource URI that is not current.
    ResourceGone,
    /// Anything else.
    InternalError,
}

impl ErrorCode {
    /// Every code, for tests and documentation.
    pub const ALL: [Self; 10] = [
        Self::Busy,
        Self::ConfigurationError,
        Self::ResourceLimit,
        Self::InputLimit,
        Self::VolumeLimit,
        Self::FrameOverCap,
        Self::Timeout,
        Self::IoFailure,
        Self::ResourceGone,
        Self::InternalError,
    ];

    /// The code as written in results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "Busy",
            Self::ConfigurationError => "ConfigurationError",
            Self::ResourceLimit => "ResourceLimit",
            Self::InputLimit => "InputLimit",
            Self::VolumeLimit => "VolumeLimit",
            Self::FrameOverCap => "FrameOverCap",
            Self::Timeout => "Timeout",
            Self::IoFailure => "IoFailure",
            Self::ResourceGone => "ResourceGone",
            Self::InternalError => "InternalError",
        }
    }

    /// The constant sentence that goes with the code; [`Error::advice`] has numbers where it can.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Busy => {
                "Too many requests are in flight. Wait for a result or cancel one, then call again."
            }
            Self::ConfigurationError => "The host's set-up does not permit this operation.",
            Self::ResourceLimit => {
                "The result is above the host's output limit or 4 MiB. Ask for less at once."
            }
            Self::InputLimit => {
                "The selection passes an input limit of the host. Find the files with list_files or search_code and name them in filePaths, or read symbols with read_code_context."
            }
            Self::VolumeLimit => {
                "The selection needs more volumes than the host allows. Find the files with list_files or search_code and name them in filePaths, or read symbols with read_code_context."
            }
            Self::FrameOverCap => {
                "The parts that every volume repeats pass maxTokens. Raise maxTokens."
            }
            Self::Timeout => "The request reached the host's time limit. Ask for less at once.",
            Self::IoFailure => "The root or the program's data could not be read.",
            Self::ResourceGone => {
                "This URI is not current. Call pack_repository, plan_task_context or read_code_context and use a URI from its result."
            }
            Self::InternalError => "Internal error.",
        }
    }
}

impl Error {
    /// The public code of this error. Cancellation has none of its own, since it is never answered.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Configuration(_) | Self::Pattern { .. } | Self::SecretInText { .. } => {
                ErrorCode::ConfigurationError
            }
            Self::Io { .. } => ErrorCode::IoFailure,
            Self::InputLimit { .. } => ErrorCode::InputLimit,
            Self::VolumeLimit { .. } => ErrorCode::VolumeLimit,
            Self::FrameOverCap { .. } => ErrorCode::FrameOverCap,
            Self::ResourceLimit { .. } | Self::SelectionTooLarge { .. } => ErrorCode::ResourceLimit,
            Self::Timeout => ErrorCode::Timeout,
            Self::Cancelled | Self::CountMismatch { .. } | Self::Internal(_) => {
                ErrorCode::InternalError
            }
        }
    }
}

impl Error {
    /// What a caller is told: what happened, by how much, and one next step. Made of fixed words,
    /// limits and counts.
    #[must_use]
    pub fn advice(&self) -> Cow<'static, str> {
        let n = |n: &u64| grouped(*n);
        Cow::Owned(match self {
            Self::VolumeLimit {
                limit,
                needed,
                tokens,
                compress,
            } => format!(
                "The selection needs {} volumes of {} tokens; this server allows {}. {}",
                n(needed),
                n(tokens),
                n(limit),
                narrower(*compress)
            ),
            Self::SelectionTooLarge {
                limit,
                source_bytes,
                compress,
            } => format!(
                "The selected files have {} bytes; this server allows results of {}. {}",
                n(source_bytes),
                n(limit),
                narrower(*compress)
            ),
            Self::ResourceLimit { limit, size } => format!(
                "The result has {} bytes; this server allows {}. Ask for less at once: find the files with list_files or search_code, or read symbols with read_code_context.",
                n(size),
                n(limit)
            ),
            Self::InputLimit { what, limit } => format!(
                "The selection has more than {} {what}; this server allows no more. {}",
                n(limit),
                narrower(true)
            ),
            Self::FrameOverCap { tokens, cap } => format!(
                "The parts that every volume repeats have {} tokens; maxTokens is {}. Raise maxTokens.",
                n(tokens),
                n(cap)
            ),
            _ => return Cow::Borrowed(self.code().message()),
        })
    }
}

/// How to ask for fewer files.
fn narrower(compress: bool) -> &'static str {
    if compress {
        "Find the files with list_files or search_code and name them in filePaths, or read symbols with read_code_context."
    } else {
        "Find the files with list_files or search_code and name them in filePaths, or read symbols with read_code_context, or set compress."
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, ErrorCode};

    #[test]
    fn advice_has_numbers_and_a_next_step() {
        let volumes = |compress| Error::VolumeLimit {
            limit: 64,
            needed: 1_480,
            tokens: 16_000,
            compress,
        };
        let text = "The selection needs 1,480 volumes of 16,000 tokens; this server allows 64. Find the files with list_files or search_code and name them in filePaths, or read symbols with read_code_context";
        assert_eq!(volumes(true).advice(), format!("{text}."));
        assert_eq!(volumes(false).advice(), format!("{text}, or set compress."));
        let large = Error::ResourceLimit {
            limit: 4_194_304,
            size: 4_194_305,
        };
        let large = large.advice();
        assert!(large.starts_with("The result has 4,194,305 bytes; this server allows 4,194,304."));
        let plain = Error::Timeout;
        assert_eq!(plain.advice(), ErrorCode::Timeout.message());
    }

    #[test]
    fn codes_are_a_public_contract() {
        let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(
            codes,
            [
                "Busy",
                "ConfigurationError",
                "ResourceLimit",
                "InputLimit",
                "VolumeLimit",
                "FrameOverCap",
                "Timeout",
                "IoFailure",
                "ResourceGone",
                "InternalError"
            ]
        );
    }
}
