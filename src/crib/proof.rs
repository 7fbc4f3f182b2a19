//! How a service proves that it knows the access key before it is given it.
//!
//! The proof is an HMAC over both nonces and over where the client believes to be connected to:
//! a relay from another port fails on the port, a recorded proof on the client's fresh nonce, and
//! a squatter learns nothing but that nonce. The client takes host, port, process and instance
//! from its own checked discovery, never from the answer.

use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::crib::json;
use crate::crib::wire::{
    HOST, KEY_BYTES, KEY_CHARS, KEY_ID_CHARS, KEY_ID_LABEL, NONCE_BYTES, PROOF_BYTES, PROOF_LABEL,
    SCHEMA,
};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The access key. Its bytes are cleared when it is dropped, and it has no `Debug`.
pub(super) struct Key {
    bytes: [u8; KEY_BYTES],
    text: [u8; KEY_CHARS],
}

impl ZeroizeOnDrop for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        self.bytes.zeroize();
        self.text.zeroize();
    }
}

impl Key {
    /// The key in the content of a key file: its text and at most one line feed.
    pub(super) fn read(file: &[u8]) -> Option<Self> {
        let text = file.strip_suffix(b"\n").unwrap_or(file);
        let text: &[u8; KEY_CHARS] = text.try_into().ok()?;
        let mut key = Self {
            bytes: [0; KEY_BYTES],
            text: *text,
        };
        decode(text, &mut key.bytes).then_some(key)
    }

    /// The public name of this key: the beginning of a hash over it, in hexadecimal.
    pub(super) fn id(&self) -> String {
        let hash = Sha256::new()
            .chain_update(KEY_ID_LABEL)
            .chain_update(self.bytes)
            .finalize();
        let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits
            .take(KEY_ID_CHARS)
            .filter_map(|nibble| char::from_digit(u32::from(nibble), 16))
            .collect()
    }

    /// The key's text, for the one header that carries it.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }
}

/// Whom the client believes to talk to, as the checked discovery says.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) instance_id: String,
    pub(super) port: u16,
    pub(super) pid: u32,
}

/// The service's answer to a challenge.
#[derive(Deserialize)]
struct Answer {
    schema: u64,
    instance_id: String,
    server_nonce: String,
    proof: String,
}

/// The body of a challenge with the client's `nonce`.
pub(super) fn challenge(nonce: &[u8; NONCE_BYTES]) -> String {
    format!(
        r#"{{"schema":{SCHEMA},"client_nonce":"{}"}}"#,
        encode(nonce)
    )
}

/// Whether `body` proves that `peer` knows `key`, given the nonce of this challenge.
pub(super) fn proves(key: &Key, nonce: &[u8; NONCE_BYTES], peer: &Peer, body: &[u8]) -> bool {
    let Some(answer) = json::parse::<Answer>(body) else {
        return false;
    };
    let mut server_nonce = [0; NONCE_BYTES];
    let mut proof = [0; PROOF_BYTES];
    if answer.schema != SCHEMA
        || answer.instance_id != peer.instance_id
        || !decode(answer.server_nonce.as_bytes(), &mut server_nonce)
        || !decode(answer.proof.as_bytes(), &mut proof)
    {
        return false;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&key.bytes)
        .expect("HMAC takes a key of any length");
    for part in [
        PROOF_LABEL,
        nonce,
        &server_nonce,
        peer.instance_id.as_bytes(),
        HOST.as_bytes(),
        peer.port.to_string().as_bytes(),
        peer.pid.to_string().as_bytes(),
    ] {
        let length = u32::try_from(part.len()).expect("every part is short");
        mac.update(&length.to_be_bytes());
        mac.update(part);
    }
    mac.verify_slice(&proof).is_ok()
}

/// base64url without padding.
fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=chunk.len() {
            let index = (bits >> (18 - 6 * at)) & 63;
            text.push(char::from(ALPHABET[index as usize]));
        }
    }
    text
}

/// Fills `bytes` from base64url without padding. False unless the text has exactly that length,
/// only characters of the alphabet, and zero bits behind the last byte.
fn decode(text: &[u8], bytes: &mut [u8]) -> bool {
    if text.len() != (bytes.len() * 4).div_ceil(3) {
        return false;
    }
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut slots = bytes.iter_mut();
    for character in text {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return false,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            let Some(slot) = slots.next() else {
                return false;
            };
            *slot = u8::try_from(bits >> held & 0xff).unwrap_or(0);
        }
        bits &= (1 << held) - 1;
    }
    bits == 0
}

#[cfg(test)]
mod tests;
