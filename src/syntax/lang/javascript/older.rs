//! JavaScript from before classes and modules: constructor functions, functions called where they
//! stand, loaders around a file, objects that extend others.
//!
//! Every look is at a statement or value and a bounded way down from it, or at the direct
//! statements of one body, so that the sum is linear in the size of the file.

use tree_sitter::Node;

use crate::syntax::lang::{Declared, Inner, Opened, Site, has_child};
use crate::syntax::stretch::slice;
use crate::syntax::symbols::Kind;

use super::{plain, take_value};

/// What a constructor calls its object when functions within need it.
const SELVES: [&str; 5] = ["self", "that", "_this", "_self", "vm"];
/// Functions that load a module.
const LOADERS: [&str; 3] = ["define", "require", "requirejs"];
/// Functions that add the members of their last argument to another object.
const EXTENDERS: [&str; 3] = ["extend", "assign", "mixin"];

/// What below a node is looked into, beyond what the table says of its kind.
pub(super) fn opens(node: Node<'_>, text: &str) -> Option<Opened> {
    match node.kind() {
        "expression_statement" => wrapper(node.named_child(0)?, text),
        "return_statement" => {
            let value = plain(node.named_child(0)?);
            let object = value.kind() == "object";
            object.then(|| opened(value, Inner::Returned))
        }
        "variable_declarator" => {
            let name = slice(text, node.child_by_field_name("name")?.byte_range());
            value(node.child_by_field_name("value")?, name, text)
        }
        "assignment_expression" => {
            let left = node.child_by_field_name("left")?;
            let name = left.child_by_field_name("property").unwrap_or(left);
            let name = slice(text, name.byte_range());
            value(node.child_by_field_name("right")?, name, text)
        }
        "function_declaration" => {
            let name = slice(text, node.child_by_field_name("name")?.byte_range());
            is_constructor(node, name, text).then(|| opened(node, Inner::Constructor))
        }
        _ => None,
    }
}

fn opened(node: Node<'_>, inner: Inner) -> Opened {
    let id = node.id();
    Opened { id, inner }
}

fn value(value: Node<'_>, name: &str, text: &str) -> Option<Opened> {
    let value = plain(value);
    match value.kind() {
        "call_expression" => value_of_call(value, text),
        "function_expression" => {
            is_constructor(value, name, text).then(|| opened(value, Inner::Constructor))
        }
        _ => None,
    }
}

/// Whether a function called `name` makes objects: it gives functions to `this`, or has the name
/// of a class and gives anything to it.
pub(super) fn is_constructor(function: Node<'_>, name: &str, text: &str) -> bool {
    let plain_function = matches!(
        function.kind(),
        "function_declaration" | "function_expression"
    );
    let Some(body) = function
        .child_by_field_name("body")
        .filter(|_| plain_function)
    else {
        return false;
    };
    let class = name.chars().next().is_some_and(char::is_uppercase);
    let mut cursor = body.walk();
    body.named_children(&mut cursor).any(|statement| {
        let assigned = statement
            .named_child(0)
            .filter(|node| node.kind() == "assignment_expression");
        let own = assigned.filter(|node| {
            let left = node.child_by_field_name("left");
            left.and_then(|left| left.child_by_field_name("object"))
                .is_some_and(|object| is_self(object, text))
        });
        let right = own.and_then(|node| node.child_by_field_name("right"));
        right.is_some_and(|right| class || is_function(plain(right)))
    })
}

fn is_self(object: Node<'_>, text: &str) -> bool {
    let name = || slice(text, object.byte_range());
    object.kind() == "this" || object.kind() == "identifier" && SELVES.contains(&name())
}

/// `this.m = ..` in a constructor function.
pub(super) fn own_member(site: &Site<'_, '_>, left: Node<'_>) -> Option<Declared> {
    let object = left.child_by_field_name("object")?;
    let name = left.child_by_field_name("property")?;
    if !is_self(object, site.text) {
        return None;
    }
    let segments = vec![site.text_of(name).to_owned()];
    let mut declared = Declared::new(Kind::Field, segments, name.byte_range(), Inner::Nothing);
    take_value(&mut declared, site.field("right"), Kind::Method, site.text);
    Some(declared)
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_expression" | "arrow_function" | "generator_function"
    )
}

/// A function that can wrap declarations; one that waits for something is a program, not a module.
fn can_wrap(node: Node<'_>) -> bool {
    is_function(node) && !has_child(node, "async")
}

/// The arguments of a call, at most 16.
fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = call.child_by_field_name("arguments") else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    let all = list.named_children(&mut cursor).take(16);
    all.filter(|node| node.kind() != "comment").collect()
}

/// The function that a call calls where it stands, also by `call` and `apply`.
fn called<'tree>(call: Node<'tree>, text: &str) -> Option<Node<'tree>> {
    let callee = plain(call.child_by_field_name("function")?);
    let through = callee.child_by_field_name("property").is_some_and(|word| {
        let word = slice(text, word.byte_range());
        word == "call" || word == "apply"
    });
    let function = if through {
        plain(callee.child_by_field_name("object")?)
    } else {
        callee
    };
    can_wrap(function).then_some(function)
}

/// The function around the declarations of a module: of those handed to a loader or to a function
/// called where it stands the last, else the function called.
fn wrapper(statement: Node<'_>, text: &str) -> Option<Opened> {
    let mut call = plain(statement);
    if call.kind() == "unary_expression" {
        call = plain(call.child_by_field_name("argument")?);
    }
    if call.kind() != "call_expression" {
        return None;
    }
    let function = called(call, text);
    if function.is_none()
        && !LOADERS.contains(&last_name(call.child_by_field_name("function")?, text))
    {
        return None;
    }
    let given = arguments(call).into_iter().map(plain);
    let mut last = given.filter(|node| can_wrap(*node) || node.kind() == "object");
    let function = last.next_back().or(function)?;
    let object = function.kind() == "object";
    let inner = if object { Inner::Object } else { Inner::Module };
    Some(opened(function, inner))
}

fn last_name<'a>(callee: Node<'_>, text: &'a str) -> &'a str {
    let name = callee.child_by_field_name("property").unwrap_or(callee);
    slice(text, name.byte_range())
}

/// What the value of a call is made of: the body of a function called where it stands, or the
/// members in a last argument.
pub(super) fn value_of_call<'tree>(call: Node<'tree>, text: &str) -> Option<Opened> {
    if let Some(function) = called(call, text) {
        return Some(opened(function, Inner::Module));
    }
    members(call).map(|object| opened(object, Inner::Object))
}

/// The object with functions that is the last argument of a call.
fn members(call: Node<'_>) -> Option<Node<'_>> {
    let object = arguments(call)
        .pop()
        .filter(|node| node.kind() == "object")?;
    let mut cursor = object.walk();
    let function = |member: Node<'_>| {
        let value = member.child_by_field_name("value");
        member.kind() == "method_definition" || value.is_some_and(is_function)
    };
    let any = object.named_children(&mut cursor).any(function);
    any.then_some(object)
}

/// `_.extend(A.prototype, { .. })`, `Object.assign(A, { .. })`, `A.extend({ .. })`.
pub(super) fn extended(site: &Site<'_, '_>) -> Option<Declared> {
    let call = plain(site.node.named_child(0)?);
    let callee = call
        .child_by_field_name("function")
        .filter(|_| site.scope == Inner::Module && call.kind() == "call_expression")?;
    if !EXTENDERS.contains(&last_name(callee, site.text)) {
        return None;
    }
    let object = members(call)?;
    let target = match arguments(call).as_slice() {
        [_] => callee.child_by_field_name("object")?,
        all => *all.first()?,
    };
    let segments = chain(site, target)?;
    let seen_as = seen_by_members(&segments);
    let mut declared = Declared::new(Kind::Variable, segments, target.byte_range(), Inner::Object);
    declared.seen_as = seen_as;
    declared.open = Some(object.id());
    declared.exported = Some(false);
    Some(declared)
}

/// The names of `a.b.c`, at most 16.
pub(super) fn chain(site: &Site<'_, '_>, node: Node<'_>) -> Option<Vec<String>> {
    let mut segments = Vec::new();
    let mut at = node;
    while at.kind() == "member_expression" && segments.len() < 16 {
        segments.push(site.text_of(at.child_by_field_name("property")?).to_owned());
        at = at.child_by_field_name("object")?;
    }
    if !matches!(at.kind(), "identifier" | "this") {
        return None;
    }
    segments.push(site.text_of(at).to_owned());
    segments.reverse();
    Some(segments)
}

/// Members of `A.prototype` are members of `A`.
pub(super) fn seen_by_members(segments: &[String]) -> Option<Vec<String>> {
    let (last, before) = segments.split_last()?;
    (last == "prototype" && !before.is_empty()).then(|| before.to_vec())
}
