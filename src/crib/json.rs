//! Strict reading of JSON that came from outside.
//!
//! serde_json alone takes the last of equal keys in a map, nests deeper than the contract
//! allows, and lets a text into a type without looking at what the type ignores. Here a document
//! is first walked whole: UTF-8, no key twice in an object, nesting within the limit.

use std::collections::HashSet;
use std::fmt;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess};

use crate::crib::wire::JSON_DEPTH;

/// The value in `bytes`, or `None` when they break a rule or do not have its shape.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = serde_json::Deserializer::from_str(text);
    Walk { left: JSON_DEPTH }.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    serde_json::from_str(text).ok()
}

/// Walks one value; `left` containers may still be entered.
#[derive(Clone, Copy)]
struct Walk {
    left: usize,
}

impl Walk {
    fn enter<E: de::Error>(self) -> Result<Self, E> {
        let left = self.left.checked_sub(1);
        left.map(|left| Self { left })
            .ok_or_else(|| E::custom("too deep"))
    }
}

impl<'de> DeserializeSeed<'de> for Walk {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> de::Visitor<'de> for Walk {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON without repeated keys")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inner = self.enter()?;
        while items.next_element_seed(inner)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let inner = self.enter()?;
        let mut seen = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if !seen.insert(key) {
                return Err(de::Error::custom("key given twice"));
            }
            members.next_value_seed(inner)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn strictness() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        for (text, good) in [
            (
                r#"{"a":1,"b":[{"a":null},{"a":1.5e3}],"c":"é🐘","d":true}"#.to_owned(),
                true,
            ),
            (r#" {} "#.to_owned(), true),
            (nested(JSON_DEPTH), true),
            (nested(JSON_DEPTH + 1), false),
            (nested(200_000), false),
            (r#"{"a":1,"a":1}"#.to_owned(), false),
            (r#"{"x":[{"a":1,"\u0061":2}]}"#.to_owned(), false),
            (r#"{} x"#.to_owned(), false),
            (r#"{"a":1"#.to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(
                parse::<Value>(text.as_bytes()).is_some(),
                good,
                "{:.60}",
                text
            );
        }
        assert!(parse::<Value>(b"{\"a\":\"\xff\"}").is_none());
    }
}
