//! Other spellings of a path that exists: another letter case, or accents written apart.
//!
//! Each directory is listed once, whatever the number of paths asked about. Accents are compared
//! for the Latin letters that file systems commonly hold in both forms; other scripts only by case.

use std::collections::BTreeMap;

use crate::path::RelPath;
use crate::root::Root;

/// Whether this system's usual file systems find a name by other spellings, too.
pub(super) const FOLDING: bool = cfg!(any(target_os = "macos", target_os = "ios", windows));

/// Combining marks with letters in one piece and the letters they are made of.
const ACCENTS: [(char, &str, &str); 10] = [
    ('\u{300}', "\u{e0}\u{e8}\u{ec}\u{f2}\u{f9}", "aeiou"),
    (
        '\u{301}',
        "\u{e1}\u{e9}\u{ed}\u{f3}\u{fa}\u{fd}\u{107}\u{144}\u{15b}\u{17a}",
        "aeiouycnsz",
    ),
    ('\u{302}', "\u{e2}\u{ea}\u{ee}\u{f4}\u{fb}", "aeiou"),
    ('\u{303}', "\u{e3}\u{f1}\u{f5}", "ano"),
    ('\u{304}', "\u{101}\u{113}\u{12b}\u{14d}\u{16b}", "aeiou"),
    ('\u{308}', "\u{e4}\u{eb}\u{ef}\u{f6}\u{fc}\u{ff}", "aeiouy"),
    ('\u{30a}', "\u{e5}\u{16f}", "au"),
    ('\u{30b}', "\u{151}\u{171}", "ou"),
    (
        '\u{30c}',
        "\u{10d}\u{10f}\u{11b}\u{148}\u{159}\u{161}\u{165}\u{17e}",
        "cdenrstz",
    ),
    ('\u{327}', "\u{e7}\u{15f}\u{163}", "cst"),
];

/// The names of directories under the form in which spellings are compared.
pub(super) struct Spellings<'r> {
    root: &'r Root,
    folders: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

impl<'r> Spellings<'r> {
    pub(super) fn new(root: &'r Root) -> Self {
        Self {
            root,
            folders: BTreeMap::new(),
        }
    }

    /// Whether `path` exists, but only in another spelling.
    pub(super) fn is_other(&mut self, path: &RelPath) -> bool {
        let mut dir: Option<RelPath> = None;
        let mut other = false;
        for name in path.segments() {
            let names = self.names(dir.as_ref());
            let Some(alike) = names.get(&folded(name)) else {
                return false;
            };
            let is_exact = alike.iter().any(|one| one == name);
            other |= !is_exact;
            let found = if is_exact {
                Some(name)
            } else {
                alike.first().map(String::as_str)
            };
            let Some(found) = found else { return false };
            let next = dir.map_or_else(|| RelPath::new(found), |dir| dir.join(found));
            let Ok(next) = next else { return false };
            dir = Some(next);
        }
        other
    }

    fn names(&mut self, dir: Option<&RelPath>) -> &BTreeMap<String, Vec<String>> {
        let key = dir.map_or_else(String::new, |dir| dir.as_str().to_owned());
        self.folders.entry(key).or_insert_with(|| {
            let entries = self.root.list(dir, usize::MAX).unwrap_or_default();
            let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for name in entries.iter().filter_map(|entry| entry.name.to_str()) {
                names.entry(folded(name)).or_default().push(name.to_owned());
            }
            for alike in names.values_mut() {
                alike.sort();
            }
            names
        })
    }
}

/// The form in which spellings are compared: lower case, accents apart.
fn folded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars().flat_map(char::to_lowercase) {
        let apart = ACCENTS.iter().find_map(|&(mark, whole, base)| {
            let index = whole.chars().position(|one| one == c)?;
            Some((base.chars().nth(index)?, mark))
        });
        match apart.filter(|_| !c.is_ascii()) {
            Some((base, mark)) => text.extend([base, mark]),
            None => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding() {
        for (one, other, same) in [
            ("Readme.MD", "README.md", true),
            ("caf\u{e9}", "cafe\u{301}", true),
            ("\u{c9}TUDE", "e\u{301}tude", true),
            ("\u{159}\u{16f}", "r\u{30c}u\u{30a}", true),
            ("cafe", "caf\u{e9}", false),
            ("a", "b", false),
        ] {
            assert_eq!(folded(one) == folded(other), same, "{one} {other}");
        }
        for (_, whole, base) in ACCENTS {
            assert_eq!(whole.chars().count(), base.chars().count(), "{whole}");
        }
    }

    #[test]
    fn only_other_spellings_count() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("Src")).unwrap();
        for name in ["Src/Main", "Src/caf\u{e9}"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let root = Root::open(dir.path()).unwrap();
        let mut spellings = Spellings::new(&root);
        for (path, other) in [
            ("Src/Main", false),
            ("src/Main", true),
            ("Src/MAIN", true),
            ("src/cafe\u{301}", true),
            ("Src/Other", false),
            ("Src/Main/x", false),
        ] {
            assert_eq!(
                spellings.is_other(&RelPath::new(path).unwrap()),
                other,
                "{path}"
            );
        }
    }
}
