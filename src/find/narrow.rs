//! Patterns by which a request narrows the host's selection.

use crate::error::Error;
use crate::path::RelPath;
use crate::scan::pattern::{HostPattern, Reading};

/// Some patterns. Files that none of them excludes count, if there is no other pattern or one that
/// selects them.
#[derive(Clone, Debug, Default)]
pub struct Narrow(Vec<HostPattern>);

impl Narrow {
    /// Compiles patterns of the host's syntax; `what` names the option in errors.
    ///
    /// # Errors
    /// [`Error::Pattern`] with the column of the first fault.
    pub fn new<'p>(
        what: &'static str,
        patterns: impl IntoIterator<Item = &'p str>,
    ) -> Result<Self, Error> {
        let compiled = patterns
            .into_iter()
            .map(|pattern| HostPattern::new(what, pattern));
        compiled.collect::<Result<_, _>>().map(Self)
    }

    /// Whether there are no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a file counts.
    #[must_use]
    pub fn admits(&self, path: &RelPath) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let names: Vec<&str> = path.segments().collect();
        let selects = |pattern: &&HostPattern| {
            pattern.matches(&names, false, Reading::Both)
                || (1..names.len()).any(|length| {
                    let above = names.get(..length).unwrap_or_default();
                    pattern.selects_content(above, Reading::Both)
                })
        };
        let (out, within): (Vec<_>, Vec<_>) = self.0.iter().partition(|one| one.negated());
        !out.iter().any(selects) && (within.is_empty() || within.iter().any(selects))
    }
}

#[cfg(test)]
mod tests {
    use super::Narrow;
    use crate::path::RelPath;

    #[test]
    fn patterns_select_and_exclude() {
        let check = |patterns: &[&str], path: &str, expected: bool| {
            let narrow = Narrow::new("paths", patterns.iter().copied()).unwrap();
            let path = RelPath::new(path).unwrap();
            assert_eq!(narrow.admits(&path), expected, "{patterns:?} {path}");
        };
        check(&[], "a/b.rs", true);
        check(&["*.rs"], "a/b.rs", true);
        check(&["*.rs"], "a/b.py", false);
        check(&["a/**"], "a/b.py", true);
        check(&["a"], "a/b/c.py", true);
        check(&["a/"], "a/b/c.py", true);
        check(&["/b"], "a/b/c.py", false);
        check(&["!tests/"], "a/tests/c.py", false);
        check(&["!tests/"], "a/c.py", true);
        check(&["*.py", "!c*"], "a/c.py", false);
        check(&["!c*", "*.py"], "a/c.py", false);
        check(&["*.{py,rs}"], "a/c.rs", true);
        assert!(Narrow::new("paths", ["a/../b"]).is_err());
    }
}
