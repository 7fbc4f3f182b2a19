//! The configuration file: JSON with comments and trailing commas, one table of known keys.
//!
//! A file found in the root belongs to whoever wrote the repository, so it has less power than one
//! that the host named: it cannot switch the secret scan off, and what it names to be read or
//! written lies inside the root. No file can execute anything.

pub(super) mod keys;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use self::keys::Config;
use super::failure::{Failure, ReadFault};
use super::inputs::{read_all, to_text};
use super::size::SizeFault;
use crate::limits::MIB;
use crate::path::RelPath;
use crate::reason::Reason;
use crate::root::Root;
use crate::text::legacy::EncodingFault;

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
    #[error("unknown key {key:?}{}", near.map(|near| format!(", the nearest known one is {near:?}")).unwrap_or_default())]
    UnknownKey {
        /// With the keys it stands in, joined by points.
        key: String,
        /// A known key that is written alike.
        near: Option<&'static str>,
    },
    /// A key that stands twice in one object.
    #[error("the key {0:?} is given twice")]
    Twice(String),
    /// Two names of one key, both given.
    #[error("the keys {one:?} and {other:?} are the same, and both are given")]
    SameKey {
        /// The one that stands first.
        one: String,
        /// The other.
        other: String,
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
    /// A name that is no encoding.
    #[error("input.encodings: {name:?}: {fault}")]
    Encoding {
        /// As given.
        name: String,
        /// What is wrong with it.
        fault: EncodingFault,
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
    read_all(file, CONFIG_BYTES).and_then(to_text)
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
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        ConfigFault::Syntax {
            line: error.line_display(),
            column: error.column_display(),
        }
    })?;
    if let Some(key) = parsed.value.as_ref().and_then(|value| repeated(value, "")) {
        return Err(ConfigFault::Twice(key));
    }
    let Some(Value::Object(object)) = parsed.value else {
        return Err(ConfigFault::NotAnObject);
    };
    let mut taking = Taking::default();
    taking.take("", object)?;
    Ok(taking.config)
}

/// What was taken so far.
#[derive(Default)]
struct Taking {
    config: Config,
    /// The known keys met, as written.
    met: BTreeMap<&'static str, String>,
}

impl Taking {
    fn take(&mut self, prefix: &str, object: Object<'_>) -> Result<(), ConfigFault> {
        for property in object.properties {
            let key = format!("{prefix}{}", property.name.as_str());
            if let Some((known, kind)) = keys::known(&key) {
                if let Some(one) = self.met.insert(known, key.clone()) {
                    return Err(ConfigFault::SameKey { one, other: key });
                }
                keys::set(&mut self.config, known, kind, property.value.into())?;
                continue;
            }
            match (keys::group(&key), property.value) {
                (Some(_), Value::Object(inner)) => self.take(&format!("{key}."), inner)?,
                (Some(key), _) => {
                    let wanted = "an object";
                    return Err(ConfigFault::Type { key, wanted });
                }
                (None, _) => {
                    let near = keys::near(&key);
                    return Err(ConfigFault::UnknownKey { key, near });
                }
            }
        }
        Ok(())
    }
}

/// The first key that stands twice in one object, with the keys it stands in.
fn repeated(value: &Value<'_>, key: &str) -> Option<String> {
    match value {
        Value::Object(object) => {
            let mut met = BTreeSet::new();
            object.properties.iter().find_map(|property| {
                let name = property.name.as_str();
                let key = match key {
                    "" => name.to_owned(),
                    group => format!("{group}.{name}"),
                };
                if met.insert(name) {
                    repeated(&property.value, &key)
                } else {
                    Some(key)
                }
            })
        }
        Value::Array(array) => array.elements.iter().find_map(|one| repeated(one, key)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
