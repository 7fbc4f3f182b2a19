//! Solidity.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    by_name, opens_nothing,
};
use crate::syntax::symbols::Kind;

const BODY: Cut = Cut::Field("body");

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, BODY),
    Rule::function("constructor_definition", Kind::Constructor, BODY),
    Rule::function("modifier_definition", Kind::Method, BODY),
    Rule::function("fallback_receive_definition", Kind::Method, BODY),
    Rule::declares("contract_declaration", Kind::Class, Inner::Type),
    Rule::declares("library_declaration", Kind::Class, Inner::Type),
    Rule::declares("interface_declaration", Kind::Interface, Inner::Type),
    Rule::declares("struct_declaration", Kind::Struct, Inner::Type),
    Rule::declares("struct_member", Kind::Field, Inner::Nothing),
    Rule::declares("enum_declaration", Kind::Enum, Inner::Type),
    Rule::declares("enum_value", Kind::Constant, Inner::Nothing),
    Rule::declares("event_definition", Kind::Type, Inner::Nothing),
    Rule::declares("error_declaration", Kind::Type, Inner::Nothing),
    Rule::declares("state_variable_declaration", Kind::Variable, Inner::Nothing),
    Rule::declares(
        "constant_variable_declaration",
        Kind::Constant,
        Inner::Nothing,
    ),
    Rule::role("import_directive", Role::Import),
    Rule::role("comment", Role::Attached),
];

/// Solidity.
pub(in crate::syntax) static SOLIDITY: Lang = Lang {
    name: "solidity",
    extensions: &["sol"],
    basenames: &[],
    comment: Comment::Block("/*", "*/"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&["private", "internal"]),
    identifiers: &["identifier"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let start = site.node.start_byte();
    match site.node.kind() {
        "enum_value" => vec![site.named(site.node)],
        "constructor_definition" => {
            let segments = vec!["constructor".to_owned()];
            vec![Declared::new(
                site.kind,
                segments,
                start..start + "constructor".len(),
                site.inner,
            )]
        }
        "fallback_receive_definition" => {
            let text = site.text_of(site.node);
            let word = if text.starts_with("receive") {
                "receive"
            } else {
                "fallback"
            };
            vec![Declared::new(
                site.kind,
                vec![word.to_owned()],
                start..start + word.len(),
                site.inner,
            )]
        }
        _ => by_name(site),
    }
}
