//! Everything that client and service must agree on: paths, names, labels, limits, arguments.
//!
//! The service's wire format has not been published, so this is the project's own. It is kept in
//! one file to be able to follow a published one. The rules of the three tools' arguments are
//! tables: the same entry checks a value, fills its default, words its refusal and describes it
//! in the tool's schema.

use serde_json::{Map, Value};

use crate::crib::fault::{Code, Fault};
use crate::crib::json;
use crate::limits::{CRIB_HITS, CRIB_OFFSET, CRIB_PAGE, CRIB_TEXT_CHARS};

/// Directory of the discovery files inside the user-data directory.
pub const API_DIRECTORY: &str = "api";
/// Name of the file that says where the service listens.
pub const STATUS_FILE: &str = "status.json";
/// Name of the file that holds the access key.
pub const KEY_FILE: &str = "access-key";
/// Largest status file, in bytes.
pub const STATUS_BYTES: usize = 16 * 1024;
/// Largest key file, in bytes: the key's text and one line feed.
pub const KEY_FILE_BYTES: usize = KEY_CHARS + 1;
/// Bytes of the access key.
pub const KEY_BYTES: usize = 32;
/// Characters of the access key's text, base64url without padding.
pub const KEY_CHARS: usize = 43;
/// The one version of status file and challenge that is understood.
pub const SCHEMA: u64 = 1;
/// The one host that is ever connected to.
pub const HOST: &str = "127.0.0.1";
/// Ports the service may name.
pub const PORTS: std::ops::RangeInclusive<u64> = 1024..=65535;
/// Process ids the service may name.
pub const PIDS: std::ops::RangeInclusive<u64> = 2..=0x7fff_ffff;
/// Largest version string of the application, in bytes.
pub const APP_VERSION_BYTES: usize = 64;
/// Largest start mark of a process, in bytes.
pub const PROCESS_START_BYTES: usize = 128;
/// Characters of an instance id, lower-case hexadecimal.
pub const INSTANCE_CHARS: usize = 32;
/// Characters of a key id, lower-case hexadecimal.
pub const KEY_ID_CHARS: usize = 16;
/// What a key id's hash begins with.
pub const KEY_ID_LABEL: &[u8] = b"crib-local-api/1 key-id\0";

/// Path of the challenge that a service must answer before it gets the key.
pub const CHALLENGE_PATH: &str = "/auth/challenge";
/// What the proof's message begins with.
pub const PROOF_LABEL: &[u8] = b"crib-local-api/1 server-proof";
/// Bytes of either side's nonce.
pub const NONCE_BYTES: usize = 32;
/// Bytes of a proof.
pub const PROOF_BYTES: usize = 32;
/// Largest answer to a challenge, in bytes.
pub const CHALLENGE_ANSWER_BYTES: usize = 4 * 1024;
/// How often one call proves the service: once, and again on each connection lost after a proof.
pub const PROOFS: usize = 3;

/// Path of the list of enabled document sets.
pub const DOCSETS_PATH: &str = "/v1/docsets";
/// Path of the search.
pub const SEARCH_PATH: &str = "/v1/search";
/// Path of one section's text.
pub const SECTION_PATH: &str = "/v1/section";
/// The one content type of requests and answers.
pub const CONTENT_TYPE: &str = "application/json";
/// Largest block of answer headers, in bytes.
pub const HEAD_BYTES: usize = 16 * 1024;
/// Deepest nesting of arrays and objects in a document from outside.
pub const JSON_DEPTH: usize = 32;

/// Characters of a section key.
pub const SECTION_KEY_CHARS: usize = 200;
/// Characters of a generation.
pub const GENERATION_CHARS: usize = 64;
/// Unicode scalars of a project, branch, locale, domain or collection.
pub const NAME_CHARS: usize = 64;
/// Unicode scalars of a hit's snippet.
pub const SNIPPET_CHARS: usize = 300;
/// Largest offset into a section: what every JSON reader takes as an exact integer.
pub const PAGE_OFFSET: u64 = (1 << 53) - 1;

/// The HTTP status with which the service sends a code, when it may send it at all.
#[must_use]
pub const fn http_status(code: Code) -> Option<u16> {
    match code {
        Code::InvalidArgument => Some(400),
        Code::Unauthorized => Some(401),
        Code::Forbidden => Some(403),
        Code::SectionNotFound => Some(404),
        Code::GenerationChanged => Some(409),
        Code::InternalError => Some(500),
        Code::LocalApiUnavailable | Code::Busy => Some(503),
        Code::DiscoveryUnsafe
        | Code::ApiIncompatible
        | Code::ServerProofFailed
        | Code::DeadlineExceeded
        | Code::ResponseTooLarge
        | Code::BadResponse => None,
    }
}

/// What values an argument takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Text of 1 to `chars` Unicode scalars after trimming, control characters other than TAB refused.
    Text {
        /// Largest number of Unicode scalars.
        chars: usize,
        /// Used when the argument is absent.
        default: Option<&'static str>,
    },
    /// An opaque coordinate of 1 to `chars` characters of `[A-Za-z0-9._:-]`.
    Coordinate {
        /// Largest number of characters.
        chars: usize,
    },
    /// An integer within a range.
    Integer {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
        /// Used when the argument is absent.
        default: u64,
    },
}

/// One argument of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name, in the tool and in the request to the service.
    pub name: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// What values it takes.
    pub kind: Kind,
    /// For the tool's schema: what it is for.
    pub description: &'static str,
    /// The sentence of a refusal. Begins with the argument's name.
    pub refusal: &'static str,
}

const EXPECTED_GENERATION: Argument = Argument {
    name: "generation",
    required: false,
    kind: Kind::Coordinate {
        chars: GENERATION_CHARS,
    },
    description: "Generation that the caller expects; another one fails with generation_changed.",
    refusal: "generation must be 1 to 64 characters of A-Z, a-z, 0-9, '.', '_', ':', '-', as an earlier result gave it.",
};

const fn name(
    name: &'static str,
    default: Option<&'static str>,
    description: &'static str,
    refusal: &'static str,
) -> Argument {
    Argument {
        name,
        required: false,
        kind: Kind::Text {
            chars: NAME_CHARS,
            default,
        },
        description,
        refusal,
    }
}

/// Arguments of the list.
pub const LIST_ARGUMENTS: &[Argument] = &[EXPECTED_GENERATION];

/// Arguments of the search, in the order they are sent.
pub const SEARCH_ARGUMENTS: &[Argument] = &[
    Argument {
        name: "text",
        required: true,
        kind: Kind::Text {
            chars: CRIB_TEXT_CHARS,
            default: None,
        },
        description: "Words to search for. May begin with a version prefix such as 'PG96: SELECT' and hold filters such as 'branch:17' or 'locale:en', which win over the other arguments.",
        refusal: "text must be a string of 1 to 256 characters without control characters, and hold words besides a version prefix and filters.",
    },
    name(
        "project",
        Some("postgresql"),
        "Project whose documents are searched.",
        "project must be a string of 1 to 64 characters without control characters.",
    ),
    name(
        "branch",
        Some("18"),
        "Version line such as '18' or '9.6'; '*' searches every enabled version.",
        "branch must be a string such as '18' or '9.6', or '*', of at most 64 characters.",
    ),
    name(
        "locale",
        Some("zh-Hans"),
        "'zh-Hans', 'en', or '*' for every language.",
        "locale must be 'zh-Hans', 'en' or '*'.",
    ),
    name(
        "domain",
        None,
        "Documentation domain to search in.",
        "domain must be a string of 1 to 64 characters without control characters.",
    ),
    name(
        "collection",
        None,
        "Wiki collection to search in.",
        "collection must be a string of 1 to 64 characters without control characters.",
    ),
    Argument {
        name: "limit",
        required: false,
        kind: Kind::Integer {
            min: CRIB_HITS.min,
            max: CRIB_HITS.max,
            default: CRIB_HITS.default,
        },
        description: "Hits on one page.",
        refusal: "limit must be an integer from 1 to 50.",
    },
    Argument {
        name: "offset",
        required: false,
        kind: Kind::Integer {
            min: 0,
            max: CRIB_OFFSET,
            default: 0,
        },
        description: "Hits to pass over; next_offset of the page before.",
        refusal: "offset must be an integer from 0 to 10000.",
    },
    EXPECTED_GENERATION,
];

/// Arguments of loading a section, in the order they are sent.
pub const LOAD_ARGUMENTS: &[Argument] = &[
    Argument {
        name: "section_key",
        required: true,
        kind: Kind::Coordinate {
            chars: SECTION_KEY_CHARS,
        },
        description: "The section_key of a search result.",
        refusal: "section_key must be 1 to 200 characters of A-Z, a-z, 0-9, '.', '_', ':', '-', as a search result gave it.",
    },
    Argument {
        required: true,
        description: "The generation that came with the same search result.",
        ..EXPECTED_GENERATION
    },
    Argument {
        name: "offset",
        required: false,
        kind: Kind::Integer {
            min: 0,
            max: PAGE_OFFSET,
            default: 0,
        },
        description: "Where to start, in Unicode scalars; next_offset of the piece before.",
        refusal: "offset must be an integer from 0 to the section's total of Unicode scalars.",
    },
    Argument {
        name: "limit",
        required: false,
        kind: Kind::Integer {
            min: CRIB_PAGE.min,
            max: CRIB_PAGE.max,
            default: CRIB_PAGE.default,
        },
        description: "Most Unicode scalars to return.",
        refusal: "limit must be an integer from 1 to 50000.",
    },
];

/// Checked arguments of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListArgs {
    pub(super) generation: Option<String>,
    pub(super) target: String,
}

/// Checked arguments of a search, defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchArgs {
    pub(super) limit: u64,
    pub(super) offset: u64,
    pub(super) generation: Option<String>,
    pub(super) target: String,
}

/// Checked arguments of loading a section, defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadArgs {
    pub(super) section_key: String,
    pub(super) generation: String,
    pub(super) offset: u64,
    pub(super) limit: u64,
    pub(super) target: String,
}

impl ListArgs {
    /// Reads the JSON object of the tool's arguments.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`], naming the argument where there is one to name.
    pub fn parse(json: &str) -> Result<Self, Fault> {
        let values = Values::read(
            LIST_ARGUMENTS,
            json,
            "Unknown argument; list_installed_docsets takes generation.",
        )?;
        Ok(Self {
            generation: values.text("generation"),
            target: values.target(DOCSETS_PATH),
        })
    }
}

impl SearchArgs {
    /// Reads the JSON object of the tool's arguments.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`], naming the argument where there is one to name.
    pub fn parse(json: &str) -> Result<Self, Fault> {
        let values = Values::read(
            SEARCH_ARGUMENTS,
            json,
            "Unknown argument; search_documentation takes text, project, branch, locale, domain, collection, limit, offset, generation.",
        )?;
        Ok(Self {
            limit: values.integer("limit"),
            offset: values.integer("offset"),
            generation: values.text("generation"),
            target: values.target(SEARCH_PATH),
        })
    }
}

impl LoadArgs {
    /// Reads the JSON object of the tool's arguments.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`], naming the argument where there is one to name.
    pub fn parse(json: &str) -> Result<Self, Fault> {
        let values = Values::read(
            LOAD_ARGUMENTS,
            json,
            "Unknown argument; load_documentation_page takes section_key, generation, offset, limit.",
        )?;
        Ok(Self {
            section_key: values.text("section_key").unwrap_or_default(),
            generation: values.text("generation").unwrap_or_default(),
            offset: values.integer("offset"),
            limit: values.integer("limit"),
            target: values.target(SECTION_PATH),
        })
    }
}

/// Whether `text` is an opaque coordinate of at most `chars` characters.
#[must_use]
pub fn is_coordinate(text: &str, chars: usize) -> bool {
    (1..=chars).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
}

#[derive(Debug)]
enum Checked {
    Text(String),
    Integer(u64),
}

/// Checked values in the order of the tool's table; absent ones without default left out.
struct Values(Vec<(&'static str, Checked)>);

impl Values {
    fn read(rules: &'static [Argument], json: &str, unknown: &'static str) -> Result<Self, Fault> {
        let given: Map<String, Value> = json::parse(json.as_bytes()).ok_or_else(|| {
            Fault::saying(
                Code::InvalidArgument,
                "The arguments must be one JSON object that names each argument once.",
            )
        })?;
        if given
            .keys()
            .any(|key| rules.iter().all(|rule| rule.name != key))
        {
            return Err(Fault::saying(Code::InvalidArgument, unknown));
        }
        let mut values = Vec::new();
        for rule in rules {
            let checked = match given.get(rule.name) {
                Some(value) => rule.check(value),
                None if rule.required => None,
                None => match rule.absent() {
                    Some(default) => Some(default),
                    None => continue,
                },
            };
            let checked = checked.ok_or_else(|| Fault::argument(rule.name, rule.refusal))?;
            values.push((rule.name, checked));
        }
        Ok(Self(values))
    }

    fn find(&self, name: &str) -> Option<&Checked> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.find(name)? {
            Checked::Text(text) => Some(text.clone()),
            Checked::Integer(_) => None,
        }
    }

    /// The value of an integer argument; all of them have defaults.
    fn integer(&self, name: &str) -> u64 {
        match self.find(name) {
            Some(Checked::Integer(value)) => *value,
            Some(Checked::Text(_)) | None => 0,
        }
    }

    /// The request target: `path` and every value, percent-encoded.
    fn target(&self, path: &str) -> String {
        let mut target = path.to_owned();
        for (index, (name, value)) in self.0.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            target.push_str(name);
            target.push('=');
            match value {
                Checked::Text(text) => push_encoded(&mut target, text),
                Checked::Integer(number) => target.push_str(&number.to_string()),
            }
        }
        target
    }
}

impl Argument {
    fn absent(&self) -> Option<Checked> {
        match self.kind {
            Kind::Text { default, .. } => default.map(|text| Checked::Text(text.to_owned())),
            Kind::Coordinate { .. } => None,
            Kind::Integer { default, .. } => Some(Checked::Integer(default)),
        }
    }

    fn check(&self, value: &Value) -> Option<Checked> {
        match self.kind {
            Kind::Text { chars, .. } => {
                let text = value.as_str()?;
                let controlled = |c: char| c.is_control() && c != '\t';
                let trimmed = text.trim();
                ((1..=chars).contains(&trimmed.chars().count()) && !text.contains(controlled))
                    .then(|| Checked::Text(trimmed.to_owned()))
            }
            Kind::Coordinate { chars } => {
                let text = value.as_str()?;
                is_coordinate(text, chars).then(|| Checked::Text(text.to_owned()))
            }
            Kind::Integer { min, max, .. } => {
                let number = integer(value)?;
                (min..=max)
                    .contains(&number)
                    .then_some(Checked::Integer(number))
            }
        }
    }
}

/// A JSON number without a fraction; `5.0` is the integer 5, as schemas have it.
fn integer(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the guard holds it within the exact integers of f64"
    )]
    (number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number))
        .then_some(number as u64)
}

/// Appends `text` as a query value: everything but unreserved characters percent-encoded.
fn push_encoded(target: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            target.push(char::from(byte));
        } else {
            let digit = |nibble: u8| char::from(HEX[usize::from(nibble & 15)]);
            target.extend(['%', digit(byte >> 4), digit(byte)]);
        }
    }
}

#[cfg(test)]
mod tests;
