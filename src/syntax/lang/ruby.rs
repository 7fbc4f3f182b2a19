//! Ruby.

use crate::syntax::lang::{
    Comment, Cut, Declared, Exported, File, Inner, Lang, Role, Rule, Site, always, binds_nothing,
    by_name, opens_nothing, squeezed,
};
use crate::syntax::symbols::Kind;

const RULES: &[Rule] = &[
    Rule::function("method", Kind::Function, Cut::Until("body")),
    Rule::function("singleton_method", Kind::Function, Cut::Until("body")),
    Rule::declares("class", Kind::Class, Inner::Type),
    Rule::declares("module", Kind::Module, Inner::Type),
    Rule::declares("assignment", Kind::Variable, Inner::Nothing),
    Rule::declares("alias", Kind::Function, Inner::Nothing),
    Rule::role("call", Role::Wraps),
    Rule::role("argument_list", Role::Wraps),
    Rule::role("do_block", Role::Opaque),
    Rule::role("block", Role::Opaque),
    Rule::role("lambda", Role::Opaque),
    Rule::role("comment", Role::Attached),
];

/// Ruby.
pub(in crate::syntax) static RUBY: Lang = Lang {
    name: "ruby",
    extensions: &["rb", "rake", "gemspec", "ru", "rbi", "podspec", "jbuilder"],
    basenames: &[
        "Rakefile",
        "Gemfile",
        "Guardfile",
        "Podfile",
        "Vagrantfile",
        "Fastfile",
        "Brewfile",
        "Dangerfile",
    ],
    comment: Comment::Line("#"),
    rules: RULES,
    is_function: always,
    declare,
    opens: opens_nothing,
    imported: binds_nothing,
    exported: Exported::Without(&["private", "protected"]),
    identifiers: &["identifier", "constant"],
    file: File::Source,
};

fn declare(site: &Site<'_, '_>) -> Vec<Declared> {
    match site.node.kind() {
        "call" => attributes(site),
        "argument_list" => Vec::new(),
        "assignment" => assignment(site),
        "alias" => {
            let mut found = by_name(site);
            for name in found.iter_mut().flat_map(|declared| &mut declared.segments) {
                *name = name.trim_start_matches(':').to_owned();
            }
            found
        }
        "method" => {
            let mut found = by_name(site);
            for declared in &mut found {
                if site.scope == Inner::Type && declared.segments.concat() == "initialize" {
                    declared.kind = Kind::Constructor;
                }
            }
            found
        }
        "class" | "module" => {
            let mut found = by_name(site);
            for declared in &mut found {
                let name = declared.segments.concat();
                declared.segments = name
                    .split("::")
                    .map(squeezed)
                    .filter(|part| !part.is_empty())
                    .collect();
            }
            found
        }
        _ => by_name(site),
    }
}

/// Constants, and plain variables of the file.
fn assignment(site: &Site<'_, '_>) -> Vec<Declared> {
    let Some(left) = site.field("left") else {
        return Vec::new();
    };
    let mut cursor = left.walk();
    let several = left
        .named_children(&mut cursor)
        .filter(|_| left.kind() == "left_assignment_list");
    let end = heredoc_end(site);
    let named = std::iter::once(left).chain(several).filter_map(|name| {
        let mut declared = site.named(name);
        declared.end = end;
        match name.kind() {
            "constant" => declared.kind = Kind::Constant,
            "identifier" | "global_variable" if site.scope == Inner::Module => {}
            _ => return None,
        }
        Some(declared)
    });
    named.collect()
}

/// The end of the texts that begin on the line below a statement with `<<`.
fn heredoc_end(site: &Site<'_, '_>) -> usize {
    let mut end = 0;
    if !site.text_of(site.node).contains("<<") {
        return end;
    }
    let mut next = site.whole().next_sibling();
    while let Some(body) = next.filter(|next| next.kind() == "heredoc_body") {
        end = body.end_byte();
        next = body.next_sibling();
    }
    end
}

/// `attr_reader :a, :b` and its kin.
fn attributes(site: &Site<'_, '_>) -> Vec<Declared> {
    let is_attribute =
        |method: &str| matches!(method, "attr_reader" | "attr_writer" | "attr_accessor");
    let method = site.field("method").map(|method| site.text_of(method));
    let arguments = site
        .field("arguments")
        .filter(|_| method.is_some_and(is_attribute));
    let Some(arguments) = arguments.filter(|_| site.scope == Inner::Type) else {
        return Vec::new();
    };
    let mut cursor = arguments.walk();
    let symbols = arguments
        .named_children(&mut cursor)
        .filter(|node| node.kind() == "simple_symbol");
    symbols
        .map(|symbol| {
            let name = site.text_of(symbol).trim_start_matches(':').to_owned();
            Declared::new(
                Kind::Accessor,
                vec![name],
                symbol.byte_range(),
                Inner::Nothing,
            )
        })
        .collect()
}
