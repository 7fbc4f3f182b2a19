//! The vocabulary in which the arguments of requests are checked.
//!
//! Arguments are read into a small tree that keeps repeated members and the difference between
//! a missing member and `null`. [`Fields`] and [`Field`] take it apart; every check knows the JSON
//! pointer of what it looks at and fails with an [`Invalid`]. Messages are made of fixed words,
//! the pointer and accepted values; nothing a caller sent is echoed, except the name of an
//! unknown member, and only when it looks like one.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::path::RelPath;

/// A JSON value as the caller sent it.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// `null`
    Null,
    /// `true` or `false`
    Flag(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Argument>),
    /// An object, members in order.
    Members(Vec<(String, Argument)>),
}

impl Argument {
    /// Reads JSON text, which must be an object.
    ///
    /// # Errors
    /// It is not an object, repeats a member, nests over 128 levels, or holds a number or a
    /// character that does not exist.
    pub fn parse(json: &str) -> Result<Self, Malformed> {
        if !json.trim_start().starts_with('{') {
            return Err(Malformed::NotAnObject);
        }
        serde_json::from_str(json).map_err(|_| Malformed::NotPlain)
    }

    /// No members.
    #[must_use]
    pub const fn none() -> Self {
        Self::Members(Vec::new())
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Members(_) => "an object",
        }
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Argument;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Argument, E> {
        Ok(Argument::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Argument, E> {
        Ok(Argument::Flag(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Argument, E> {
        Ok(Argument::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Argument, E> {
        Ok(Argument::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Argument, E> {
        Ok(Number::from_f64(value).map_or(Argument::Null, Argument::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Argument, E> {
        Ok(Argument::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Argument, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = sequence.next_element()? {
            list.push(item);
        }
        Ok(Argument::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Argument, A::Error> {
        let mut members: Vec<(String, Argument)> = Vec::new();
        let mut names = BTreeSet::new();
        while let Some((name, value)) = map.next_entry::<String, Argument>()? {
            if !names.insert(name.clone()) {
                return Err(serde::de::Error::custom("repeated member"));
            }
            members.push((name, value));
        }
        Ok(Argument::Members(members))
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
        let field = if self.field.is_empty() {
            "arguments"
        } else {
            &self.field
        };
        write!(f, "{field} {}", self.problem)
    }
}

/// Why a text is no arguments at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Not a JSON object.
    #[error("must be an object")]
    NotAnObject,
    /// JSON that cannot be read, or with repeated members.
    #[error("must be plain JSON without repeated members")]
    NotPlain,
}

/// The rule that an argument broke, by its public name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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

/// One value and where it stands.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    pointer: String,
    value: &'a Argument,
}

/// The members of an object, all of them known.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    pointer: String,
    members: &'a [(String, Argument)],
}

impl<'a> Fields<'a> {
    /// Takes the arguments of a call apart. `accepted` are the members there may be.
    ///
    /// # Errors
    /// A member that is not accepted.
    pub fn of(arguments: &'a Argument, accepted: &[&str]) -> Result<Self, Invalid> {
        let root = Field {
            pointer: String::new(),
            value: arguments,
        };
        root.fields(accepted)
    }

    /// A member that may be missing.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<Field<'a>> {
        let (_, value) = self.members.iter().find(|(known, _)| known == name)?;
        Some(Field {
            pointer: format!("{}/{name}", self.pointer),
            value,
        })
    }

    /// A member that must be there.
    ///
    /// # Errors
    /// It is missing.
    pub fn required(&self, name: &str) -> Result<Field<'a>, Invalid> {
        self.optional(name).ok_or_else(|| Invalid {
            field: format!("{}/{name}", self.pointer),
            rule: Rule::Required,
            problem: "is required".to_owned(),
        })
    }

    /// Refuses a member that the others exclude.
    ///
    /// # Errors
    /// The member is there.
    pub fn forbid(&self, name: &str, problem: &str) -> Result<(), Invalid> {
        match self.optional(name) {
            Some(field) => Err(field.invalid(Rule::Conflict, problem)),
            None => Ok(()),
        }
    }
}

impl<'a> Field<'a> {
    /// Says that this value breaks a rule. `problem` is made of fixed words and accepted values.
    #[must_use]
    pub fn invalid(&self, rule: Rule, problem: impl Into<String>) -> Invalid {
        Invalid {
            field: self.pointer.clone(),
            rule,
            problem: problem.into(),
        }
    }

    /// Where the value stands, as a JSON pointer.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The value itself, for a choice between types.
    #[must_use]
    pub fn value(&self) -> &'a Argument {
        self.value
    }

    fn wrong_type(&self, expected: &str) -> Invalid {
        let kind = self.value.kind();
        self.invalid(Rule::Type, format!("must be {expected}, not {kind}"))
    }

    /// The members of an object. `accepted` are those there may be.
    ///
    /// # Errors
    /// Not an object, or a member that is not accepted.
    pub fn fields(&self, accepted: &[&str]) -> Result<Fields<'a>, Invalid> {
        let Argument::Members(members) = self.value else {
            return Err(self.wrong_type("an object"));
        };
        if let Some((name, _)) = members
            .iter()
            .find(|(name, _)| !accepted.contains(&name.as_str()))
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
        let (field, mut problem) = if is_name {
            (
                format!("{}/{name}", self.pointer),
                "is not known".to_owned(),
            )
        } else {
            (
                self.pointer.clone(),
                "has a member that is not known".to_owned(),
            )
        };
        if accepted.is_empty() {
            problem.push_str("; no member is accepted");
        } else {
            let _ = write!(problem, "; accepted: {}", accepted.join(", "));
        }
        if let Some(nearest) = nearest(name, accepted).filter(|_| is_name) {
            let _ = write!(problem, "; nearest: {nearest}");
        }
        Invalid {
            field,
            rule: Rule::Unknown,
            problem,
        }
    }

    /// A string.
    ///
    /// # Errors
    /// Not a string.
    pub fn text(&self) -> Result<&'a str, Invalid> {
        match self.value {
            Argument::Text(text) => Ok(text),
            _ => Err(self.wrong_type("a string")),
        }
    }

    /// A string of `min` to `max` UTF-8 bytes.
    ///
    /// # Errors
    /// Not a string, or of another length.
    pub fn text_within(&self, min: usize, max: usize) -> Result<&'a str, Invalid> {
        let text = self.text()?;
        if (min..=max).contains(&text.len()) {
            Ok(text)
        } else {
            Err(self.invalid(
                Rule::Length,
                format!("must have {min} to {max} UTF-8 bytes"),
            ))
        }
    }

    /// One of a few words.
    ///
    /// # Errors
    /// Not a string, or another word.
    pub fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Invalid> {
        let text = self.text()?;
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
            self.invalid(Rule::Enum, format!("must be one of {}", words.join(", ")))
        })
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// Not a boolean.
    pub fn flag(&self) -> Result<bool, Invalid> {
        match self.value {
            Argument::Flag(flag) => Ok(*flag),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// An integer from `min` to `max`. `8000.0` and `8e3` are integers.
    ///
    /// # Errors
    /// Not an integer, or outside the range.
    pub fn integer(&self, min: u64, max: u64) -> Result<u64, Invalid> {
        self.integer_by(min, max, Rule::Range)
    }

    /// An integer from `min` to what the host allows.
    ///
    /// # Errors
    /// Not an integer, below `min`, or above `cap`.
    pub fn capped(&self, min: u64, cap: u64) -> Result<u64, Invalid> {
        self.integer_by(min, cap, Rule::Cap)
    }

    fn integer_by(&self, min: u64, max: u64, above: Rule) -> Result<u64, Invalid> {
        let range = || format!("an integer from {min} to {max}");
        let Argument::Number(number) = self.value else {
            return Err(self.wrong_type(&range()));
        };
        let value = match integral(number) {
            Some(value) => value,
            None => {
                return Err(self.invalid(Rule::Type, format!("must be {}", range())));
            }
        };
        match value {
            Integral::Within(value) if (min..=max).contains(&value) => Ok(value),
            Integral::Within(value) if value < min => {
                Err(self.invalid(Rule::Range, format!("must be {}", range())))
            }
            Integral::Negative => Err(self.invalid(Rule::Range, format!("must be {}", range()))),
            Integral::Within(_) | Integral::Large => {
                Err(self.invalid(above, format!("must be {}", range())))
            }
        }
    }

    /// An array of `min` to `max` items.
    ///
    /// # Errors
    /// Not an array, or of another size. A string that looks like an array is not one.
    pub fn list(&self, min: usize, max: usize) -> Result<Vec<Field<'a>>, Invalid> {
        let Argument::List(items) = self.value else {
            return Err(self.wrong_type("an array"));
        };
        if !(min..=max).contains(&items.len()) {
            return Err(self.invalid(Rule::Count, format!("must have {min} to {max} items")));
        }
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, value)| Field {
                pointer: format!("{}/{index}", self.pointer),
                value,
            })
            .collect())
    }

    /// A root-relative path.
    ///
    /// # Errors
    /// Not a string, or not such a path.
    pub fn path(&self) -> Result<RelPath, Invalid> {
        RelPath::new(self.text()?).map_err(|fault| self.invalid(Rule::Path, fault.to_string()))
    }

    /// An array of `min` to `max` different paths.
    ///
    /// # Errors
    /// Not an array of that size, an item that is not a path, or one that repeats another.
    pub fn paths(&self, min: usize, max: usize) -> Result<Vec<RelPath>, Invalid> {
        let mut seen = BTreeSet::new();
        let mut paths = Vec::new();
        for item in self.list(min, max)? {
            let path = item.path()?;
            if !seen.insert(path.clone()) {
                return Err(item.invalid(Rule::Unique, "repeats an earlier item"));
            }
            paths.push(path);
        }
        Ok(paths)
    }
}

enum Integral {
    Negative,
    Within(u64),
    Large,
}

/// The integer that a JSON number is, if it is one.
fn integral(number: &Number) -> Option<Integral> {
    if let Some(value) = number.as_u64() {
        return Some(Integral::Within(value));
    }
    if number.as_i64().is_some() {
        return Some(Integral::Negative);
    }
    let value = number.as_f64()?;
    if value.fract() != 0.0 {
        return None;
    }
    // Below 2^53 every integral float is exact; above it, no range of this program reaches.
    Some(if value < 0.0 {
        Integral::Negative
    } else if value < 9_007_199_254_740_992.0 {
        Integral::Within(value as u64)
    } else {
        Integral::Large
    })
}

/// The accepted name with the smallest edit distance, the first of equals.
fn nearest<'n>(name: &str, accepted: &[&'n str]) -> Option<&'n str> {
    let name = name.to_ascii_lowercase();
    accepted
        .iter()
        .copied()
        .min_by_key(|known| distance(name.as_bytes(), known.to_ascii_lowercase().as_bytes()))
}

/// The edit distance of two names, each cut at 64 characters, when they are near: at most two in
/// five characters of `name` differ, and one of a short name.
pub(crate) fn near_distance(name: &str, known: &str) -> Option<usize> {
    let cut = |text: &str| text.chars().take(64).collect::<Vec<char>>();
    let (name, known) = (cut(name), cut(known));
    Some(distance(&name, &known)).filter(|n| *n <= (name.len() * 2 / 5).max(1))
}

/// Insertions, deletions and exchanges that make one short name into another (Levenshtein).
pub(crate) fn distance<T: PartialEq>(from: &[T], to: &[T]) -> usize {
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

#[cfg(test)]
mod tests;
