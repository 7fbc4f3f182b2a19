//! Where the pattern cuts, by example.

use super::*;

fn check(expected: &[&str]) {
    let (text, cancel) = (expected.concat(), Cancel::never());
    let splitter = Splitter::new(&text, &cancel);
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let end = splitter.piece_end(at).unwrap();
        pieces.push(&text[at..end]);
        at = end;
    }
    assert_eq!(pieces, expected);
}

#[test]
fn pieces() {
    check(&[
        "fn", " main", "()", " {\n", "   ", " let", " x", " =", " ", "123", "456", "7", ";\n",
        "}\n",
    ]);
    check(&["foo", "Bar", "HTTPServer", "(x", "((", "y"]);
    check(&["don't", "'s's", " I'LL", " it'\u{17F}", "x"]);
    check(&["\u{2B0}", "AAA"]);
    check(&["\u{2B0}AAAa"]);
    check(&["\u{301}", "AAA", " \u{301}", " !\u{301}\u{301}"]);
    check(&[";\n//", "x", " \n\n \n", "  ", " y"]);
    check(&["\u{1C}\u{1F}", " \u{85}\u{2028}", "\u{3000}", "5", "  "]);
    check(&["中文", " 文字", "。\r\n", "\t", "\t", "1"]);
}

#[test]
fn both_class_tables_agree() {
    for code in 0..128_u8 {
        assert_eq!(
            ASCII[usize::from(code)],
            vocab::class(u32::from(code)),
            "{code:#x}"
        );
    }
}
