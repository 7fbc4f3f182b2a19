//! What --list and --search ask for.

use super::args::FindArgs;
use super::failure::Failure;
use super::settings::Product;
use crate::find::check;
use crate::find::narrow::Narrow;
use crate::find::request::{ListRequest, Mode, SearchRequest, directory};
use crate::limits::{FIND_OFFSET, FIND_TOKENS, LIST_DEPTH, QUERY_BYTES, Range};

/// The listing or search that was asked for, if one was.
///
/// # Errors
/// [`Failure::Range`], [`Failure::Find`], a pattern that cannot be used.
pub(super) fn found(args: &FindArgs, max_tokens: Option<u64>) -> Result<Option<Product>, Failure> {
    let within = |what: &str, value: u64, Range { min, max, .. }: Range| {
        if (min..=max).contains(&value) {
            return Ok(value);
        }
        Err(Failure::Range {
            what: what.to_owned(),
            min,
            max,
        })
    };
    let tokens = || {
        within(
            "--max-tokens",
            max_tokens.unwrap_or(FIND_TOKENS.default),
            FIND_TOKENS,
        )
    };
    let narrow = || Narrow::new("--in", args.within.iter().map(String::as_str));
    let bad = |option, problem: String| Failure::Find { option, problem };
    if let Some(dir) = &args.list {
        let dir = dir.as_deref().unwrap_or(".");
        return Ok(Some(Product::Listing(ListRequest {
            dir: directory(dir).map_err(|fault| bad("--list", fault.to_string()))?,
            depth: LIST_DEPTH.default,
            narrow: narrow()?,
            max_tokens: tokens()?,
            tokens: false,
        })));
    }
    let Some(query) = &args.search else {
        return Ok(None);
    };
    if query.is_empty() || query.len() > QUERY_BYTES {
        let problem = format!("must have 1 to {QUERY_BYTES} UTF-8 bytes");
        return Err(bad("--search", problem));
    }
    let offset = Range {
        min: 0,
        default: 0,
        max: FIND_OFFSET,
    };
    let offset = within("--offset", args.offset.unwrap_or(0), offset)?;
    let request = SearchRequest {
        query: query.clone(),
        mode: args.mode.unwrap_or(Mode::Auto),
        narrow: narrow()?,
        case_sensitive: None,
        max_tokens: tokens()?,
        offset: usize::try_from(offset).unwrap_or(usize::MAX),
    };
    check(&request).map_err(|problem| bad("--search", problem))?;
    Ok(Some(Product::Search(request)))
}
