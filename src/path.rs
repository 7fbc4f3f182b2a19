//! Validated root-relative paths.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::limits::PATH_BYTES;

/// A root-relative path that was checked when it was made.
///
/// At most 4,096 UTF-8 bytes, `/` between segments, no empty segment, no `.` or `..`, no NUL, not
/// absolute. Wildcard characters are ordinary characters. Ordered and compared by bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Box<str>);

/// Why a string is not a root-relative path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// Nothing at all.
    #[error("must not be empty")]
    Empty,
    /// Over 4,096 bytes.
    #[error("must have at most 4096 UTF-8 bytes")]
    TooLong,
    /// Begins with `/`, a drive letter or a UNC prefix.
    #[error("must be relative to the root")]
    Absolute,
    /// Holds a NUL.
    #[error("must not hold NUL")]
    Nul,
    /// Two separators in a row, or one at the end.
    #[error("must not hold an empty segment")]
    EmptySegment,
    /// A segment `.` or `..`.
    #[error("must not hold . or .. as a segment")]
    DotSegment,
    /// A backslash where it separates segments (Windows).
    #[error("must use / between segments")]
    Backslash,
}

impl RelPath {
    /// Checks `path`.
    ///
    /// # Errors
    /// The first rule that `path` breaks.
    pub fn new(path: &str) -> Result<Self, PathFault> {
        if path.is_empty() {
            return Err(PathFault::Empty);
        }
        if path.len() > PATH_BYTES {
            return Err(PathFault::TooLong);
        }
        if path.contains('\0') {
            return Err(PathFault::Nul);
        }
        if path.starts_with('/') {
            return Err(PathFault::Absolute);
        }
        if cfg!(windows) {
            if path.contains('\\') {
                return Err(if path.starts_with('\\') {
                    PathFault::Absolute
                } else {
                    PathFault::Backslash
                });
            }
            if path.as_bytes().get(1) == Some(&b':') {
                return Err(PathFault::Absolute);
            }
        }
        for segment in path.split('/') {
            match segment {
                "" => return Err(PathFault::EmptySegment),
                "." | ".." => return Err(PathFault::DotSegment),
                _ => {}
            }
        }
        Ok(Self(path.into()))
    }

    /// The path as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segments, first to last.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last segment.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path without its last segment, unless it has only one.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0
            .rsplit_once('/')
            .map(|(parent, _)| Self(parent.into()))
    }

    /// This path with one more segment.
    ///
    /// # Errors
    /// The first rule that the longer path breaks.
    pub fn join(&self, segment: &str) -> Result<Self, PathFault> {
        Self::new(&format!("{}/{segment}", self.0))
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl Serialize for RelPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{PathFault, RelPath};

    #[test]
    fn rules() {
        for good in [
            "a",
            "a/b.rs",
            "src/[id]/*.ts",
            "..a/b..",
            "a b",
            "-o",
            "\u{e9}",
        ] {
            assert_eq!(RelPath::new(good).unwrap().as_str(), good);
        }
        for (bad, fault) in [
            ("", PathFault::Empty),
            ("/a", PathFault::Absolute),
            ("a//b", PathFault::EmptySegment),
            ("a/", PathFault::EmptySegment),
            ("./a", PathFault::DotSegment),
            ("a/../b", PathFault::DotSegment),
            ("..", PathFault::DotSegment),
            ("a\0", PathFault::Nul),
        ] {
            assert_eq!(RelPath::new(bad).unwrap_err(), fault, "{bad:?}");
        }
    }

    #[test]
    fn length_limit() {
        assert!(RelPath::new(&"x".repeat(4_096)).is_ok());
        assert_eq!(
            RelPath::new(&"x".repeat(4_097)).unwrap_err(),
            PathFault::TooLong
        );
    }

    #[test]
    fn parts() {
        let path = RelPath::new("a/b/c.rs").unwrap();
        assert_eq!(path.name(), "c.rs");
        assert_eq!(path.parent().unwrap().as_str(), "a/b");
        assert_eq!(RelPath::new("a").unwrap().parent(), None);
        assert_eq!(path.segments().collect::<Vec<_>>(), ["a", "b", "c.rs"]);
    }
}
