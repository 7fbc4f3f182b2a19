//! Which files exist, which are wanted, and their bytes.
//!
//! - [`select`]: compiles the host's patterns, lists and switches into a [`select::Selection`].
//! - [`glob`]: the one wildcard matcher, for ignore files and the host's patterns alike.
//! - [`subject`]: a path prepared for being matched against many patterns.
//! - [`pattern`]: the patterns a host gives: braces, alternatives, literal paths.
//! - [`ignore`]: the rules of ignore files; answers with the rule that decided.
//! - `rule_file`: one rule file read within the limits.
//! - [`repository`]: where git keeps the rules that stand outside the work tree.
//! - [`rules`]: all sources of rules over one root, in their one order of precedence.
//! - [`walk`]: all candidates of a root in path order, or the decision about single paths.
//! - [`spelling`]: other spellings of a path that exists.
//! - [`read`]: bounded reads through [`crate::root::Root`].
//! - [`list`]: path lists from files and standard input.

pub mod glob;
pub mod ignore;
pub mod list;
pub mod pattern;
pub mod read;
pub mod repository;
mod rule_file;
pub mod rules;
pub mod select;
pub mod spelling;
pub mod subject;
pub mod walk;
