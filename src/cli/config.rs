//! The configuration file: JSON with comments and trailing commas, one table of known keys.
//!
//! A file found in the root belongs to whoever wrote the repository, so it has less power than one
//! that the host named: it cannot switch the secret scan off, and what it names to be read or
//! written lies inside the root. No file can execute anything.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};

use super::failure::{Failure, ReadFault};
use super::size::{self, SizeFault};
use crate::arguments;
use crate::limits::MIB;
use crate::path::RelPath;
use crate::reason::Reason;
use crate::render::Style;
use crate::root::Root;

/// Names looked for in the root, the first that exists counts.
const NAMES: [&str; 2] = ["moon-repomix.config.json", "repomix.config.json"];
/// Longest configuration file, in bytes.
const CONFIG_BYTES: u64 = MIB as u64;

/// What is wrong with a configuration file.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigFault {
    /// It could not be read.
    #[error("cannot be read: {0}")]
    Unreadable(&'static str),
    /// Not JSON with comments.
    #[error("line {line}, column {column}: not valid JSON")]
    Syntax {
        /// 1-based.
        line: usize,
        /// 1-based.
        column: usize,
    },
    /// Not an object.
    #[error("must hold one JSON object")]
    NotAnObject,
    /// No such key.
    #[error("unknown key {key:?}, the nearest known one is {nearest:?}")]
    UnknownKey {
        /// With the keys it stands in, joined by points.
        key: String,
        /// The known key that is written most alike.
        nearest: &'static str,
    },
    /// A value of the wrong type.
    #[error("{key} must be {wanted}")]
    Type {
        /// The key.
        key: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// Not a size.
    #[error("{key} {fault}")]
    Size {
        /// The key.
        key: &'static str,
        /// What is wrong.
        fault: SizeFault,
    },
    /// A path that leaves the root or git's own directory.
    #[error("{key} must be a path inside the root, relative to it and outside .git")]
    Outside {
        /// The key.
        key: &'static str,
    },
    /// A file in the root that cannot be read.
    #[error("the file named by {key} cannot be read: {}", reason.as_str())]
    Named {
        /// The key.
        key: &'static str,
        /// Why not.
        reason: Reason,
    },
}

/// The values of a configuration file. What it does not name is `None` or empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    pub(super) style: Option<Style>,
    pub(super) file_path: Option<String>,
    pub(super) header_text: Option<String>,
    pub(super) instruction_path: Option<String>,
    pub(super) summary: Option<bool>,
    pub(super) tree: Option<bool>,
    pub(super) files: Option<bool>,
    pub(super) lines: Option<bool>,
    pub(super) full_metadata: Option<bool>,
    pub(super) compress: Option<bool>,
    pub(super) keep_full: Vec<String>,
    pub(super) split: Option<u64>,
    pub(super) budget: Option<u64>,
    pub(super) top_files: Option<u64>,
    pub(super) token_tree: Option<u64>,
    pub(super) include: Vec<String>,
    pub(super) ignore: Vec<String>,
    pub(super) gitignore: Option<bool>,
    pub(super) dot_ignore: Option<bool>,
    pub(super) default_patterns: Option<bool>,
    pub(super) max_file_size: Option<u64>,
    pub(super) max_files: Option<u64>,
    pub(super) max_source_bytes: Option<u64>,
    pub(super) security: Option<bool>,
    pub(super) verify_counts: Option<bool>,
    pub(super) mcp_max_tokens: Option<u64>,
    pub(super) mcp_max_output_bytes: Option<u64>,
    pub(super) mcp_max_volumes: Option<u64>,
    pub(super) mcp_request_timeout: Option<u64>,
}

/// A configuration file that was read.
#[derive(Clone, Debug)]
pub(super) struct ConfigFile {
    /// As named or found.
    pub(super) name: String,
    /// Relative to the root, where it is inside.
    pub(super) inside: Option<String>,
    /// Whether the host named it.
    pub(super) named: bool,
    /// What it says.
    pub(super) values: Config,
}

/// How a key is read and where its value goes.
enum Key {
    Flag(fn(&mut Config) -> &mut Option<bool>),
    Text(fn(&mut Config) -> &mut Option<String>),
    /// Tokens, files, seconds: a number or a text such as "8k".
    Count(fn(&mut Config) -> &mut Option<u64>),
    Bytes(fn(&mut Config) -> &mut Option<u64>),
    List(fn(&mut Config) -> &mut Vec<String>),
    Style,
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
const KEYS: &[(&str, Key)] = &[
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

/// The file in the root, if there is one.
///
/// # Errors
/// [`Failure::Config`].
pub(super) fn find(root: &Root) -> Result<Option<ConfigFile>, Failure> {
    for name in NAMES {
        let fail = |fault| Failure::Config {
            file: name.to_owned(),
            fault,
        };
        let path = RelPath::new(name).expect("the names are plain");
        let file = match root.open_file(&path) {
            Ok((file, _)) => file,
            Err(Reason::NotFound) => continue,
            Err(reason) => return Err(fail(ConfigFault::Unreadable(reason.as_str()))),
        };
        let text = read_text(file).map_err(|why| fail(unreadable(why)))?;
        return Ok(Some(ConfigFile {
            name: name.to_owned(),
            inside: Some(name.to_owned()),
            named: false,
            values: parse(&text).map_err(fail)?,
        }));
    }
    Ok(None)
}

/// The file that the host named.
///
/// # Errors
/// [`Failure::Read`], [`Failure::Config`].
pub(super) fn read(path: &Path, root: &Root) -> Result<ConfigFile, Failure> {
    let unreadable = |why| Failure::Read {
        what: "the configuration file",
        path: path.to_owned(),
        why,
    };
    let file = File::open(path).map_err(|error| unreadable(ReadFault::System(error.kind())))?;
    let text = read_text(file).map_err(unreadable)?;
    let name = path.display().to_string();
    let inside = path
        .canonicalize()
        .ok()
        .and_then(|path| Some(path.strip_prefix(root.path()).ok()?.to_str()?.to_owned()));
    let values = parse(&text).map_err(|fault| Failure::Config {
        file: name.clone(),
        fault,
    })?;
    Ok(ConfigFile {
        name,
        inside,
        named: true,
        values,
    })
}

/// A path that a configuration file found in the root may name: inside the root, not git's.
///
/// # Errors
/// [`ConfigFault::Outside`].
pub(super) fn inside(key: &'static str, path: &str) -> Result<RelPath, ConfigFault> {
    let relative = path.strip_prefix("./").unwrap_or(path);
    RelPath::new(relative)
        .ok()
        .filter(|path| !path.segments().any(|one| one.eq_ignore_ascii_case(".git")))
        .ok_or(ConfigFault::Outside { key })
}

fn read_text(file: File) -> Result<String, ReadFault> {
    let mut bytes = Vec::new();
    file.take(CONFIG_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ReadFault::System(error.kind()))?;
    if bytes.len() as u64 > CONFIG_BYTES {
        return Err(ReadFault::TooLong(CONFIG_BYTES));
    }
    String::from_utf8(bytes).map_err(|_| ReadFault::NotUtf8)
}

const fn unreadable(why: ReadFault) -> ConfigFault {
    ConfigFault::Unreadable(match why {
        ReadFault::System(_) => "ReadFailed",
        ReadFault::TooLong(_) => "more than 1 MiB",
        ReadFault::NotUtf8 => "not valid UTF-8",
    })
}

fn parse(text: &str) -> Result<Config, ConfigFault> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let value = jsonc_parser::parse_to_serde_value::<Value>(text, &options).map_err(|error| {
        ConfigFault::Syntax {
            line: error.line_display(),
            column: error.column_display(),
        }
    })?;
    let Value::Object(members) = value else {
        return Err(ConfigFault::NotAnObject);
    };
    let mut config = Config::default();
    take(&mut config, "", members)?;
    Ok(config)
}

fn take(config: &mut Config, prefix: &str, members: Map<String, Value>) -> Result<(), ConfigFault> {
    for (name, value) in members {
        let key = format!("{prefix}{name}");
        let inside = format!("{key}.");
        let group = groups().find(|group| *group == key);
        match (KEYS.iter().find(|(known, _)| *known == key), group, value) {
            (Some((known, kind)), _, value) => set(config, known, kind, value)?,
            (None, Some(_), Value::Object(members)) => take(config, &inside, members)?,
            (None, Some(key), _) => {
                let wanted = "an object";
                return Err(ConfigFault::Type { key, wanted });
            }
            (None, None, _) => {
                let nearest = nearest(&key);
                return Err(ConfigFault::UnknownKey { key, nearest });
            }
        }
    }
    Ok(())
}

fn set(
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
            let Value::Array(items) = value else {
                return Err(wrong("a list of texts"));
            };
            for item in items {
                let Value::String(item) = item else {
                    return Err(wrong("a list of texts"));
                };
                field(config).push(item);
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

/// The names that stand before a point in known keys.
fn groups() -> impl Iterator<Item = &'static str> {
    KEYS.iter()
        .filter_map(|(known, _)| known.split_once('.'))
        .map(|(group, _)| group)
}

/// The known key that is written most like `key`.
fn nearest(key: &str) -> &'static str {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_lowercase();
    let known = KEYS.iter().map(|(known, _)| *known);
    let nearest = known.chain(groups()).min_by_key(|known| {
        // A key in the wrong group, or alone, is more likely than another word.
        let here = distance(&known.to_lowercase(), &key.to_lowercase());
        let elsewhere = distance(&last(known), &last(key)) + 2;
        here.min(elsewhere)
    });
    nearest.unwrap_or_default()
}

/// The edit distance of two keys. Both are cut at 64 characters.
fn distance(a: &str, b: &str) -> usize {
    let cut = |key: &str| key.chars().take(64).collect::<Vec<char>>();
    arguments::distance(&cut(a), &cut(b))
}

#[cfg(test)]
mod tests;
