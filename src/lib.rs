//! Packs a repository into documents for language models, with exact `o200k_base` counts.
//!
//! Modules form rows; a module imports only from lower rows:
//!
//! | row | modules |
//! |---|---|
//! | 0 | `limits` `error` `cancel` `progress` `path` `root` `reason` `marker` `text` `arguments` |
//! | 1 | `scan` `secrets` `syntax` `tokens` `crib` |
//! | 2 | `intake` |
//! | 3 | `render` `memory` |
//! | 4 | `options` |
//! | 5 | `pack` `plan` `code` `explain` `find` |
//! | 6 | `mcp` `cli` |
//! | 7 | the programs |

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::string_slice,
        reason = "tests stop at the first surprise"
    )
)]

pub mod arguments;
pub mod cancel;
pub mod code;
#[cfg(feature = "crib")]
pub mod crib;
pub mod error;
pub mod explain;
pub mod find;
pub mod intake;
pub mod limits;
pub mod marker;
pub mod mcp;
pub mod memory;
pub mod options;
pub mod pack;
pub mod path;
pub mod plan;
pub mod progress;
pub mod reason;
pub mod render;
pub mod root;
pub mod scan;
pub mod secrets;
pub mod syntax;
pub mod text;
pub mod tokens;

#[cfg(feature = "cli")]
pub mod cli;
