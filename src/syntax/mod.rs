//! Skeletons and symbol indexes of source files in many languages.
//!
//! [`grammar`] says which language a path is written in, `parse` runs the parser within its
//! deadline, [`skeleton`] cuts bodies out, [`symbols`] lists declarations and finds them by name,
//! [`path`] reads and writes symbol paths. What a language looks like stands in tables, one file
//! each, in `lang`. Every walk is a loop over a cursor: depth of nesting costs memory, never stack.

pub mod dependencies;
pub mod grammar;
pub mod path;
pub mod skeleton;
pub mod symbols;

mod doubt;
mod fence;
mod lang;
mod outline;
mod parse;
mod stretch;

#[cfg(test)]
mod tests;
