//! Haskell, where a function is a run of equations.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Group, Inner, Lang, Role, Rule, Site, binds_nothing,
    child_of, opens_nothing, squeezed,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::declares("data_type", Kind::Type, Inner::Type),
    Rule::declares("newtype", Kind::Type, Inner::Type),
    Rule::declares("type_synonym", Kind::Type, Inner::Nothing),
    Rule::declares("data_constructor", Kind::Constructor, Inner::Nothing),
    Rule::declares("class", Kind::Interface, Inner::Type),
    Rule::declares("instance", Kind::Impl, Inner::Type),
    Rule::declares("signature", Kind::Function, Inner::Nothing),
    Rule::function("function", Kind::Function, BODY),
    Rule::function("bind", Kind::Function, BODY),
    Rule::role("local_binds", Role::Opaque),
    Rule::role("match", Role::Opaque),
    Rule::role("import", Role::Import),
    Rule::role("haddock", Role::Attached),
    Rule::role("comment", Role::Attached),
    Rule::role("pragma", Role::Attached),
];

/// Haskell, where a function is a run of equations.
pub(in crate::syntax) static HASKELL: Lang = Lang {
    name: "haskell",
    extensions: &["hs"],
    basenames: &[],
    comment: Comment::Block("{-", "-}"),
    rules: RULES,
    is_function,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&[]),
    identifiers: &["variable", "name", "constructor"],
    file: File::Source,
};

const BODY: Cut = Cut::Bytes(body, "= _ ", "");

/// A type signature and the equations after it are one symbol.
fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let kind = site.node.kind();
    let name = match kind {
        "data_constructor" => site
            .field("constructor")
            .and_then(|of| of.child_by_field_name("name")),
        _ => site.field("name"),
    };
    let Some(name) = name else { return Vec::new() };
    let mut declared = site.named(name);
    match kind {
        "signature" | "function" | "bind" => declared.group = Group::Accessor,
        "instance" => {
            let of = site.field("patterns").map(|of| site.text_of(of));
            declared.segments = vec![squeezed(&format!(
                "{} {}",
                site.text_of(name),
                of.unwrap_or_default()
            ))];
        }
        _ => {}
    }
    vec![declared]
}

/// An equation without parameters is a value, unless it is a list of steps or a function.
fn is_function(node: Node<'_>, _: &str) -> bool {
    let is_bind = node.kind() == "bind";
    let value = || child_of(node, "match")?.child_by_field_name("expression");
    let parent = node.parent().map(|parent| parent.kind());
    let steps = ["do", "lambda", "lambda_case"];
    let member = [
        "declarations",
        "class_declarations",
        "instance_declarations",
    ];
    parent.is_some_and(|parent| member.contains(&parent))
        && (!is_bind || value().is_some_and(|value| steps.contains(&value.kind())))
}

/// All alternatives with what they share.
fn body(node: Node<'_>) -> Option<Range<usize>> {
    Some(child_of(node, "match")?.start_byte()..node.end_byte())
}
