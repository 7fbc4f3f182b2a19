//! From the best choice to a verified document, within the attempts of a request.
//!
//! An attempt is one rendering and counting of a complete document. Segments add up, so the first
//! document made from a choice has the count the choice was made for, and two attempts are enough.
//! That is checked and not assumed: should a document come out over its budget, the choice is made
//! again in a room smaller by the excess.

use crate::cancel::Cancel;
use crate::error::Error;

use super::choose::{Form, Item, choose};

/// A rendered and counted document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    /// The form of each wanted path.
    pub(super) forms: Vec<Form>,
    pub(super) text: String,
    pub(super) tokens: u64,
}

/// What bounds the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) max_tokens: u64,
    /// Tokens of what stands around the files.
    pub(super) frame_tokens: u64,
    pub(super) max_attempts: u64,
}

/// The document to deliver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) draft: Draft,
    /// Attempts made.
    pub(super) attempts: u64,
    /// Whether attempts ran out before the best choice was verified.
    pub(super) exhausted: bool,
}

/// The best document that `render` makes of `items`; `first` is the verified document with nothing
/// but the required paths.
///
/// # Errors
/// Those of `render`, and [`Error::Cancelled`].
pub(super) fn settle(
    items: &[Item],
    first: Draft,
    bounds: &Bounds,
    render: impl Fn(&[Form]) -> Result<Draft, Error>,
    cancel: &Cancel,
) -> Result<Settled, Error> {
    let mut room = bounds.max_tokens.saturating_sub(bounds.frame_tokens);
    let mut attempts = 1;
    loop {
        let forms = choose(items, room, cancel)?.filter(|forms| *forms != first.forms);
        let Some(forms) = forms else {
            return Ok(Settled {
                draft: first,
                attempts,
                exhausted: false,
            });
        };
        if attempts >= bounds.max_attempts {
            return Ok(Settled {
                draft: first,
                attempts,
                exhausted: true,
            });
        }
        let draft = render(&forms)?;
        attempts += 1;
        match draft.tokens.checked_sub(bounds.max_tokens) {
            None | Some(0) => {
                return Ok(Settled {
                    draft,
                    attempts,
                    exhausted: false,
                });
            }
            Some(excess) => room = room.saturating_sub(excess),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::request::Mode;

    fn item(full: u64) -> Item {
        Item {
            least: Form::None,
            skeleton: None,
            full: Some(full),
            optional: vec![(0, Mode::Full)],
        }
    }

    /// Items of 4, 3 and 2 tokens, a budget of 9, and a renderer whose documents come out larger
    /// than their parts by `excess` a file.
    fn check(excess: u64, max_attempts: u64) -> (Vec<Form>, u64, bool) {
        let items = [item(4), item(3), item(2)];
        let render = |forms: &[Form]| {
            let chosen = items.iter().zip(forms);
            let tokens = chosen
                .filter(|&(_, &form)| form == Form::Full)
                .map(|(item, &form)| item.tokens(form) + excess)
                .sum();
            Ok(Draft {
                forms: forms.to_vec(),
                text: String::new(),
                tokens,
            })
        };
        let bounds = Bounds {
            max_tokens: 9,
            frame_tokens: 0,
            max_attempts,
        };
        let first = render(&[Form::None; 3]).unwrap();
        let settled = settle(&items, first, &bounds, render, &Cancel::never()).unwrap();
        assert!(settled.draft.tokens <= 9);
        (settled.draft.forms, settled.attempts, settled.exhausted)
    }

    #[test]
    fn attempts() {
        use Form::{Full, None};
        // Parts add up: the second attempt is the last.
        assert_eq!(check(0, 2), (vec![Full, Full, Full], 2, false));
        // They do not: 12 for all three, then 7 for the two that fit in 9 - 3.
        assert_eq!(check(1, 3), (vec![None, Full, Full], 3, false));
        // No attempt left for that.
        assert_eq!(check(1, 2), (vec![None, None, None], 2, true));
        // Nothing but the required document can be verified, and that was found out.
        assert_eq!(check(9, 256), (vec![None, None, None], 2, false));
    }
}
