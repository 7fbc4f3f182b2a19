//! Dart.

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Group, Inner, Lang, Role, Rule, Site, always,
    binds_nothing, by_name, child_of, opens_nothing,
};
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Field("body");

const RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, BODY),
    Rule::function("method_declaration", Kind::Function, BODY),
    Rule::closure("function_expression", BODY),
    Rule::declares("declaration", Kind::Function, Inner::Nothing),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("mixin_declaration", Kind::Trait, Inner::Type),
    Rule::declares("extension_declaration", Kind::Impl, Inner::Type),
    Rule::declares("enum_declaration", Kind::Enum, Inner::Type),
    Rule::declares("enum_entry", Kind::Constant, Inner::Nothing),
    Rule::declares("initialized_identifier", Kind::Variable, Inner::Nothing),
    Rule::declares("static_final_declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("type_alias", Kind::Type, Inner::Nothing),
    Rule::role("member_declaration", Role::Wraps),
    Rule::role("top_level_variable_declaration", Role::Wraps),
    Rule::role("initialized_identifier_list", Role::Wraps),
    Rule::role("static_final_declaration_list", Role::Wraps),
    Rule::role("import_or_export", Role::Import),
    Rule::role("annotation", Role::Attached),
    Rule::role("comment", Role::Attached),
    Rule::role("documentation_comment", Role::Attached),
];

/// Dart.
pub(in crate::syntax) static DART: Lang = Lang {
    name: "dart",
    extensions: &["dart"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::NoUnderscore,
    identifiers: &["identifier", "type_identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "function_declaration" | "method_declaration" => site
            .field("signature")
            .and_then(|signature| signed(site, signature))
            .into_iter()
            .collect(),
        "declaration" => members(site),
        "type_alias" => {
            let name = child_of(site.node, "type_identifier");
            name.map(|name| site.named(name)).into_iter().collect()
        }
        _ => by_name(site),
    }
}

/// A member without a body: fields, or a signature.
fn members(site: &Site<'_, '_>) -> Vec<Declared> {
    let lists = [
        "initialized_identifier_list",
        "static_final_declaration_list",
    ];
    if let Some(list) = lists.iter().find_map(|kind| child_of(site.node, kind)) {
        let mut cursor = list.walk();
        let names = list
            .named_children(&mut cursor)
            .filter_map(|one| one.child_by_field_name("name"));
        return names
            .map(|name| {
                let mut declared = site.named(name);
                declared.kind = Kind::Field;
                declared
            })
            .collect();
    }
    let mut cursor = site.node.walk();
    let mut children = site.node.named_children(&mut cursor).take(64);
    let signature = children.find(|child| child.kind().ends_with("_signature"));
    signature
        .and_then(|signature| signed(site, signature))
        .into_iter()
        .collect()
}

/// Named by the innermost signature; a named constructor has both its names.
fn signed(site: &Site<'_, '_>, signature: Node<'_>) -> Option<Declared> {
    let mut at = signature;
    for _ in 0..4 {
        let mut cursor = at.walk();
        let names: Vec<Node<'_>> = at
            .children_by_field_name("name", &mut cursor)
            .filter(Node::is_named)
            .collect();
        let Some((first, rest)) = names.split_first() else {
            at = at.named_child(0)?;
            continue;
        };
        let mut declared = site.named(*first);
        if matches!(at.kind(), "getter_signature" | "setter_signature") {
            declared.kind = Kind::Accessor;
            declared.group = Group::Accessor;
        } else if at.kind().contains("constructor") {
            declared.kind = Kind::Constructor;
            let text = site.text_of(*first).to_owned();
            let more = rest.iter().map(|name| site.text_of(*name).to_owned());
            declared.segments = vec![
                std::iter::once(text)
                    .chain(more)
                    .collect::<Vec<_>>()
                    .join("."),
            ];
        }
        return Some(declared);
    }
    None
}
