//! Python.

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Group, Inner, Lang, Role, Rule, Site, always, by_name,
    opens_nothing,
};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, Cut::Indented("body")),
    Rule::declares("class_definition", Kind::Class, Inner::Type),
    Rule::declares("assignment", Kind::Variable, Inner::Nothing),
    Rule::declares("type_alias_statement", Kind::Type, Inner::Nothing),
    Rule::role("lambda", Role::Opaque),
    Rule::role("decorated_definition", Role::Wraps),
    Rule::role("expression_statement", Role::Wraps),
    Rule::role("import_statement", Role::Import),
    Rule::role("import_from_statement", Role::Import),
    Rule::role("future_import_statement", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// Python, stubs included.
pub(in crate::syntax) static PYTHON: Lang = Lang {
    name: "python",
    extensions: &["py", "pyi", "pyw"],
    basenames: &["SConstruct", "SConscript", "wscript"],
    comment: Comment::Line("#"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported,
    exported: Exported::NoUnderscore,
    identifiers: &["identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "function_definition" => function(site).into_iter().collect(),
        "assignment" => targets(site),
        "type_alias_statement" => {
            let name = site.field("left").and_then(first_leaf);
            name.map(|name| site.named(name)).into_iter().collect()
        }
        "class_definition" => by_name(site),
        _ => Vec::new(),
    }
}

fn first_leaf(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    while let Some(child) = at.named_child(0) {
        at = child;
    }
    (at.kind() == "identifier").then_some(at)
}

fn function(site: &Site<'_, '_>) -> Option<Declared> {
    let mut declared = site.named(site.field("name")?);
    declared.group = Group::Implementation;
    let outer = site
        .outer
        .filter(|outer| outer.kind() == "decorated_definition");
    if let Some(outer) = outer {
        let mut cursor = outer.walk();
        let decorators = outer
            .children(&mut cursor)
            .filter(|child| child.kind() == "decorator");
        for decorator in decorators {
            let word = slice(site.text, decorator.byte_range())
                .trim_start_matches('@')
                .trim();
            match word.rsplit('.').next() {
                Some("overload") => declared.group = Group::Signature,
                Some(
                    "property" | "setter" | "deleter" | "getter" | "cached_property"
                    | "abstractproperty",
                ) => {
                    declared.group = Group::Accessor;
                    declared.kind = Kind::Accessor;
                }
                _ => {}
            }
        }
    }
    if site.scope == Inner::Type && site.text_of(site.field("name")?) == "__init__" {
        declared.kind = Kind::Constructor;
    }
    Some(declared)
}

/// Plain names on the left of an assignment, also of a chain and of a tuple.
fn targets(site: &Site<'_, '_>) -> Vec<Declared> {
    if site
        .outer
        .is_none_or(|outer| outer.kind() != "expression_statement")
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = Some(site.node);
    while let Some(assignment) = at.filter(|node| node.kind() == "assignment") {
        if let Some(left) = assignment.child_by_field_name("left") {
            let mut cursor = left.walk();
            let inner = left.named_children(&mut cursor).filter(|_| {
                matches!(
                    left.kind(),
                    "pattern_list" | "tuple_pattern" | "list_pattern"
                )
            });
            let names = std::iter::once(left).chain(inner);
            found.extend(
                names
                    .filter(|name| name.kind() == "identifier")
                    .map(|name| {
                        let mut declared = site.named(name);
                        let upper = site.text_of(name);
                        let shouts = upper.chars().any(char::is_uppercase)
                            && !upper.chars().any(char::is_lowercase);
                        if shouts && site.kind == Kind::Variable {
                            declared.kind = Kind::Constant;
                        }
                        declared
                    }),
            );
        }
        at = assignment.child_by_field_name("right");
    }
    found
}

/// The alias where there is one, else the first word of a dotted name.
fn imported(node: Node<'_>, text: &str) -> Vec<String> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    names
        .filter_map(|name| {
            let bound = match name.kind() {
                "aliased_import" => name.child_by_field_name("alias")?,
                _ => name.named_child(0).unwrap_or(name),
            };
            Some(slice(text, bound.byte_range()).to_owned())
        })
        .collect()
}
