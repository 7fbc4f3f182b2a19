//! The only integration test binary.

#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    reason = "tests stop at the first surprise"
)]
#![allow(missing_docs, reason = "tests are not an interface")]

mod cli;
mod code;
mod crib;
mod crib_mcp;
mod explain;
mod house;
mod lifecycle;
mod mcp_random;
mod mcp_resources;
mod mcp_tools;
mod mcp_wire;
mod mcp_work;
mod pack;
mod plan;
mod readme;
mod scan;
mod secrets;
mod support;
mod syntax;
mod tokens;
