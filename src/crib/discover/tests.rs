//! Tests, to follow.
