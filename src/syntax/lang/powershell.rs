//! PowerShell.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, binds_nothing, child_of,
    opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::declares("function_statement", Kind::Function, Inner::Function),
    Rule::declares("class_statement", Kind::Class, Inner::Type),
    Rule::declares("enum_statement", Kind::Enum, Inner::Type),
    Rule::declares("enum_member", Kind::Constant, Inner::Nothing),
    Rule::declares("class_property_definition", Kind::Field, Inner::Nothing),
    Rule::declares("class_method_definition", Kind::Method, Inner::Function),
    Rule::cut("script_block", Cut::Bytes(body, "", "")),
    Rule::role("script_block_expression", Role::Opaque),
    Rule::role("comment", Role::Attached),
];

/// PowerShell.
pub(in crate::syntax) static POWERSHELL: Lang = Lang {
    name: "powershell",
    extensions: &["ps1", "psm1"],
    basenames: &[],
    comment: Comment::Block("<#", "#>"),
    rules: RULES,
    is_function,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&["hidden"]),
    identifiers: &["variable", "simple_name", "command_name", "type_identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let name = ["function_name", "simple_name", "variable"]
        .into_iter()
        .find_map(|kind| child_of(site.node, kind));
    let Some(name) = name else { return Vec::new() };
    let mut declared = site.named(name);
    if name.kind() == "variable" {
        let text = site.text_of(name).trim_start_matches('$').to_owned();
        declared.segments = vec![text];
    }
    vec![declared]
}

/// The parameters in a block are part of the signature; a block of a command is not a body.
fn is_function(node: Node<'_>, _: &str) -> bool {
    let parent = node.parent().map(|parent| parent.kind());
    matches!(
        parent,
        Some("function_statement" | "class_method_definition")
    )
}

fn body(block: Node<'_>) -> Option<Range<usize>> {
    Some(child_of(block, "script_block_body")?.byte_range())
}
