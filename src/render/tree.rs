//! The directory tree: accepted files, nested, one name a line.

use super::quote;

/// The lines of a tree, each of which knows the directories it stands in, so that a piece of the
/// tree can be shown alone.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    depth: usize,
    name: String,
    /// Index of the line of the directory this one stands in.
    parent: Option<usize>,
}

impl Tree {
    /// The tree of `paths`, which are in byte order.
    #[must_use]
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut lines: Vec<Line> = Vec::new();
        // The directories of the path before, each with the index of its line.
        let mut open: Vec<(&'a str, usize)> = Vec::new();
        for path in paths {
            let (directories, name) = match path.rsplit_once('/') {
                Some((directories, name)) => (directories.split('/').collect(), name),
                None => (Vec::new(), path),
            };
            let n_same = open
                .iter()
                .zip(&directories)
                .take_while(|((have, _), want)| have == *want)
                .count();
            open.truncate(n_same);
            for directory in directories.iter().skip(n_same) {
                let parent = open.last().map(|(_, index)| *index);
                lines.push(Line {
                    depth: open.len(),
                    name: format!("{}/", quote::name(directory)),
                    parent,
                });
                open.push((directory, lines.len() - 1));
            }
            let parent = open.last().map(|(_, index)| *index);
            lines.push(Line {
                depth: open.len(),
                name: quote::name(name).into_owned(),
                parent,
            });
        }
        Self { lines }
    }

    /// Number of lines.
    #[must_use]
    pub fn n_lines(&self) -> usize {
        self.lines.len()
    }

    /// The text of lines `from..to` (0-based), led by the directories that the first of them
    /// stands in.
    #[must_use]
    pub fn text(&self, from: usize, to: usize) -> String {
        let mut out = String::new();
        let Some(lines) = self.lines.get(from..to) else {
            return out;
        };
        let mut leading = Vec::new();
        let mut parent = lines.first().and_then(|line| line.parent);
        while let Some(line) = parent.and_then(|index| self.lines.get(index)) {
            leading.push(line);
            parent = line.parent;
        }
        for line in leading.into_iter().rev().chain(lines) {
            out.extend(std::iter::repeat_n("  ", line.depth));
            out.push_str(&line.name);
            out.push('\n');
        }
        out
    }

    /// The whole text.
    #[must_use]
    pub fn full_text(&self) -> String {
        self.text(0, self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn nested() {
        let tree = Tree::new([
            "README.md",
            "src/a/x.rs",
            "src/a/y.rs",
            "src/b/z.rs",
            "src/lib.rs",
        ]);
        assert_eq!(
            tree.full_text(),
            "README.md\nsrc/\n  a/\n    x.rs\n    y.rs\n  b/\n    z.rs\n  lib.rs\n"
        );
        assert_eq!(tree.text(4, 6), "src/\n  a/\n    y.rs\n  b/\n");
        assert_eq!(Tree::new([]).full_text(), "");
    }
}
