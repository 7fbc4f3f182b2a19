//! ruby
