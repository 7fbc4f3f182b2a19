//! C#.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_last_word,
    by_name, opens_nothing, squeezed,
};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Field("body");

const RULES: &[Rule] = &[
    Rule::function("method_declaration", Kind::Function, BODY),
    Rule::function("constructor_declaration", Kind::Constructor, BODY),
    Rule::function("destructor_declaration", Kind::Method, BODY),
    Rule::function("operator_declaration", Kind::Method, BODY),
    Rule::function("conversion_operator_declaration", Kind::Method, BODY),
    Rule::function("local_function_statement", Kind::Function, BODY),
    Rule::closure("accessor_declaration", BODY),
    Rule::closure("lambda_expression", BODY),
    Rule::closure("anonymous_method_expression", Cut::Child("block")),
    Rule::declares("namespace_declaration", Kind::Namespace, Inner::Module),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("record_declaration", Kind::Class, Inner::Type),
    Rule::declares("struct_declaration", Kind::Struct, Inner::Type),
    Rule::declares("interface_declaration", Kind::Interface, Inner::Type),
    Rule::declares("enum_declaration", Kind::Enum, Inner::Type),
    Rule::declares("enum_member_declaration", Kind::Constant, Inner::Nothing),
    Rule::declares("delegate_declaration", Kind::Type, Inner::Nothing),
    Rule::declares("property_declaration", Kind::Accessor, Inner::Nothing),
    Rule::declares("indexer_declaration", Kind::Accessor, Inner::Nothing),
    Rule::declares("event_declaration", Kind::Accessor, Inner::Nothing),
    Rule::declares("variable_declarator", Kind::Variable, Inner::Nothing),
    Rule::role("field_declaration", Role::Wraps),
    Rule::role("event_field_declaration", Role::Wraps),
    Rule::role("variable_declaration", Role::Wraps),
    Rule::role("using_directive", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// C#.
pub(in crate::syntax) static CSHARP: Lang = Lang {
    name: "csharp",
    extensions: &["cs", "csx"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::With(&["public"]),
    identifiers: &["identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let mut found = by_name(site);
    for declared in &mut found {
        match site.node.kind() {
            "namespace_declaration" => {
                let name = declared.segments.concat();
                declared.segments = name.split('.').map(squeezed).collect();
            }
            "destructor_declaration" => {
                declared.segments = vec![format!("~{}", declared.segments.concat())]
            }
            _ => {}
        }
    }
    if found.is_empty() {
        found.extend(unnamed(site));
    }
    found
}

/// Members whose name is made of words: operators and indexers.
fn unnamed(site: &Site<'_, '_>) -> Option<Declared> {
    let word = match site.node.kind() {
        "indexer_declaration" => "this",
        "operator_declaration" | "conversion_operator_declaration" => "operator",
        _ => return None,
    };
    let mut cursor = site.node.walk();
    let start = site
        .node
        .children(&mut cursor)
        .take(64)
        .find(|child| child.kind() == word)?
        .start_byte();
    let end = site.field("parameters")?.start_byte();
    let name = squeezed(slice(site.text, start..end));
    Some(Declared::new(site.kind, vec![name], start..end, site.inner))
}
