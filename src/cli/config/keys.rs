//! The known keys of a configuration file, what each holds, and where its value goes.

use serde_json::Value;

use super::ConfigFault;
use crate::arguments;
use crate::cli::size::{self, SizeFault};
use crate::render::Style;
use crate::text::legacy::Legacy;

/// The values of a configuration file. What it does not name is `None` or empty.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Config {
    pub(in crate::cli) style: Option<Style>,
    pub(in crate::cli) file_path: Option<String>,
    pub(in crate::cli) header_text: Option<String>,
    pub(in crate::cli) instruction_path: Option<String>,
    pub(in crate::cli) summary: Option<bool>,
    pub(in crate::cli) tree: Option<bool>,
    pub(in crate::cli) files: Option<bool>,
    pub(in crate::cli) lines: Option<bool>,
    pub(in crate::cli) full_metadata: Option<bool>,
    pub(in crate::cli) compress: Option<bool>,
    pub(in crate::cli) keep_full: Vec<String>,
    pub(in crate::cli) split: Option<u64>,
    pub(in crate::cli) budget: Option<u64>,
    pub(in crate::cli) top_files: Option<u64>,
    pub(in crate::cli) token_tree: Option<u64>,
    pub(in crate::cli) include: Vec<String>,
    pub(in crate::cli) ignore: Vec<String>,
    pub(in crate::cli) gitignore: Option<bool>,
    pub(in crate::cli) dot_ignore: Option<bool>,
    pub(in crate::cli) default_patterns: Option<bool>,
    pub(in crate::cli) max_file_size: Option<u64>,
    pub(in crate::cli) max_files: Option<u64>,
    pub(in crate::cli) max_source_bytes: Option<u64>,
    pub(in crate::cli) encodings: Vec<Legacy>,
    pub(in crate::cli) lossy: Option<bool>,
    pub(in crate::cli) security: Option<bool>,
    pub(in crate::cli) verify_counts: Option<bool>,
    pub(in crate::cli) mcp_max_tokens: Option<u64>,
    pub(in crate::cli) mcp_max_output_bytes: Option<u64>,
    pub(in crate::cli) mcp_max_volumes: Option<u64>,
    pub(in crate::cli) mcp_request_timeout: Option<u64>,
}

/// How a key is read and where its value goes.
pub(super) enum Key {
    Flag(fn(&mut Config) -> &mut Option<bool>),
    Text(fn(&mut Config) -> &mut Option<String>),
    /// Tokens, files, seconds: a number or a text such as "8k".
    Count(fn(&mut Config) -> &mut Option<u64>),
    Bytes(fn(&mut Config) -> &mut Option<u64>),
    List(fn(&mut Config) -> &mut Vec<String>),
    Style,
    Encodings,
    /// A number, or true for 0 and false for nothing.
    TokenTree,
    /// For editors.
    Schema,
    /// A key of other packers whose other values this program does not know.
    Only(bool),
    /// The same for a text.
    OnlyText(&'static str),
}

/// Every known key.
pub(super) const KEYS: &[(&str, Key)] = &[
    ("$schema", Key::Schema),
    ("output.style", Key::Style),
    ("output.filePath", Key::Text(|c| &mut c.file_path)),
    ("output.headerText", Key::Text(|c| &mut c.header_text)),
    (
        "output.instructionFilePath",
        Key::Text(|c| &mut c.instruction_path),
    ),
    ("output.fileSummary", Key::Flag(|c| &mut c.summary)),
    ("output.directoryStructure", Key::Flag(|c| &mut c.tree)),
    ("output.files", Key::Flag(|c| &mut c.files)),
    ("output.showLineNumbers", Key::Flag(|c| &mut c.lines)),
    ("output.fullMetadata", Key::Flag(|c| &mut c.full_metadata)),
    ("output.compress", Key::Flag(|c| &mut c.compress)),
    ("output.keepFull", Key::List(|c| &mut c.keep_full)),
    ("output.splitTokens", Key::Count(|c| &mut c.split)),
    ("output.tokenBudget", Key::Count(|c| &mut c.budget)),
    ("output.topFilesLength", Key::Count(|c| &mut c.top_files)),
    ("output.tokenCountTree", Key::TokenTree),
    ("output.parsableStyle", Key::Schema),
    ("output.removeComments", Key::Only(false)),
    ("output.removeEmptyLines", Key::Only(false)),
    ("output.truncateBase64", Key::Only(false)),
    ("output.copyToClipboard", Key::Only(false)),
    ("output.includeFullDirectoryStructure", Key::Only(false)),
    ("include", Key::List(|c| &mut c.include)),
    ("ignore.useGitignore", Key::Flag(|c| &mut c.gitignore)),
    ("ignore.useDotIgnore", Key::Flag(|c| &mut c.dot_ignore)),
    (
        "ignore.useDefaultPatterns",
        Key::Flag(|c| &mut c.default_patterns),
    ),
    ("ignore.customPatterns", Key::List(|c| &mut c.ignore)),
    ("input.maxFileSize", Key::Bytes(|c| &mut c.max_file_size)),
    ("input.maxFiles", Key::Count(|c| &mut c.max_files)),
    (
        "input.maxSourceBytes",
        Key::Bytes(|c| &mut c.max_source_bytes),
    ),
    ("input.encodings", Key::Encodings),
    ("input.lossy", Key::Flag(|c| &mut c.lossy)),
    (
        "security.enableSecurityCheck",
        Key::Flag(|c| &mut c.security),
    ),
    ("tokenCount.encoding", Key::OnlyText("o200k_base")),
    ("tokenCount.verify", Key::Flag(|c| &mut c.verify_counts)),
    ("mcp.maxTokens", Key::Count(|c| &mut c.mcp_max_tokens)),
    (
        "mcp.maxOutputBytes",
        Key::Bytes(|c| &mut c.mcp_max_output_bytes),
    ),
    ("mcp.maxVolumes", Key::Count(|c| &mut c.mcp_max_volumes)),
    (
        "mcp.requestTimeout",
        Key::Count(|c| &mut c.mcp_request_timeout),
    ),
];

/// Other names of keys.
pub(super) const SECOND_NAMES: &[(&str, &str)] = &[
    ("keep_full_patterns", "output.keepFull"),
    ("output.keep_full_patterns", "output.keepFull"),
];

/// Puts a value where its key says.
///
/// # Errors
/// [`ConfigFault::Type`], [`ConfigFault::Size`].
pub(super) fn set(
    config: &mut Config,
    key: &'static str,
    kind: &Key,
    value: Value,
) -> Result<(), ConfigFault> {
    let wrong = |wanted| ConfigFault::Type { key, wanted };
    let size = |read: fn(&str) -> Result<u64, SizeFault>, value: &Value| match value {
        Value::Number(number) => number
            .as_u64()
            .ok_or(wrong("a whole number that is not negative")),
        Value::String(text) => read(text).map_err(|fault| ConfigFault::Size { key, fault }),
        _ => Err(wrong("a number")),
    };
    match (kind, value) {
        (Key::Flag(field), Value::Bool(value)) => *field(config) = Some(value),
        (Key::Flag(_), _) => return Err(wrong("true or false")),
        (Key::Text(field), Value::String(value)) => *field(config) = Some(value),
        (Key::Text(_), _) => return Err(wrong("a text")),
        (Key::Count(field), value) => *field(config) = Some(size(size::count, &value)?),
        (Key::Bytes(field), value) => *field(config) = Some(size(size::bytes, &value)?),
        (Key::List(field), value) => {
            *field(config) = texts(value).ok_or(wrong("a list of texts"))?;
        }
        (Key::Encodings, value) => {
            for name in texts(value).ok_or(wrong("a list of names"))? {
                let encoding = Legacy::from_name(&name)
                    .map_err(|fault| ConfigFault::Encoding { name, fault })?;
                config.encodings.push(encoding);
            }
        }
        (Key::Style, value) => {
            let style = match value.as_str() {
                Some("md") => Some(Style::Markdown),
                Some(name) => Style::from_name(name),
                None => None,
            };
            config.style = Some(style.ok_or(wrong("one of xml, markdown, json, plain"))?);
        }
        (Key::TokenTree, Value::Bool(value)) => config.token_tree = value.then_some(0),
        (Key::TokenTree, value) => config.token_tree = Some(size(size::count, &value)?),
        (Key::Schema, _) => {}
        (Key::Only(only), value) => {
            if value != Value::Bool(*only) {
                return Err(wrong(if *only { "true" } else { "false" }));
            }
        }
        (Key::OnlyText(only), value) => {
            if value != **only {
                return Err(wrong(only));
            }
        }
    }
    Ok(())
}

/// The elements of a list of texts.
fn texts(value: Value) -> Option<Vec<String>> {
    let Value::Array(items) = value else {
        return None;
    };
    let texts = items.into_iter().map(|item| match item {
        Value::String(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// The known key of that name, or the one that has it as a second name.
pub(super) fn known(name: &str) -> Option<(&'static str, &'static Key)> {
    let name = SECOND_NAMES
        .iter()
        .find(|(second, _)| *second == name)
        .map_or(name, |(_, first)| first);
    KEYS.iter()
        .find(|(known, _)| *known == name)
        .map(|(known, kind)| (*known, kind))
}

/// The name that stands before a point in known keys, if `name` is one.
pub(super) fn group(name: &str) -> Option<&'static str> {
    groups().find(|group| *group == name)
}

fn groups() -> impl Iterator<Item = &'static str> {
    KEYS.iter()
        .filter_map(|(known, _)| known.split_once('.'))
        .map(|(group, _)| group)
}

/// The known key whose last part is written like the last part of `key`, if one is near; among
/// equals one of the same group, then the first.
pub(super) fn near(key: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let parts = |key: &str| {
        let (group, last) = key.rsplit_once('.').unwrap_or(("", key));
        (plain(group), plain(last))
    };
    let (group, last) = parts(key);
    let tops = groups().filter(|_| group.is_empty());
    KEYS.iter()
        .map(|(known, _)| *known)
        .chain(tops)
        .filter_map(|known| {
            let (its_group, its_last) = parts(known);
            let distance = arguments::near_distance(&last, &its_last)?;
            Some(((distance, its_group != group), known))
        })
        .min_by_key(|(order, _)| *order)
        .map(|(_, known)| known)
}
