//! The MCP server: newline-delimited JSON-RPC over two byte streams, tools and resources only.
//!
//! One main loop owns all state and never blocks; a reader and a writer thread own the streams;
//! workers compute. The protocol speaks five revisions and decides the era message by message.
//! What the tools compute is none of its business: a product plugs in as a table of
//! [`tools::Tool`]s.
//!
//! | module | what it knows |
//! |---|---|
//! | `frame` | one line in, with a maximum |
//! | `message` | envelope, ids, the JSON-RPC errors |
//! | `version` | the revisions and what differs between them |
//! | `profile` | what a server offers and its limits |
//! | `results` | every result as it stands on the wire |
//! | `resources` | the bundle of the last run, its URIs |
//! | `state` | what the main loop owns between requests |
//! | `pending` | requests that are not answered yet, batches |
//! | `places` | which jobs run, which wait, who holds the busy slot |
//! | `dispatch` | method name to handler |
//! | `serve` | threads, channels, main loop |
//! | `worker` | one job after another |
//! | `tools` | the tool interface and the tools themselves |

mod dispatch;
mod frame;
pub mod message;
mod pending;
mod places;
pub mod profile;
pub mod resources;
mod results;
pub mod serve;
pub mod state;
pub mod tools;
pub mod version;
mod worker;
