//! Elixir, where every declaration is a call.

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Group, Inner, Lang, Role, Rule, Site, binds_last_word,
    child_of, opens_nothing,
};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule {
        node: "call",
        cut: Cut::Child("do_block"),
        role: Role::Declares(Kind::Function, Inner::Nothing),
    },
    Rule::role("anonymous_function", Role::Opaque),
    Rule::role("unary_operator", Role::Attached),
    Rule::role("comment", Role::Attached),
];

/// Elixir.
pub(in crate::syntax) static ELIXIR: Lang = Lang {
    name: "elixir",
    extensions: &["ex", "exs"],
    basenames: &[],
    comment: Comment::Line("#"),
    rules: RULES,
    is_function,
    declare,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::Without(&["defp", "defmacrop"]),
    identifiers: &["identifier", "alias"],
    file: File::Source,
};

fn target<'text>(node: Node<'_>, text: &'text str) -> &'text str {
    let target = node.child_by_field_name("target");
    target
        .map(|target| slice(text, target.byte_range()))
        .unwrap_or_default()
}

fn is_function(node: Node<'_>, text: &str) -> bool {
    matches!(
        target(node, text),
        "def" | "defp" | "defmacro" | "defmacrop" | "test"
    )
}

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let word = target(site.node, site.text);
    let head = child_of(site.node, "arguments").and_then(|arguments| arguments.named_child(0));
    head.and_then(|head| match word {
        "defmodule" | "defprotocol" => {
            let kind = if word == "defmodule" {
                Kind::Module
            } else {
                Kind::Interface
            };
            let segments = site.text_of(head).split('.').map(str::to_owned).collect();
            Some(Declared::new(
                kind,
                segments,
                head.byte_range(),
                Inner::Type,
            ))
        }
        "def" | "defp" | "defdelegate" => function(site, head, site.kind),
        "defmacro" | "defmacrop" | "defguard" => function(site, head, Kind::Macro),
        _ => None,
    })
    .into_iter()
    .collect()
}

/// Clauses of one function that follow each other are one symbol.
fn function(site: &Site<'_, '_>, head: Node<'_>, kind: Kind) -> Option<Declared> {
    let mut at = head;
    for _ in 0..8 {
        at = match at.kind() {
            "identifier" => {
                let mut declared = site.named(at);
                declared.kind = kind;
                declared.group = Group::Accessor;
                return Some(declared);
            }
            "call" => at.child_by_field_name("target")?,
            _ => at.child_by_field_name("left")?,
        };
    }
    None
}
