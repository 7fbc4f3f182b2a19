//! PHP.

use tree_sitter::Node;

use crate::syntax::lang::{
    Below, Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, by_name,
    each_below, opens_nothing,
};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Field("body");

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, BODY),
    Rule::function("method_declaration", Kind::Function, BODY),
    Rule::closure("anonymous_function", BODY),
    Rule::role("arrow_function", Role::Opaque),
    Rule::role("object_creation_expression", Role::Opaque),
    Rule::declares("namespace_definition", Kind::Namespace, Inner::Module),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("interface_declaration", Kind::Interface, Inner::Type),
    Rule::declares("trait_declaration", Kind::Trait, Inner::Type),
    Rule::declares("enum_declaration", Kind::Enum, Inner::Type),
    Rule::declares("enum_case", Kind::Constant, Inner::Nothing),
    Rule::declares("const_element", Kind::Constant, Inner::Nothing),
    Rule::declares("property_element", Kind::Field, Inner::Nothing),
    Rule::declares("assignment_expression", Kind::Variable, Inner::Nothing),
    Rule::role("const_declaration", Role::Wraps),
    Rule::role("property_declaration", Role::Wraps),
    Rule::role("expression_statement", Role::Wraps),
    Rule::role("namespace_use_declaration", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// PHP, markup around it included.
pub(in crate::syntax) static PHP: Lang = Lang {
    name: "php",
    extensions: &["php", "phtml", "php3", "php4", "php5"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported,
    exported: Exported::Without(&["private", "protected"]),
    identifiers: &["name", "variable_name"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "namespace_definition" => namespace(site).into_iter().collect(),
        "const_element" => site
            .node
            .named_child(0)
            .map(|name| site.named(name))
            .into_iter()
            .collect(),
        "property_element" => by_name(site).into_iter().map(plain_alias).collect(),
        "assignment_expression" => variable(site).into_iter().collect(),
        "const_declaration" | "property_declaration" | "expression_statement" => Vec::new(),
        "method_declaration" => {
            let mut found = by_name(site);
            for declared in &mut found {
                if declared.segments.concat() == "__construct" {
                    declared.kind = Kind::Constructor;
                }
            }
            found
        }
        _ => by_name(site),
    }
}

/// A variable can be named without its `$`.
fn plain_alias(mut declared: Declared) -> Declared {
    let name = declared
        .segments
        .last()
        .map(String::as_str)
        .unwrap_or_default();
    declared.alias = name.strip_prefix('$').map(str::to_owned);
    declared
}

/// A namespace with braces; one without holds the rest of the file and names nothing here.
fn namespace(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site
        .field("name")
        .filter(|_| site.field("body").is_some())?;
    let segments = site.text_of(name).split('\\').map(str::to_owned).collect();
    Some(Declared::new(
        site.kind,
        segments,
        name.byte_range(),
        site.inner,
    ))
}

/// `$f = ..` at file level.
fn variable(site: &Site<'_, '_>) -> Option<Declared> {
    let statement = site
        .outer
        .filter(|outer| outer.kind() == "expression_statement")?;
    let left = site
        .field("left")
        .filter(|left| left.kind() == "variable_name")?;
    if site.scope != Inner::Module || statement.named_child(0) != Some(site.node) {
        return None;
    }
    let mut declared = plain_alias(site.named(left));
    if let Some(value) = site
        .field("right")
        .filter(|value| value.kind() == "anonymous_function")
    {
        declared.kind = Kind::Function;
        declared.inner = Inner::Function;
        declared.open = Some(value.id());
    }
    Some(declared)
}

/// The alias of each clause, or its last name.
fn imported(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_below(node, |at, _| {
        if at.kind() != "namespace_use_clause" {
            return Below::Enter;
        }
        let piece = slice(text, at.byte_range());
        let last = piece
            .rsplit(|c: char| c == '\\' || c.is_whitespace())
            .next();
        found.extend(last.map(str::to_owned));
        Below::Skip
    });
    found
}
