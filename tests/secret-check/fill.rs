//! Fills templates with random text, so that no file of this project holds a whole credential.

/// A fixed sequence that looks random.
pub struct Noise(pub u64);

const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPITAL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

impl Noise {
    /// The next number of the sequence.
    pub fn number(&mut self) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }

    /// One of `choices`.
    pub fn one<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.number() % choices.len()]
    }

    /// `len` characters of a class of the templates.
    pub fn text(&mut self, class: &str, len: usize) -> String {
        let set = match class {
            "a" => format!("{SMALL}{CAPITAL}{DIGITS}"),
            "h" => format!("{DIGITS}abcdef"),
            "H" => format!("{DIGITS}ABCDEF"),
            "u" => format!("{CAPITAL}{DIGITS}"),
            "b" => format!("{CAPITAL}234567"),
            "6" => format!("{SMALL}{CAPITAL}{DIGITS}+/"),
            "w" => format!("{SMALL}{CAPITAL}{DIGITS}-_"),
            "l" => format!("{SMALL}{DIGITS}"),
            "d" => DIGITS.to_owned(),
            "A" => format!("{SMALL}{CAPITAL}"),
            _ => panic!("class {class}"),
        };
        let set = set.as_bytes();
        // The first and last are letters or digits, so that a boundary never depends on the seed.
        let plain: Vec<u8> = set
            .iter()
            .copied()
            .filter(u8::is_ascii_alphanumeric)
            .collect();
        (0..len)
            .map(|at| {
                let edge = at == 0 || at + 1 == len;
                let set = if edge { &plain } else { set };
                char::from(set[self.number() % set.len()])
            })
            .collect()
    }

    /// A password as managers make them: `len` letters and digits, at least one capital, one small
    /// letter and two digits.
    fn password(&mut self, len: usize) -> String {
        loop {
            let text = self.text("a", len);
            let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
            if count(u8::is_ascii_digit) >= 2
                && count(u8::is_ascii_uppercase) >= 1
                && count(u8::is_ascii_lowercase) >= 1
            {
                return text;
            }
        }
    }
}

/// Base64 of `bytes` in the usual alphabet.
pub fn base64(bytes: &[u8], padded: bool) -> String {
    let set = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            bits << 8 | chunk.get(at).map_or(0, |&b| usize::from(b))
        });
        for at in 0..=chunk.len() {
            out.push(char::from(set[bits >> (18 - 6 * at) & 63]));
        }
        if padded {
            out.push_str(&"==="[chunk.len()..]);
        }
    }
    out
}

/// Puts random text and line ends in place of the markers of `template`.
///
/// `{class:n}` stands for n characters of a class, `{basic}` for an encoded login, `{jwt}` for a
/// web token, `{b64:…}` for the base64 of what stands behind, filled itself; `{x}` for `x`, so that
/// a prefix is not whole in the table. `\n` and `\r` are line ends, `\\` is one backslash.
pub fn fill(template: &str, noise: &mut Noise) -> String {
    let template = template
        .replace("\\\\", "\u{1}")
        .replace("\\n", "\n")
        .replace("\\r", "\r")
        .replace("\\t", "\t");
    filled(&template, noise).replace('\u{1}', "\\")
}

fn filled(template: &str, noise: &mut Noise) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        if let Some((inner, after)) = after
            .strip_prefix("b64:")
            .and_then(|after| after.split_once("}}"))
        {
            let inner = filled(&inner.replace('[', "{").replace(']', "}"), noise);
            out.push_str(&base64(inner.as_bytes(), true));
            rest = after;
            continue;
        }
        match after.split_once('}').and_then(|(marker, after)| {
            let text = marked(marker, noise)?;
            Some((text, after))
        }) {
            Some((text, after)) => {
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn marked(marker: &str, noise: &mut Noise) -> Option<String> {
    let count = |class: &str| {
        let (found, n) = marker.split_once(':')?;
        (found == class).then(|| n.parse::<usize>().ok())?
    };
    if let Some(n) = count("p") {
        return Some(noise.password(n));
    }
    for class in ["a", "h", "H", "u", "b", "6", "w", "l", "d", "A"] {
        if let Some(n) = count(class) {
            return Some(noise.text(class, n));
        }
    }
    match marker {
        "basic" => {
            let login = format!("deploy:{}", noise.text("a", 14));
            Some(base64(login.as_bytes(), true))
        }
        "jwt" | "anon" => {
            let header = base64(br#"{"alg":"HS256","typ":"JWT"}"#, false);
            let payload = if marker == "jwt" {
                &br#"{"sub":"svc","scope":"all"}"#[..]
            } else {
                br#"{"iss":"supabase","ref":"abcd","role":"anon"}"#
            };
            let payload = base64(payload, false);
            Some(format!("{header}.{payload}.{}", noise.text("w", 43)))
        }
        "uuid" => Some(
            [8, 4, 4, 4, 12]
                .map(|len| noise.text("h", len))
                .join("-"),
        ),
        _ if marker.chars().count() <= 2 && !marker.is_empty() => Some(marker.to_owned()),
        _ => None,
    }
}
