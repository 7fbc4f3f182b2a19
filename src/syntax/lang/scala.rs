//! Scala.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_last_word,
    by_name, opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, Cut::Field("body")),
    Rule::declares("function_declaration", Kind::Function, Inner::Nothing),
    Rule::declares("class_definition", Kind::Class, Inner::Type),
    Rule::declares("object_definition", Kind::Class, Inner::Type),
    Rule::declares("package_object", Kind::Module, Inner::Type),
    Rule::declares("trait_definition", Kind::Trait, Inner::Type),
    Rule::declares("enum_definition", Kind::Enum, Inner::Type),
    Rule::declares("simple_enum_case", Kind::Constant, Inner::Nothing),
    Rule::declares("full_enum_case", Kind::Constant, Inner::Nothing),
    Rule::declares("type_definition", Kind::Type, Inner::Nothing),
    Rule::declares("val_definition", Kind::Variable, Inner::Nothing),
    Rule::declares("var_definition", Kind::Variable, Inner::Nothing),
    Rule::declares("val_declaration", Kind::Variable, Inner::Nothing),
    Rule::declares("var_declaration", Kind::Variable, Inner::Nothing),
    Rule::role("lambda_expression", Role::Opaque),
    Rule::role("import_declaration", Role::Import),
    Rule::role("comment", Role::Attached),
    Rule::role("block_comment", Role::Attached),
];

/// Scala.
pub(in crate::syntax) static SCALA: Lang = Lang {
    name: "scala",
    extensions: &["scala", "sc", "sbt"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_last_word,
    exported: Exported::Without(&["private", "protected"]),
    identifiers: &["identifier", "type_identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.field("pattern") {
        Some(name) if name.kind() == "identifier" => vec![site.named(name)],
        Some(_) => Vec::new(),
        None => by_name(site),
    }
}
