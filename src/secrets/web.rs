//! Credentials that travel: URLs with passwords, web tokens, authorization headers, registry logins.

use std::ops::Range;

use crate::secrets::base64::{contains, decode};
use crate::secrets::class::Class;
use crate::secrets::random::{credible, distinct, placeholder, randomness};
use crate::secrets::reader::Reader;
use crate::secrets::rules::Table;

/// Longest user and password of a URL looked at.
const USERINFO_BYTES: usize = 256;

/// Passwords that stand in manuals and tests for one, and service defaults that open nothing.
const COMMON_PASSWORDS: [&[u8]; 24] = [
    b"pass",
    b"password",
    b"passwd",
    b"passw",
    b"pwd",
    b"pw",
    b"secret",
    b"user",
    b"username",
    b"admin",
    b"root",
    b"test",
    b"token",
    b"guest",
    b"postgres",
    b"mysql",
    b"redis",
    b"mongo",
    b"key",
    b"foo",
    b"bar",
    b"baz",
    b"login",
    b"credential",
];

/// Whether `value` is one of the usual stand-ins, also with digits or marks around it.
pub(super) fn common_password(value: &[u8]) -> bool {
    let letters: Vec<u8> = value
        .iter()
        .filter(|b| b.is_ascii_alphabetic())
        .map(u8::to_ascii_lowercase)
        .collect();
    let lower = value.to_ascii_lowercase();
    COMMON_PASSWORDS.contains(&letters.as_slice())
        || [
            &b"password"[..],
            b"passw0rd",
            b"p@ss",
            b"pa$$",
            b"p455w0rd",
            b"secret",
            b"passwd",
        ]
        .iter()
        .any(|word| contains(&lower, word))
}

/// `user:password@host` after `://`, when the password is no stand-in and no variable.
pub(super) fn url(table: &Table, text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let start = text.run_back(hit.start, 16, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')
    });
    let end = text.run(hit.end, USERINFO_BYTES, |b| {
        b.is_ascii_graphic() && !b"/\"'`<>{}()\\[]|,@".contains(&b)
    });
    if text.at(end) != b'@' || hit.start - start < 2 {
        return None;
    }
    let info = text.slice(hit.end, end);
    let colon = info.iter().position(|&b| b == b':')?;
    let (user, password) = (info.get(..colon)?, info.get(colon + 1..)?);
    let host_end = text.run(end + 1, 128, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_')
    });
    let host = text.slice(end + 1, host_end);
    let random = randomness(table, password) >= 25;
    let least = if random && password.len() >= 6 { 6 } else { 8 };
    let digits = password.iter().any(u8::is_ascii_digit);
    let stands_for_one = password.len() < least
        || !(digits || random)
        || password
            .iter()
            .any(|b| matches!(b, b'$' | b'#' | b'*' | b'?'))
            && password
                .first()
                .is_some_and(|b| matches!(b, b'$' | b'#' | b'*' | b'?'))
        || password.eq_ignore_ascii_case(user)
        || distinct(password) < 5
        || contains(password, b"%s")
        || placeholder(password)
        || common_password(password)
        || host.is_empty();
    let shown = !(random && digits) && example_host(host);
    (!stands_for_one && !shown).then_some(start..end)
}

/// Hosts that manuals and tests use.
fn example_host(host: &[u8]) -> bool {
    let host = host.to_ascii_lowercase();
    contains(&host, b"example")
        || [
            &b"localhost"[..],
            b"127.0.0.1",
            b"host",
            b"hostname",
            b"server",
            b"domain.com",
        ]
        .contains(&host.as_slice())
}

/// A JSON web token: a header that names its algorithm, a payload, a signature.
pub(super) fn jwt(text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    if !text.boundary(hit.start) || Class::Base64Url.has(text.before(hit.start)) {
        return None;
    }
    let part = |from: usize, most: usize| text.run(from, most, |b| Class::Base64Url.has(b));
    let head_end = part(hit.start, 1024);
    if text.at(head_end) != b'.' || !text.holds(head_end + 1, b"eyJ") {
        return None;
    }
    let payload_end = part(head_end + 1, 16 * 1024);
    let end = part(payload_end + 1, 1024);
    if text.at(payload_end) != b'.' || end - payload_end < 21 {
        return None;
    }
    let header = decode(text.slice(hit.start, head_end));
    let payload = decode(text.slice(head_end + 1, payload_end));
    let shown = contains(&payload, b"1234567890") || contains(&payload, b"John Doe");
    let signature = text.slice(payload_end + 1, end);
    (contains(&header, b"\"alg\"") && !shown && credible(signature)).then_some(hit.start..end)
}

/// `Authorization: Bearer …` or `Basic …` with a value that is random or decodes to a login.
pub(super) fn bearer(table: &Table, text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    // An option such as `--token` is an assignment.
    if !text.boundary(hit.start) || text.before(hit.start) == b'-' {
        return None;
    }
    let end = text.run(hit.end, 1024, |b| {
        Class::Padded.has(b) || matches!(b, b'.' | b'~')
    });
    let value = text.slice(hit.end, end);
    if value.len() < 12 || placeholder(value) {
        return None;
    }
    let basic = text.at(hit.start).eq_ignore_ascii_case(&b'b')
        && text.at(hit.start + 2).eq_ignore_ascii_case(&b's');
    let found = if basic {
        login(value)
    } else {
        value.len() >= 20
            && value.iter().filter(|b| b.is_ascii_digit()).count() >= 2
            && credible(value)
            && randomness(table, value) >= 28
            && !value.starts_with(b"eyJ")
    };
    found.then_some(hit.end..end)
}

/// Whether `value` is base64 of `user:password`.
fn login(value: &[u8]) -> bool {
    let decoded = decode(value);
    let Some(colon) = decoded.iter().position(|&b| b == b':') else {
        return false;
    };
    let password = decoded.get(colon + 1..).unwrap_or_default();
    let user = decoded.get(..colon).unwrap_or_default();
    password.len() >= 6
        && !user.is_empty()
        && decoded.iter().all(u8::is_ascii_graphic)
        && password != user
        && distinct(password) >= 5
        && !placeholder(password)
        && !common_password(password)
        // The login that the standard itself shows.
        && decoded != b"Aladdin:open sesame"
}

/// The `auth` member of a container registry login.
pub(super) fn docker(text: &Reader<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let colon = text.skip_blanks(hit.end);
    let quote = text.skip_blanks(colon + 1);
    if text.at(colon) != b':' || text.at(quote) != b'"' {
        return None;
    }
    let end = text.run(quote + 1, 4096, |b| Class::Base64.has(b));
    (text.at(end) == b'"' && login(text.slice(quote + 1, end))).then_some(hit.start..end)
}
