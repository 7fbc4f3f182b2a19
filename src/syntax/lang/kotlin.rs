//! Kotlin.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_last_word,
    by_name, child_of, has_child, opens_nothing,
};
use crate::syntax::symbols::Kind;

const BLOCK: Cut = Cut::Child("block");
const BODY: Cut = Cut::Child("function_body");

const RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, BODY),
    Rule::function("secondary_constructor", Kind::Constructor, BLOCK),
    Rule::closure("anonymous_function", BODY),
    Rule::closure("anonymous_initializer", BLOCK),
    Rule::closure("getter", BODY),
    Rule::closure("setter", BODY),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("object_declaration", Kind::Class, Inner::Type),
    Rule::declares("companion_object", Kind::Class, Inner::Type),
    Rule::declares("enum_entry", Kind::Constant, Inner::Type),
    Rule::declares("class_parameter", Kind::Field, Inner::Nothing),
    Rule::declares("property_declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("type_alias", Kind::Type, Inner::Nothing),
    Rule::role("lambda_literal", Role::Opaque),
    Rule::role("object_literal", Role::Opaque),
    Rule::role("import", Role::Import),
    Rule::role("line_comment", Role::Attached),
    Rule::role("block_comment", Role::Attached),
];

/// Kotlin, scripts included.
pub(in crate::syntax) static KOTLIN: Lang = Lang {
    name: "kotlin",
    extensions: &["kt", "kts"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::Without(&["private", "internal", "protected"]),
    identifiers: &["identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "class_declaration" => {
            let mut found = by_name(site);
            for declared in &mut found {
                if has_child(site.node, "interface") {
                    declared.kind = Kind::Interface;
                } else if has_child(site.node, "enum_class_body") {
                    declared.kind = Kind::Enum;
                }
            }
            found
        }
        "companion_object" => vec![fixed(site, "Companion")],
        "secondary_constructor" => vec![fixed(site, "constructor")],
        "enum_entry" => identifier(site).into_iter().collect(),
        "type_alias" => site
            .field("type")
            .map(|name| site.named(name))
            .into_iter()
            .collect(),
        "class_parameter" => {
            let property = has_child(site.node, "val") || has_child(site.node, "var");
            identifier(site).filter(|_| property).into_iter().collect()
        }
        "property_declaration" => property(site),
        "function_declaration" => function(site).into_iter().collect(),
        _ => by_name(site),
    }
}

/// Named by its field `name`, or by a word of the language.
fn fixed(site: &Site<'_, '_>, word: &str) -> Declared {
    if let Some(name) = site.field("name") {
        return site.named(name);
    }
    let start = site.node.start_byte();
    Declared::new(
        site.kind,
        vec![word.to_owned()],
        start..start + word.len(),
        site.inner,
    )
}

fn identifier(site: &Site<'_, '_>) -> Option<Declared> {
    child_of(site.node, "identifier").map(|name| site.named(name))
}

/// An extension function belongs to its receiver.
fn function(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name")?;
    let mut declared = site.named(name);
    let receiver = child_of(site.node, "user_type")
        .filter(|receiver| receiver.end_byte() <= name.start_byte());
    if let Some(receiver) = receiver.and_then(|receiver| child_of(receiver, "identifier")) {
        declared
            .segments
            .insert(0, site.text_of(receiver).to_owned());
    }
    Some(declared)
}

fn property(site: &Site<'_, '_>) -> Vec<Declared> {
    let accessor = has_child(site.node, "getter") || has_child(site.node, "setter");
    let several = child_of(site.node, "multi_variable_declaration");
    let holder = several.unwrap_or(site.node);
    let mut cursor = holder.walk();
    let variables = holder
        .named_children(&mut cursor)
        .filter(|node| node.kind() == "variable_declaration");
    let names = variables.filter_map(|variable| child_of(variable, "identifier"));
    names
        .map(|name| {
            let mut declared = site.named(name);
            if accessor && site.scope == Inner::Type {
                declared.kind = Kind::Accessor;
            }
            declared
        })
        .collect()
}
