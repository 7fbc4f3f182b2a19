//! Symbol paths as written: `Client.request`, `handlers."on-close"`, `retry#2`.

use crate::limits::{SYMBOL_BYTES, SYMBOL_SEGMENTS};

/// A symbol path as a caller gives it: segments, and an ordinal that belongs to the last one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolPath {
    /// At least one segment, without quotes.
    pub segments: Vec<String>,
    /// Which of several declarations of the name, from 1 in source order.
    pub ordinal: Option<u32>,
}

/// Why a string or list is not a symbol path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolPathFault {
    /// Nothing, or an empty segment.
    #[error("must have no empty segment")]
    Empty,
    /// Over 1,024 bytes.
    #[error("must have at most 1024 UTF-8 bytes")]
    TooLong,
    /// More than 32 segments.
    #[error("must have at most 32 segments")]
    TooManySegments,
    /// A quoted segment that is not a JSON string, or has something other than `.` behind it.
    #[error("must have as a quoted segment a JSON string followed by . or #")]
    Quote,
    /// A control character outside quotes.
    #[error("must hold no control characters outside quotes")]
    Control,
    /// `#` and digits that are not a number from 1.
    #[error("must have as an ordinal a number from 1")]
    Ordinal,
}

/// Reads a path in its written form.
///
/// # Errors
/// The first rule that `text` breaks.
pub fn parse_symbol_path(text: &str) -> Result<SymbolPath, SymbolPathFault> {
    if text.len() > SYMBOL_BYTES {
        return Err(SymbolPathFault::TooLong);
    }
    let mut segments = Vec::new();
    let mut rest = text;
    loop {
        let (segment, ordinal, behind) = match rest.starts_with('"') {
            true => quoted(rest)?,
            false => bare(rest)?,
        };
        if segment.is_empty() {
            return Err(SymbolPathFault::Empty);
        }
        segments.push(segment);
        if segments.len() > SYMBOL_SEGMENTS {
            return Err(SymbolPathFault::TooManySegments);
        }
        match (behind, ordinal) {
            (None, ordinal) => return Ok(SymbolPath { segments, ordinal }),
            (Some(_), Some(_)) => return Err(SymbolPathFault::Ordinal),
            (Some(behind), None) => rest = behind,
        }
    }
}

/// Makes a path of a list of segments, which need no quotes. `#` and a number at the end of the
/// last one is an ordinal.
///
/// # Errors
/// The first rule that the list breaks.
pub fn symbol_path_of(segments: &[&str]) -> Result<SymbolPath, SymbolPathFault> {
    if segments.len() > SYMBOL_SEGMENTS {
        return Err(SymbolPathFault::TooManySegments);
    }
    if segments.iter().map(|segment| segment.len()).sum::<usize>() > SYMBOL_BYTES {
        return Err(SymbolPathFault::TooLong);
    }
    if segments.is_empty() || segments.iter().any(|segment| segment.is_empty()) {
        return Err(SymbolPathFault::Empty);
    }
    let mut segments: Vec<String> = segments
        .iter()
        .map(|segment| (*segment).to_owned())
        .collect();
    let mut ordinal = None;
    if let Some(last) = segments.last_mut()
        && let Some((name, number)) = split_ordinal(last)?
    {
        ordinal = Some(number);
        *last = name;
    }
    Ok(SymbolPath { segments, ordinal })
}

type Segment<'a> = (String, Option<u32>, Option<&'a str>);

fn bare(text: &str) -> Result<Segment<'_>, SymbolPathFault> {
    let (segment, behind) = match text.split_once('.') {
        Some((segment, behind)) => (segment, Some(behind)),
        None => (text, None),
    };
    if segment.contains('"') {
        return Err(SymbolPathFault::Quote);
    }
    if segment.chars().any(char::is_control) {
        return Err(SymbolPathFault::Control);
    }
    Ok(match split_ordinal(segment)? {
        Some((name, number)) => (name, Some(number), behind),
        None => (segment.to_owned(), None, behind),
    })
}

fn quoted(text: &str) -> Result<Segment<'_>, SymbolPathFault> {
    let mut escaped = false;
    let close = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    let (close, _) = close.ok_or(SymbolPathFault::Quote)?;
    let (literal, behind) = text
        .split_at_checked(close + 1)
        .ok_or(SymbolPathFault::Quote)?;
    let segment: String = serde_json::from_str(literal).map_err(|_| SymbolPathFault::Quote)?;
    if behind.is_empty() {
        return Ok((segment, None, None));
    }
    if let Some(next) = behind.strip_prefix('.') {
        return Ok((segment, None, Some(next)));
    }
    match split_ordinal(&format!("x{behind}")) {
        Ok(Some((name, number))) if name == "x" => Ok((segment, Some(number), None)),
        Err(fault) => Err(fault),
        Ok(_) => Err(SymbolPathFault::Quote),
    }
}

/// Splits `retry#2`; a `#` at the start belongs to a private name.
fn split_ordinal(segment: &str) -> Result<Option<(String, u32)>, SymbolPathFault> {
    let Some((name, digits)) = segment
        .rsplit_once('#')
        .filter(|(name, _)| !name.is_empty())
    else {
        return Ok(None);
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    match digits.parse() {
        Ok(number) if number > 0 => Ok(Some((name.to_owned(), number))),
        _ => Err(SymbolPathFault::Ordinal),
    }
}

/// Writes segments so that [`parse_symbol_path`] reads them back.
pub(super) fn written<'a>(segments: impl Iterator<Item = &'a str>, ordinal: Option<u32>) -> String {
    let mut out = String::new();
    for segment in segments {
        if !out.is_empty() {
            out.push('.');
        }
        if is_plain(segment) {
            out.push_str(segment);
        } else {
            out.push_str(&serde_json::to_string(segment).unwrap_or_default());
        }
    }
    if let Some(number) = ordinal {
        out.push('#');
        out.push_str(&number.to_string());
    }
    out
}

/// Whether a segment can stand without quotes: an identifier, also a private one.
fn is_plain(segment: &str) -> bool {
    let name = segment.strip_prefix('#').unwrap_or(segment);
    let mut chars = name.chars();
    let first = chars
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
    first && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_and_written() {
        for (text, segments, ordinal) in [
            ("f", &["f"] as &[_], None),
            ("Client.request", &["Client", "request"], None),
            ("Client.#socket", &["Client", "#socket"], None),
            ("Client.#socket#2", &["Client", "#socket"], Some(2)),
            ("handlers.\"on-close\"", &["handlers", "on-close"], None),
            ("\"a.b\\\"c\".f#3", &["a.b\"c", "f"], Some(3)),
            ("\"Display for X\"#2", &["Display for X"], Some(2)),
            ("\u{e9}t\u{e9}", &["\u{e9}t\u{e9}"], None),
        ] {
            let path = parse_symbol_path(text).unwrap();
            assert_eq!(path.segments, segments, "{text}");
            assert_eq!(path.ordinal, ordinal, "{text}");
            let back = written(path.segments.iter().map(String::as_str), path.ordinal);
            assert_eq!(back, text);
        }
    }

    #[test]
    fn faults() {
        let long = "x".repeat(1_025);
        let many = "x.".repeat(32) + "x";
        for (text, fault) in [
            ("", SymbolPathFault::Empty),
            ("a.", SymbolPathFault::Empty),
            (".a", SymbolPathFault::Empty),
            ("a..b", SymbolPathFault::Empty),
            ("\"\"", SymbolPathFault::Empty),
            ("a#0", SymbolPathFault::Ordinal),
            ("a#1.b", SymbolPathFault::Ordinal),
            ("a#99999999999", SymbolPathFault::Ordinal),
            ("\"a", SymbolPathFault::Quote),
            ("\"a\"b", SymbolPathFault::Quote),
            ("a\"b\"", SymbolPathFault::Quote),
            ("a\nb", SymbolPathFault::Control),
            (&long, SymbolPathFault::TooLong),
            (&many, SymbolPathFault::TooManySegments),
        ] {
            assert_eq!(parse_symbol_path(text).unwrap_err(), fault, "{text:?}");
        }
    }

    #[test]
    fn lists() {
        let path = symbol_path_of(&["a.b", "c#2"]).unwrap();
        assert_eq!(
            (path.segments.join("|"), path.ordinal),
            ("a.b|c".to_owned(), Some(2))
        );
        assert_eq!(symbol_path_of(&[]).unwrap_err(), SymbolPathFault::Empty);
        assert_eq!(
            symbol_path_of(&["a", ""]).unwrap_err(),
            SymbolPathFault::Empty
        );
    }
}
