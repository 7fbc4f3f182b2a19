//! Erlang, where a function is a run of clauses.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Group, Inner, Lang, Role, Rule, Site, binds_nothing,
    child_of, opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::declares("module_attribute", Kind::Module, Inner::Nothing),
    Rule::declares("pp_define", Kind::Macro, Inner::Nothing),
    Rule::declares("record_decl", Kind::Struct, Inner::Nothing),
    Rule::declares("type_alias", Kind::Type, Inner::Nothing),
    Rule::declares("opaque", Kind::Type, Inner::Nothing),
    Rule::declares("callback", Kind::Interface, Inner::Nothing),
    Rule::declares("fun_decl", Kind::Function, Inner::Nothing),
    Rule::cut("clause_body", Cut::Bytes(body, " _ ", "\n")),
    Rule::role("fa", Role::Exports),
    Rule::role("spec", Role::Attached),
    Rule::role("import_attribute", Role::Import),
    Rule::role("pp_include", Role::Import),
    Rule::role("pp_include_lib", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// Erlang, where a function is a run of clauses.
pub(in crate::syntax) static ERLANG: Lang = Lang {
    name: "erlang",
    extensions: &["erl", "hrl"],
    basenames: &[],
    comment: Comment::Line("%"),
    rules: RULES,
    is_function,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Wrapped,
    identifiers: &["atom", "var"],
    file: File::Source,
};

/// Clauses of one function that follow each other are one symbol.
fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let name = match site.node.kind() {
        "fun_decl" => site
            .field("clause")
            .and_then(|clause| clause.child_by_field_name("name")),
        "pp_define" => site
            .field("lhs")
            .and_then(|lhs| lhs.child_by_field_name("name")),
        "callback" => site.field("fun"),
        "type_alias" | "opaque" => site
            .field("name")
            .and_then(|name| name.child_by_field_name("name")),
        _ => site.field("name"),
    };
    let Some(name) = name else { return Vec::new() };
    let mut declared = site.named(name);
    match site.node.kind() {
        "fun_decl" => declared.group = Group::Accessor,
        "module_attribute" => declared.exported = Some(true),
        _ => {}
    }
    vec![declared]
}

/// Clauses of `case`, `receive` and `fun` are statements.
fn is_function(node: Node<'_>, _: &str) -> bool {
    node.parent()
        .is_some_and(|parent| parent.kind() == "function_clause")
}

fn body(clause: Node<'_>) -> Option<Range<usize>> {
    Some(child_of(clause, "->")?.end_byte()..clause.end_byte())
}
