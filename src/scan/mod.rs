//! Which files exist, which are wanted, and their bytes.
//!
//! - [`select`]: compiles the host's patterns, lists and switches into a [`select::Selection`].
//! - [`ignore`]: ignore files and built-in patterns; answers with the rule that decided.
//! - [`walk`]: all candidates of a root in path order, or the decision about single paths.
//! - [`read`]: bounded reads through [`crate::root::Root`].
//! - [`list`]: path lists from files and standard input.

pub mod ignore;
pub mod list;
pub mod read;
pub mod select;
pub mod walk;
