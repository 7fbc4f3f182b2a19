//! Paths and names as they are written in Markdown, plain text and trees.

use std::borrow::Cow;

/// A JSON string literal of `text`, quotes included.
#[must_use]
pub fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| String::from("\"\""))
}

/// `name` itself, or its JSON string literal when it could be misread: control or line separator
/// characters, a quote or blank at either end, a backtick, nothing at all.
#[must_use]
pub fn name(name: &str) -> Cow<'_, str> {
    let edge = |c: Option<char>| c.is_none_or(|c| c == '"' || c.is_whitespace());
    let unclear =
        |c: char| c.is_control() || matches!(c, '`' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    if edge(name.chars().next()) || edge(name.chars().next_back()) || name.chars().any(unclear) {
        Cow::Owned(json(name).replace('`', "\\u0060"))
    } else {
        Cow::Borrowed(name)
    }
}

/// The longest run of `wanted` in `text`.
#[must_use]
pub fn longest_run(text: &str, wanted: u8) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::{longest_run, name};

    #[test]
    fn names() {
        for (given, written) in [
            ("src/a.rs", "src/a.rs"),
            ("a b", "a b"),
            (" a", "\" a\""),
            ("a\nb", "\"a\\nb\""),
            ("a`b", "\"a\\u0060b\""),
            ("\"a\"", "\"\\\"a\\\"\""),
            ("", "\"\""),
        ] {
            assert_eq!(name(given), written);
            if name(given).starts_with('"') {
                assert_eq!(serde_json::from_str::<String>(&name(given)).unwrap(), given);
            }
        }
    }

    #[test]
    fn runs() {
        assert_eq!(longest_run("a``b```c`", b'`'), 3);
        assert_eq!(longest_run("", b'`'), 0);
    }
}
