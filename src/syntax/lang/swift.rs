//! Swift.

use tree_sitter::Node;

use crate::syntax::lang::{
    Below, Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always,
    binds_last_word, by_name, child_of, each_below, has_child, opens_nothing, squeezed,
};
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Field("body");
const STATEMENTS: Cut = Cut::Around("statements");

const RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, BODY),
    Rule::function("init_declaration", Kind::Constructor, BODY),
    Rule::function("deinit_declaration", Kind::Method, BODY),
    Rule::cut("computed_property", STATEMENTS),
    Rule::cut("computed_getter", STATEMENTS),
    Rule::cut("computed_setter", STATEMENTS),
    Rule::cut("computed_modify", STATEMENTS),
    Rule::cut("willset_clause", STATEMENTS),
    Rule::cut("didset_clause", STATEMENTS),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("protocol_declaration", Kind::Interface, Inner::Type),
    Rule::declares(
        "protocol_function_declaration",
        Kind::Method,
        Inner::Nothing,
    ),
    Rule::declares("protocol_property_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("associatedtype_declaration", Kind::Type, Inner::Nothing),
    Rule::declares("typealias_declaration", Kind::Type, Inner::Nothing),
    Rule::declares("property_declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("subscript_declaration", Kind::Accessor, Inner::Nothing),
    Rule::declares("enum_entry", Kind::Constant, Inner::Nothing),
    Rule::declares("macro_declaration", Kind::Macro, Inner::Nothing),
    Rule::role("lambda_literal", Role::Opaque),
    Rule::role("import_declaration", Role::Import),
    Rule::role("comment", Role::Attached),
    Rule::role("multiline_comment", Role::Attached),
];

/// Swift.
pub(in crate::syntax) static SWIFT: Lang = Lang {
    name: "swift",
    extensions: &["swift"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::With(&["public", "open"]),
    identifiers: &["simple_identifier", "type_identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "class_declaration" => class(site).into_iter().collect(),
        "init_declaration" => vec![word(site, "init")],
        "deinit_declaration" => vec![word(site, "deinit")],
        "subscript_declaration" => vec![word(site, "subscript")],
        "macro_declaration" => child_of(site.node, "simple_identifier")
            .map(|name| site.named(name))
            .into_iter()
            .collect(),
        "enum_entry" => names(site),
        "property_declaration" | "protocol_property_declaration" => properties(site),
        _ => by_name(site),
    }
}

fn word(site: &Site<'_, '_>, word: &str) -> Declared {
    let at = child_of(site.node, word).unwrap_or(site.node).start_byte();
    Declared::new(
        site.kind,
        vec![word.to_owned()],
        at..at + word.len(),
        site.inner,
    )
}

/// Classes, structures, enumerations, actors, and extensions, whose members are the type's.
fn class(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name")?;
    let mut declared = site.named(name);
    let kind = |word: &str| has_child(site.node, word);
    if kind("extension") {
        let bare = site
            .text_of(name)
            .split('<')
            .next()
            .map(squeezed)
            .unwrap_or_default();
        declared.kind = Kind::Impl;
        declared.segments = vec![format!("extension {bare}")];
        declared.seen_as = Some(bare.split('.').map(str::to_owned).collect());
    } else if kind("struct") {
        declared.kind = Kind::Struct;
    } else if kind("enum") {
        declared.kind = Kind::Enum;
    }
    Some(declared)
}

fn names(site: &Site<'_, '_>) -> Vec<Declared> {
    let mut cursor = site.node.walk();
    let names = site.node.children_by_field_name("name", &mut cursor);
    let names = names.filter(|name| name.kind() == "simple_identifier");
    names.map(|name| site.named(name)).collect()
}

/// The names bound by the patterns of a property.
fn properties(site: &Site<'_, '_>) -> Vec<Declared> {
    let computed = site.field("computed_value").is_some();
    let mut found = Vec::new();
    let mut cursor = site.node.walk();
    let patterns = site.node.children_by_field_name("name", &mut cursor);
    for pattern in patterns.filter(|node| node.kind() == "pattern") {
        each_below(pattern, |node: Node<'_>, _| {
            if node.kind() == "simple_identifier" {
                let mut declared = site.named(node);
                if computed && site.scope == Inner::Type {
                    declared.kind = Kind::Accessor;
                }
                found.push(declared);
            }
            Below::Enter
        });
    }
    found
}
