//! OCaml and its interfaces.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, binds_last_word,
    child_of, has_child, opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("let_binding", Kind::Variable, BODY),
    Rule::function("method_definition", Kind::Method, BODY),
    Rule::declares("value_specification", Kind::Function, Inner::Nothing),
    Rule::declares("external", Kind::Function, Inner::Nothing),
    Rule::declares("exception_definition", Kind::Type, Inner::Nothing),
    Rule::declares("type_binding", Kind::Type, Inner::Type),
    Rule::declares("constructor_declaration", Kind::Constant, Inner::Nothing),
    Rule::declares("field_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("module_type_definition", Kind::Interface, Inner::Type),
    Rule::declares("module_binding", Kind::Module, Inner::Module),
    Rule::declares("class_binding", Kind::Class, Inner::Type),
    Rule::declares("instance_variable_definition", Kind::Field, Inner::Nothing),
    Rule::role("value_definition", Role::Wraps),
    Rule::role("type_definition", Role::Wraps),
    Rule::role("module_definition", Role::Wraps),
    Rule::role("class_definition", Role::Wraps),
    Rule::role("let_expression", Role::Opaque),
    Rule::role("open_module", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// OCaml and its interfaces.
pub(in crate::syntax) static OCAML: Lang = Lang {
    name: "ocaml",
    extensions: &["ml"],
    basenames: &[],
    comment: Comment::Block("(*", "*)"),
    rules: RULES,
    is_function,
    declare,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::Without(&[]),
    identifiers: &[
        "value_name",
        "type_constructor",
        "module_name",
        "constructor_name",
        "method_name",
    ],
    file: File::Source,
};

/// OCaml interfaces.
pub(in crate::syntax) static INTERFACE: Lang = Lang {
    name: "ocaml-interface",
    extensions: &["mli"],
    ..OCAML
};

const BODY: Cut = Cut::Bytes(body, " ( ", " )");

const NAMES: &[&str] = &[
    "value_name",
    "method_name",
    "module_name",
    "module_type_name",
    "class_name",
    "instance_variable_name",
    "constructor_name",
    "field_name",
];

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let node = site.node;
    let name = match node.kind() {
        "let_binding" => site
            .field("pattern")
            .filter(|name| name.kind() == "value_name"),
        "type_binding" => site.field("name"),
        "exception_definition" => {
            child_of(node, "constructor_declaration").and_then(|of| of.named_child(0))
        }
        _ => NAMES.iter().find_map(|kind| child_of(node, kind)),
    };
    let Some(name) = name else { return Vec::new() };
    let mut declared = site.named(name);
    if node.kind() == "let_binding" && is_function(node, site.text) {
        declared.kind = Kind::Function;
    }
    vec![declared]
}

/// A binding with parameters, or of a function; one without is a value.
fn is_function(node: Node<'_>, _: &str) -> bool {
    let body = node.child_by_field_name("body").map(|body| body.kind());
    has_child(node, "parameter") || matches!(body, Some("fun_expression" | "function_expression"))
}

/// What stands behind the equals sign.
fn body(node: Node<'_>) -> Option<Range<usize>> {
    let body = node.child_by_field_name("body")?;
    Some(child_of(node, "=")?.end_byte()..body.end_byte())
}
