//! Rust.

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, by_name,
    has_child, opens_nothing, squeezed,
};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("function_item", Kind::Function, Cut::Field("body")),
    Rule::closure("closure_expression", Cut::Field("body")),
    Rule::cut("macro_rule", Cut::Field("right")),
    Rule::declares("function_signature_item", Kind::Function, Inner::Nothing),
    Rule::declares("struct_item", Kind::Struct, Inner::Type),
    Rule::declares("union_item", Kind::Struct, Inner::Type),
    Rule::declares("enum_item", Kind::Enum, Inner::Type),
    Rule::declares("enum_variant", Kind::Constant, Inner::Type),
    Rule::declares("field_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("trait_item", Kind::Trait, Inner::Type),
    Rule::declares("impl_item", Kind::Impl, Inner::Type),
    Rule::declares("mod_item", Kind::Module, Inner::Module),
    Rule::declares("const_item", Kind::Constant, Inner::Nothing),
    Rule::declares("static_item", Kind::Variable, Inner::Nothing),
    Rule::declares("type_item", Kind::Type, Inner::Nothing),
    Rule::declares("associated_type", Kind::Type, Inner::Nothing),
    Rule::declares("macro_definition", Kind::Macro, Inner::Nothing),
    Rule::role("macro_invocation", Role::Opaque),
    Rule::role("use_declaration", Role::Import),
    Rule::role("extern_crate_declaration", Role::Import),
    Rule::role("line_comment", Role::Attached),
    Rule::role("block_comment", Role::Attached),
    Rule::role("attribute_item", Role::Attached),
];

/// Rust.
pub(in crate::syntax) static RUST: Lang = Lang {
    name: "rust",
    extensions: &["rs"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported,
    exported: Exported::With(&["pub"]),
    identifiers: &[
        "identifier",
        "type_identifier",
        "shorthand_field_identifier",
    ],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    if site.node.kind() == "impl_item" {
        return implementation(site).into_iter().collect();
    }
    by_name(site)
}

/// `impl Type` gives its members to the type, `impl Trait for Type` keeps them.
fn implementation(site: &Site<'_, '_>) -> Option<Declared> {
    let target = site.field("type")?;
    let bare = match target.kind() {
        "generic_type" => target.child_by_field_name("type").unwrap_or(target),
        _ => target,
    };
    let type_name = last_segment(site.text_of(bare));
    let full = squeezed(site.text_of(target));
    let mut declared = site.named(target);
    if let Some(implemented) = site.field("trait") {
        let written = squeezed(site.text_of(implemented));
        let not = if has_child(site.node, "!") { "!" } else { "" };
        declared.segments = vec![format!("{not}{} for {type_name}", last_segment(&written))];
        let alias = format!("{not}{written} for {full}");
        declared.alias = (declared.segments.first() != Some(&alias)).then_some(alias);
        declared.name = implemented.byte_range();
    } else {
        declared.segments = vec![format!("impl {type_name}")];
        declared.seen_as = Some(vec![type_name]);
    }
    Some(declared)
}

/// A path without what stands before its last `::`, generic arguments kept.
fn last_segment(path: &str) -> String {
    let name_end = path.find(['<', '(', '[', '&', '*']).unwrap_or(path.len());
    let start = path
        .get(..name_end)
        .and_then(|head| head.rfind("::"))
        .map_or(0, |at| at + 2);
    squeezed(path.get(start..).unwrap_or(path))
}

/// Last names of the paths of a `use`, or their aliases.
fn imported(node: Node<'_>, text: &str) -> Vec<String> {
    let piece = slice(text, node.byte_range());
    let mut found = Vec::new();
    for path in piece.split(['{', '}', ',', ';']) {
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        let mut words = path.split(word).filter(|word| !word.is_empty()).rev();
        match words.next() {
            Some("self") => found.extend(words.next().map(str::to_owned)),
            Some(last) => found.push(last.to_owned()),
            None => {}
        }
    }
    found
}
