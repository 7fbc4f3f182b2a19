//! How a documentation call can fail: a closed list of codes with fixed sentences.
//!
//! A sentence is put together from text of this program alone. No key, nonce, path or byte that
//! came from the service ever enters one; the only value taken over is a generation whose form
//! was checked.

use serde::Serialize;

/// What kind of failure it is. The strings of [`Code::as_str`] are a public contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The application does not run, its interface is off, or nothing answers.
    LocalApiUnavailable,
    /// The set of installed documents is another one than the caller expects.
    GenerationChanged,
    /// A discovery file or directory failed a check.
    DiscoveryUnsafe,
    /// The application speaks another version of the interface.
    ApiIncompatible,
    /// What listens on the port could not prove that it is the application. The key was not sent.
    ServerProofFailed,
    /// The application refused the key.
    Unauthorized,
    /// The application refused the request for where it came from.
    Forbidden,
    /// An argument is missing, unknown, malformed or out of range.
    InvalidArgument,
    /// The generation is right, the section unknown.
    SectionNotFound,
    /// Too many requests at once.
    Busy,
    /// The exchange took longer than allowed.
    DeadlineExceeded,
    /// The answer is larger than allowed.
    ResponseTooLarge,
    /// The answer is not what the interface promises.
    BadResponse,
    /// A defect of the application.
    InternalError,
}

impl Code {
    /// Every code, in documented order.
    pub const ALL: [Self; 14] = [
        Self::LocalApiUnavailable,
        Self::GenerationChanged,
        Self::DiscoveryUnsafe,
        Self::ApiIncompatible,
        Self::ServerProofFailed,
        Self::Unauthorized,
        Self::Forbidden,
        Self::InvalidArgument,
        Self::SectionNotFound,
        Self::Busy,
        Self::DeadlineExceeded,
        Self::ResponseTooLarge,
        Self::BadResponse,
        Self::InternalError,
    ];

    /// The code as written in results and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LocalApiUnavailable => "local_api_unavailable",
            Self::GenerationChanged => "generation_changed",
            Self::DiscoveryUnsafe => "discovery_unsafe",
            Self::ApiIncompatible => "api_incompatible",
            Self::ServerProofFailed => "server_proof_failed",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::InvalidArgument => "invalid_argument",
            Self::SectionNotFound => "section_not_found",
            Self::Busy => "busy",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::ResponseTooLarge => "response_too_large",
            Self::BadResponse => "bad_response",
            Self::InternalError => "internal_error",
        }
    }

    /// The sentence used when nothing more exact is known.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::LocalApiUnavailable => {
                "Crib is not reachable. Start Crib and enable its local API in Settings, Integrations."
            }
            Self::GenerationChanged => {
                "The installed documents have changed. Search again and use the new section_key and generation."
            }
            Self::DiscoveryUnsafe => "Crib's discovery files failed a check; nothing was sent.",
            Self::ApiIncompatible => {
                "This version of Crib has a local API that this program does not know. Update both."
            }
            Self::ServerProofFailed => {
                "The program on Crib's port could not prove that it is Crib; the key was not sent."
            }
            Self::Unauthorized => {
                "Crib refused the access key; it may have been reset just now. Call again."
            }
            Self::Forbidden => "Crib refused the request.",
            Self::InvalidArgument => "Crib refused an argument.",
            Self::SectionNotFound => {
                "No such section in this generation. Use a section_key from a search result."
            }
            Self::Busy => "Too many requests at once. Wait for their answers, then call again.",
            Self::DeadlineExceeded => "Crib did not answer in time.",
            Self::ResponseTooLarge => "Crib's answer is larger than 4 MiB. Ask for less.",
            Self::BadResponse => "Crib's answer is not what its local API promises.",
            Self::InternalError => "Crib reports an internal error.",
        }
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One failed call. Serialises to the object that stands under `error` in a tool result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct Fault {
    /// What kind of failure it is.
    pub code: Code,
    /// One sentence for the caller, without anything the service sent.
    pub message: String,
    /// The argument at fault, with [`Code::InvalidArgument`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<&'static str>,
    /// The generation that holds now, with [`Code::GenerationChanged`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_generation: Option<String>,
}

impl Fault {
    /// A fault with the code's own sentence.
    #[must_use]
    pub fn new(code: Code) -> Self {
        Self::saying(code, code.message())
    }

    /// Nobody named a user-data directory, and there is no home to look for one in.
    #[must_use]
    pub fn no_user_data() -> Self {
        let sentence = "The home directory is unknown, so Crib's data cannot be found. Name it with --user-data.";
        Self::saying(Code::LocalApiUnavailable, sentence)
    }

    /// A fault with a more exact sentence.
    pub(super) fn saying(code: Code, sentence: &'static str) -> Self {
        Self {
            code,
            message: sentence.to_owned(),
            argument: None,
            current_generation: None,
        }
    }

    /// A refused argument and the sentence of its rule.
    pub(super) fn argument(name: &'static str, sentence: &'static str) -> Self {
        Self {
            argument: Some(name),
            ..Self::saying(Code::InvalidArgument, sentence)
        }
    }

    /// A discovery file or directory that failed `check`.
    pub(super) fn discovery(role: &'static str, check: &'static str) -> Self {
        Self {
            message: format!("Crib's {role} {check}; nothing was sent."),
            ..Self::new(Code::DiscoveryUnsafe)
        }
    }
}

/// Why a call gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The owner of the call asked it to stop; nobody waits for an answer.
    #[error("cancelled")]
    Cancelled,
    /// The call failed, and the caller is told.
    #[error(transparent)]
    Fault(#[from] Fault),
}

#[cfg(test)]
mod tests {
    use super::{Code, Fault};

    #[test]
    fn faults_serialise_in_documented_order() {
        let changed = Fault {
            current_generation: Some("g2".into()),
            ..Fault::saying(Code::GenerationChanged, "Search again.")
        };
        assert_eq!(
            serde_json::to_string(&changed).unwrap(),
            r#"{"code":"generation_changed","message":"Search again.","current_generation":"g2"}"#
        );
        for code in Code::ALL {
            let text = serde_json::to_string(&Fault::new(code)).unwrap();
            assert!(text.contains(code.as_str()) && text.is_ascii(), "{text}");
            assert!(code.message().ends_with('.'), "{text}");
        }
    }
}
