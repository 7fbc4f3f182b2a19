//! Takes a JSON value apart and says exactly which rule which part of it breaks.
//!
//! Every value knows its JSON pointer. Messages are made of fixed words, the pointer and accepted
//! values; nothing that was sent is echoed, except the name of an unknown member, and only when it
//! looks like one.

use std::fmt::{self, Write as _};

use serde_json::{Map, Number, Value};

use crate::path::RelPath;

/// The rule that an argument breaks. The names are a public contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A member is missing.
    Required,
    /// Another JSON type is expected.
    Type,
    /// Not one of the accepted words.
    Enum,
    /// A number outside its range.
    Range,
    /// A text that is too short or too long.
    Length,
    /// Too few or too many items.
    Count,
    /// An item that repeats another.
    Unique,
    /// Not a root-relative path.
    Path,
    /// A member that is not known.
    Unknown,
    /// Two members that exclude each other.
    Conflict,
    /// Above what the host allows.
    Cap,
    /// Too many bytes altogether.
    Size,
}

impl Rule {
    /// The name as written in results.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "Required",
            Self::Type => "Type",
            Self::Enum => "Enum",
            Self::Range => "Range",
            Self::Length => "Length",
            Self::Count => "Count",
            Self::Unique => "Unique",
            Self::Path => "Path",
            Self::Unknown => "Unknown",
            Self::Conflict => "Conflict",
            Self::Cap => "Cap",
            Self::Size => "Size",
        }
    }
}

/// An argument that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// JSON pointer into the arguments.
    pub field: String,
    /// The rule.
    pub rule: Rule,
    /// What is wrong, to be read after the field.
    pub problem: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = match self.field.as_str() {
            "" => "arguments",
            field => field,
        };
        write!(f, "{field} {}", self.problem)
    }
}

impl std::error::Error for Invalid {}

/// One value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    pointer: String,
    value: &'a Value,
}

/// The members of an object, all of them known.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    pointer: String,
    members: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// Takes the arguments apart. `accepted` are the members there may be.
    pub(super) fn of(arguments: &'a Value, accepted: &[&str]) -> Result<Self, Invalid> {
        let root = Field {
            pointer: String::new(),
            value: arguments,
        };
        root.fields(accepted)
    }

    /// A member that may be missing.
    pub(super) fn optional(&self, name: &str) -> Option<Field<'a>> {
        let value = self.members.get(name)?;
        Some(Field {
            pointer: format!("{}/{name}", self.pointer),
            value,
        })
    }

    /// A member that must be there.
    pub(super) fn required(&self, name: &str) -> Result<Field<'a>, Invalid> {
        self.optional(name).ok_or_else(|| Invalid {
            field: format!("{}/{name}", self.pointer),
            rule: Rule::Required,
            problem: "is required".to_owned(),
        })
    }
}

impl<'a> Field<'a> {
    /// Says that this value breaks a rule. `problem` is made of fixed words and accepted values.
    pub(super) fn invalid(&self, rule: Rule, problem: impl Into<String>) -> Invalid {
        Invalid {
            field: self.pointer.clone(),
            rule,
            problem: problem.into(),
        }
    }

    fn wrong_type(&self, expected: &str) -> Invalid {
        let kind = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.invalid(Rule::Type, format!("must be {expected}, not {kind}"))
    }

    /// The members of an object. `accepted` are those there may be.
    pub(super) fn fields(&self, accepted: &[&str]) -> Result<Fields<'a>, Invalid> {
        let Value::Object(members) = self.value else {
            return Err(self.wrong_type("an object"));
        };
        if let Some(name) = members
            .keys()
            .find(|name| !accepted.contains(&name.as_str()))
        {
            return Err(self.unknown(name, accepted));
        }
        Ok(Fields {
            pointer: self.pointer.clone(),
            members,
        })
    }

    fn unknown(&self, name: &str, accepted: &[&str]) -> Invalid {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let is_name = !name.is_empty() && name.len() <= 64 && name.bytes().all(is_plain);
        let mut invalid = self.invalid(Rule::Unknown, "has a member that is not known");
        if is_name {
            let _ = write!(invalid.field, "/{name}");
            invalid.problem = "is not known".to_owned();
        }
        let _ = write!(invalid.problem, "; accepted: {}", accepted.join(", "));
        if let Some(nearest) = nearest(name, accepted).filter(|_| is_name) {
            let _ = write!(invalid.problem, "; nearest: {nearest}");
        }
        invalid
    }

    fn text(&self) -> Result<&'a str, Invalid> {
        self.value
            .as_str()
            .ok_or_else(|| self.wrong_type("a string"))
    }

    /// A string of `min` to `max` UTF-8 bytes.
    pub(super) fn text_within(&self, min: usize, max: usize) -> Result<&'a str, Invalid> {
        let text = self.text()?;
        if (min..=max).contains(&text.len()) {
            Ok(text)
        } else {
            let problem = format!("must have {min} to {max} UTF-8 bytes");
            Err(self.invalid(Rule::Length, problem))
        }
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Invalid> {
        let text = self.text()?;
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
            self.invalid(Rule::Enum, format!("must be one of {}", words.join(", ")))
        })
    }

    /// An integer from `min` to `max`. `8000.0` and `8e3` are integers.
    pub(super) fn integer(&self, min: u64, max: u64) -> Result<u64, Invalid> {
        self.integer_by(min, max, Rule::Range)
    }

    /// An integer from `min` to what the host allows.
    pub(super) fn capped(&self, min: u64, cap: u64) -> Result<u64, Invalid> {
        self.integer_by(min, cap, Rule::Cap)
    }

    fn integer_by(&self, min: u64, max: u64, above: Rule) -> Result<u64, Invalid> {
        let expected = format!("an integer from {min} to {max}");
        let Value::Number(number) = self.value else {
            return Err(self.wrong_type(&expected));
        };
        let rule = match integral(number) {
            Some(value) if value < i128::from(min) => Rule::Range,
            Some(value) if value > i128::from(max) => above,
            Some(value) => {
                return u64::try_from(value)
                    .map_err(|_| self.invalid(Rule::Range, format!("must be {expected}")));
            }
            None => Rule::Type,
        };
        Err(self.invalid(rule, format!("must be {expected}")))
    }

    /// An array of `min` to `max` items.
    pub(super) fn list(&self, min: usize, max: usize) -> Result<Vec<Field<'a>>, Invalid> {
        let Value::Array(items) = self.value else {
            return Err(self.wrong_type("an array"));
        };
        if !(min..=max).contains(&items.len()) {
            let problem = format!("must have {min} to {max} items");
            return Err(self.invalid(Rule::Count, problem));
        }
        let item = |(index, value)| Field {
            pointer: format!("{}/{index}", self.pointer),
            value,
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// A root-relative path.
    pub(super) fn path(&self) -> Result<RelPath, Invalid> {
        RelPath::new(self.text()?).map_err(|fault| self.invalid(Rule::Path, fault.to_string()))
    }
}

/// The integer that a JSON number is, if it is one.
fn integral(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    // Below 2^53 every integral float is exact; above it, no range of this program reaches, and
    // the conversion saturates.
    let value = number.as_f64()?;
    (value.fract() == 0.0).then_some(value as i128)
}

/// The accepted name with the smallest edit distance, the first of equals.
fn nearest<'n>(name: &str, accepted: &[&'n str]) -> Option<&'n str> {
    let name = name.to_ascii_lowercase();
    accepted
        .iter()
        .copied()
        .min_by_key(|known| distance(name.as_bytes(), known.to_ascii_lowercase().as_bytes()))
}

/// Levenshtein distance of two short names.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, b) in row.iter_mut().skip(1).zip(to) {
            let best = (diagonal + usize::from(a != b))
                .min(*cell + 1)
                .min(left + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
    }
    row.last().copied().unwrap_or_default()
}
