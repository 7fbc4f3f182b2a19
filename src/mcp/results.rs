//! Every result as it stands on the wire.
//!
//! Results are built for the newest revision and projected down: what a revision does not know
//! is left out, never written as `null`. No line is longer than the limit for outgoing lines.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::{Fault, Id, error_line, to_line};
use super::profile::{Profile, ServerInfo};
use super::resources::{Bundle, Document};
use super::tools::{Refusal, Reply, Tool};
use super::version::{CLAIMABLE, Revision};
use crate::error::{Error, ErrorCode};
use crate::limits::OUT_LINE_BYTES;

/// How a tool says that a call gave no result.
pub(super) type Fail = fn(Refusal) -> Reply;

/// Whom an answer goes to, and in which shape.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    pub(super) id: Id,
    pub(super) revision: Revision,
    pub(super) info: ServerInfo,
    /// Bytes that the result of a tool may have.
    pub(super) result_bytes: usize,
}

/// An answer that is over a limit, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong {
    limit: usize,
    size: usize,
}

impl From<TooLong> for Refusal {
    fn from(too_long: TooLong) -> Self {
        Self::from(&Error::ResourceLimit {
            limit: too_long.limit as u64,
            size: too_long.size as u64,
        })
    }
}

#[derive(Serialize)]
struct Answer<'a, T> {
    jsonrpc: &'static str,
    id: &'a Id,
    result: T,
}

/// The members that every modern result carries, and those of results that may be cached.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Modern {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<ServerMeta>,
}

#[derive(Serialize)]
struct ServerMeta {
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    info: ServerInfo,
}

#[derive(Serialize)]
struct Nothing {}

/// What a server declares: the bare capabilities, no notifications, no subscriptions.
#[derive(Serialize)]
struct Capabilities {
    tools: Nothing,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Nothing>,
}

impl Capabilities {
    fn of(profile: &Profile) -> Self {
        Self {
            tools: Nothing {},
            resources: profile.resources.then_some(Nothing {}),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolEntry<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations {
    read_only_hint: bool,
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceEntry<'a> {
    uri: String,
    name: &'a str,
    description: String,
    mime_type: &'a str,
    size: usize,
}

impl Envelope {
    fn modern(&self) -> Modern {
        if !self.revision.is_modern() {
            return Modern::default();
        }
        Modern {
            result_type: Some("complete"),
            meta: Some(ServerMeta { info: self.info }),
            ..Modern::default()
        }
    }

    /// The same for a result that a client might keep: it must ask again and share with nobody.
    fn cacheable(&self) -> Modern {
        let modern = self.revision.is_modern();
        Modern {
            ttl_ms: modern.then_some(0),
            cache_scope: modern.then_some("private"),
            ..self.modern()
        }
    }

    fn answer(&self, result: impl Serialize) -> Vec<u8> {
        to_line(&Answer {
            jsonrpc: "2.0",
            id: &self.id,
            result,
        })
    }

    /// The empty result.
    pub(super) fn empty(&self) -> Vec<u8> {
        self.answer(Nothing {})
    }

    /// The result of a handshake at this envelope's revision.
    pub(super) fn initialize(&self, profile: &Profile) -> Vec<u8> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Output<'a> {
            protocol_version: &'static str,
            capabilities: Capabilities,
            server_info: ServerInfo,
            instructions: &'a str,
        }
        self.answer(Output {
            protocol_version: self.revision.as_str(),
            capabilities: Capabilities::of(profile),
            server_info: self.info,
            instructions: &profile.instructions,
        })
    }

    /// What the server is.
    pub(super) fn discover(&self, profile: &Profile) -> Vec<u8> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Output<'a> {
            supported_versions: &'static [&'static str],
            capabilities: Capabilities,
            instructions: &'a str,
            #[serde(flatten)]
            modern: Modern,
        }
        self.answer(Output {
            supported_versions: CLAIMABLE,
            capabilities: Capabilities::of(profile),
            instructions: &profile.instructions,
            modern: self.cacheable(),
        })
    }

    /// The table of tools.
    pub(super) fn tools(&self, tools: &[Tool]) -> Vec<u8> {
        #[derive(Serialize)]
        struct Output<'a> {
            tools: Vec<ToolEntry<'a>>,
            #[serde(flatten)]
            modern: Modern,
        }
        let entry = |tool: &'_ Tool| {
            let annotations = Annotations {
                read_only_hint: true,
                destructive_hint: false,
                idempotent_hint: tool.idempotent,
                open_world_hint: false,
            };
            self.revision.has_annotations().then_some(annotations)
        };
        let titled = self.revision.has_titles();
        self.answer(Output {
            tools: tools
                .iter()
                .map(|tool| ToolEntry {
                    name: tool.name,
                    title: titled.then_some(tool.title),
                    description: &tool.description,
                    input_schema: &tool.schema,
                    annotations: entry(tool),
                })
                .collect(),
            modern: self.cacheable(),
        })
    }

    /// The documents of the current run.
    pub(super) fn resources(&self, bundle: Option<&Bundle>) -> Vec<u8> {
        #[derive(Serialize)]
        struct Output<'a> {
            resources: Vec<ResourceEntry<'a>>,
            #[serde(flatten)]
            modern: Modern,
        }
        let entries = bundle.into_iter().flat_map(|bundle| {
            bundle.documents().iter().map(|document| ResourceEntry {
                uri: bundle.uri(document),
                name: document.name(),
                description: format!("{} o200k_base tokens", document.tokens()),
                mime_type: document.mime_type(),
                size: document.text().len(),
            })
        });
        self.answer(Output {
            resources: entries.collect(),
            modern: self.cacheable(),
        })
    }

    /// No templates.
    pub(super) fn templates(&self) -> Vec<u8> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Output {
            resource_templates: [Nothing; 0],
            #[serde(flatten)]
            modern: Modern,
        }
        self.answer(Output {
            resource_templates: [],
            modern: self.cacheable(),
        })
    }

    /// No prompts.
    pub(super) fn prompts(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Output {
            prompts: [Nothing; 0],
        }
        self.answer(Output { prompts: [] })
    }

    /// The text of a resource.
    pub(super) fn contents(&self, uri: &str, document: &Document) -> Result<Vec<u8>, TooLong> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Contents<'a> {
            uri: &'a str,
            mime_type: &'a str,
            text: &'a str,
        }
        #[derive(Serialize)]
        struct Output<'a> {
            contents: [Contents<'a>; 1],
            #[serde(flatten)]
            modern: Modern,
        }
        let line = self.answer(Output {
            contents: [Contents {
                uri,
                mime_type: document.mime_type(),
                text: document.text(),
            }],
            modern: self.cacheable(),
        });
        within(line, OUT_LINE_BYTES)
    }

    /// The answer to a tool call.
    pub(super) fn reply(&self, reply: &Reply) -> Result<Vec<u8>, TooLong> {
        #[derive(Serialize)]
        struct Text<'a> {
            r#type: &'static str,
            text: &'a str,
        }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Output<'a> {
            content: [Text<'a>; 1],
            #[serde(skip_serializing_if = "Option::is_none")]
            structured_content: Option<&'a RawValue>,
            is_error: bool,
            #[serde(flatten)]
            modern: Modern,
        }
        let (text, json, is_error) = match reply {
            Reply::Structured { json, is_error } => (json.get(), Some(&**json), *is_error),
            Reply::Text { text, is_error } => (text.as_str(), None, *is_error),
            Reply::Fault(fault) => return Ok(error_line(Some(&self.id), fault)),
        };
        let result = to_line(&Output {
            content: [Text {
                r#type: "text",
                text,
            }],
            structured_content: json,
            is_error,
            modern: self.modern(),
        });
        let result = within(result, self.result_bytes)?;
        let result: &RawValue =
            serde_json::from_slice(&result).expect("what was just written is JSON");
        within(self.answer(result), OUT_LINE_BYTES)
    }
}

impl Envelope {
    /// The answer to a tool call, or the one that says that it is over a limit.
    pub(super) fn tool_line(&self, reply: &Reply, failure: Option<Fail>) -> Vec<u8> {
        self.reply(reply)
            .unwrap_or_else(|too_long| self.failure_line(failure, too_long))
    }

    /// The line that says why a request has no result: tools in their own words, others by an
    /// error.
    pub(super) fn failure_line(
        &self,
        failure: Option<Fail>,
        refusal: impl Into<Refusal>,
    ) -> Vec<u8> {
        let refusal = refusal.into();
        let fault = match refusal.code {
            ErrorCode::Busy => Fault::BUSY,
            ErrorCode::Timeout => Fault::TIMEOUT,
            ErrorCode::ResourceLimit => Fault::TOO_LARGE,
            _ => Fault::INTERNAL,
        };
        failure
            .and_then(|failure| self.reply(&failure(refusal)).ok())
            .unwrap_or_else(|| error_line(Some(&self.id), &fault))
    }
}

fn within(json: Vec<u8>, limit: usize) -> Result<Vec<u8>, TooLong> {
    match json.len() {
        size if size > limit => Err(TooLong { limit, size }),
        _ => Ok(json),
    }
}

/// One progress notification. `done` and `found` are files.
pub(super) fn progress_line(token: &Id, done: u64, found: u64, revision: Revision) -> Vec<u8> {
    #[derive(Serialize)]
    struct Notification<'a> {
        jsonrpc: &'static str,
        method: &'static str,
        params: Params<'a>,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        progress_token: &'a Id,
        progress: u64,
        total: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    }
    to_line(&Notification {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: Params {
            progress_token: token,
            progress: done,
            total: found,
            message: revision
                .has_annotations()
                .then(|| format!("{done} of {found} files")),
        },
    })
}
