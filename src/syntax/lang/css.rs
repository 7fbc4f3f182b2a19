//! Cascading style sheets: selectors and custom properties are kept, other declarations are cut.

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Exported, File, Lang, Rule, binds_nothing, child_of, opens_nothing,
};
use crate::syntax::stretch::slice;

const RULES: &[Rule] = &[Rule::cut("rule_set", Cut::Child("block"))];

/// Style sheets. They have no symbols.
pub(in crate::syntax) static CSS: Lang = Lang {
    name: "css",
    extensions: &["css"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: is_plain,
    declare: |_| Vec::new(),
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Wrapped,
    identifiers: &[],
    file: File::NoSymbols,
};

/// Whether a rule holds nothing but ordinary declarations.
fn is_plain(node: Node<'_>, text: &str) -> bool {
    let Some(block) = child_of(node, "block") else {
        return false;
    };
    let mut cursor = block.walk();
    let mut children = block.named_children(&mut cursor);
    children.all(|child| match child.kind() {
        "declaration" => !slice(text, child.byte_range()).starts_with("--"),
        kind => kind == "comment",
    })
}
