//! Zig.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    by_name, child_of, has_child, opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, Cut::Field("body")),
    Rule::closure("test_declaration", Cut::Child("block")),
    Rule::declares("variable_declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("container_field", Kind::Field, Inner::Nothing),
    Rule::role("comment", Role::Attached),
];

/// Zig.
pub(in crate::syntax) static ZIG: Lang = Lang {
    name: "zig",
    extensions: &["zig", "zon"],
    basenames: &[],
    comment: Comment::Line("//"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::With(&["pub"]),
    identifiers: &["identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "variable_declaration" => variable(site).into_iter().collect(),
        "container_field" if site.scope != Inner::Type => Vec::new(),
        _ => by_name(site),
    }
}

/// A constant that is a type has the type's members.
fn variable(site: &Site<'_, '_>) -> Option<Declared> {
    let mut declared = site.named(child_of(site.node, "identifier")?);
    let kinds = [
        ("struct_declaration", Kind::Struct),
        ("union_declaration", Kind::Struct),
        ("opaque_declaration", Kind::Struct),
        ("enum_declaration", Kind::Enum),
    ];
    if let Some((_, kind)) = kinds.iter().find(|(node, _)| has_child(site.node, node)) {
        declared.kind = *kind;
        declared.inner = Inner::Type;
    } else if has_child(site.node, "const") && site.scope == Inner::Module {
        declared.kind = Kind::Constant;
    }
    Some(declared)
}
