//! Languages, skeletons and symbols.

pub mod grammar;
pub mod skeleton;
