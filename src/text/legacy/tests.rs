//! Tests of `legacy`.

use super::super::{Decoded, Origin, decode};
use super::{EncodingFault, LOSSY_BYTES, Legacy, Leniency};

fn named(names: &[&str]) -> Leniency {
    let encodings = names.iter().map(|name| Legacy::from_name(name).unwrap());
    Leniency {
        encodings: encodings.collect(),
        lossy: false,
    }
}

const LOSSY: Leniency = Leniency {
    encodings: Vec::new(),
    lossy: true,
};

/// Text and encoding, or what else the bytes are.
fn read(bytes: &[u8], leniency: &Leniency) -> Result<(String, &'static str), Decoded> {
    match decode(bytes.to_vec(), leniency) {
        Decoded::Text { text, origin } => {
            assert_eq!(origin.undecoded, 0);
            Ok((text, origin.encoding))
        }
        other => Err(other),
    }
}

#[test]
fn names() {
    for (name, wanted) in [
        ("GBK", "GBK"),
        ("gb2312", "GBK"),
        ("cp936", "GBK"),
        ("GB18030", "gb18030"),
        ("Shift-JIS", "Shift_JIS"),
        ("shift_jis", "Shift_JIS"),
        ("CP932", "Shift_JIS"),
        ("EUC_JP", "EUC-JP"),
        ("euc-kr", "EUC-KR"),
        ("cp949", "EUC-KR"),
        ("big5", "Big5"),
        ("cp950", "Big5"),
        ("latin-1", "windows-1252"),
        ("ISO-8859-1", "windows-1252"),
        ("windows-1251", "windows-1251"),
        (" koi8-r ", "KOI8-R"),
        ("utf-8", "UTF-8"),
    ] {
        assert_eq!(Legacy::from_name(name).unwrap().name(), wanted, "{name}");
    }
    for known in super::NAMES {
        assert!(Legacy::from_name(known).is_ok(), "{known}");
    }
    let fault = |name: &str| Legacy::from_name(name).unwrap_err();
    for (name, near) in [
        ("GBX", &["GBK"][..]),
        ("EUC-KP", &["EUC-JP", "EUC-KR"]),
        (
            "window-1252",
            &["windows-1252", "windows-1250", "windows-1251"],
        ),
        ("klingon", &[]),
        ("", &[]),
    ] {
        let near = near.to_vec();
        assert_eq!(fault(name), EncodingFault::Unknown { near }, "{name}");
    }
    for name in [
        "UTF-16",
        "utf-16be",
        "iso-2022-jp",
        "hz-gb-2312",
        "x-user-defined",
    ] {
        assert_eq!(fault(name), EncodingFault::NotTold, "{name}");
    }
    assert_eq!(
        fault("klingon").to_string(),
        "no encoding has this name, such as GBK, Shift_JIS, EUC-KR, Big5 or windows-1252"
    );
}

#[test]
fn named_encodings_are_tried_in_order() {
    let chinese = b"\xc4\xe3\xba\xc3\n";
    let unsupported = || Err(Decoded::Unsupported);
    assert_eq!(read(chinese, &Leniency::default()), unsupported());
    let gbk = Ok(("\u{4f60}\u{597d}\n".to_owned(), "GBK"));
    assert_eq!(read(chinese, &named(&["GBK"])), gbk);
    let korean = Ok(("\u{cf71}\u{bd24}\n".to_owned(), "EUC-KR"));
    assert_eq!(read(chinese, &named(&["EUC-KR", "GBK"])), korean);
    assert_eq!(read(chinese, &named(&["GBK", "EUC-KR"])), gbk);
    // Half a character is an error in the one and a letter in the other.
    let french = b"caf\xe9";
    assert_eq!(read(french, &named(&["GBK"])), unsupported());
    let latin = Ok(("caf\u{e9}".to_owned(), "windows-1252"));
    assert_eq!(read(french, &named(&["GBK", "latin1"])), latin);
    // UTF-8 comes first, and names it does not need change nothing.
    let text = "\u{e9}\u{4f60}";
    let utf8 = Ok((text.to_owned(), "UTF-8"));
    assert_eq!(
        read(text.as_bytes(), &named(&["windows-1252", "UTF-8"])),
        utf8
    );
    // What a file declares comes before what the host names, unless it is wrong.
    let declared = b"# coding: euc-jp\n\xa4\xa2";
    let read_declared = read(declared, &named(&["GBK"])).unwrap();
    assert_eq!(
        read_declared,
        ("# coding: euc-jp\n\u{3042}".to_owned(), "EUC-JP")
    );
    let wrong = b"# coding: utf-8\n\xc4\xe3";
    assert_eq!(read(wrong, &named(&["GBK"])).unwrap().1, "GBK");
}

#[test]
fn binary_stays_binary() {
    let every = named(&[
        "windows-1252",
        "IBM866",
        "gb18030",
        "Shift_JIS",
        "macintosh",
    ]);
    let lenient = Leniency {
        lossy: true,
        ..every
    };
    let mut noise = 0x9e37_79b9_u32;
    let mut next = || {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        noise.to_le_bytes()[1]
    };
    let random: Vec<u8> = (0..4_096).map(|_| next()).collect();
    let compressed: Vec<u8> = (0..4_096).map(|_| next().max(1)).collect();
    for (name, bytes) in [
        ("NUL", b"caf\xe9\0".to_vec()),
        ("NUL far behind", [vec![0xe9; 9_000], vec![0]].concat()),
        ("random", random),
        ("random without NUL", compressed),
        ("PNG", b"\x89PNG\r\n\x1a\nabc".to_vec()),
        ("PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec()),
        ("many controls", b"\x01\x02\xe9".to_vec()),
        (
            "many controls behind a mark",
            b"\xef\xbb\xbf\x01\x02\xe9".to_vec(),
        ),
    ] {
        assert_eq!(decode(bytes, &lenient), Decoded::Binary, "{name}");
    }
    // Too few controls to be binary, but text of no encoding.
    let bell = [b"caf\xe9 ".repeat(20), vec![7]].concat();
    assert_eq!(decode(bell.clone(), &every_single()), Decoded::Unsupported);
    // C1 controls, which the bytes of other encodings become in this one.
    assert_eq!(
        decode(b"a\x81b".to_vec(), &every_single()),
        Decoded::Unsupported
    );
    // Tabs, line ends, form feeds and the last byte of DOS are text.
    let dos = b"\tcaf\xe9\r\n\x0c\x1a";
    let text = "\tcaf\u{e9}\r\n\u{c}\u{1a}".to_owned();
    assert_eq!(read(dos, &every_single()), Ok((text, "windows-1252")));
}

fn every_single() -> Leniency {
    named(&["windows-1252"])
}

/// The text and how many places were replaced.
fn mended(bytes: Vec<u8>) -> Option<(String, u32)> {
    match decode(bytes, &LOSSY) {
        Decoded::Text { text, origin } => Some((text, origin.undecoded)),
        _ => None,
    }
}

#[test]
fn few_bad_places_are_replaced() {
    assert_eq!(mended(b"ok".to_vec()), Some(("ok".to_owned(), 0)));
    assert_eq!(
        mended(b"a\xffb".to_vec()),
        Some(("a\u{fffd}b".to_owned(), 1))
    );
    // A character that is cut off is one place, however many bytes of it are left.
    assert_eq!(
        mended(b"a\xe4\xbd".to_vec()),
        Some(("a\u{fffd}".to_owned(), 1))
    );
    assert_eq!(mended(b"\xff\xff".to_vec()), None);
    // Replacement characters that the file itself holds are no bad places.
    let own = "\u{fffd}\u{fffd}".as_bytes();
    assert_eq!(
        mended([own, b"\xff"].concat()),
        Some(("\u{fffd}\u{fffd}\u{fffd}".to_owned(), 1))
    );
    let with = |n_bytes: usize, n_bad: usize| {
        let mut bytes = vec![b'x'; n_bytes];
        bytes
            .iter_mut()
            .step_by(7)
            .take(n_bad)
            .for_each(|byte| *byte = 0xff);
        mended(bytes).map(|(_, n_replaced)| n_replaced)
    };
    assert_eq!(with(LOSSY_BYTES - 1, 1), Some(1));
    assert_eq!(with(LOSSY_BYTES - 1, 2), None);
    assert_eq!(with(2 * LOSSY_BYTES - 1, 2), None);
    assert_eq!(with(2 * LOSSY_BYTES, 2), Some(2));
    assert_eq!(with(2 * LOSSY_BYTES, 3), None);
    assert_eq!(with(100 * LOSSY_BYTES, 100), Some(100));
    assert_eq!(with(100 * LOSSY_BYTES, 101), None);
    // Behind a byte order mark, too; in UTF-16 never.
    let Decoded::Text { text, origin } = decode(b"\xef\xbb\xbfa\xff".to_vec(), &LOSSY) else {
        panic!("not text");
    };
    let wanted = Origin {
        bom: true,
        undecoded: 1,
        ..Origin::UTF_8
    };
    assert_eq!((text.as_str(), origin), ("a\u{fffd}", wanted));
    assert_eq!(mended(b"\xff\xfe\x3d\xd8a\0".to_vec()), None);
    assert_eq!(mended(b"\xff\xfea\0b".to_vec()), None);
}

#[test]
fn damaged_text_is_not_read_as_something_else() {
    // Three characters beyond ASCII for one bad place: plainly UTF-8. Two: perhaps not.
    let damaged = [" \u{e9}\u{e9}\u{e9}".as_bytes(), b"\xff"].concat();
    let unsure = [" \u{e9}\u{e9}".as_bytes(), b"\xff"].concat();
    let latin = named(&["windows-1252"]);
    assert_eq!(decode(damaged.clone(), &latin), Decoded::Unsupported);
    assert_eq!(
        read(&unsure, &latin),
        Ok((" \u{c3}\u{a9}\u{c3}\u{a9}\u{ff}".to_owned(), "windows-1252"))
    );
    let both = Leniency {
        lossy: true,
        ..latin
    };
    let Decoded::Text { text, origin } = decode(damaged, &both) else {
        panic!("not text");
    };
    assert_eq!(
        (text.as_str(), origin.undecoded),
        (" \u{e9}\u{e9}\u{e9}\u{fffd}", 1)
    );
    // An older encoding that fits comes before a replacement.
    assert_eq!(
        read(b"caf\xe9", &both),
        Ok(("caf\u{e9}".to_owned(), "windows-1252"))
    );
}
