//! Character classes of secrets, by the names that the rules use.

/// A set of ASCII bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Digit,
    LowerHex,
    Hex,
    Uuid,
    LowerAlnum,
    UpperAlnum,
    Base32,
    Alnum,
    Word,
    Kebab,
    Base64,
    Base64Url,
    Dotted,
    Padded,
    Azure,
    Percent,
}

impl Class {
    /// The class that the rules call `name`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "digit" => Self::Digit,
            "lower-hex" => Self::LowerHex,
            "hex" => Self::Hex,
            "uuid" => Self::Uuid,
            "lower-alnum" => Self::LowerAlnum,
            "upper-alnum" => Self::UpperAlnum,
            "base32" => Self::Base32,
            "alnum" => Self::Alnum,
            "word" => Self::Word,
            "kebab" => Self::Kebab,
            "base64" => Self::Base64,
            "base64url" => Self::Base64Url,
            "dotted" => Self::Dotted,
            "padded" => Self::Padded,
            "azure" => Self::Azure,
            "percent" => Self::Percent,
            _ => return None,
        })
    }

    /// Whether `b` belongs to the class.
    pub(super) fn has(self, b: u8) -> bool {
        match self {
            Self::Digit => b.is_ascii_digit(),
            Self::LowerHex => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
            Self::Hex => b.is_ascii_hexdigit(),
            Self::Uuid => b.is_ascii_hexdigit() || b == b'-',
            Self::LowerAlnum => matches!(b, b'0'..=b'9' | b'a'..=b'z'),
            Self::UpperAlnum => matches!(b, b'0'..=b'9' | b'A'..=b'Z'),
            Self::Base32 => matches!(b, b'2'..=b'7' | b'A'..=b'Z'),
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Word => b.is_ascii_alphanumeric() || b == b'_',
            Self::Kebab => b.is_ascii_alphanumeric() || b == b'-',
            Self::Base64 => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='),
            Self::Base64Url => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'),
            Self::Dotted => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'),
            Self::Padded => {
                b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+' | b'/' | b'=')
            }
            Self::Azure => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~'),
            Self::Percent => {
                b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+' | b'/' | b'%' | b'=')
            }
        }
    }
}
