//! The self-check: recounts text with the reference tokenizer (feature `verify`).
//!
//! The reference is never built or called otherwise. It panics on about a million blanks in a row,
//! so such text is refused, and it is given the text in parts that are exact to add.

use crate::error::Error;
use crate::tokens::seam;
use crate::tokens::vocab;

/// Blanks in a row that the reference bears; it panics above 999,998.
const BLANKS: usize = 999_000;
/// Bytes of one part, unless it has no seam.
const PART_BYTES: usize = 1024 * 1024;

/// Tokens of `text` by the reference tokenizer.
///
/// Slow: about 20 MB/s, down to 1 MB/s, and 0.1 s and 46 MB once per process.
///
/// # Errors
/// [`Error::Configuration`] where the feature `verify` is not built in, and
/// [`Error::InputLimit`] for a text with more than 999,000 blanks in a row.
pub fn recount(text: &str) -> Result<u64, Error> {
    let mut blanks = 0;
    for character in text.chars() {
        let blank = character.is_whitespace() && !matches!(character, '\r' | '\n');
        blanks = if blank { blanks + 1 } else { 0 };
        if blanks > BLANKS {
            return Err(Error::InputLimit {
                what: "blanks in a row in the count check",
                limit: BLANKS as u64,
            });
        }
    }
    seam::parts(text, PART_BYTES)
        .into_iter()
        .map(|part| {
            vocab::reference_count(part).ok_or_else(|| {
                Error::Configuration("this build has no reference tokenizer".to_owned())
            })
        })
        .sum()
}

/// Fails unless the reference counts `counted` tokens in `text`.
///
/// # Errors
/// [`Error::CountMismatch`], and those of [`recount`].
pub fn check(text: &str, counted: u64) -> Result<(), Error> {
    let reference = recount(text)?;
    if reference == counted {
        Ok(())
    } else {
        Err(Error::CountMismatch { counted, reference })
    }
}

#[cfg(test)]
mod tests;
