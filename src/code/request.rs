//! What to read: one item each, in JSON or in the short form of the command line.

use crate::limits::OUTLINE_DEPTH;
use crate::path::{PathFault, RelPath};
use crate::syntax::path::{SymbolPath, SymbolPathFault, parse_symbol_path};

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// The file.
    pub path: RelPath,
    /// What of it.
    pub what: What,
}

/// What to read of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A complete symbol.
    Symbol {
        /// Its path.
        symbol: SymbolPath,
        /// Whether the same-file declarations it uses come with it.
        dependencies: bool,
    },
    /// Lines, 1-based and inclusive.
    Lines {
        /// First line.
        start: u64,
        /// Last line, not before the first.
        end: u64,
    },
    /// The whole file.
    Full,
    /// The symbols, without text.
    Outline {
        /// Levels of symbols.
        depth: u64,
    },
}

impl What {
    /// Whether the symbols of the file are needed to find it.
    #[must_use]
    pub const fn needs_symbols(&self) -> bool {
        matches!(self, Self::Symbol { .. } | Self::Outline { .. })
    }
}

/// Why a short form cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecFault {
    /// The path is not a root-relative path.
    #[error("the path {0}")]
    Path(PathFault),
    /// What stands behind the colon is neither lines nor a symbol.
    #[error("the symbol {0}")]
    Symbol(SymbolPathFault),
    /// Lines out of order or from 0.
    #[error("lines are written START-END, from 1")]
    Lines,
}

/// Reads the short form: `path` (whole file), `path:` (outline), `path:120-188` or `path:120`
/// (lines), `path:Client.request` (symbol), `path:Client.request+` (with what it uses).
///
/// # Errors
/// What is wrong with it.
pub fn parse_spec(spec: &str) -> Result<Item, SpecFault> {
    let (path, rest) = match spec.split_once(':') {
        Some((path, rest)) => (path, Some(rest)),
        None => (spec, None),
    };
    let path = RelPath::new(path).map_err(SpecFault::Path)?;
    let what = match rest {
        None => What::Full,
        Some("") => What::Outline {
            depth: OUTLINE_DEPTH.default,
        },
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            lines(rest).ok_or(SpecFault::Lines)?
        }
        Some(rest) => {
            let (symbol, dependencies) = match rest.strip_suffix('+') {
                Some(symbol) => (symbol, true),
                None => (rest, false),
            };
            What::Symbol {
                symbol: parse_symbol_path(symbol).map_err(SpecFault::Symbol)?,
                dependencies,
            }
        }
    };
    Ok(Item { path, what })
}

fn lines(text: &str) -> Option<What> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (1 <= start && start <= end).then_some(What::Lines { start, end })
}

#[cfg(test)]
mod tests {
    use super::{What, parse_spec};

    #[test]
    fn short_forms() {
        let what = |spec: &str| parse_spec(spec).unwrap().what;
        assert_eq!(what("a.rs"), What::Full);
        assert_eq!(what("a.rs:"), What::Outline { depth: 8 });
        assert_eq!(what("a.rs:3-9"), What::Lines { start: 3, end: 9 });
        assert_eq!(what("a.rs:3"), What::Lines { start: 3, end: 3 });
        assert!(
            matches!(what("a.ts:Client.request"), What::Symbol { dependencies: false, symbol } if symbol.segments == ["Client", "request"])
        );
        assert!(
            matches!(what("a.ts:f#2+"), What::Symbol { dependencies: true, symbol } if symbol.ordinal == Some(2))
        );
        for bad in [
            "",
            "../a",
            "a.rs:0",
            "a.rs:9-3",
            "a.rs:1-",
            "a.rs:x..y",
            "/a:f",
        ] {
            assert!(parse_spec(bad).is_err(), "{bad}");
        }
    }
}
