//! The one error type of the library and the public codes it leaves as.
//!
//! Variants hold paths, numbers and codes, never file content, rule text, keys or system
//! messages. A failure of one file is not an error: it is a skip with a reason.

use crate::path::RelPath;

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
    #[error("more than {limit} volumes")]
    VolumeLimit {
        /// The host's limit.
        limit: u64,
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
    #[error("the result is over {limit} bytes")]
    ResourceLimit {
        /// The limit, in bytes.
        limit: u64,
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
    /// Another computing operation is running.
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

    /// The constant sentence that goes with the code.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Busy => {
                "Another operation is running. Wait for its result or cancel it, then call again."
            }
            Self::ConfigurationError => "The host's set-up does not permit this operation.",
            Self::ResourceLimit => {
                "The result is above the host's output limit or 4 MiB a resource. Ask for fewer files."
            }
            Self::InputLimit => {
                "The selection passes an input limit of the host. Ask for fewer files with filePaths."
            }
            Self::VolumeLimit => {
                "The result needs more volumes than the host allows. Ask for fewer files with filePaths, or set compress."
            }
            Self::FrameOverCap => {
                "The parts that every volume repeats pass maxTokens. Raise maxTokens."
            }
            Self::Timeout => "The request reached the host's time limit. Ask for fewer files.",
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
            Self::ResourceLimit { .. } => ErrorCode::ResourceLimit,
            Self::Timeout => ErrorCode::Timeout,
            Self::Cancelled | Self::CountMismatch { .. } | Self::Internal(_) => {
                ErrorCode::InternalError
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

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
