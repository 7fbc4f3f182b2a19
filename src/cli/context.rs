//! What --plan and --code ask for.

use std::path::Path;

use super::failure::Failure;
use super::inputs::{read_file, to_text};
use crate::arguments::Argument;
use crate::code::request::{Item, parse_spec};
use crate::limits::{CODE_ITEMS, PLAN_BYTES};
use crate::options::Caps;
use crate::plan::request::{self, Request};

/// Longest file with a plan: the largest request, written with room.
const PLAN_FILE_BYTES: u64 = 4 * PLAN_BYTES as u64;

/// The request of a plan, from the file it stands in.
///
/// # Errors
/// [`Failure::Read`], [`Failure::Plan`].
pub(super) fn plan_request(file: &Path) -> Result<Request, Failure> {
    let bytes = read_file("the plan", file, PLAN_FILE_BYTES)?;
    let fault = |problem: String| Failure::Plan {
        file: file.to_owned(),
        problem,
    };
    let text = to_text(bytes).map_err(|_| fault("arguments must be UTF-8".to_owned()))?;
    let arguments = Argument::parse(&text).map_err(|why| fault(format!("arguments {why}")))?;
    request::parse(&arguments, &Caps::default()).map_err(|why| fault(why.to_string()))
}

/// What --code asks for, each once.
///
/// # Errors
/// [`Failure::TooMany`], [`Failure::Spec`].
pub(super) fn code_items(specs: &[String]) -> Result<Vec<Item>, Failure> {
    if specs.len() > CODE_ITEMS {
        return Err(Failure::TooMany {
            option: "--code",
            limit: CODE_ITEMS,
        });
    }
    let mut items: Vec<Item> = Vec::new();
    for spec in specs {
        let item = parse_spec(spec).map_err(|fault| Failure::Spec {
            spec: spec.clone(),
            fault,
        })?;
        if !items.contains(&item) {
            items.push(item);
        }
    }
    Ok(items)
}
