//! Julia.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_last_word,
    child_of, opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::declares("module_definition", Kind::Module, Inner::Module),
    Rule::declares("abstract_definition", Kind::Type, Inner::Nothing),
    Rule::declares("primitive_definition", Kind::Type, Inner::Nothing),
    Rule::declares("struct_definition", Kind::Struct, Inner::Nothing),
    Rule::function("function_definition", Kind::Function, BODY),
    Rule::function("macro_definition", Kind::Macro, BODY),
    Rule {
        node: "assignment",
        cut: Cut::Bytes(short_body, " _ ", ""),
        role: Role::Declares(Kind::Variable, Inner::Nothing),
    },
    Rule::role("const_statement", Role::Wraps),
    Rule::role("do_clause", Role::Opaque),
    Rule::role("let_statement", Role::Opaque),
    Rule::role("import_statement", Role::Import),
    Rule::role("using_statement", Role::Import),
    Rule::role("string_literal", Role::Attached),
    Rule::role("line_comment", Role::Attached),
    Rule::role("block_comment", Role::Attached),
];

/// Julia.
pub(in crate::syntax) static JULIA: Lang = Lang {
    name: "julia",
    extensions: &["jl"],
    basenames: &[],
    comment: Comment::Line("#"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::NoUnderscore,
    identifiers: &["identifier"],
    file: File::Source,
};

const BODY: Cut = Cut::Bytes(body, " ", "");

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let head = match site.node.kind() {
        "module_definition" => site.field("name"),
        "function_definition" | "macro_definition" => child_of(site.node, "signature"),
        "assignment" => site
            .node
            .named_child(0)
            .filter(|left| left.kind() != "index_expression"),
        _ => child_of(site.node, "type_head"),
    };
    let Some((name, called)) = head.and_then(name) else {
        return Vec::new();
    };
    let text = site.text_of(name);
    let segments = text.split('.').map(str::to_owned).collect();
    let kind = if called && site.kind == Kind::Variable {
        Kind::Function
    } else {
        site.kind
    };
    vec![Declared::new(kind, segments, name.byte_range(), site.inner)]
}

/// The name in a signature or type head, and whether it has parameters.
fn name(head: Node<'_>) -> Option<(Node<'_>, bool)> {
    let (mut at, mut called) = (head, false);
    for _ in 0..8 {
        match at.kind() {
            "identifier" | "field_expression" | "operator" => return Some((at, called)),
            "call_expression" => called = true,
            _ => {}
        }
        at = at.named_child(0)?;
    }
    None
}

/// From the end of the signature to the closing word.
fn body(node: Node<'_>) -> Option<Range<usize>> {
    let signature = child_of(node, "signature")?;
    let last = node.child_count().checked_sub(1)?;
    let end = node.child(last).filter(|end| end.kind() == "end")?;
    (!end.is_missing()).then(|| signature.end_byte()..end.start_byte())
}

/// What stands behind the sign of `f(x) = ..`.
fn short_body(node: Node<'_>) -> Option<Range<usize>> {
    let head = node.named_child(0)?;
    let is_call = matches!(
        head.kind(),
        "call_expression" | "where_expression" | "typed_expression"
    );
    let (_, called) = name(head).filter(|_| is_call)?;
    let sign = head.next_sibling()?;
    called.then(|| sign.end_byte()..node.end_byte())
}
