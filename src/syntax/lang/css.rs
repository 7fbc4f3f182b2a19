//! css
