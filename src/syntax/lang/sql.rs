//! SQL: definitions stay, what is between the quotes of a function is cut.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    child_of, opens_nothing, unquoted,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::declares("create_table", Kind::Struct, Inner::Type),
    Rule::declares("create_view", Kind::Struct, Inner::Nothing),
    Rule::declares("create_materialized_view", Kind::Struct, Inner::Nothing),
    Rule::declares("create_type", Kind::Type, Inner::Nothing),
    Rule::declares("create_schema", Kind::Namespace, Inner::Nothing),
    Rule::declares("create_sequence", Kind::Variable, Inner::Nothing),
    Rule::declares("create_index", Kind::Variable, Inner::Nothing),
    Rule::declares("create_trigger", Kind::Function, Inner::Nothing),
    Rule::declares("create_function", Kind::Function, Inner::Nothing),
    Rule::declares("column_definition", Kind::Field, Inner::Nothing),
    Rule::cut("function_body", Cut::Bytes(body, " ", "")),
    Rule::role("statement", Role::Wraps),
    Rule::role("comment", Role::Attached),
    Rule::role("marginalia", Role::Attached),
];

/// SQL: definitions stay, what is between the quotes of a function is cut.
pub(in crate::syntax) static SQL: Lang = Lang {
    name: "sql",
    extensions: &["sql"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&[]),
    identifiers: &["identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let name = match site.node.kind() {
        "statement" => None,
        "create_index" => site.field("column"),
        "column_definition" => site.field("name"),
        "create_schema" => child_of(site.node, "identifier"),
        _ => child_of(site.node, "object_reference"),
    };
    let Some(name) = name else { return Vec::new() };
    let mut declared = site.named(name);
    let parts = site.text_of(name).split('.');
    declared.segments = parts.map(unquoted).collect();
    vec![declared]
}

/// What stands between the quotes.
fn body(body: Node<'_>) -> Option<Range<usize>> {
    let mut cursor = body.walk();
    let mut quotes = body
        .children(&mut cursor)
        .filter(|child| child.kind() == "dollar_quote");
    let (open, close) = (quotes.next()?, quotes.last()?);
    Some(open.end_byte()..close.start_byte())
}
