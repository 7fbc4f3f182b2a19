//! Places where a text may be parted so that the counts of the parts add up.
//!
//! A part may end in CR or LF if the next one begins with a character that is neither white space
//! nor `/`, or with blanks and then a character that is not white space. No piece crosses such a
//! place, whatever is around it.

/// Parts of `text`, in order, of about `size` bytes; longer where there is no seam.
///
/// Takes O(n) for all parts together.
pub(super) fn parts(text: &str, size: usize) -> Vec<&str> {
    let mut parts = Vec::with_capacity(text.len() / size.max(1) + 1);
    let mut rest = text;
    while rest.len() > size {
        let Some((part, after)) =
            seam_from(rest, size.max(1)).and_then(|at| rest.split_at_checked(at))
        else {
            break;
        };
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// The first seam at or behind `from`, at least 1.
fn seam_from(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        // Behind the next newline.
        let newline = bytes
            .get(at - 1..)?
            .iter()
            .position(|byte| matches!(byte, b'\r' | b'\n'))?;
        at += newline;
        let after = text.get(at..)?;
        let trimmed =
            after.trim_start_matches(|c: char| c.is_whitespace() && !matches!(c, '\r' | '\n'));
        let first = trimmed.chars().next()?;
        let indented = trimmed.len() < after.len();
        if !first.is_whitespace() && (indented || first != '/') {
            return Some(at);
        }
        at += after.len() - trimmed.len() + 1;
    }
}

#[cfg(test)]
mod tests;
