//! Tests of `text`.

use super::*;

fn text(text: &str, encoding: &'static str, bom: bool) -> Decoded {
    Decoded::Text {
        text: text.to_owned(),
        origin: Origin {
            encoding,
            bom,
            undecoded: 0,
        },
    }
}

/// With no leniency.
fn decode(bytes: Vec<u8>) -> Decoded {
    super::decode(bytes, &Leniency::default())
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let units = text.encode_utf16();
    let to_bytes = |unit: u16| {
        if big {
            unit.to_be_bytes()
        } else {
            unit.to_le_bytes()
        }
    };
    units.flat_map(to_bytes).collect()
}

#[test]
fn decoding() {
    let marked = |mark: &[u8], body: &[u8]| [mark, body].concat();
    let cases: Vec<(&str, Vec<u8>, Decoded)> = vec![
        ("empty (S-A26)", vec![], text("", "UTF-8", false)),
        (
            "short ASCII (P-31)",
            b"x\n".to_vec(),
            text("x\n", "UTF-8", false),
        ),
        (
            "replacement character (P-28, S-A26)",
            b"a\xef\xbf\xbdb".to_vec(),
            text("a\u{fffd}b", "UTF-8", false),
        ),
        (
            "controls (P-F4)",
            b"a\x07\x1b\x7f".to_vec(),
            text("a\x07\x1b\x7f", "UTF-8", false),
        ),
        (
            "nothing is trimmed",
            b"  a \r\n\r\n".to_vec(),
            text("  a \r\n\r\n", "UTF-8", false),
        ),
        ("NUL (S-A1)", b"h\0i\0".to_vec(), Decoded::Binary),
        (
            "UTF-8 mark",
            marked(b"\xef\xbb\xbf", b"a"),
            text("a", "UTF-8", true),
        ),
        (
            "only the first mark",
            marked(b"\xef\xbb\xbf", b"\xef\xbb\xbfa"),
            text("\u{feff}a", "UTF-8", true),
        ),
        (
            "UTF-8 mark, bad byte",
            marked(b"\xef\xbb\xbf", b"a\xff"),
            Decoded::Unsupported,
        ),
        (
            "UTF-16LE",
            marked(b"\xff\xfe", &utf16("\u{e9}\u{1f600}\n", false)),
            text("\u{e9}\u{1f600}\n", "UTF-16LE", true),
        ),
        (
            "UTF-16BE",
            marked(b"\xfe\xff", &utf16("\u{e9}\u{1f600}\n", true)),
            text("\u{e9}\u{1f600}\n", "UTF-16BE", true),
        ),
        (
            "UTF-16, half a character",
            marked(b"\xff\xfe", b"\x3d\xd8a\0"),
            Decoded::Unsupported,
        ),
        (
            "UTF-16, odd length",
            marked(b"\xff\xfe", b"a\0b"),
            Decoded::Unsupported,
        ),
        (
            "UTF-16, NUL",
            marked(b"\xff\xfe", b"a\0\0\0"),
            Decoded::Binary,
        ),
        (
            "UTF-16, nothing else",
            marked(b"\xff\xfe", b""),
            text("", "UTF-16LE", true),
        ),
        ("UTF-16 without mark", utf16("abc", false), Decoded::Binary),
        (
            "UTF-32LE",
            marked(b"\xff\xfe\0\0", b"a\0\0\0"),
            Decoded::Unsupported,
        ),
        (
            "UTF-32BE",
            marked(b"\0\0\xfe\xff", b"\0\0\0a"),
            Decoded::Unsupported,
        ),
        (
            "Latin-1 (S-A29)",
            b"caf\xe9\n".to_vec(),
            Decoded::Unsupported,
        ),
        ("PNG", b"\x89PNG\r\n\x1a\nabc".to_vec(), Decoded::Binary),
        (
            "jar (P-32)",
            b"PK\x03\x04\x14abc\xff".to_vec(),
            Decoded::Binary,
        ),
        ("noise", (1..=255).collect(), Decoded::Binary),
        (
            "Python line",
            b"# -*- coding: latin-1 -*-\ncaf\xe9\n".to_vec(),
            text(
                "# -*- coding: latin-1 -*-\ncaf\u{e9}\n",
                "windows-1252",
                false,
            ),
        ),
        (
            "Python line, third line",
            b"\n\n# coding: latin-1\ncaf\xe9\n".to_vec(),
            Decoded::Unsupported,
        ),
        (
            "Vim line",
            b"/* vim: set fileencoding=euc-jp : */ \xa4\xa2".to_vec(),
            text(
                "/* vim: set fileencoding=euc-jp : */ \u{3042}",
                "EUC-JP",
                false,
            ),
        ),
        (
            "XML",
            b"<?xml version='1.0' encoding='Shift_JIS'?><a>\x82\xa0</a>".to_vec(),
            text(
                "<?xml version='1.0' encoding='Shift_JIS'?><a>\u{3042}</a>",
                "Shift_JIS",
                false,
            ),
        ),
        (
            "HTML",
            b"<html><meta charset=\"gbk\">\xb0\xa1".to_vec(),
            text("<html><meta charset=\"gbk\">\u{554a}", "GBK", false),
        ),
        (
            "CSS",
            b"@charset \"iso-8859-2\";\xb1".to_vec(),
            text("@charset \"iso-8859-2\";\u{105}", "ISO-8859-2", false),
        ),
        (
            "declared wrongly",
            b"<?xml encoding='Shift_JIS'?>\xff\xff".to_vec(),
            Decoded::Unsupported,
        ),
        (
            "declared as Latin-1, but holds C1 controls",
            b"# coding: latin-1\n\x81\n".to_vec(),
            Decoded::Unsupported,
        ),
        (
            "declared as UTF-8, but is not",
            b"# coding: utf-8\ncaf\xe9\n".to_vec(),
            Decoded::Unsupported,
        ),
    ];
    for (name, bytes, expected) in cases {
        assert_eq!(decode(bytes), expected, "{name}");
    }
}

#[test]
fn korean_text_of_some_size_takes_no_time() {
    // P-35: text that reads like length-prefixed fields, large enough to notice squares.
    let text = "\u{b3c4}\n\u{d0c0}\u{c785}: \u{ac12}\n".repeat(200_000);
    let Decoded::Text { text: same, .. } = decode(text.clone().into_bytes()) else {
        panic!("not text");
    };
    assert!(same == text);
    let mut broken = text.into_bytes();
    broken.push(0xff);
    assert_eq!(decode(broken), Decoded::Unsupported);
}

#[test]
fn lines() {
    for (text, expected) in [
        ("", &[][..]),
        ("a", &["a"]),
        ("\n", &["\n"]),
        ("a\n", &["a\n"]),
        ("a\r\nb", &["a\r\n", "b"]),
        (
            "a\rb\u{2028}c\x0cd\n\n\ne",
            &["a\rb\u{2028}c\x0cd\n", "\n", "\n", "e"],
        ),
    ] {
        let lines = Lines::new(text);
        assert_eq!(lines.n_lines(), expected.len(), "{text:?}");
        let mut joined = String::new();
        for (number, line) in (1..).zip(expected) {
            let range = lines.range(number, number).unwrap();
            assert_eq!(lines.line_of(range.start), number);
            assert_eq!(lines.line_of(range.end - 1), number);
            assert_eq!(slice(text, range.clone()), Some(*line));
            assert_eq!(lines.around(range.end - 1), range);
            let one = u32::try_from(number).unwrap();
            let whole = LineRange { start: 1, end: one };
            assert_eq!(lines.covering(&(0..range.end)), whole, "{text:?}");
            let empty = range.start..range.start;
            let here = LineRange {
                start: one,
                end: one,
            };
            assert_eq!(lines.covering(&empty), here, "{text:?}");
            joined.push_str(line);
        }
        assert_eq!(joined, text);
        assert_eq!(lines.line_of(usize::MAX), expected.len());
        let last = u32::try_from(expected.len().max(1)).unwrap();
        let end = LineRange {
            start: last,
            end: last,
        };
        assert_eq!(lines.covering(&(text.len()..text.len())), end, "{text:?}");
        if !expected.is_empty() {
            assert_eq!(lines.range(1, expected.len()), Some(0..text.len()));
        }
        for (first, last) in [
            (0, 0),
            (0, 1),
            (2, 1),
            (1, expected.len() + 1),
            (usize::MAX, usize::MAX),
        ] {
            assert_eq!(lines.range(first, last), None, "{text:?} {first} {last}");
        }
    }
}

#[test]
fn boundaries() {
    let text = "a\u{e9}\u{1f600}";
    for (index, expected) in [0, 1, 1, 3, 3, 3, 3, 7, 7].into_iter().enumerate() {
        assert_eq!(floor_boundary(text, index), expected, "{index}");
    }
    assert_eq!(slice(text, 1..2), None);
    assert_eq!(slice(text, 5..usize::MAX), None);
    assert_eq!(slice(text, 1..3), Some("\u{e9}"));
}
