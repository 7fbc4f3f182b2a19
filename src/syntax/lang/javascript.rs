//! JavaScript with JSX, TypeScript, TSX, and the script blocks of Vue, Svelte and Astro files.

mod older;

use tree_sitter::Node;

use crate::syntax::lang::{
    Below, Comment, Cut, Declared, Exported, File, Group, Inner, Lang, Role, Rule, Site, always,
    by_name, child_of, each_below, unquoted,
};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Field("body");

const RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, BODY),
    Rule::function("generator_function_declaration", Kind::Function, BODY),
    Rule::function("method_definition", Kind::Function, BODY),
    Rule::closure("function_expression", BODY),
    Rule::closure("generator_function", BODY),
    Rule::closure("arrow_function", BODY),
    Rule::closure("class_static_block", BODY),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("field_definition", Kind::Field, Inner::Nothing),
    Rule::declares("variable_declarator", Kind::Variable, Inner::Nothing),
    Rule::declares("assignment_expression", Kind::Variable, Inner::Nothing),
    Rule::declares("pair", Kind::Field, Inner::Nothing),
    Rule::declares("shorthand_property_identifier", Kind::Field, Inner::Nothing),
    Rule::role("class", Role::Opaque),
    Rule::role("object", Role::Opaque),
    Rule::role("lexical_declaration", Role::Wraps),
    Rule::role("variable_declaration", Role::Wraps),
    Rule::role("expression_statement", Role::Wraps),
    Rule::role("return_statement", Role::Wraps),
    Rule::role("export_statement", Role::Wraps),
    Rule::role("export_specifier", Role::Exports),
    Rule::role("import_statement", Role::Import),
    Rule::role("comment", Role::Attached),
    Rule::role("decorator", Role::Attached),
];

const TYPED_RULES: &[Rule] = &[
    Rule::function("function_declaration", Kind::Function, BODY),
    Rule::function("generator_function_declaration", Kind::Function, BODY),
    Rule::function("method_definition", Kind::Function, BODY),
    Rule::closure("function_expression", BODY),
    Rule::closure("generator_function", BODY),
    Rule::closure("arrow_function", BODY),
    Rule::closure("class_static_block", BODY),
    Rule::declares("function_signature", Kind::Function, Inner::Nothing),
    Rule::declares("method_signature", Kind::Function, Inner::Nothing),
    Rule::declares("abstract_method_signature", Kind::Function, Inner::Nothing),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("abstract_class_declaration", Kind::Class, Inner::Type),
    Rule::declares("interface_declaration", Kind::Interface, Inner::Type),
    Rule::declares("enum_declaration", Kind::Enum, Inner::Type),
    Rule::declares("enum_assignment", Kind::Constant, Inner::Nothing),
    Rule::declares("type_alias_declaration", Kind::Type, Inner::Type),
    Rule::declares("module", Kind::Module, Inner::Module),
    Rule::declares("internal_module", Kind::Namespace, Inner::Module),
    Rule::declares("public_field_definition", Kind::Field, Inner::Nothing),
    Rule::declares("property_signature", Kind::Field, Inner::Nothing),
    Rule::declares("variable_declarator", Kind::Variable, Inner::Nothing),
    Rule::declares("assignment_expression", Kind::Variable, Inner::Nothing),
    Rule::declares("pair", Kind::Field, Inner::Nothing),
    Rule::declares("shorthand_property_identifier", Kind::Field, Inner::Nothing),
    Rule::declares("property_identifier", Kind::Constant, Inner::Nothing),
    Rule::role("object_type", Role::Opaque),
    Rule::role("class", Role::Opaque),
    Rule::role("object", Role::Opaque),
    Rule::role("lexical_declaration", Role::Wraps),
    Rule::role("variable_declaration", Role::Wraps),
    Rule::role("expression_statement", Role::Wraps),
    Rule::role("return_statement", Role::Wraps),
    Rule::role("export_statement", Role::Wraps),
    Rule::role("ambient_declaration", Role::Wraps),
    Rule::role("export_specifier", Role::Exports),
    Rule::role("import_statement", Role::Import),
    Rule::role("import_alias", Role::Import),
    Rule::role("comment", Role::Attached),
    Rule::role("decorator", Role::Attached),
];

const IDENTIFIERS: &[&str] = &["identifier", "shorthand_property_identifier"];

/// JavaScript and JSX.
pub(in crate::syntax) static JAVASCRIPT: Lang = Lang {
    name: "javascript",
    extensions: &["js", "mjs", "cjs", "jsx"],
    basenames: &["Jakefile"],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: older::opens,
    imported,
    exported: Exported::Wrapped,
    identifiers: IDENTIFIERS,
    file: File::Source,
};

/// TypeScript without JSX.
pub(in crate::syntax) static TYPESCRIPT: Lang = Lang {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    basenames: &[],
    rules: TYPED_RULES,
    identifiers: &[
        "identifier",
        "type_identifier",
        "shorthand_property_identifier",
    ],
    ..JAVASCRIPT
};

/// TypeScript with JSX.
pub(in crate::syntax) static TSX: Lang = Lang {
    name: "tsx",
    extensions: &["tsx"],
    ..TYPESCRIPT
};

/// Vue single-file components.
pub(in crate::syntax) static VUE: Lang = Lang {
    name: "vue",
    extensions: &["vue"],
    file: File::Scripts,
    ..TYPESCRIPT
};

/// Astro components.
pub(in crate::syntax) static ASTRO: Lang = Lang {
    name: "astro",
    extensions: &["astro"],
    file: File::Scripts,
    ..TYPESCRIPT
};

/// Svelte components.
pub(in crate::syntax) static SVELTE: Lang = Lang {
    name: "svelte",
    extensions: &["svelte"],
    file: File::Scripts,
    ..TYPESCRIPT
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "export_statement" => default_export(site).into_iter().collect(),
        "ambient_declaration" => global_block(site).into_iter().collect(),
        "variable_declarator" => variables(site),
        "assignment_expression" => assignment(site).into_iter().collect(),
        "pair" | "shorthand_property_identifier" => key(site).into_iter().collect(),
        "property_identifier" => enum_member(site).into_iter().collect(),
        "internal_module" | "module" => namespace(site).into_iter().collect(),
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            method(site).into_iter().collect()
        }
        "function_signature" | "function_declaration" | "generator_function_declaration" => {
            let signature = site.node.kind() == "function_signature";
            let mut found = by_name(site);
            for declared in &mut found {
                declared.group = group(signature);
                let name = declared.segments.last().map_or("", String::as_str);
                if older::is_constructor(site.node, name, site.text) {
                    declared.inner = Inner::Constructor;
                }
                named_default(site, declared);
            }
            found
        }
        "public_field_definition" | "field_definition" => field(site).into_iter().collect(),
        "expression_statement" => older::extended(site).into_iter().collect(),
        "lexical_declaration" | "variable_declaration" | "return_statement" => Vec::new(),
        _ => {
            let mut found = by_name(site);
            for declared in &mut found {
                named_default(site, declared);
                if site.node.kind() == "type_alias_declaration" {
                    declared.open = site.field("value").and_then(object_type);
                }
            }
            found
        }
    }
}

/// The object type that an alias stands for, or the first of those it joins.
fn object_type(value: Node<'_>) -> Option<usize> {
    let node = match value.kind() {
        "object_type" => value,
        "intersection_type" => child_of(value, "object_type")?,
        _ => return None,
    };
    Some(node.id())
}

const fn group(signature: bool) -> Group {
    if signature {
        Group::Signature
    } else {
        Group::Implementation
    }
}

/// Whether `node` is an export statement with the word `default`.
fn is_default(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind() == "export_statement"
        && node
            .children(&mut cursor)
            .take(32)
            .any(|child| child.kind() == "default")
}

/// Gives a named default export its second name.
fn named_default(site: &Site<'_, '_>, declared: &mut Declared) {
    if site.outer.is_some_and(is_default) {
        declared.alias = Some("default".to_owned());
    }
}

/// An anonymous default export.
fn default_export(site: &Site<'_, '_>) -> Option<Declared> {
    let value = site.field("value")?;
    if !is_default(site.node) || value.kind() == "identifier" {
        return None;
    }
    let name = site.node.start_byte()..value.start_byte();
    let segments = vec!["default".to_owned()];
    let mut declared = Declared::new(Kind::Constant, segments, name, Inner::Nothing);
    declared.exported = Some(true);
    take_value(&mut declared, Some(value), Kind::Function, site.text);
    Some(declared)
}

/// `declare global { .. }`.
fn global_block(site: &Site<'_, '_>) -> Option<Declared> {
    let mut cursor = site.node.walk();
    let word = site
        .node
        .children(&mut cursor)
        .take(4)
        .find(|child| child.kind() == "global")?;
    let segments = vec!["global".to_owned()];
    Some(Declared::new(
        Kind::Namespace,
        segments,
        word.byte_range(),
        Inner::Module,
    ))
}

/// Makes `declared` what its value is: a function, a class, an object.
fn take_value(declared: &mut Declared, value: Option<Node<'_>>, function: Kind, text: &str) {
    let Some(node) = value.map(plain) else { return };
    match node.kind() {
        "function_expression" | "generator_function" | "arrow_function" => {
            let name = declared.segments.last().cloned().unwrap_or_default();
            let maker = function == Kind::Function && older::is_constructor(node, &name, text);
            declared.kind = function;
            declared.inner = if maker {
                Inner::Constructor
            } else {
                Inner::Function
            };
        }
        "class" => {
            declared.kind = Kind::Class;
            declared.inner = Inner::Type;
        }
        "object" => declared.inner = Inner::Object,
        "call_expression" => {
            if let Some(open) = older::value_of_call(node, text) {
                declared.inner = open.inner;
                declared.open = Some(open.id);
            }
            return;
        }
        _ => return,
    }
    declared.open = Some(node.id());
}

/// What a value is without types, parentheses and names that it is also given to.
fn plain(value: Node<'_>) -> Node<'_> {
    let mut value = value;
    for _ in 0..8 {
        let below = match value.kind() {
            "as_expression" | "satisfies_expression" | "parenthesized_expression" => {
                value.named_child(0)
            }
            "assignment_expression" => value.child_by_field_name("right"),
            _ => None,
        };
        value = below.unwrap_or(value);
    }
    value
}

/// The names that a declarator binds.
fn variables(site: &Site<'_, '_>) -> Vec<Declared> {
    let Some(name) = site.field("name") else {
        return Vec::new();
    };
    if name.kind() != "identifier" {
        return pattern(site, name);
    }
    let mut declared = site.named(name);
    if site.outer.is_some_and(is_const) && is_upper(&declared.segments) {
        declared.kind = Kind::Constant;
    }
    take_value(
        &mut declared,
        site.field("value"),
        Kind::Function,
        site.text,
    );
    vec![declared]
}

/// Whether a statement is `const ..` or `export const ..`.
fn is_const(outer: Node<'_>) -> bool {
    let statement = outer.child_by_field_name("declaration").unwrap_or(outer);
    let word = statement.child_by_field_name("kind");
    word.is_some_and(|word| word.kind() == "const")
}

fn is_upper(segments: &[String]) -> bool {
    segments
        .iter()
        .all(|name| !name.chars().any(char::is_lowercase))
}

/// The names in a destructuring pattern, in source order. Defaults are passed over.
fn pattern(site: &Site<'_, '_>, name: Node<'_>) -> Vec<Declared> {
    let mut found = Vec::new();
    each_below(name, |node, field| {
        if field == Some("right") {
            return Below::Skip;
        }
        if matches!(
            node.kind(),
            "identifier" | "shorthand_property_identifier_pattern"
        ) {
            found.push(site.named(node));
        }
        Below::Enter
    });
    found
}

/// `module.exports.f = ..`, `A.prototype.m = ..`, `A.f = function ..` at file level.
fn assignment(site: &Site<'_, '_>) -> Option<Declared> {
    let statement = site
        .outer
        .filter(|outer| outer.kind() == "expression_statement")?;
    let maker = site.scope == Inner::Constructor;
    if !maker && site.scope != Inner::Module || statement.named_child(0) != Some(site.node) {
        return None;
    }
    let left = site
        .field("left")
        .filter(|left| left.kind() == "member_expression")?;
    if maker {
        return older::own_member(site, left);
    }
    let mut segments = older::chain(site, left)?;
    let first = segments.first().map(String::as_str);
    let exports = first == Some("exports")
        || first == Some("module") && segments.get(1).is_some_and(|word| word == "exports");
    let name = left
        .child_by_field_name("property")
        .unwrap_or(left)
        .byte_range();
    let prototype = segments.len() > 2 && segments.get(1).is_some_and(|word| word == "prototype");
    if prototype {
        segments.remove(1);
    }
    let seen_as = older::seen_by_members(&segments);
    let mut declared = Declared::new(Kind::Variable, segments, name, Inner::Nothing);
    declared.seen_as = seen_as;
    let function = if prototype {
        Kind::Method
    } else {
        Kind::Function
    };
    take_value(&mut declared, site.field("right"), function, site.text);
    declared.exported = Some(exports);
    (exports || prototype || declared.open.is_some()).then_some(declared)
}

/// A key of an object literal.
fn key(site: &Site<'_, '_>) -> Option<Declared> {
    if !matches!(site.scope, Inner::Object | Inner::Returned) {
        return None;
    }
    let key = site.field("key").unwrap_or(site.node);
    if key.kind() == "computed_property_name" {
        return None;
    }
    let mut declared = site.named(key);
    // A revealing module returns what it declares under the same name.
    let same = |value: Node<'_>| site.text_of(value) == site.text_of(key);
    if site.scope == Inner::Returned && site.field("value").is_none_or(same) {
        return None;
    }
    take_value(&mut declared, site.field("value"), Kind::Method, site.text);
    Some(declared)
}

/// A bare name in an enum body; elsewhere a property name declares nothing.
fn enum_member(site: &Site<'_, '_>) -> Option<Declared> {
    let bare = site.scope == Inner::Type && site.parent.kind() == "enum_body";
    bare.then(|| site.named(site.node))
}

fn namespace(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name")?;
    let text = site.text_of(name);
    let segments = match name.kind() {
        "nested_identifier" => text.split('.').map(|word| word.trim().to_owned()).collect(),
        _ => vec![unquoted(text)],
    };
    Some(Declared::new(
        site.kind,
        segments,
        name.byte_range(),
        site.inner,
    ))
}

fn method(site: &Site<'_, '_>) -> Option<Declared> {
    if !matches!(site.scope, Inner::Type | Inner::Object | Inner::Returned) {
        return None;
    }
    let name = site.field("name")?;
    let mut declared = site.named(name);
    declared.kind = Kind::Method;
    let head = slice(site.text, site.node.start_byte()..name.start_byte());
    let accessor = head
        .split_whitespace()
        .any(|word| word == "get" || word == "set");
    declared.group = match site.node.kind() {
        _ if accessor => Group::Accessor,
        "method_definition" => Group::Implementation,
        _ => Group::Signature,
    };
    if accessor {
        declared.kind = Kind::Accessor;
    } else if site.scope == Inner::Type && site.text_of(name) == "constructor" {
        declared.kind = Kind::Constructor;
    }
    Some(declared)
}

fn field(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name").or_else(|| site.field("property"))?;
    if name.kind() == "computed_property_name" {
        return None;
    }
    let mut declared = site.named(name);
    take_value(&mut declared, site.field("value"), Kind::Method, site.text);
    if declared.inner == Inner::Object {
        declared.inner = Inner::Nothing;
        declared.open = None;
    }
    Some(declared)
}

/// Every identifier of an import that is not the first name of something renamed.
fn imported(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_below(node, |at, _| {
        let bound = match at.kind() {
            "import_specifier" => at
                .child_by_field_name("alias")
                .or_else(|| at.child_by_field_name("name")),
            "identifier" => Some(at),
            _ => return Below::Enter,
        };
        found.extend(bound.map(|name| slice(text, name.byte_range()).to_owned()));
        Below::Skip
    });
    found
}
