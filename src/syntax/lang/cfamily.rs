//! C and C++.

use tree_sitter::Node;

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, binds_nothing, by_name,
    has_child, opens_nothing, squeezed,
};
use crate::syntax::symbols::Kind;

/// Declarators within declarators that are followed to a name.
const DECLARATORS: usize = 32;

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, Cut::Field("body")),
    Rule::declares("declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("field_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("type_definition", Kind::Type, Inner::Nothing),
    Rule::declares("struct_specifier", Kind::Struct, Inner::Type),
    Rule::declares("union_specifier", Kind::Struct, Inner::Type),
    Rule::declares("enum_specifier", Kind::Enum, Inner::Type),
    Rule::declares("enumerator", Kind::Constant, Inner::Nothing),
    Rule::declares("preproc_def", Kind::Macro, Inner::Nothing),
    Rule::declares("preproc_function_def", Kind::Macro, Inner::Nothing),
    Rule::role("preproc_include", Role::Import),
    Rule::role("parameter_list", Role::Opaque),
    Rule::role("comment", Role::Attached),
];

const CPP_RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, Cut::Field("body")),
    Rule::closure("lambda_expression", Cut::Field("body")),
    Rule::declares("declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("field_declaration", Kind::Field, Inner::Nothing),
    Rule::declares("type_definition", Kind::Type, Inner::Nothing),
    Rule::declares("struct_specifier", Kind::Struct, Inner::Type),
    Rule::declares("union_specifier", Kind::Struct, Inner::Type),
    Rule::declares("class_specifier", Kind::Class, Inner::Type),
    Rule::declares("enum_specifier", Kind::Enum, Inner::Type),
    Rule::declares("enumerator", Kind::Constant, Inner::Nothing),
    Rule::declares("namespace_definition", Kind::Namespace, Inner::Module),
    Rule::declares("alias_declaration", Kind::Type, Inner::Nothing),
    Rule::declares("concept_definition", Kind::Type, Inner::Nothing),
    Rule::declares("preproc_def", Kind::Macro, Inner::Nothing),
    Rule::declares("preproc_function_def", Kind::Macro, Inner::Nothing),
    Rule::role("template_declaration", Role::Wraps),
    Rule::role("friend_declaration", Role::Opaque),
    Rule::role("template_parameter_list", Role::Opaque),
    Rule::role("parameter_list", Role::Opaque),
    Rule::role("preproc_include", Role::Import),
    Rule::role("using_declaration", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// C.
pub(in crate::syntax) static C: Lang = Lang {
    name: "c",
    extensions: &["c", "h"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&["static"]),
    identifiers: &["identifier", "type_identifier"],
    file: File::Source,
};

/// C++.
pub(in crate::syntax) static CPP: Lang = Lang {
    name: "cpp",
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "cppm", "ixx",
        "cu", "cuh",
    ],
    rules: CPP_RULES,
    identifiers: &["identifier", "type_identifier", "namespace_identifier"],
    ..C
};

/// A declarator, followed down to its name.
struct Name<'tree> {
    node: Node<'tree>,
    function: Option<Node<'tree>>,
    /// Whether a pointer in parentheses stands between the name and its parameters.
    pointer: bool,
}

fn name_in(declarator: Node<'_>) -> Option<Name<'_>> {
    let mut found = Name {
        node: declarator,
        function: None,
        pointer: false,
    };
    for _ in 0..DECLARATORS {
        let node = found.node;
        match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "template_function"
            | "primitive_type" => return Some(found),
            "operator_cast" => {
                found.function = Some(node);
                found.pointer = false;
                return Some(found);
            }
            "function_declarator" => {
                found.function = Some(node);
                found.pointer = false;
            }
            "pointer_declarator" => found.pointer = found.function.is_some(),
            _ => {}
        }
        found.node = node
            .child_by_field_name("declarator")
            .or_else(|| node.named_child(0))?;
    }
    None
}

/// Whether a definition with a body is one of a function. A class with a macro before its name
/// looks like one but has no parameters.
pub(super) fn is_function(node: Node<'_>, _: &str) -> bool {
    if node.kind() != "function_definition" {
        return true;
    }
    let declarator = node.child_by_field_name("declarator");
    declarator
        .and_then(name_in)
        .is_some_and(|name| name.function.is_some())
}

/// What a node declares.
pub(super) fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "function_definition" => definition(site).into_iter().collect(),
        "declaration" | "field_declaration" => declarators(site),
        "type_definition" => aliases(site),
        "namespace_definition" => namespace(site).into_iter().collect(),
        "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier"
            if site.field("body").is_none() =>
        {
            Vec::new()
        }
        "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
            let mut found = by_name(site);
            for declared in &mut found {
                declared.segments = path(&declared.segments.concat());
            }
            found
        }
        "template_declaration" => Vec::new(),
        _ => by_name(site),
    }
}

/// Splits a qualified name, template arguments left out.
fn path(text: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let operator = text.find("operator").unwrap_or(text.len());
    let bare: String = text
        .char_indices()
        .filter(|(at, c)| {
            if *at >= operator {
                return true;
            }
            depth += i32::from(*c == '<') - i32::from(*c == '>');
            depth == 0 && *c != '>'
        })
        .map(|(_, c)| c)
        .collect();
    let parts = bare
        .split("::")
        .map(squeezed)
        .filter(|part| !part.is_empty());
    parts.collect()
}

fn definition(site: &Site<'_, '_>) -> Option<Declared> {
    let declarator = site.field("declarator")?;
    let name = name_in(declarator)?;
    let Some(function) = name.function else {
        let class = site
            .field("type")
            .filter(|class| matches!(class.kind(), "class_specifier" | "struct_specifier"))?;
        let kind = if class.kind() == "class_specifier" {
            Kind::Class
        } else {
            Kind::Struct
        };
        let segments = path(site.text_of(name.node));
        return Some(Declared::new(
            kind,
            segments,
            name.node.byte_range(),
            Inner::Type,
        ));
    };
    let mut declared = function_named(site, &name, function);
    declared.inner = Inner::Function;
    Some(declared)
}

fn function_named(site: &Site<'_, '_>, name: &Name<'_>, function: Node<'_>) -> Declared {
    let typed = site.field("type").is_some();
    let mut segments = match name.node.kind() {
        "operator_cast" => {
            let text = site.text_of(name.node);
            path(text.split('(').next().unwrap_or(text))
        }
        _ => path(site.text_of(name.node)),
    };
    let member = site.scope == Inner::Type || segments.len() > 1;
    let special = matches!(
        name.node.kind(),
        "operator_cast" | "operator_name" | "destructor_name"
    );
    let own = segments.last().map(String::as_str).unwrap_or_default();
    let repeats = segments
        .iter()
        .rev()
        .nth(1)
        .is_some_and(|class| class == own);
    let mut kind = if member { Kind::Method } else { Kind::Function };
    if !typed && !special && (repeats || site.scope == Inner::Type) {
        kind = Kind::Constructor;
    } else if !typed && !member && site.node.kind() == "function_definition" {
        // A macro that defines something, such as a test: its arguments are the name.
        segments = vec![squeezed(site.text_of(function))];
    }
    Declared::new(kind, segments, name.node.byte_range(), Inner::Nothing)
}

/// Every name of a declaration. A named type defined in it stands beside them; the members of an
/// unnamed one belong to the last name.
fn declarators(site: &Site<'_, '_>) -> Vec<Declared> {
    let defined = site
        .field("type")
        .filter(|kind| kind.child_by_field_name("body").is_some());
    let unnamed = defined.is_some_and(|kind| kind.child_by_field_name("name").is_none());
    let mut cursor = site.node.walk();
    let declarators = site.node.children_by_field_name("declarator", &mut cursor);
    let named = declarators.filter_map(|declarator| {
        let name = name_in(declarator)?;
        let mut declared = match name.function {
            Some(function) if !name.pointer => function_named(site, &name, function),
            _ => {
                let segments = path(site.text_of(name.node));
                Declared::new(site.kind, segments, name.node.byte_range(), Inner::Nothing)
            }
        };
        declared.beside = !unnamed;
        if unnamed {
            declared.inner = Inner::Type;
        }
        (!declared.segments.is_empty()).then_some(declared)
    });
    named.collect()
}

/// The names of a type definition. An unnamed structure has the first one and its members.
fn aliases(site: &Site<'_, '_>) -> Vec<Declared> {
    let defined = site
        .field("type")
        .filter(|kind| kind.child_by_field_name("body").is_some());
    let tag = defined.and_then(|defined| defined.child_by_field_name("name"));
    let tag = tag.map(|tag| site.text_of(tag));
    let mut cursor = site.node.walk();
    let declarators = site.node.children_by_field_name("declarator", &mut cursor);
    let names = declarators.filter_map(name_in);
    let mut found = Vec::new();
    for name in names.filter(|name| tag != Some(site.text_of(name.node))) {
        let mut declared = site.named(name.node);
        declared.beside = true;
        if let (Some(defined), None, true) = (defined, tag, found.is_empty()) {
            declared.kind = if defined.kind() == "enum_specifier" {
                Kind::Enum
            } else {
                Kind::Struct
            };
            declared.inner = Inner::Type;
            declared.beside = false;
        }
        found.push(declared);
    }
    if found
        .first()
        .is_some_and(|first| first.inner == Inner::Type)
    {
        // Members belong to the first name, so it stands last.
        found.rotate_left(1);
    }
    found
}

fn namespace(site: &Site<'_, '_>) -> Option<Declared> {
    let name = site.field("name")?;
    let segments = path(site.text_of(name));
    let named = !segments.is_empty() && !has_child(site.node, "ERROR");
    named.then(|| Declared::new(site.kind, segments, name.byte_range(), site.inner))
}
