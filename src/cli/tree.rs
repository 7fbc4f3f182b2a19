//! Tokens per file and directory, as a tree of text.

use super::size::grouped;
use crate::render::quote;

/// A file or directory with the tokens of everything below it.
struct Node<'a> {
    depth: usize,
    name: &'a str,
    is_directory: bool,
    tokens: u64,
}

/// The tree of `files` (paths in byte order, with tokens), without what has fewer than `min`
/// tokens. Shares are of `total`.
#[must_use]
pub(super) fn token_tree<'a>(
    files: impl IntoIterator<Item = (&'a str, u64)>,
    total: u64,
    min: u64,
) -> String {
    let mut nodes: Vec<Node<'a>> = Vec::new();
    // The directories of the path before: name and index of the node.
    let mut open: Vec<(&'a str, usize)> = Vec::new();
    for (path, tokens) in files {
        let (above, name) = path.rsplit_once('/').map_or(("", path), |parts| parts);
        let directories: Vec<&str> = above.split('/').filter(|one| !one.is_empty()).collect();
        let n_same = open
            .iter()
            .zip(&directories)
            .take_while(|((have, _), want)| have == *want)
            .count();
        open.truncate(n_same);
        for &directory in directories.iter().skip(n_same) {
            open.push((directory, nodes.len()));
            nodes.push(Node {
                depth: open.len() - 1,
                name: directory,
                is_directory: true,
                tokens: 0,
            });
        }
        for (_, index) in &open {
            if let Some(node) = nodes.get_mut(*index) {
                node.tokens += tokens;
            }
        }
        nodes.push(Node {
            depth: open.len(),
            name,
            is_directory: false,
            tokens,
        });
    }
    let mut out = String::new();
    for node in nodes.iter().filter(|node| node.tokens >= min) {
        push_row(&mut out, node.tokens, total);
        out.extend(std::iter::repeat_n("  ", node.depth));
        out.push_str(&quote::name(node.name));
        out.push_str(if node.is_directory { "/\n" } else { "\n" });
    }
    out
}

/// Tokens and share, in columns, and two blanks.
pub(super) fn push_row(out: &mut String, tokens: u64, total: u64) {
    out.push_str(&format!(
        "{:>12} {:>7}  ",
        grouped(tokens),
        share(tokens, total)
    ));
}

/// What part of `total` is `part`, rounded to a tenth of a percent.
#[must_use]
pub(super) fn share(part: u64, total: u64) -> String {
    let total = u128::from(total.max(1));
    let tenths = (u128::from(part) * 1_000 + total / 2) / total;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::{share, token_tree};

    #[test]
    fn directories_sum_up() {
        let files = [
            ("README.md", 100),
            ("src/a/x.rs", 700),
            ("src/a/y.rs", 1_500),
            ("src/main.rs", 200),
            ("src-old/z.rs", 5),
        ];
        expect![[r#"
            tree
                     100   4.0 %  README.md
                   2,400  95.8 %  src/
                   2,200  87.8 %    a/
                     700  27.9 %      x.rs
                   1,500  59.9 %      y.rs
                     200   8.0 %    main.rs
                       5   0.2 %  src-old/
                       5   0.2 %    z.rs
        "#]]
        .assert_eq(&format!("tree\n{}", token_tree(files, 2_505, 0)));
        expect![[r#"
            tree
                   2,400  95.8 %  src/
                   2,200  87.8 %    a/
                   1,500  59.9 %      y.rs
        "#]]
        .assert_eq(&format!("tree\n{}", token_tree(files, 2_505, 1_500)));
    }

    #[test]
    fn shares() {
        for (part, total, text) in [
            (0, 0, "0.0 %"),
            (1, 3, "33.3 %"),
            (2, 3, "66.7 %"),
            (7, 7, "100.0 %"),
        ] {
            assert_eq!(share(part, total), text);
        }
    }
}
