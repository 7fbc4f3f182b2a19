//! Random values given to names such as `password` or `api_key`, in any language's notation.
//!
//! The name is found by an anchor, then read whole; what follows must be a notation for giving a
//! value; the value must look random. All three are judged, since each alone is common in code:
//! names of secrets, quoted text, and hashes.

use std::ops::Range;

use crate::secrets::class::Class;
use crate::secrets::random::{distinct, placeholder, randomness};
use crate::secrets::reader::Reader;
use crate::secrets::rules::Table;
use crate::secrets::web::common_password;

/// Longest name looked at on either side of the anchor.
const NAME_BYTES: usize = 48;
/// Longest value looked at.
const VALUE_BYTES: usize = 512;

/// How random letters must be when hardly a digit is among them.
const LETTERS_ONLY: u32 = 36;

/// What the name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Chosen by people: shorter, with marks.
    Password,
    /// Made by machines.
    Key,
}

/// How the value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Quoted,
    Bare,
}

/// Words of a name that make its value something other than a secret.
const HARMLESS: [&str; 78] = [
    "algorithm",
    "arn",
    "cancellation",
    "checksum",
    "class",
    "column",
    "count",
    "csrf",
    "cursor",
    "description",
    "digest",
    "dir",
    "directory",
    "endpoint",
    "enum",
    "env",
    "error",
    "event",
    "expiration",
    "expires",
    "expiry",
    "expected",
    "field",
    "file",
    "filename",
    "fingerprint",
    "format",
    "hash",
    "hashed",
    "header",
    "help",
    "hint",
    "host",
    "id",
    "ident",
    "image",
    "index",
    "issuer",
    "kind",
    "label",
    "len",
    "length",
    "level",
    "limit",
    "link",
    "location",
    "max",
    "message",
    "method",
    "min",
    "mode",
    "msg",
    "name",
    "next",
    "page",
    "pagination",
    "param",
    "path",
    "pattern",
    "placeholder",
    "policy",
    "prefix",
    "pub",
    "public",
    "ref",
    "regex",
    "sha",
    "sha1",
    "sha256",
    "size",
    "source",
    "suffix",
    "ttl",
    "type",
    "uri",
    "url",
    "username",
    "version",
];

/// The value that the name around `hit` is given, and whether it is an AWS secret access key.
pub(super) fn check(
    table: &Table,
    text: &Reader<'_>,
    kind: Kind,
    hit: &Range<usize>,
) -> Option<(Range<usize>, bool)> {
    let name_end = text.run(hit.end, NAME_BYTES, |b| Class::Kebab.has(b) || b == b'_');
    if !whole_word(text, hit, name_end) || name_end - hit.end == NAME_BYTES {
        return None;
    }
    let (form, value) = value_after(text, name_end)?;
    let bytes = text.slice(value.start, value.end);
    if !plausible(bytes) {
        return None;
    }
    let name_start = text.run_back(hit.start, NAME_BYTES, |b| {
        Class::Kebab.has(b) || matches!(b, b'_' | b'.')
    });
    let name = words(text.slice(name_start, name_end));
    if name.iter().any(|word| HARMLESS.contains(&word.as_str())) {
        return None;
    }
    if form == Form::Bare && !starts_line(text, name_start) {
        return None;
    }
    let aws = bytes.len() == 40
        && bytes.iter().all(|&b| Class::Base64.has(b))
        && (name.iter().any(|word| word == "aws") || is_aws_name(&name))
        && randomness(table, bytes) >= 28;
    let random = match kind {
        Kind::Password => password_like(table, bytes, form),
        Kind::Key => key_like(table, bytes, form, &name),
    };
    (aws || random).then_some((value, aws))
}

fn is_aws_name(name: &[String]) -> bool {
    let joined = name.concat();
    joined.contains("secretaccesskey")
}

/// Whether the anchor ends where a word of the name ends: `token_value` and `tokenValue`, but not
/// `tokenizer`.
fn whole_word(text: &Reader<'_>, hit: &Range<usize>, name_end: usize) -> bool {
    let anchor = text.slice(hit.start, hit.end);
    let tail = text.slice(hit.end, name_end);
    let shouted = anchor.iter().all(|b| !b.is_ascii_lowercase());
    if anchor.eq_ignore_ascii_case(b"passw") {
        return !tail.is_empty();
    }
    match tail.first() {
        None => true,
        Some(b) if !b.is_ascii_alphabetic() => true,
        Some(b) if b.is_ascii_uppercase() && !shouted => true,
        Some(_) => {
            let tail = tail.to_ascii_lowercase();
            [
                &b"s"[..],
                b"key",
                b"value",
                b"token",
                b"access",
                b"word",
                b"phrase",
            ]
            .iter()
            .any(|word| tail.starts_with(word))
        }
    }
}

/// The words of a name in lower case, cut at marks and at capitals.
fn words(name: &[u8]) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = 0_u8;
    for &b in name {
        let mark = !b.is_ascii_alphanumeric();
        if (mark || b.is_ascii_uppercase() && before.is_ascii_lowercase())
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let (false, Some(word)) = (mark, words.last_mut()) {
            word.push(char::from(b.to_ascii_lowercase()));
        }
        before = b;
    }
    words
}

/// Whether only what may stand before a name in a settings file or command does.
fn starts_line(text: &Reader<'_>, name: usize) -> bool {
    let line = text.run_back(name, 64, |b| b != b'\n' && b != b'\r');
    let head = text.slice(line, name);
    if text.at(name) == b'-' && matches!(text.before(name), 0 | b' ' | b'\n' | b'"') {
        return true;
    }
    if name - line == 64 {
        return false;
    }
    let blank = |b: &u8| !b.is_ascii_alphanumeric();
    head.iter()
        .all(|b| blank(b) && !matches!(b, b'=' | b'(' | b'{' | b'.'))
        || head
            .split(|b| b.is_ascii_whitespace())
            .filter(|word| !word.is_empty())
            .all(|word| {
                [
                    &b"export"[..],
                    b"set",
                    b"setx",
                    b"ENV",
                    b"ARG",
                    b"env",
                    b"-e",
                    b"--env",
                    b"-",
                    b"+",
                    b"#",
                    b"//",
                    b"name:",
                    b"-D",
                    b"declare",
                    b"-x",
                ]
                .contains(&word)
            })
        || head.ends_with(b"-D")
        || head.ends_with(b" --")
        || head.ends_with(b"&")
        || head.ends_with(b"?")
        || head.ends_with(b";")
        || head.starts_with(b"<") && head.ends_with(b"<")
        || head.ends_with(b"/:")
        || head.starts_with(b"machine ")
}

/// The notation after a name and the value in it.
fn value_after(text: &Reader<'_>, name_end: usize) -> Option<(Form, Range<usize>)> {
    let mut at = text.run(name_end, 4, |b| {
        matches!(b, b'\\' | b'"' | b'\'' | b'`' | b']')
    });
    let closed = at > name_end;
    at = text.skip_blanks(at);
    let spaced = at > name_end && !closed;
    if matches!(text.at(at), b'\r' | b'\n') {
        return value_below(text, at);
    }
    at = match text.at(at) {
        b':' if text.at(at + 1) == b'=' => at + 2,
        b':' => typed(text, at + 1),
        b'=' => text.run(at, 3, |b| matches!(b, b'=' | b'>')),
        b'!' if text.at(at + 1) == b'=' => text.run(at + 1, 2, |b| b == b'='),
        b',' if closed => named_value(text, at + 1),
        b'(' | b'>' if !closed => at + 1,
        b'v' if closed && text.holds(at, b"value=") => at + 6,
        b'"' | b'\'' if spaced => at,
        b if spaced && b.is_ascii_alphanumeric() && argument(text, name_end) => {
            return bare(text, at);
        }
        _ => return None,
    };
    at = text.skip_blanks(at);
    if matches!(text.at(at), b'\r' | b'\n') {
        at = text.run(at, 64, |b| b.is_ascii_whitespace());
        if !matches!(text.at(at), b'"' | b'\'' | b'`') {
            return None;
        }
    }
    quoted(text, wrapped(text, at)).or_else(|| bare(text, at))
}

/// The value in the next line, as in a list of `name:` and `value:`.
fn value_below(text: &Reader<'_>, line_end: usize) -> Option<(Form, Range<usize>)> {
    let at = text.run(line_end, 64, |b| b.is_ascii_whitespace());
    if !text.holds(at, b"value:") {
        return None;
    }
    let at = text.skip_blanks(at + b"value:".len());
    quoted(text, at).or_else(|| bare(text, at))
}

/// Past a type between the colon and an equals sign, if one is there.
fn typed(text: &Reader<'_>, from: usize) -> usize {
    let end = text.run(from, 48, |b| {
        b.is_ascii_alphanumeric()
            || matches!(
                b,
                b' ' | b'&' | b'\'' | b'<' | b'>' | b':' | b'_' | b'[' | b']' | b'?' | b'.' | b'|'
            )
    });
    let equals = text.at(end) == b'=' && text.at(end + 1) != b'=' && text.before(end) != b'\'';
    let bare_word = text
        .slice(from, end)
        .iter()
        .any(|b| matches!(b, b' ' | b':'));
    if equals && (bare_word || text.at(from).is_ascii_alphabetic()) && text.before(end) == b' ' {
        end + 1
    } else {
        from
    }
}

/// After `"name": "KEY",`: past the member that holds the value, if that is what follows.
fn named_value(text: &Reader<'_>, from: usize) -> usize {
    let at = text.run(from, 64, |b| b.is_ascii_whitespace());
    let end = text.run(at, 16, |b| {
        b.is_ascii_alphabetic() || matches!(b, b'"' | b'\'')
    });
    let word: Vec<u8> = text
        .slice(at, end)
        .iter()
        .filter(|b| b.is_ascii_alphabetic())
        .map(u8::to_ascii_lowercase)
        .collect();
    let colon = text.skip_blanks(end);
    if word == b"value" && text.at(colon) == b':' {
        colon + 1
    } else {
        at
    }
}

/// Whether the name that ends at `name_end` is one that takes its value after a space: an option,
/// or a name after `ENV`, `set` and the like.
fn argument(text: &Reader<'_>, name_end: usize) -> bool {
    let start = text.run_back(name_end, 2 * NAME_BYTES, |b| {
        Class::Kebab.has(b) || b == b'_'
    });
    let before = text.slice(start.saturating_sub(6), start);
    text.holds(start, b"--")
        || [&b"ENV "[..], b"set ", b"setx ", b"ARG "]
            .iter()
            .any(|word| before.ends_with(word))
        || text.holds(start, b"password ")
}

/// Past letters that mark a string, or a call around it.
fn wrapped(text: &Reader<'_>, at: usize) -> usize {
    let end = text.run(at, 32, |b| {
        b.is_ascii_alphanumeric() || b"_.:@#&![]".contains(&b)
    });
    if end == at {
        return at;
    }
    match text.at(end) {
        b'(' => text.skip_blanks(end + 1),
        b'"' | b'\'' if end - at <= 2 => end,
        _ => at,
    }
}

/// The text between quotes at `at`.
fn quoted(text: &Reader<'_>, at: usize) -> Option<(Form, Range<usize>)> {
    let open = text.run(at, 3, |b| b == b'\\');
    let quote = text.at(open);
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return None;
    }
    let start = text.run(open, 3, |b| b == quote);
    // Two quotes are an empty string, three open a long one.
    if start - open == 2 {
        return None;
    }
    let end = text.run(start, VALUE_BYTES, |b| {
        b != quote && b.is_ascii_graphic() && b != b'\\'
    });
    let closing = text.at(end);
    (closing == quote || closing == b'\\').then_some((Form::Quoted, start..end))
}

/// The word at `at`, when it ends as a value in a settings file does. An equals sign may only pad
/// its end, so that a row of assignments is no value.
fn bare(text: &Reader<'_>, at: usize) -> Option<(Form, Range<usize>)> {
    let end = text.run(at, VALUE_BYTES / 2, |b| {
        b.is_ascii_graphic() && !b"\"'`(){}[]<>,;\\|&=".contains(&b)
    });
    let end = text.run(end, 2, |b| b == b'=');
    let next = text.at(end);
    let ends = next == 0 || b" \t\r\n<&\"';\\".contains(&next);
    ends.then_some((Form::Bare, at..end))
}

/// Whether `value` may be a secret at all: no variable, path, address, date, hash with its name.
fn plausible(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or(0);
    let has = |part: &[u8]| crate::secrets::base64::contains(value, part);
    let lower = value.to_ascii_lowercase();
    value.len() >= 8
        && !matches!(
            first,
            b'$' | b'{' | b'<' | b'[' | b'(' | b'%' | b'.' | b'~' | b'&' | b'*' | b'#' | b':'
        )
        && !has(b"${")
        && !has(b"{{")
        && !has(b"#{")
        && !has(b"$(")
        && !has(b"%(")
        && !has(b"://")
        && !has(b"{}")
        && !has(b"::")
        && !has(b"->")
        && !has(b"%s")
        && ![
            &b"sha1-"[..],
            b"sha256-",
            b"sha384-",
            b"sha512-",
            b"sha256:",
            b"ssh-rsa",
            b"./",
            b"arn:",
            b"data:",
        ]
        .iter()
        .any(|prefix| lower.starts_with(prefix))
        && distinct(value) >= 5
        && !placeholder(value)
        && !common_password(value)
}

/// Whether `value` looks like a password somebody chose or a generator made.
fn password_like(table: &Table, value: &[u8], form: Form) -> bool {
    let any = |test: fn(&u8) -> bool| value.iter().any(test);
    let marks = any(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'-' | b'.' | b'/'));
    let classes = [
        any(u8::is_ascii_lowercase),
        any(u8::is_ascii_uppercase),
        any(u8::is_ascii_digit),
        marks,
    ];
    let classes = classes.iter().filter(|&&held| held).count();
    let random = randomness(table, value);
    let enough = if form == Form::Bare { 25 } else { 20 };
    (any(u8::is_ascii_digit) || random >= LETTERS_ONLY)
        && any(u8::is_ascii_alphabetic)
        && (random >= enough && (classes >= 3 || value.len() >= 12 && classes >= 2)
            || classes == 4 && random >= 15)
        && (form == Form::Quoted || value.len() >= 10)
}

/// Whether `value` looks made by a generator.
fn key_like(table: &Table, value: &[u8], form: Form, name: &[String]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let marks = value.len() - digits - letters;
    let random = randomness(table, value);
    let enough = if form == Form::Bare { 29 } else { 25 };
    let uuid = value.len() == 36
        && value.iter().all(|&b| Class::Uuid.has(b))
        && value.iter().filter(|&&b| b == b'-').count() == 4;
    let strong = name.iter().any(|word| {
        word.starts_with("secret") || ["key", "apikey", "auth"].contains(&word.as_str())
    });
    value.len() >= 16
        && letters >= 4
        && (digits >= 2 || random >= LETTERS_ONLY)
        && marks * 4 <= value.len()
        && distinct(value) >= 8
        && random >= enough
        && (!uuid || strong)
}
