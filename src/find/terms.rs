//! Words of a question and of source text: split at case, digits and `_`, with a light stem.

use std::collections::BTreeSet;
use std::ops::Range;

/// Words that say nothing about source.
const STOP: &str = "a about after again all an and any are as at be been before between but by can come could did do \
does each for from get gets had has have he her how i if in into is it its itself just made make makes may me might more most must my no not of \
off on once one only onto or other others our out over same shall she should so some such than that the their them then there \
these they this those through thus to too under until up upon us used uses using very was we were what when where \
whether which while who whose why will with within without would you your";

/// Most terms of one query.
const TERMS: usize = 32;

/// One term of a query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    /// The stem of a part of a word, or a word of several parts in lower case.
    pub(super) text: String,
    /// Whether it is the latter.
    pub(super) whole: bool,
}

/// The words of a query that may count, as written.
pub(super) fn words(query: &str) -> Vec<&str> {
    let all = || {
        query
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty())
    };
    let telling: Vec<&str> = all().filter(|word| !is_stop(word)).collect();
    if telling.is_empty() {
        all().collect()
    } else {
        telling
    }
}

/// The different terms of a query, in the order of their first words.
pub(super) fn terms(query: &str) -> Vec<Term> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for word in words(query) {
        let pieces: Vec<&str> = parts(word).map(|range| piece(word, range)).collect();
        let long = pieces.iter().filter(|part| part.chars().count() > 1);
        let mut own: Vec<Term> = long
            .map(|part| Term {
                text: stem(part),
                whole: false,
            })
            .collect();
        if pieces.len() > 1 || own.is_empty() {
            own.push(Term {
                text: word.to_lowercase(),
                whole: true,
            });
        }
        found.extend(own.into_iter().filter(|term| seen.insert(term.clone())));
    }
    found.truncate(TERMS);
    found
}

/// A character of an identifier.
pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_stop(word: &str) -> bool {
    word.chars().all(|c| c.is_lowercase() || c == '_')
        && STOP.split_ascii_whitespace().any(|stop| stop == word)
        || (word.chars().count() > 1
            && word.chars().next().is_some_and(char::is_uppercase)
            && word.chars().skip(1).all(char::is_lowercase)
            && STOP
                .split_ascii_whitespace()
                .any(|stop| stop == word.to_lowercase()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Other,
}

fn class(c: char) -> Class {
    if c.is_uppercase() {
        Class::Upper
    } else if c.is_alphabetic() {
        Class::Lower
    } else if c.is_numeric() {
        Class::Digit
    } else {
        Class::Other
    }
}

/// The parts of an identifier: `HTTPServer2_x` has `HTTP`, `Server`, `2` and `x`.
pub(super) fn parts(word: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = |at: usize| word.get(at..).unwrap_or_default();
        at += rest(at)
            .find(|c| class(c) != Class::Other)
            .unwrap_or(rest(at).len());
        let start = at;
        at += part_len(rest(at));
        (at > start).then_some(start..at)
    })
}

/// The bytes of the part that `text` begins with.
fn part_len(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    let (mut last, mut n_upper) = (class(first), usize::from(class(first) == Class::Upper));
    let mut previous = 0;
    for (at, c) in chars {
        let here = class(c);
        match (last, here) {
            (Class::Upper, Class::Upper) => n_upper += 1,
            // The last of several capitals begins the next part.
            (Class::Upper, Class::Lower) if n_upper > 1 => return previous,
            (Class::Upper | Class::Lower, Class::Lower) | (Class::Digit, Class::Digit) => {}
            _ => return at,
        }
        (last, previous) = (here, at);
    }
    text.len()
}

/// The part of `text` that begins at `start`, if one does.
pub(super) fn part_at(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let first = class(rest.chars().next()?);
    let mut before = text.get(..start)?.chars().rev();
    if first == Class::Other {
        return None;
    }
    let begins = match before.next().map(class) {
        None | Some(Class::Other) => true,
        Some(Class::Digit) => first != Class::Digit,
        Some(Class::Lower) => first != Class::Lower,
        Some(Class::Upper) => match first {
            Class::Upper => {
                let next = rest.chars().nth(1).map(class);
                next == Some(Class::Lower)
            }
            // `Server` is one part, and the `erver` of it none.
            Class::Lower => false,
            _ => true,
        },
    };
    begins.then(|| start..start + part_len(rest))
}

/// What a word has in common with its other forms.
pub(super) fn stem(word: &str) -> String {
    let mut word = word.to_lowercase();
    for (end, put) in [
        ("ing", ""),
        ("ies", "y"),
        ("ied", "y"),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ] {
        let Some(rest) = word.strip_suffix(end) else {
            continue;
        };
        if rest.chars().count() < 3 || (end == "s" && rest.ends_with(['s', 'u', 'i'])) {
            continue;
        }
        let doubled = rest.as_bytes().split_last().is_some_and(|(last, before)| {
            before.last() == Some(last) && !matches!(last, b'l' | b's' | b'z' | b'e')
        });
        word = rest.to_owned();
        if doubled && matches!(end, "ing" | "ed") {
            word.pop();
        }
        word.push_str(put);
        break;
    }
    if word.ends_with('e') && word.chars().count() > 3 {
        word.pop();
    }
    word
}

/// What every word with this stem begins with.
pub(super) fn prefix(stem: &str) -> &str {
    stem.strip_suffix('y')
        .filter(|rest| rest.len() > 1)
        .unwrap_or(stem)
}

pub(super) fn piece(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fall_into_parts() {
        for (word, expected) in [
            ("next_delay", "next delay"),
            ("nextDelay", "next Delay"),
            ("HTTPServer2_x", "HTTP Server 2 x"),
            ("__init__", "init"),
            ("F401", "F 401"),
            ("ABC", "ABC"),
            ("\u{e9}t\u{e9}Un", "\u{e9}t\u{e9} Un"),
            ("_", ""),
        ] {
            let found: Vec<&str> = parts(word).map(|range| piece(word, range)).collect();
            assert_eq!(found.join(" "), expected, "{word}");
            for range in parts(word) {
                assert_eq!(part_at(word, range.start), Some(range.clone()), "{word}");
            }
            let starts: Vec<usize> = parts(word).map(|range| range.start).collect();
            for (at, _) in word.char_indices().filter(|(at, _)| !starts.contains(at)) {
                assert_eq!(part_at(word, at), None, "{word} {at}");
            }
        }
    }

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for forms in [
            "retry retries retried retrying",
            "cache caches cached caching",
            "stop stops stopped stopping",
            "class classes",
            "parse parses parsed parsing",
            "index indexes indexed",
        ] {
            let stems: BTreeSet<String> = forms.split(' ').map(stem).collect();
            assert_eq!(stems.len(), 1, "{stems:?}");
            let stem = stems.first().unwrap();
            for form in forms.split(' ') {
                assert!(form.starts_with(prefix(stem)), "{form} {stem}");
            }
        }
        assert_eq!(stem("bus"), "bus");
        assert_eq!(stem("process"), "process");
    }

    #[test]
    fn queries() {
        let check = |query: &str, expected: &str| {
            let found: Vec<String> = terms(query)
                .into_iter()
                .map(|term| {
                    if term.whole {
                        format!("={}", term.text)
                    } else {
                        term.text
                    }
                })
                .collect();
            assert_eq!(found.join(" "), expected, "{query}");
        };
        check(
            "How does it decide to search with mmap?",
            "decid search mmap",
        );
        check("the", "the");
        check("RetryPolicy retry", "retry policy =retrypolicy");
        check("rule F401", "rul 401 =f401");
        check("?!", "");
        assert_eq!(terms(&"ab cd ef gh ij ".repeat(9)).len(), 5);
        let many: String = (0..99)
            .map(|n| format!("w{}x{} ", char::from(97 + n % 26), char::from(97 + n / 26)))
            .collect();
        assert_eq!(terms(&many).len(), TERMS);
    }
}
