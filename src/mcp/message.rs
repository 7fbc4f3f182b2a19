//! Envelope, ids and the JSON-RPC errors.
//!
//! A line is first checked to be one JSON value, without recursion, so nesting is harmless. What
//! it is follows from its shape alone, in this order:
//!
//! 1. not UTF-8 or not JSON: parse error without id;
//! 2. an array: a batch, which the caller may refuse;
//! 3. not an object, or an object that repeats a member of the envelope: invalid request without id;
//! 4. no `method` but `result` or `error`: a response, which a server ignores;
//! 5. an id that is not a string or an integer: invalid request without id;
//! 6. wrong `jsonrpc`, or `method` absent or not a string: invalid request;
//! 7. no id: a notification, never answered;
//! 8. parameters that are not an object: invalid parameters.
//!
//! An error whose id is not known leaves `id` out. Messages are built from fixed words.

use std::borrow::Cow;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::arguments::{Invalid, Malformed, Rule};

use crate::limits::BATCH_ITEMS;

/// The id of a request: a string or an integer of any size, kept exactly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// A string, escapes resolved.
    Text(Box<str>),
    /// The digits of an integer.
    Integer(Box<str>),
}

impl Id {
    /// Reads a string or an integer; fractions and exponents are neither.
    pub(super) fn read(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        if text.starts_with('"') {
            return serde_json::from_str(text).ok().map(Self::Text);
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_integer.then(|| Self::Integer(if digits == "0" { "0" } else { text }.into()))
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(digits) => serde_json::from_str::<&RawValue>(digits)
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
        }
    }
}

/// What an error object carries besides code and message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FaultData {
    /// A resource that is not there.
    Uri {
        /// The URI as asked for.
        uri: String,
    },
    /// A protocol version that is not served.
    Version {
        /// The versions of requests that name theirs.
        supported: &'static [&'static str],
        /// The version as asked for.
        requested: String,
    },
    /// A tool argument that broke a rule.
    Field {
        /// JSON pointer into the arguments.
        field: String,
        /// The rule.
        rule: Rule,
    },
}

/// A request that is refused by the protocol: a JSON-RPC error object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The JSON-RPC or MCP code.
    pub code: i32,
    /// Fixed words and field pointers only.
    pub message: Cow<'static, str>,
    /// Machine-readable detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<FaultData>,
}

impl Fault {
    /// A fault without detail.
    #[must_use]
    pub const fn new(code: i32, message: &'static str) -> Self {
        Self {
            code,
            message: Cow::Borrowed(message),
            data: None,
        }
    }

    /// `-32700`: not JSON.
    pub(super) const PARSE: Self = Self::new(-32700, "Parse error");
    /// `-32600`: JSON, but not a request.
    pub(super) const INVALID_REQUEST: Self = Self::new(-32600, "Invalid request");
    /// `-32600`: a line over the limit.
    pub(super) const TOO_LONG: Self =
        Self::new(-32600, "Invalid request: the line is over the size limit");
    /// `-32600`: an id in use.
    pub(super) const DUPLICATE_ID: Self =
        Self::new(-32600, "Invalid request: a request with this id is running");
    /// `-32600`: an array where no batch is served.
    pub(super) const BATCH: Self = Self::new(
        -32600,
        "Invalid request: send one message per line, no array",
    );
    /// `-32600`: an array with too many elements.
    pub(super) const BATCH_SIZE: Self =
        Self::new(-32600, "Invalid request: the array has too many elements");
    /// `-32600`: a handshake inside a batch.
    pub(super) const BATCH_INITIALIZE: Self = Self::new(
        -32600,
        "Invalid request: initialize cannot be part of an array",
    );
    /// `-32601`: no such method here.
    pub(super) const METHOD_NOT_FOUND: Self = Self::new(-32601, "Method not found");
    /// `-32602`: parameters of the wrong shape.
    pub(super) const INVALID_PARAMS: Self = Self::new(-32602, "Invalid params");
    /// `-32603`: a defect. Says nothing about it.
    pub(super) const INTERNAL: Self = Self::new(-32603, "Internal error");
    /// `-32603`: every place is taken.
    pub(super) const BUSY: Self = Self::new(-32603, "Too many requests are running");
    /// `-32603`: the deadline passed.
    pub(super) const TIMEOUT: Self = Self::new(-32603, "The request reached the time limit");
    /// `-32603`: the answer does not fit a line.
    pub(super) const TOO_LARGE: Self = Self::new(-32603, "The answer is over the size limit");
}

/// One error message as it stands on the wire, without its line end.
pub(super) fn error_line(id: Option<&Id>, fault: &Fault) -> Vec<u8> {
    struct Line<'a>(Option<&'a Id>, &'a Fault);
    impl Serialize for Line<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut line = serializer.serialize_struct("Line", 3)?;
            line.serialize_field("jsonrpc", "2.0")?;
            if let Some(id) = self.0 {
                line.serialize_field("id", id)?;
            }
            line.serialize_field("error", self.1)?;
            line.end()
        }
    }
    to_line(&Line(id, fault))
}

/// Compact JSON of a value that cannot fail to serialise. The line and paragraph separators of
/// Unicode are escaped, since some readers of lines end a line there.
pub(super) fn to_line(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let json = serde_json::to_vec(value).expect("strings, numbers and raw JSON always serialise");
    without_separators(json)
}

/// U+2028 and U+2029, which in JSON stand inside strings only, as escapes.
fn without_separators(json: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = json.as_slice();
    while let Some(at) = rest
        .windows(3)
        .position(|bytes| matches!(bytes, SEPARATOR_LINE | SEPARATOR_PARAGRAPH))
    {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before);
        out.extend_from_slice(match from.starts_with(SEPARATOR_LINE) {
            true => b"\\u2028",
            false => b"\\u2029",
        });
        rest = from.get(3..).unwrap_or_default();
    }
    if out.is_empty() {
        return json;
    }
    out.extend_from_slice(rest);
    out
}

/// U+2028 in UTF-8.
const SEPARATOR_LINE: &[u8] = "\u{2028}".as_bytes();
/// U+2029 in UTF-8.
const SEPARATOR_PARAGRAPH: &[u8] = "\u{2029}".as_bytes();

/// Bytes of a text inside a JSON string as [`to_line`] writes it.
pub(super) fn escaped_len(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..'\u{20}' | '\u{2028}' | '\u{2029}' => 6,
            _ => c.len_utf8(),
        })
        .sum()
}

/// A request: exactly one answer is owed to it.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) id: Id,
    pub(super) method: Cow<'a, str>,
    /// A JSON object.
    pub(super) params: Option<&'a RawValue>,
}

/// What one line, or one element of a batch, is.
#[derive(Debug)]
pub(super) enum Message<'a> {
    Request(Request<'a>),
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// A response or a malformed notification: nothing happens.
    Ignored,
    /// An array, elements not looked at yet.
    Batch(Vec<&'a RawValue>),
    Refused {
        id: Option<Id>,
        fault: Fault,
    },
}

impl Message<'_> {
    fn refused(id: Option<Id>, fault: Fault) -> Self {
        Self::Refused { id, fault }
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from a missing member.
pub(super) fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A JSON string with its escapes resolved.
pub(super) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Text<'_>>(raw.get())
        .ok()
        .map(|text| text.0)
}

/// Whether a raw value is an object.
pub(super) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// Says what a line is.
pub(super) fn parse(line: &[u8]) -> Message<'_> {
    let Some(value) = std::str::from_utf8(line)
        .ok()
        .and_then(|text| serde_json::from_str::<&RawValue>(text).ok())
    else {
        return Message::refused(None, Fault::PARSE);
    };
    if !value.get().starts_with('[') {
        return classify(value);
    }
    match serde_json::from_str::<Elements<'_>>(value.get()) {
        Ok(Elements(Some(elements))) => Message::Batch(elements),
        Ok(Elements(None)) => Message::refused(None, Fault::BATCH_SIZE),
        Err(_) => Message::refused(None, Fault::INVALID_REQUEST),
    }
}

/// Says what an element of a batch is.
pub(super) fn classify(value: &RawValue) -> Message<'_> {
    let Some(envelope) = is_object(value)
        .then(|| serde_json::from_str::<Envelope<'_>>(value.get()).ok())
        .flatten()
    else {
        return Message::refused(None, Fault::INVALID_REQUEST);
    };
    if envelope.method.is_none() && (envelope.result.is_some() || envelope.error.is_some()) {
        return Message::Ignored;
    }
    let id = match envelope.id.map(Id::read) {
        None => None,
        Some(Some(id)) => Some(id),
        Some(None) => return Message::refused(None, Fault::INVALID_REQUEST),
    };
    let is_version_2 = envelope.jsonrpc.and_then(string).as_deref() == Some("2.0");
    let Some(method) = envelope.method.and_then(string).filter(|_| is_version_2) else {
        return Message::refused(id, Fault::INVALID_REQUEST);
    };
    // A client that has no parameters may say so.
    let params = envelope.params.filter(|params| params.get() != "null");
    let fits = params.is_none_or(is_object);
    match id {
        None if fits => Message::Notification { method, params },
        None => Message::Ignored,
        Some(id) if fits => Message::Request(Request { id, method, params }),
        Some(id) => Message::refused(
            Some(id),
            Fault::new(-32602, "Invalid params: params must be an object"),
        ),
    }
}

/// The elements of an array, `None` when there are too many.
struct Elements<'a>(Option<Vec<&'a RawValue>>);

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Elements<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut sequence: A,
            ) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = sequence.next_element::<&RawValue>()? {
                    if elements.len() == BATCH_ITEMS {
                        while sequence.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                        return Ok(Elements(None));
                    }
                    elements.push(element);
                }
                Ok(Elements(Some(elements)))
            }
        }
        deserializer.deserialize_seq(Visitor)
    }
}

impl From<Invalid> for Fault {
    fn from(invalid: Invalid) -> Self {
        Self {
            code: -32602,
            message: format!("Invalid params: {invalid}").into(),
            data: Some(FaultData::Field {
                field: invalid.field,
                rule: invalid.rule,
            }),
        }
    }
}

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Self {
            code: -32602,
            message: format!("Invalid params: arguments {malformed}").into(),
            data: None,
        }
    }
}

#[cfg(test)]
mod tests;
