//! What each language looks like: tables of node kinds, and a function where a table is not enough.
//!
//! One file for a language or a close family. A row of a table says two independent things about
//! a kind of node: which part of it a skeleton may cut, and what it declares. Kinds without a row
//! are walked through. The tables exist whether or not the grammar is built, so that a missing
//! grammar can be told from an unknown language.

pub(super) mod bash;
pub(super) mod cfamily;
pub(super) mod csharp;
pub(super) mod css;
pub(super) mod dart;
pub(super) mod elixir;
pub(super) mod erlang;
pub(super) mod go;
pub(super) mod haskell;
pub(super) mod hcl;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod julia;
pub(super) mod kotlin;
pub(super) mod lua;
pub(super) mod moonbit;
pub(super) mod objc;
pub(super) mod ocaml;
pub(super) mod php;
pub(super) mod powershell;
pub(super) mod python;
pub(super) mod r;
pub(super) mod ruby;
pub(super) mod rust;
pub(super) mod scala;
pub(super) mod solidity;
pub(super) mod sql;
pub(super) mod swift;
pub(super) mod zig;

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

/// A language: its names, its table, and how its declarations are named.
pub(super) struct Lang {
    /// Name shown in results.
    pub(super) name: &'static str,
    /// File name extensions, without the dot, in lower case.
    pub(super) extensions: &'static [&'static str],
    /// Complete file names.
    pub(super) basenames: &'static [&'static str],
    /// How a marker is written.
    pub(super) comment: Comment,
    /// The table.
    pub(super) rules: &'static [Rule],
    /// Whether a function body that the table names is really one.
    pub(super) is_function: fn(Node<'_>, &str) -> bool,
    /// What a node with [`Role::Declares`] or [`Role::Wraps`] declares.
    pub(super) declare: fn(&Site<'_, '_>) -> Vec<Declared>,
    /// A function or object below a statement or value that holds declarations although its kind
    /// holds none, and what stands in it.
    pub(super) opens: fn(Node<'_>, &str) -> Option<Opened>,
    /// Names that an import binds.
    pub(super) imported: fn(Node<'_>, &str) -> Vec<String>,
    /// Which declarations other files can see.
    pub(super) exported: Exported,
    /// Kinds of leaves that are uses of a name.
    pub(super) identifiers: &'static [&'static str],
    /// What the file is.
    pub(super) file: File,
}

/// What a file of a language is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    /// Source of the language, with symbols.
    Source,
    /// Source of the language, which has no symbols.
    NoSymbols,
    /// Markup with script blocks of another language.
    Scripts,
}

/// How a marker is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// Between two delimiters, anywhere.
    Block(&'static str, &'static str),
    /// From a mark to the end of the line.
    Line(&'static str),
}

/// Which declarations other files can see.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exported {
    /// Those in an export statement.
    Wrapped,
    /// Those with one of these words before their name.
    With(&'static [&'static str]),
    /// Those without any of these words before their name.
    Without(&'static [&'static str]),
    /// Those whose name begins with a capital letter.
    Capital,
    /// Those whose name does not begin with an underscore, or has two on both sides.
    NoUnderscore,
}

/// One row of a table.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// Kind of node.
    pub(super) node: &'static str,
    /// The part that a skeleton may cut.
    pub(super) cut: Cut,
    /// What it means for symbols.
    pub(super) role: Role,
}

/// The part of a node that a skeleton may cut.
#[derive(Clone, Copy)]
pub(super) enum Cut {
    /// Nothing.
    Nothing,
    /// What stands between the delimiters of this field.
    Field(&'static str),
    /// What stands between the delimiters of the first child of this kind.
    Child(&'static str),
    /// What stands between the braces around the first child of this kind.
    Around(&'static str),
    /// An indented block, kept up to its documentation string.
    Indented(&'static str),
    /// From the end of the signature to the end of this field; an `end` follows.
    Until(&'static str),
    /// The bytes that this function finds. What stands before and after the marker keeps the rest
    /// a complete piece of source.
    Bytes(
        fn(Node<'_>) -> Option<Range<usize>>,
        &'static str,
        &'static str,
    ),
}

/// What a node means for symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing by itself.
    Through,
    /// Nothing below is a symbol.
    Opaque,
    /// The lines belong to the declaration right below.
    Wraps,
    /// A comment or attribute that belongs to the declaration after it.
    Attached,
    /// An import.
    Import,
    /// An export of names declared elsewhere in the file.
    Exports,
    /// A declaration of this kind, and what can stand in it.
    Declares(Kind, Inner),
}

/// What can stand in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// Nothing that is a symbol.
    Nothing,
    /// Declarations, as in a file.
    Module,
    /// Members.
    Type,
    /// Keys of an object literal.
    Object,
    /// Keys of the object that a module returns: those that are not declared beside it.
    Returned,
    /// Statements: only functions in them are symbols.
    Function,
    /// Statements of a function that makes objects: functions, and members given to `this`.
    Constructor,
}

impl Inner {
    /// Whether `declared`, found by a row that says `kind`, counts here. Of what a body binds to
    /// names, only functions with a body do.
    pub(super) fn takes(self, kind: Kind, declared: &Declared) -> bool {
        let function =
            declared.kind == Kind::Function && (kind == Kind::Function || declared.inner.is_body());
        match self {
            Self::Function => function,
            Self::Constructor => function || matches!(declared.kind, Kind::Method | Kind::Field),
            _ => true,
        }
    }

    /// Whether it is the body of a function.
    pub(super) const fn is_body(self) -> bool {
        matches!(self, Self::Function | Self::Constructor)
    }
}

/// A node that is looked into for declarations.
#[derive(Clone, Copy)]
pub(super) struct Opened {
    /// The node.
    pub(super) id: usize,
    /// What can stand in it.
    pub(super) inner: Inner,
}

impl Rule {
    /// A row that only says what is cut.
    pub(super) const fn cut(node: &'static str, cut: Cut) -> Self {
        Self {
            node,
            cut,
            role: Role::Through,
        }
    }

    /// A row that only says what it means for symbols.
    pub(super) const fn role(node: &'static str, role: Role) -> Self {
        Self {
            node,
            cut: Cut::Nothing,
            role,
        }
    }

    /// A declaration without a body to cut.
    pub(super) const fn declares(node: &'static str, kind: Kind, inner: Inner) -> Self {
        Self::role(node, Role::Declares(kind, inner))
    }

    /// A named function with a body to cut.
    pub(super) const fn function(node: &'static str, kind: Kind, cut: Cut) -> Self {
        Self {
            node,
            cut,
            role: Role::Declares(kind, Inner::Function),
        }
    }

    /// A function expression: its body is cut and nothing in it is a symbol.
    pub(super) const fn closure(node: &'static str, cut: Cut) -> Self {
        Self {
            node,
            cut,
            role: Role::Opaque,
        }
    }
}

/// A node that may declare something, and where it stands.
pub(super) struct Site<'tree, 'text> {
    /// The node.
    pub(super) node: Node<'tree>,
    /// The complete text.
    pub(super) text: &'text str,
    /// Kind of the row, changed to that of a member inside a type.
    pub(super) kind: Kind,
    /// What the row says can stand in it.
    pub(super) inner: Inner,
    /// What it stands in.
    pub(super) scope: Inner,
    /// The node right above.
    pub(super) parent: Node<'tree>,
    /// The outermost wrapper right around it.
    pub(super) outer: Option<Node<'tree>>,
}

impl<'tree, 'text> Site<'tree, 'text> {
    /// The text of `node`.
    pub(super) fn text_of(&self, node: Node<'_>) -> &'text str {
        slice(self.text, node.byte_range())
    }

    /// The child in `field`.
    pub(super) fn field(&self, field: &str) -> Option<Node<'tree>> {
        self.node.child_by_field_name(field)
    }

    /// The outermost wrapper, or the node itself.
    pub(super) fn whole(&self) -> Node<'tree> {
        self.outer.unwrap_or(self.node)
    }

    /// A declaration of the row's kind named by `name`.
    pub(super) fn named(&self, name: Node<'_>) -> Declared {
        let segments = vec![unquoted(self.text_of(name))];
        Declared::new(self.kind, segments, name.byte_range(), self.inner)
    }
}

/// How declarations of one name that stand side by side make one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// They do not.
    Alone,
    /// A signature without body, before others or an implementation.
    Signature,
    /// An implementation that ends a run of signatures.
    Implementation,
    /// One of getter, setter, deleter.
    Accessor,
}

/// One name that a node declares.
pub(super) struct Declared {
    /// Kind of symbol.
    pub(super) kind: Kind,
    /// Own segments of the path, usually one.
    pub(super) segments: Vec<String>,
    /// Segments that members see in place of these.
    pub(super) seen_as: Option<Vec<String>>,
    /// Another name for the last segment.
    pub(super) alias: Option<String>,
    /// Bytes of the name.
    pub(super) name: Range<usize>,
    /// What can stand below.
    pub(super) inner: Inner,
    /// A node below that would be opaque but holds this declaration's members.
    pub(super) open: Option<usize>,
    /// How it joins its neighbours.
    pub(super) group: Group,
    /// Whether other files can see it, where the language's general rule does not say.
    pub(super) exported: Option<bool>,
    /// Whether its lines are those of the node alone, not of the wrappers.
    pub(super) own_lines: bool,
    /// Whether what is declared below stands beside it, not in it.
    pub(super) beside: bool,
    /// Where it ends, if that lies behind its node.
    pub(super) end: usize,
}

impl Declared {
    /// A declaration with nothing special.
    pub(super) fn new(kind: Kind, segments: Vec<String>, name: Range<usize>, inner: Inner) -> Self {
        Self {
            kind,
            segments,
            seen_as: None,
            alias: None,
            name,
            inner,
            open: None,
            group: Group::Alone,
            exported: None,
            own_lines: false,
            beside: false,
            end: 0,
        }
    }
}

/// Names a declaration by its field `name`.
pub(super) fn by_name(site: &Site<'_, '_>) -> Vec<Declared> {
    site.field("name")
        .map(|name| site.named(name))
        .into_iter()
        .collect()
}

/// Every body in the table is one.
pub(super) fn always(_: Node<'_>, _: &str) -> bool {
    true
}

/// Nothing is looked into beyond what the table says.
pub(super) fn opens_nothing(_: Node<'_>, _: &str) -> Option<Opened> {
    None
}

/// An import that binds nothing.
pub(super) fn binds_nothing(_: Node<'_>, _: &str) -> Vec<String> {
    Vec::new()
}

/// An import that binds the last word before any alias, or the alias.
pub(super) fn binds_last_word(node: Node<'_>, text: &str) -> Vec<String> {
    let piece = slice(text, node.byte_range());
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut words = piece.split(|c| !word(c)).filter(|word| !word.is_empty());
    words.next_back().map(str::to_owned).into_iter().collect()
}

/// `text` without the quotes around it.
pub(super) fn unquoted(text: &str) -> String {
    for quote in ['"', '\'', '`'] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

/// `text` with every run of white space made one space.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether `node` has a direct child of `kind`, looking at its first children only.
pub(super) fn has_child(node: Node<'_>, kind: &str) -> bool {
    child_of(node, kind).is_some()
}

/// The first direct child of `kind` among the first children of `node`.
pub(super) fn child_of<'tree>(node: Node<'tree>, kind: &str) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .take(64)
        .find(|child| child.kind() == kind)
}

/// What a walk does after a node.
pub(super) enum Below {
    /// Looks at what is below it.
    Enter,
    /// Goes on behind it.
    Skip,
}

/// Calls `visit` for `top` and the nodes below it in source order, each with its field.
pub(super) fn each_below<'tree>(
    top: Node<'tree>,
    mut visit: impl FnMut(Node<'tree>, Option<&'tree str>) -> Below,
) {
    let mut cursor = top.walk();
    let mut depth = 0_usize;
    loop {
        let below = visit(cursor.node(), cursor.field_name());
        if matches!(below, Below::Enter) && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while depth > 0 && !cursor.goto_next_sibling() {
            cursor.goto_parent();
            depth -= 1;
        }
        if depth == 0 {
            return;
        }
    }
}
