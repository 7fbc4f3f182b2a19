//! Tests of `list`.

use super::*;

fn check(bytes: &[u8], separator: Separator, expected: Result<&[&str], &str>) {
    let got = parse(bytes, separator, Some(Path::new("/root/dir")), 3);
    match (got, expected) {
        (Ok(paths), Ok(expected)) => {
            let paths: Vec<&str> = paths.iter().map(RelPath::as_str).collect();
            assert_eq!(paths, expected);
        }
        (Err(fault), Err(expected)) => assert_eq!(fault.to_string(), expected),
        (got, _) => panic!("{got:?}"),
    }
}

#[test]
fn items() {
    use Separator::{Line, Nul};
    check(b"", Line, Ok(&[]));
    check(b"a\r\nb/c\n\n./d", Line, Ok(&["a", "b/c", "d"]));
    check(b"b\na\nb\n./a\n.//b\n", Line, Ok(&["b", "a"]));
    check(b".\n./\n./x y \n", Line, Ok(&["x y "]));
    check(b"/root/dir/a\n", Line, Ok(&["a"]));
    check(b"a\0b\nc\0\0", Nul, Ok(&["a", "b\nc"]));
    check(b"a\r\0", Nul, Ok(&["a\r"]));
    check(
        b"\"caf\\303\\251 \\\"\\t\\\\.txt\"\n\"plain\"\n",
        Line,
        Ok(&["caf\u{e9} \"\t\\.txt", "\"plain\""]),
    );
    check(
        b"a\n\n../b\n",
        Line,
        Err("path list, line 3: the path must not hold . or .. as a segment"),
    );
    check(
        b"/root/directory\n",
        Line,
        Err("path list, line 1: the path must be relative to the root"),
    );
    check(
        b"a\0b//c\0",
        Nul,
        Err("path list, item 2: the path must not hold an empty segment"),
    );
    check(
        b"\xff\n",
        Line,
        Err("path list, line 1: the path is not valid UTF-8"),
    );
    check(b"a\nb\nc\na\n", Line, Ok(&["a", "b", "c"]));
    check(b"a\nb\nc\nd\n", Line, Err("more than 3 listed paths"));
}
