//! R.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    has_child, opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::closure("function_definition", Cut::Field("body")),
    Rule::declares("binary_operator", Kind::Variable, Inner::Nothing),
    Rule::role("comment", Role::Attached),
];

/// R.
pub(in crate::syntax) static R: Lang = Lang {
    name: "r",
    extensions: &["r"],
    basenames: &[".Rprofile"],
    comment: Comment::Line("#"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::NoUnderscore,
    identifiers: &["identifier"],
    file: File::Source,
};

/// `name <- value` at file level.
fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let assigns = ["<-", "=", "<<-"]
        .iter()
        .any(|sign| has_child(site.node, sign));
    let name = site.field("lhs").filter(|name| name.kind() == "identifier");
    let Some(name) = name.filter(|_| assigns && site.parent.kind() == "program") else {
        return Vec::new();
    };
    let mut declared = site.named(name);
    if let Some(value) = site
        .field("rhs")
        .filter(|value| value.kind() == "function_definition")
    {
        declared.kind = Kind::Function;
        declared.inner = Inner::Function;
        declared.open = Some(value.id());
    }
    vec![declared]
}
