//! Numbers as people write them: `8k`, `1.5m`, `16MiB`.
//!
//! Tokens and files count in thousands, bytes in units of 1,024. A number is exact or refused:
//! `1.5k` is 1,500 tokens, `0.3k` bytes is not a whole number of bytes.

use crate::text;

/// Why a text is not a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SizeFault {
    /// Not digits with at most one point and a known unit.
    #[error("must be a whole number, optionally with a unit ({0})")]
    Form(&'static str),
    /// A fraction of a token, file or byte.
    #[error("must come to a whole number")]
    Fraction,
    /// More than 64 bits hold.
    #[error("is too large")]
    TooLarge,
}

/// A number of tokens, files or directories: `k` is a thousand, `m` a million, `g` a thousand
/// million.
///
/// # Errors
/// [`SizeFault`].
pub(super) fn count(text: &str) -> Result<u64, SizeFault> {
    const EXAMPLES: &str = "k, m or g, such as 8k or 1.5m";
    let (number, unit) = split(text);
    let unit = match unit.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        _ => return Err(SizeFault::Form(EXAMPLES)),
    };
    value(number, unit, EXAMPLES)
}

/// A number of bytes: `k`, `m`, `g` (also `KiB`, `MiB`, `GiB`) are powers of 1,024.
///
/// # Errors
/// [`SizeFault`].
pub(super) fn bytes(text: &str) -> Result<u64, SizeFault> {
    const EXAMPLES: &str = "k, m or g, such as 512k or 1.5m";
    let (number, unit) = split(text);
    let unit = match unit.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        _ => return Err(SizeFault::Form(EXAMPLES)),
    };
    value(number, unit, EXAMPLES)
}

/// `n` with a comma between each group of three digits.
#[must_use]
pub(super) fn grouped(n: u64) -> String {
    text::grouped(n)
}

/// The number and the letters behind it.
fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    text.split_at(end)
}

fn value(number: &str, unit: u64, examples: &'static str) -> Result<u64, SizeFault> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return Err(SizeFault::Form(examples));
    }
    let fraction = fraction.trim_end_matches('0');
    let scale = u32::try_from(fraction.len())
        .ok()
        .and_then(|n_digits| 10_u128.checked_pow(n_digits))
        .ok_or(SizeFault::TooLarge)?;
    let part = match fraction {
        "" => 0,
        digits => digits.parse::<u128>().map_err(|_| SizeFault::TooLarge)?,
    };
    let whole: u64 = whole.parse().map_err(|_| SizeFault::TooLarge)?;
    let scaled = part
        .checked_mul(u128::from(unit))
        .ok_or(SizeFault::TooLarge)?;
    if scaled % scale != 0 {
        return Err(SizeFault::Fraction);
    }
    let total = u128::from(whole) * u128::from(unit) + scaled / scale;
    u64::try_from(total).map_err(|_| SizeFault::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::{SizeFault, bytes, count, grouped};

    #[test]
    fn counts() {
        for (text, n) in [
            ("0", 0),
            ("8000", 8_000),
            ("8k", 8_000),
            ("8K", 8_000),
            ("1.5m", 1_500_000),
            ("1.50k", 1_500),
            ("0.001k", 1),
            ("2g", 2_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(n), "{text}");
        }
    }

    #[test]
    fn bytes_count_in_powers_of_two() {
        for (text, n) in [
            ("1k", 1_024),
            ("1.5m", 1_572_864),
            ("16MiB", 16_777_216),
            ("1gib", 1 << 30),
            ("0.5k", 512),
        ] {
            assert_eq!(bytes(text), Ok(n), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "", "k", "-1", "+1", "1,000", "1_000", " 1", "1 k", "1e3", "1kk", "0x10", ".5k", "5.k",
            "1.2.3k", "\u{661}",
        ] {
            assert!(matches!(count(text), Err(SizeFault::Form(_))), "{text:?}");
            assert!(matches!(bytes(text), Err(SizeFault::Form(_))), "{text:?}");
        }
        for text in ["1.5", "1.0001k", "0.3"] {
            assert_eq!(count(text), Err(SizeFault::Fraction), "{text}");
        }
        assert_eq!(bytes("0.3k"), Err(SizeFault::Fraction));
        for text in ["18446744073709551616", "18446744073709551615k"] {
            assert_eq!(count(text), Err(SizeFault::TooLarge), "{text}");
        }
        let long = format!("0.{}k", "1".repeat(60));
        assert_eq!(count(&long), Err(SizeFault::TooLarge));
    }

    #[test]
    fn groups_of_three() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(n), text);
        }
    }
}
