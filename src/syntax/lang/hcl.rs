//! HCL, as Terraform and its relatives write it: nothing in it is a function.

use crate::syntax::lang::{
    Comment, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    opens_nothing, unquoted,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::declares("block", Kind::Type, Inner::Nothing),
    Rule::role("comment", Role::Attached),
];

/// HCL, as Terraform and its relatives write it: nothing in it is a function.
pub(in crate::syntax) static HCL: Lang = Lang {
    name: "hcl",
    extensions: &["hcl", "tf", "tfvars"],
    basenames: &[],
    comment: Comment::Line("#"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&[]),
    identifiers: &["identifier"],
    file: File::Source,
};

/// A block at file level, by its type and its labels.
fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    if site.scope != Inner::Module {
        return Vec::new();
    }
    let mut cursor = site.node.walk();
    let children = site.node.named_children(&mut cursor).take(16);
    let names: Vec<_> = children
        .take_while(|child| matches!(child.kind(), "identifier" | "string_lit"))
        .collect();
    let (Some(first), Some(last)) = (names.first(), names.last()) else {
        return Vec::new();
    };
    let bytes = first.start_byte()..last.end_byte();
    let segments = names.iter().map(|name| unquoted(site.text_of(*name)));
    vec![Declared::new(
        site.kind,
        segments.collect(),
        bytes,
        site.inner,
    )]
}
