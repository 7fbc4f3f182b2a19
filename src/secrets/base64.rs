//! Decodes the start of base64 text, in either alphabet and with or without padding.

/// The bytes that `text` encodes, up to the first character outside both alphabets.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for &b in text {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = (bits << 6 | u32::from(six)) & 0xFFFF;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xFF) as u8);
        }
    }
    out
}

/// Whether `text` contains `part`.
pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn both_alphabets() {
        for (text, expected) in [
            ("", &b""[..]),
            ("Zg", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("_-8", b"\xff\xef"),
            ("/+8=", b"\xff\xef"),
        ] {
            assert_eq!(decode(text.as_bytes()), expected, "{text}");
        }
    }
}
