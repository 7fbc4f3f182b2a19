//! Objective-C, on top of C.

use crate::syntax::lang::cfamily;
use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, binds_nothing, child_of,
    opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, Cut::Field("body")),
    Rule::function(
        "method_definition",
        Kind::Method,
        Cut::Child("compound_statement"),
    ),
    Rule::declares("method_declaration", Kind::Method, Inner::Nothing),
    Rule::declares("class_interface", Kind::Class, Inner::Type),
    Rule::declares("class_implementation", Kind::Impl, Inner::Type),
    Rule::declares("protocol_declaration", Kind::Interface, Inner::Type),
    Rule::declares("property_declaration", Kind::Accessor, Inner::Nothing),
    Rule::declares("struct_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("field_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("type_definition", Kind::Type, Inner::Nothing),
    Rule::declares("struct_specifier", Kind::Struct, Inner::Type),
    Rule::declares("union_specifier", Kind::Struct, Inner::Type),
    Rule::declares("enum_specifier", Kind::Enum, Inner::Type),
    Rule::declares("enumerator", Kind::Constant, Inner::Nothing),
    Rule::declares("preproc_def", Kind::Macro, Inner::Nothing),
    Rule::declares("preproc_function_def", Kind::Macro, Inner::Nothing),
    Rule::role("block_literal", Role::Opaque),
    Rule::role("parameter_list", Role::Opaque),
    Rule::role("preproc_include", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// Objective-C.
pub(in crate::syntax) static OBJC: Lang = Lang {
    name: "objective-c",
    extensions: &["m", "mm"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: cfamily::is_function,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&["static"]),
    identifiers: &["identifier", "type_identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "class_interface" | "protocol_declaration" => {
            let name = child_of(site.node, "identifier");
            name.map(|name| site.named(name)).into_iter().collect()
        }
        "class_implementation" => implementation(site).into_iter().collect(),
        "method_declaration" | "method_definition" => selector(site).into_iter().collect(),
        "property_declaration" => {
            let declaration = child_of(site.node, "struct_declaration");
            declaration
                .and_then(|declaration| declarator(site, declaration))
                .into_iter()
                .collect()
        }
        "struct_declaration" => declarator(site, site.node).into_iter().collect(),
        _ => cfamily::declare(site),
    }
}

/// The members of an implementation are the class's.
fn implementation(site: &Site<'_, '_>) -> Option<Declared> {
    let name = child_of(site.node, "identifier")?;
    let mut declared = site.named(name);
    let class = site.text_of(name).to_owned();
    declared.segments = vec![format!("implementation {class}")];
    declared.seen_as = Some(vec![class]);
    Some(declared)
}

/// The parts of a method's name, each with its colon.
fn selector(site: &Site<'_, '_>) -> Option<Declared> {
    let mut cursor = site.node.walk();
    let mut name = String::new();
    let mut first = None;
    for child in site.node.named_children(&mut cursor) {
        match child.kind() {
            "identifier" => {
                name.push_str(site.text_of(child));
                first.get_or_insert(child);
            }
            "method_parameter" => name.push(':'),
            _ => {}
        }
    }
    Some(Declared::new(
        site.kind,
        vec![name],
        first?.byte_range(),
        site.inner,
    ))
}

/// The innermost name of the first declarator of an instance variable or property.
fn declarator(site: &Site<'_, '_>, declaration: tree_sitter::Node<'_>) -> Option<Declared> {
    let mut at = child_of(declaration, "struct_declarator")?;
    for _ in 0..16 {
        match at.named_child(0) {
            Some(inner) if at.kind() != "identifier" => at = inner,
            _ => break,
        }
    }
    (at.kind() == "identifier").then(|| site.named(at))
}
