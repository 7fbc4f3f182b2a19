//! Shell scripts.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    by_name, opens_nothing,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("function_definition", Kind::Function, Cut::Field("body")),
    Rule::declares("variable_assignment", Kind::Variable, Inner::Nothing),
    Rule::role("declaration_command", Role::Wraps),
    Rule::role("command", Role::Opaque),
    Rule::role("command_substitution", Role::Opaque),
    Rule::role("comment", Role::Attached),
];

/// Bash and other shells with its grammar.
pub(in crate::syntax) static BASH: Lang = Lang {
    name: "bash",
    extensions: &["sh", "bash", "zsh", "ksh", "bats", "ebuild"],
    basenames: &[
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        "PKGBUILD",
    ],
    comment: Comment::Line("#"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::NoUnderscore,
    identifiers: &["word", "variable_name"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    let name = site.field("name");
    let plain = site.node.kind() != "variable_assignment"
        || name.is_some_and(|name| name.kind() == "variable_name");
    if plain { by_name(site) } else { Vec::new() }
}
