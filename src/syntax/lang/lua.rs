//! Lua.

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    child_of, opens_nothing, squeezed,
};
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Until("body");

const RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, BODY),
    Rule::closure("function_definition", BODY),
    Rule::declares("assignment_statement", Kind::Variable, Inner::Nothing),
    Rule::declares("field", Kind::Field, Inner::Nothing),
    Rule::role("table_constructor", Role::Opaque),
    Rule::role("variable_declaration", Role::Wraps),
    Rule::role("comment", Role::Attached),
];

/// Lua.
pub(in crate::syntax) static LUA: Lang = Lang {
    name: "lua",
    extensions: &["lua", "rockspec"],
    basenames: &[],
    comment: Comment::Line("--"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&["local"]),
    identifiers: &["identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "function_declaration" => function(site).into_iter().collect(),
        "assignment_statement" => assignment(site),
        "field" => key(site).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A name, or names joined by `.` and `:`.
fn path(site: &Site<'_, '_>, name: Node<'_>) -> Option<Vec<String>> {
    let plain = matches!(
        name.kind(),
        "identifier" | "dot_index_expression" | "method_index_expression"
    );
    let text = site.text_of(name);
    let simple = plain && !text.contains(['(', '[', '"', '\'']);
    simple.then(|| text.split(['.', ':']).map(squeezed).collect())
}

fn function(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name")?;
    let segments = path(site, name)?;
    let kind = if name.kind() == "method_index_expression" {
        Kind::Method
    } else {
        site.kind
    };
    Some(Declared::new(kind, segments, name.byte_range(), site.inner))
}

/// Names on the left; a single one is what its value is.
fn assignment(site: &Site<'_, '_>) -> Vec<Declared> {
    let local = site.scope.is_body() && site.outer.is_some();
    if site.scope != Inner::Module && !local {
        return Vec::new();
    }
    let Some(names) = child_of(site.node, "variable_list") else {
        return Vec::new();
    };
    let mut cursor = names.walk();
    let named = names.named_children(&mut cursor).filter_map(|name| {
        let segments = path(site, name)?;
        Some(Declared::new(
            site.kind,
            segments,
            name.byte_range(),
            Inner::Nothing,
        ))
    });
    let mut found: Vec<Declared> = named.collect();
    if let [declared] = found.as_mut_slice() {
        let values = child_of(site.node, "expression_list");
        take_value(
            declared,
            values.and_then(|values| values.named_child(0)),
            Kind::Function,
        );
    }
    found
}

fn take_value(declared: &mut Declared, value: Option<Node<'_>>, function: Kind) {
    let Some(value) = value else { return };
    match value.kind() {
        "function_definition" => {
            declared.kind = function;
            declared.inner = Inner::Function;
        }
        "table_constructor" => declared.inner = Inner::Object,
        _ => return,
    }
    declared.open = Some(value.id());
}

/// A named field of a table.
fn key(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name").filter(|_| site.scope == Inner::Object)?;
    let mut declared = site.named(name);
    take_value(&mut declared, site.field("value"), Kind::Method);
    matches!(name.kind(), "identifier" | "string").then_some(declared)
}
