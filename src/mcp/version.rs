//! The protocol revisions and what differs between them.
//!
//! The era is decided message by message. A request whose `_meta` names a protocol version is
//! *modern*: it stands alone, whatever happened before. `initialize` without such a claim is the
//! older handshake, at any time; other requests without a claim are served at the revision that
//! the last handshake negotiated.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{Fault, FaultData, Id, is_object, present, string};

/// A protocol revision, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2024-11-05.
    November2024,
    /// 2025-03-26, the only one with batches.
    March2025,
    /// 2025-06-18.
    June2025,
    /// 2025-11-25, the newest with a handshake.
    November2025,
    /// 2026-07-28, without handshake.
    July2026,
}

/// The versions that a request may claim in its metadata.
pub(super) const CLAIMABLE: &[&str] = &[Revision::July2026.as_str()];

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] = [
        Self::November2024,
        Self::March2025,
        Self::June2025,
        Self::November2025,
        Self::July2026,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::November2024 => "2024-11-05",
            Self::March2025 => "2025-03-26",
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
            Self::July2026 => "2026-07-28",
        }
    }

    /// What a handshake that asks for `requested` is answered with: the same when it is an older
    /// revision, otherwise the newest of them.
    #[must_use]
    pub fn negotiate(requested: &str) -> Self {
        Self::ALL
            .into_iter()
            .filter(|revision| !revision.is_modern())
            .find(|revision| revision.as_str() == requested)
            .unwrap_or(Self::November2025)
    }

    /// `resultType`, cache hints and server information in results.
    #[must_use]
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::July2026)
    }

    /// Whether arrays of messages are served.
    #[must_use]
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::March2025)
    }

    /// Whether tools have annotations and progress has a message.
    #[must_use]
    pub fn has_annotations(self) -> bool {
        self >= Self::March2025
    }

    /// Whether tools have titles.
    #[must_use]
    pub fn has_titles(self) -> bool {
        self >= Self::June2025
    }
}

/// How a request is to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// The older handshake.
    Handshake,
    /// At this revision.
    Served(Revision),
}

/// The members of `_meta` that matter here.
#[derive(Default, Deserialize)]
pub(super) struct Meta<'a> {
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/protocolVersion",
        deserialize_with = "present"
    )]
    version: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/clientCapabilities",
        deserialize_with = "present"
    )]
    capabilities: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/logLevel",
        deserialize_with = "present"
    )]
    log_level: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "progressToken",
        deserialize_with = "present"
    )]
    progress_token: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Reads `_meta` out of the parameters. Parameters without a usable one have none.
    ///
    /// # Errors
    /// Invalid parameters when a member that matters is repeated.
    pub(super) fn read(params: Option<&'a RawValue>) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
            meta: Option<&'a RawValue>,
        }
        let Some(params) = params else {
            return Ok(Self::default());
        };
        let params: Params<'a> =
            serde_json::from_str(params.get()).map_err(|_| Fault::INVALID_PARAMS)?;
        match params.meta {
            Some(meta) if is_object(meta) => {
                serde_json::from_str(meta.get()).map_err(|_| Fault::INVALID_PARAMS)
            }
            _ => Ok(Self::default()),
        }
    }

    /// The token under which the client wants to hear of progress.
    pub(super) fn progress_token(&self) -> Option<Id> {
        self.progress_token.and_then(Id::read)
    }
}

const LOG_LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

const MISSING_META: Fault = Fault::new(
    -32602,
    "Invalid params: send initialize first, or give _meta with io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities",
);

/// Methods that some revision serves; the others are unknown to all.
const METHODS: [&str; 8] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "subscriptions/listen",
];

/// Decides how a request is served. `negotiated` is the result of the last handshake.
///
/// # Errors
/// The metadata is incomplete or malformed, or claims a version that is not served.
pub(super) fn decide(
    method: &str,
    meta: &Meta<'_>,
    negotiated: Option<Revision>,
) -> Result<Era, Fault> {
    if let Some(version) = meta.version {
        return check_claim(version, meta).map(Era::Served);
    }
    match (method, negotiated) {
        ("initialize", _) => Ok(Era::Handshake),
        ("server/discover" | "subscriptions/listen", _) => Err(MISSING_META),
        (_, Some(revision)) => Ok(Era::Served(revision)),
        ("ping", None) => Ok(Era::Served(Revision::November2025)),
        (_, None) if METHODS.contains(&method) => Err(MISSING_META),
        (_, None) => Err(Fault::METHOD_NOT_FOUND),
    }
}

fn check_claim(version: &RawValue, meta: &Meta<'_>) -> Result<Revision, Fault> {
    let version = string(version).ok_or(Fault::new(
        -32602,
        "Invalid params: io.modelcontextprotocol/protocolVersion must be a string",
    ))?;
    if !meta.capabilities.is_some_and(is_object) {
        return Err(Fault::new(
            -32602,
            "Invalid params: io.modelcontextprotocol/clientCapabilities must be an object",
        ));
    }
    if let Some(level) = meta.log_level
        && !string(level).is_some_and(|level| LOG_LEVELS.contains(&&*level))
    {
        return Err(Fault::new(
            -32602,
            "Invalid params: io.modelcontextprotocol/logLevel must be one of debug, info, notice, warning, error, critical, alert, emergency",
        ));
    }
    if version == Revision::July2026.as_str() {
        return Ok(Revision::July2026);
    }
    Err(Fault {
        data: Some(FaultData::Version {
            supported: CLAIMABLE,
            requested: version.into_owned(),
        }),
        ..Fault::new(-32022, "Unsupported protocol version")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(method: &str, params: &str, negotiated: Option<Revision>) -> String {
        let params: &RawValue = serde_json::from_str(params).unwrap();
        let decided = Meta::read(Some(params)).and_then(|meta| decide(method, &meta, negotiated));
        match decided {
            Ok(Era::Handshake) => "handshake".to_owned(),
            Ok(Era::Served(revision)) => revision.as_str().to_owned(),
            Err(fault) => fault.code.to_string(),
        }
    }

    #[test]
    fn eras() {
        let claim = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;
        let old = claim.replace("2026-07-28", "2025-11-25");
        let no_capabilities =
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        let number = claim.replace("\"2026-07-28\"", "7");
        let array = claim.replace("{}", "[]");
        let loud = claim.replace("{}", r#"{},"io.modelcontextprotocol/logLevel":"loud""#);
        let set = Some(Revision::June2025);
        for (method, params, negotiated, expected) in [
            ("initialize", "{}", None, "handshake"),
            ("initialize", "{}", set, "handshake"),
            ("initialize", claim, None, "2026-07-28"),
            ("tools/list", claim, set, "2026-07-28"),
            ("tools/list", claim, None, "2026-07-28"),
            ("no/such", claim, None, "2026-07-28"),
            ("server/discover", "{}", None, "-32602"),
            ("server/discover", "{}", set, "-32602"),
            ("subscriptions/listen", "{}", set, "-32602"),
            ("tools/list", "{}", set, "2025-06-18"),
            ("no/such", "{}", set, "2025-06-18"),
            ("ping", "{}", None, "2025-11-25"),
            ("tools/list", "{}", None, "-32602"),
            ("tools/list", r#"{"_meta":"x"}"#, None, "-32602"),
            ("no/such", "{}", None, "-32601"),
            ("tools/list", &old, None, "-32022"),
            ("tools/list", no_capabilities, None, "-32602"),
            ("tools/list", &number, set, "-32602"),
            ("tools/list", &array, set, "-32602"),
            ("tools/list", &loud, set, "-32602"),
        ] {
            assert_eq!(
                decision(method, params, negotiated),
                expected,
                "{method} {params}"
            );
        }
    }

    #[test]
    fn negotiation() {
        for (requested, answered) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2099-01-01", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            assert_eq!(Revision::negotiate(requested).as_str(), answered);
        }
    }
}
