//! `crib-mcp`: the documentation server alone.

fn main() {}
