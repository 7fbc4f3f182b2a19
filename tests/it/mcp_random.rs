//! Random sessions from a seed: whatever the order of calls, cancels and steps, each request is
//! answered exactly once, a cancelled one at most once.

use std::collections::BTreeSet;

use moon_repomix::mcp::profile::Profile;
use serde_json::{Value, json};

use crate::support::server::{Client, toys};

/// A small generator, so that a failing seed can be run again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % sides as u64) as usize
    }
}

fn session(seed: u64, profile: Profile, revision: Option<&str>) {
    let mut dice = Dice(seed);
    let (server, stage) = toys(profile);
    let mut client = Client::new(server);
    if let Some(revision) = revision {
        client.handshake(revision);
    }
    let mut owed: Vec<i64> = Vec::new();
    let mut cancelled = BTreeSet::new();
    for _ in 0..60 {
        match dice.roll(9) {
            0 => owed.push(client.post("hold", json!({"text": "h"}))),
            1 | 2 => owed.push(client.post("aside", json!({}))),
            3 => owed.push(client.post("make", json!({"text": "m"}))),
            4 => owed.push(client.request("resources/list", json!({}))),
            5 => owed.push(client.post("panic", json!({}))),
            6 if !owed.is_empty() => {
                let id = owed[dice.roll(owed.len())];
                client.cancel(id);
                cancelled.insert(id);
            }
            7 if revision == Some("2025-03-26") => {
                let parts = [
                    ("tools/call", "aside"),
                    ("tools/call", "make"),
                    ("tools/list", ""),
                ];
                let mut batch: Vec<Value> = Vec::new();
                for (method, name) in parts {
                    let (id, message) = client.build(method, json!({ "name": name }));
                    owed.push(id);
                    batch.push(message);
                }
                client.send(&json!(batch));
            }
            _ => stage.go(),
        }
    }
    for _ in 0..200 {
        stage.go();
    }
    for id in owed {
        if !cancelled.contains(&id) {
            client.wait_answered(id);
        }
        assert!(client.answers(&json!(id)) <= 1, "seed {seed}, id {id}");
    }
    client.close();
    for id in &cancelled {
        assert!(client.answers(&json!(id)) <= 1, "seed {seed}, id {id}");
    }
}

#[test]
fn every_request_is_answered_once() {
    for seed in 0..25 {
        session(seed, Profile::repository(), None);
        session(seed, Profile::repository(), Some("2025-03-26"));
        session(seed, Profile::documentation(), Some("2025-11-25"));
    }
}
