//! MoonBit.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    child_of, opens_nothing, squeezed,
};
use crate::syntax::symbols::Kind;

const BLOCK: Cut = Cut::Child("block_expression");

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, BLOCK),
    Rule::closure("test_definition", BLOCK),
    Rule::declares("struct_definition", Kind::Struct, Inner::Type),
    Rule::declares("struct_field_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("enum_definition", Kind::Enum, Inner::Type),
    Rule::declares("enum_constructor", Kind::Constant, Inner::Nothing),
    Rule::declares("trait_definition", Kind::Trait, Inner::Nothing),
    Rule::declares("type_definition", Kind::Type, Inner::Nothing),
    Rule::declares("value_definition", Kind::Variable, Inner::Nothing),
    Rule::role("comment", Role::Attached),
];

/// MoonBit.
pub(in crate::syntax) static MOONBIT: Lang = Lang {
    name: "moonbit",
    extensions: &["mbt"],
    basenames: &[],
    comment: Comment::Line("//"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::With(&["pub", "pub(all)", "pub(open)"]),
    identifiers: &["identifier", "lowercase_identifier", "uppercase_identifier"],
    file: File::Source,
};

/// Named by the first child that is a name; `Type::method` has two segments.
fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let kinds = [
        "function_identifier",
        "identifier",
        "lowercase_identifier",
        "uppercase_identifier",
    ];
    let name = kinds.iter().find_map(|kind| child_of(site.node, kind));
    name.map(|name| {
        let mut declared = site.named(name);
        declared.segments = site.text_of(name).split("::").map(squeezed).collect();
        if declared.segments.len() > 1 && declared.kind == Kind::Function {
            declared.kind = Kind::Method;
        }
        declared
    })
    .into_iter()
    .collect()
}
