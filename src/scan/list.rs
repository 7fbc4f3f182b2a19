//! Path lists from files and standard input.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::Error;
use crate::path::RelPath;

/// What ends a path in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// LF, with or without a CR before it.
    Line,
    /// NUL, so that a path may hold line ends.
    Nul,
}

/// The paths in `bytes`, in their order, each once. Empty items and `.` are left out, a leading
/// `./` is removed, and an absolute path below `root` is made relative to it. A line in quotes with
/// backslashes is read as git writes names that are not plain ASCII.
///
/// # Errors
/// [`Error::Configuration`] names the line (or item) of a path that cannot be one,
/// [`Error::InputLimit`] when there are more than `max_paths`.
pub fn parse(
    bytes: &[u8],
    separator: Separator,
    root: Option<&Path>,
    max_paths: u64,
) -> Result<Vec<RelPath>, Error> {
    let (end, unit) = match separator {
        Separator::Line => (b'\n', "line"),
        Separator::Nul => (b'\0', "item"),
    };
    let root = root.and_then(Path::to_str);
    let mut seen = BTreeSet::new();
    let mut paths = Vec::new();
    for (item, number) in bytes.split(|&byte| byte == end).zip(1_u64..) {
        let item = match separator {
            Separator::Line => item.strip_suffix(b"\r").unwrap_or(item),
            Separator::Nul => item,
        };
        let fail =
            |problem: &str| Error::Configuration(format!("path list, {unit} {number}: {problem}"));
        let unquoted = match separator {
            Separator::Line => unquote(item),
            Separator::Nul => None,
        };
        let item = unquoted.as_deref().unwrap_or(item);
        let text = std::str::from_utf8(item).map_err(|_| fail("the path is not valid UTF-8"))?;
        let below = root
            .and_then(|root| text.strip_prefix(root)?.strip_prefix('/'))
            .unwrap_or(text);
        let mut relative = below;
        while let Some(rest) = relative.strip_prefix("./") {
            relative = rest.trim_start_matches('/');
        }
        if relative.is_empty() || relative == "." {
            continue;
        }
        let path = RelPath::new(relative).map_err(|fault| fail(&format!("the path {fault}")))?;
        if seen.insert(path.clone()) {
            if paths.len() as u64 >= max_paths {
                return Err(Error::InputLimit {
                    what: "listed paths",
                    limit: max_paths,
                });
            }
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The name in a line that git has quoted; `None` if it is no such line.
fn unquote(line: &[u8]) -> Option<Vec<u8>> {
    let inner = line.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if !inner.contains(&b'\\') {
        return None;
    }
    let mut name = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'"' => return None,
            b'\\' => match bytes.next()? {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                plain @ (b'"' | b'\\') => plain,
                high @ b'0'..=b'3' => {
                    let mut digit = || bytes.next().filter(|b| (b'0'..=b'7').contains(b));
                    let (middle, low) = (digit()?, digit()?);
                    (high - b'0') * 64 + (middle - b'0') * 8 + (low - b'0')
                }
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests;
