//! Java.

use crate::syntax::lang::{
    Comment, Cut, Exported, File, Inner, Lang, Role, Rule, always, binds_last_word, by_name,
    opens_nothing,
};
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Field("body");

const RULES: &[Rule] = &[
    Rule::function("method_declaration", Kind::Function, BODY),
    Rule::function("constructor_declaration", Kind::Constructor, BODY),
    Rule::function("compact_constructor_declaration", Kind::Constructor, BODY),
    Rule::closure("lambda_expression", BODY),
    Rule::closure("static_initializer", Cut::Child("block")),
    Rule::declares("class_declaration", Kind::Class, Inner::Type),
    Rule::declares("record_declaration", Kind::Class, Inner::Type),
    Rule::declares("interface_declaration", Kind::Interface, Inner::Type),
    Rule::declares("annotation_type_declaration", Kind::Interface, Inner::Type),
    Rule::declares(
        "annotation_type_element_declaration",
        Kind::Method,
        Inner::Nothing,
    ),
    Rule::declares("enum_declaration", Kind::Enum, Inner::Type),
    Rule::declares("enum_constant", Kind::Constant, Inner::Type),
    Rule::declares("variable_declarator", Kind::Variable, Inner::Nothing),
    Rule::declares("module_declaration", Kind::Module, Inner::Nothing),
    Rule::role("field_declaration", Role::Wraps),
    Rule::role("constant_declaration", Role::Wraps),
    Rule::role("object_creation_expression", Role::Opaque),
    Rule::role("import_declaration", Role::Import),
    Rule::role("line_comment", Role::Attached),
    Rule::role("block_comment", Role::Attached),
];

/// Java.
pub(in crate::syntax) static JAVA: Lang = Lang {
    name: "java",
    extensions: &["java"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare: by_name,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::With(&["public"]),
    identifiers: &["identifier", "type_identifier"],
    file: File::Source,
};
