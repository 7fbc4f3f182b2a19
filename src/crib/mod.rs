//! The client of Crib, a documentation application that serves its installed manuals on loopback.
//!
//! A call reads the discovery files again, checks that they are private and that the recorded
//! process lives, lets whatever listens on the port prove that it knows the access key, and only
//! then sends the key, over that same connection. Nothing is kept between calls. This is the only
//! networking code of the program, and it reaches no address but 127.0.0.1.
//!
//! The wire format belongs to this project; all its names stand in [`wire`].

#![cfg_attr(
    not(unix),
    allow(
        dead_code,
        reason = "where files cannot be checked nothing is discovered, so nothing is asked"
    )
)]

pub mod answer;
pub mod client;
mod connection;
mod discover;
pub mod fault;
mod json;
mod process;
mod proof;
pub mod schema;
pub mod wire;
