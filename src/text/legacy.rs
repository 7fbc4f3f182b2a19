//! What the host allows beyond text that is certain: older encodings to try by name, and UTF-8 with
//! a few bad bytes.
//!
//! Nearly any bytes are something in nearly any older encoding, so a name alone proves nothing. A
//! file is taken in a named encoding only when every byte decodes, the result holds no control
//! characters, and it is not plainly UTF-8 that was damaged.

use encoding_rs::Encoding;

use super::{Decoded, Origin};
use crate::arguments::near_distance;
use crate::limits::LOSSY_BYTES;

/// What is taken although it is not certain. By default nothing.
#[derive(Clone, Debug, Default)]
pub struct Leniency {
    /// Encodings to try on what is not UTF-8 and does not declare another, the first that fits counts.
    pub encodings: Vec<Legacy>,
    /// Whether few bytes that are no UTF-8 are replaced: at most one place in each
    /// [`LOSSY_BYTES`] bytes of a file, and one in a shorter file.
    pub lossy: bool,
}

/// An encoding that can be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legacy(&'static Encoding);

/// Why a name is no encoding that can be tried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodingFault {
    /// No such name.
    #[error("no encoding has this name{}", nearest(near))]
    Unknown {
        /// Names that are written alike, most alike first.
        near: Vec<&'static str>,
    },
    /// Its bytes look like ASCII, or like no text at all.
    #[error("text in this encoding cannot be told from other text by its bytes")]
    NotTold,
}

fn nearest(near: &[&str]) -> String {
    match near {
        [] => ", such as GBK, Shift_JIS, EUC-KR, Big5 or windows-1252".to_owned(),
        [one] => format!(", the nearest is {one}"),
        more => format!(", the nearest are {}", more.join(", ")),
    }
}

/// Names to hint at. Every other label of the WHATWG list is understood, too.
const NAMES: &[&str] = &[
    "GBK",
    "GB18030",
    "GB2312",
    "Big5",
    "Big5-HKSCS",
    "Shift_JIS",
    "SJIS",
    "EUC-JP",
    "EUC-KR",
    "ISO-8859-1",
    "ISO-8859-2",
    "ISO-8859-3",
    "ISO-8859-4",
    "ISO-8859-5",
    "ISO-8859-6",
    "ISO-8859-7",
    "ISO-8859-8",
    "ISO-8859-9",
    "ISO-8859-10",
    "ISO-8859-11",
    "ISO-8859-13",
    "ISO-8859-14",
    "ISO-8859-15",
    "ISO-8859-16",
    "Latin1",
    "windows-874",
    "windows-949",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "KOI8-R",
    "KOI8-U",
    "IBM866",
    "macintosh",
    "x-mac-cyrillic",
    "CP932",
    "CP936",
    "CP949",
    "CP950",
    "CP1252",
];
/// Names of code pages that are in use and not in the WHATWG list.
const CODE_PAGES: [(&str, &Encoding); 4] = [
    ("cp932", encoding_rs::SHIFT_JIS),
    ("cp936", encoding_rs::GBK),
    ("cp949", encoding_rs::EUC_KR),
    ("cp950", encoding_rs::BIG5),
];
/// Most names in a hint.
const HINTS: usize = 3;

impl Legacy {
    /// The encoding of that name: a label of the WHATWG list in any letter case, also as Python and
    /// editors write it (`latin-1`, `euc_jp`), or a code page. UTF-8 is a name, and changes nothing.
    ///
    /// # Errors
    /// [`EncodingFault`].
    pub fn from_name(name: &str) -> Result<Self, EncodingFault> {
        let page = CODE_PAGES
            .iter()
            .find(|(page, _)| page.eq_ignore_ascii_case(name.trim()));
        let encoding = page
            .map(|(_, encoding)| *encoding)
            .or_else(|| labelled(name))
            .ok_or_else(|| EncodingFault::Unknown { near: near(name) })?;
        if encoding == encoding_rs::ISO_2022_JP || !is_read_as_text(encoding) {
            return Err(EncodingFault::NotTold);
        }
        Ok(Self(encoding))
    }

    /// The name in the WHATWG list.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

/// The encoding of a label. Python and editors write some in other forms: latin-1, `euc_jp`.
pub(super) fn labelled(label: &str) -> Option<&'static Encoding> {
    [
        label.to_owned(),
        label.replace('_', "-"),
        label.replace(['-', '_'], ""),
    ]
    .iter()
    .find_map(|form| Encoding::for_label(form.as_bytes()))
}

/// Whether bytes of text in `encoding` can be looked at before they are decoded: UTF-16 is full of
/// NUL, and two members of the list are no encodings of text.
fn is_read_as_text(encoding: &'static Encoding) -> bool {
    encoding.is_ascii_compatible() && encoding != encoding_rs::X_USER_DEFINED
}

fn near(name: &str) -> Vec<&'static str> {
    let plain = |text: &str| {
        text.trim()
            .to_ascii_lowercase()
            .replace(['_', '-', ' '], "")
    };
    let name = plain(name);
    let mut found: Vec<(usize, &'static str)> = NAMES
        .iter()
        .filter_map(|known| Some((near_distance(&name, &plain(known))?, *known)))
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.truncate(HINTS);
    found.into_iter().map(|(_, known)| known).collect()
}

impl Leniency {
    /// Text that is not UTF-8, as far as the host allows it. `bytes` do not look binary.
    ///
    /// 1. Damaged UTF-8, with more than twice as many characters beyond ASCII as bad places, is
    ///    never read as something else: it is mended or refused.
    /// 2. The named encodings, in their order.
    /// 3. A few bad places, whatever else stands there.
    pub(super) fn read(&self, bytes: &[u8]) -> Option<Decoded> {
        let mended = || self.mended(bytes, false);
        if self.encodings.is_empty() || is_damaged(bytes) {
            return mended();
        }
        let named = self.encodings.iter().find_map(|Legacy(encoding)| {
            let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
            is_clean(&text).then(|| Decoded::Text {
                text: text.into_owned(),
                origin: Origin::of(encoding),
            })
        });
        named.or_else(mended)
    }

    /// UTF-8 with its bad places replaced, when that is allowed and they are few.
    pub(super) fn mended(&self, bytes: &[u8], bom: bool) -> Option<Decoded> {
        if !self.lossy {
            return None;
        }
        let (n_bad, _) = places(bytes);
        (n_bad <= (bytes.len() / LOSSY_BYTES).max(1)).then(|| Decoded::Text {
            text: String::from_utf8_lossy(bytes).into_owned(),
            origin: Origin {
                bom,
                undecoded: u32::try_from(n_bad).unwrap_or(u32::MAX),
                ..Origin::UTF_8
            },
        })
    }
}

fn is_damaged(bytes: &[u8]) -> bool {
    let (n_bad, n_beyond) = places(bytes);
    n_beyond > 2 * n_bad
}

/// Places that are no UTF-8, each of which becomes one replacement character, and characters beyond
/// ASCII.
fn places(bytes: &[u8]) -> (usize, usize) {
    bytes
        .utf8_chunks()
        .fold((0, 0), |(n_bad, n_beyond), chunk| {
            let beyond = chunk.valid().bytes().filter(|&byte| byte >= 0xc0).count();
            let bad = usize::from(!chunk.invalid().is_empty());
            (n_bad + bad, n_beyond + beyond)
        })
}

/// Whether `text` holds no control characters but those that texts have: tab, line ends, form feed,
/// and the mark at the end of files of DOS.
fn is_clean(text: &str) -> bool {
    let text = text.strip_suffix('\u{1a}').unwrap_or(text);
    !text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}'))
}

#[cfg(test)]
mod tests;
