//! Go.

use tree_sitter::Node;

use crate::syntax::lang::{
    Below, Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, by_name,
    each_below, opens_nothing, unquoted,
};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, Cut::Field("body")),
    Rule::function("method_declaration", Kind::Function, Cut::Field("body")),
    Rule::closure("func_literal", Cut::Field("body")),
    Rule::declares("type_spec", Kind::Type, Inner::Type),
    Rule::declares("type_alias", Kind::Type, Inner::Nothing),
    Rule::declares("field_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("method_elem", Kind::Method, Inner::Nothing),
    Rule::declares("const_spec", Kind::Constant, Inner::Nothing),
    Rule::declares("var_spec", Kind::Variable, Inner::Nothing),
    Rule::role("type_declaration", Role::Wraps),
    Rule::role("const_declaration", Role::Wraps),
    Rule::role("var_declaration", Role::Wraps),
    Rule::role("import_declaration", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// Go.
pub(in crate::syntax) static GO: Lang = Lang {
    name: "go",
    extensions: &["go"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported,
    exported: Exported::Capital,
    identifiers: &["identifier", "type_identifier", "package_identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "method_declaration" => method(site).into_iter().collect(),
        "type_spec" => {
            let mut found = by_name(site);
            for declared in &mut found {
                declared.kind = match site.field("type").map(|node| node.kind()) {
                    Some("struct_type") => Kind::Struct,
                    Some("interface_type") => Kind::Interface,
                    _ => Kind::Type,
                };
                declared.own_lines = is_grouped(site);
            }
            found
        }
        "const_spec" | "var_spec" | "field_declaration" | "type_alias" => names(site),
        "type_declaration" | "const_declaration" | "var_declaration" => Vec::new(),
        _ => by_name(site),
    }
}

/// Whether the declaration has its specifications in parentheses.
fn is_grouped(site: &Site<'_, '_>) -> bool {
    let second = site.outer.and_then(|outer| outer.child(1));
    second.is_some_and(|second| {
        !matches!(
            second.kind(),
            "type_spec" | "type_alias" | "const_spec" | "var_spec"
        )
    })
}

/// Every name of a specification. A type without fields of its own can stand in one.
fn names(site: &Site<'_, '_>) -> Vec<Declared> {
    let grouped = is_grouped(site);
    let mut cursor = site.node.walk();
    let names = site.node.children_by_field_name("name", &mut cursor);
    let names = names.filter(|name| name.is_named());
    names
        .map(|name| {
            let mut declared = site.named(name);
            declared.own_lines = grouped;
            declared
        })
        .collect()
}

/// `func (t *Type[K]) Method()` is `Type.Method`.
fn method(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name")?;
    let mut receiver = None;
    each_below(site.field("receiver")?, |node, _| {
        if node.kind() == "type_identifier" && receiver.is_none() {
            receiver = Some(site.text_of(node).to_owned());
        }
        if receiver.is_some() {
            Below::Skip
        } else {
            Below::Enter
        }
    });
    let mut declared = site.named(name);
    declared.kind = Kind::Method;
    if let Some(receiver) = receiver {
        declared.segments.insert(0, receiver);
    }
    Some(declared)
}

/// The alias, or the last word of the path that is not a version.
fn imported(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_below(node, |at, _| {
        if at.kind() != "import_spec" {
            return Below::Enter;
        }
        let read = |field: &str| {
            at.child_by_field_name(field)
                .map(|part| slice(text, part.byte_range()))
        };
        if let Some(alias) = read("name") {
            found.push(alias.to_owned());
        } else if let Some(path) = read("path") {
            let path = unquoted(path);
            let version = |word: &str| {
                word.strip_prefix('v')
                    .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
            };
            let word = path
                .rsplit('/')
                .find(|word| !version(word))
                .unwrap_or_default();
            let word = word.split(".v").next().unwrap_or(word);
            found.push(word.trim_start_matches("go-").replace('-', "_"));
        }
        Below::Skip
    });
    found
}
