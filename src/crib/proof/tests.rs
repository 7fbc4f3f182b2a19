//! Tests of `proof`.

use serde_json::json;

use super::*;

const KEY: &[u8] = b"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const SERVER_NONCE: &str = "yMnKy8zNzs_Q0dLT1NXW19jZ2tvc3d7f4OHi4-Tl5uc";
const PROOF: &str = "Aa3N-TABQxD_wsUau_IeuAIJJOCsdE0RylMv1xf9S-A";
const INSTANCE: &str = "0123456789abcdef0123456789abcdef";

fn nonce() -> [u8; NONCE_BYTES] {
    std::array::from_fn(|at| 100 + u8::try_from(at).unwrap())
}

fn peer() -> Peer {
    Peer {
        instance_id: INSTANCE.into(),
        port: 49_152,
        pid: 4242,
    }
}

fn answer() -> serde_json::Value {
    json!({"schema": 1, "instance_id": INSTANCE, "server_nonce": SERVER_NONCE, "proof": PROOF})
}

fn check(nonce: &[u8; NONCE_BYTES], peer: &Peer, answer: &serde_json::Value) -> bool {
    let key = Key::read(KEY).unwrap();
    proves(&key, nonce, peer, answer.to_string().as_bytes())
}

/// A known answer, computed apart from this program.
#[test]
fn the_known_answer() {
    let key = Key::read(KEY).unwrap();
    assert_eq!(key.id(), "2bb8b311ec950494");
    assert_eq!(key.text(), KEY);
    assert_eq!(
        challenge(&nonce()),
        r#"{"schema":1,"client_nonce":"ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1-f4CBgoM"}"#
    );
    assert!(check(&nonce(), &peer(), &answer()));
}

#[test]
fn every_part_counts() {
    let mut other_nonce = nonce();
    other_nonce[31] ^= 1;
    assert!(!check(&other_nonce, &peer(), &answer()));
    for other in [
        Peer {
            port: 49_153,
            ..peer()
        },
        Peer {
            pid: 4243,
            ..peer()
        },
        Peer {
            instance_id: INSTANCE.replace('0', "1"),
            ..peer()
        },
    ] {
        assert!(!check(&nonce(), &other, &answer()), "{other:?}");
    }
    for (member, value) in [
        ("schema", json!(2)),
        ("instance_id", json!(INSTANCE.replace('0', "1"))),
        ("server_nonce", json!(SERVER_NONCE.replace('y', "z"))),
        ("server_nonce", json!("")),
        ("proof", json!(PROOF.replace('A', "B"))),
        ("proof", json!(PROOF.replace("-A", "-B"))),
        ("proof", json!(format!("{PROOF}="))),
        ("proof", json!(PROOF.get(..42))),
        ("proof", json!(format!("{PROOF}A"))),
        ("proof", json!("")),
        ("proof", json!(true)),
        ("proof", json!(null)),
    ] {
        let mut changed = answer();
        changed[member] = value;
        assert!(!check(&nonce(), &peer(), &changed), "{changed}");
    }
    assert!(!check(&nonce(), &peer(), &json!([answer()])));
}

#[test]
fn base64url_is_read_exactly() {
    let mut bytes = [0; 4];
    for (text, good) in [
        ("AQIDBA", true),
        ("_-_-_w", true),
        ("AQIDBB", false),
        ("AQIDBA==", false),
        ("AQIDB", false),
        ("AQID+A", false),
        ("AQID/A", false),
        ("AQIDé", false),
    ] {
        assert_eq!(decode(text.as_bytes(), &mut bytes), good, "{text}");
    }
    for length in 0..=32 {
        let bytes: Vec<u8> = (0..length)
            .map(|at: u8| at.wrapping_mul(37).wrapping_add(250))
            .collect();
        let mut back = vec![0; bytes.len()];
        assert!(decode(encode(&bytes).as_bytes(), &mut back));
        assert_eq!(back, bytes);
    }
}

#[test]
fn key_files_hold_one_key() {
    let key = String::from_utf8(KEY.to_vec()).unwrap();
    for (text, good) in [
        (key.clone(), true),
        (format!("{key}\n"), true),
        (format!("{key}\n\n"), false),
        (format!("{key}\r\n"), false),
        (format!(" {key}"), false),
        (format!("{key}="), false),
        (key.replace("h8", "h9"), false),
        (String::new(), false),
    ] {
        assert_eq!(Key::read(text.as_bytes()).is_some(), good, "{text:?}");
    }
}
