//! Runs the stub of the documentation service, to try the client by hand.
//!
//! Prints the user-data directory to hand to the client, then obeys lines of standard input:
//! `restart`, `reset-key`, `change-documents`, `judge`, or the name of a fault such as
//! `RandomProof` (`None` for none). Ends with its input.

#![allow(
    dead_code,
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::string_slice,
    reason = "a test program that shares the stub with the tests"
)]

#[cfg(unix)]
#[path = "../it/support/crib_host/mod.rs"]
mod crib_host;

#[cfg(unix)]
fn main() {
    use crib_host::{Fault, Host};

    const FAULTS: [Fault; 41] = [
        Fault::None,
        Fault::RandomProof,
        Fault::RelayedProof,
        Fault::ReplayedProof,
        Fault::OtherInstance,
        Fault::MisnamedInstance,
        Fault::OtherPid,
        Fault::OtherKey,
        Fault::UnframedProof,
        Fault::ShortProof,
        Fault::ChallengeSchema,
        Fault::NoChallenge,
        Fault::ChallengeRedirect,
        Fault::ChallengeClosed,
        Fault::ChallengeSilent,
        Fault::CloseAnnounced,
        Fault::CloseSilent,
        Fault::CloseAlways,
        Fault::CloseThenSquatter,
        Fault::Redirect,
        Fault::RedirectHome,
        Fault::Oversize,
        Fault::OversizeChunked,
        Fault::AtLimit,
        Fault::Chunked,
        Fault::Drip,
        Fault::DripHead,
        Fault::SlowBoth,
        Fault::Gzip,
        Fault::TextPlain,
        Fault::SetCookie,
        Fault::HeadTooLarge,
        Fault::Deep,
        Fault::BadUtf8,
        Fault::BadShape,
        Fault::RepeatedKey,
        Fault::UnknownMember,
        Fault::Truncated,
        Fault::NotHttp,
        Fault::OldHttp,
        Fault::Hold,
    ];
    let host = Host::start();
    println!("{}", host.user_data().display());
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        match line.trim() {
            "restart" => host.restart(),
            "reset-key" => host.reset_key(),
            "change-documents" => host.change_documents(),
            "judge" => host.judge(),
            name => match FAULTS.iter().find(|fault| format!("{fault:?}") == name) {
                Some(fault) => host.fault(*fault),
                None => println!("unknown: {name}"),
            },
        }
        println!("port {}, generation {}", host.port(), host.generation());
    }
}

#[cfg(not(unix))]
fn main() {}
