//! Pages: where they end, what the first line says, and that they add up to the document.

use super::*;

/// Counts bytes, so that budgets are easy to see.
fn bytes(text: &str) -> Result<u64, Error> {
    Ok(text.len() as u64)
}

fn page(text: &str, offset: u64, max_tokens: u64) -> Option<String> {
    let document = Document::new("v.md", "text/markdown", text, 0).unwrap();
    let page = Page {
        uri: URI.to_owned(),
        document: Arc::new(document),
        offset,
        max_tokens,
    };
    page.cut(&bytes, &Cancel::never()).unwrap()
}

const URI: &str = "moon-repomix://context/7/v.md";

const LINES: &str = "aaaa\nbbbb\ncccc\ndddddddddddddddddddd\n";

#[test]
fn pages() {
    for (text, offset, room, expected) in [
        ("a\nb\n", 0, 100, Some("lines 1-2 of 2, end\na\nb\n")),
        ("a\nb", 0, 100, Some("lines 1-2 of 2, end\na\nb")),
        ("", 0, 100, Some("no lines of 0, end\n")),
        ("a\n", 2, 100, Some("no lines of 1, end\n")),
        (
            LINES,
            0,
            42,
            Some("lines 1-2 of 4, next offset 10\naaaa\nbbbb\n"),
        ),
        (
            LINES,
            0,
            41,
            Some("lines 1-2 of 4, next offset 10\naaaa\nbbbb\n"),
        ),
        (LINES, 0, 40, Some("lines 1-1 of 4, next offset 5\naaaa\n")),
        (
            LINES,
            10,
            37,
            Some("lines 3-3 of 4, next offset 15\ncccc\n"),
        ),
        (LINES, 7, 33, Some("lines 2-2 of 4, next offset 9\nbb")),
        (
            &"\u{e9}".repeat(40),
            1,
            34,
            Some("lines 1-1 of 1, next offset 3\n\u{e9}\u{e9}"),
        ),
        ("aaaa\n", 0, 10, None),
        ("", 0, 10, None),
    ] {
        let room = room + URI.len() as u64 + 1;
        let expected = expected.map(|rest| format!("{URI} {rest}"));
        assert_eq!(
            page(text, offset, room),
            expected,
            "{text:?} {offset} {room}"
        );
    }
}

/// Follows `next offset` to the end and joins the pages.
fn join(text: &str, room: u64) -> String {
    let mut joined = String::new();
    let mut offset = 0;
    loop {
        let page = page(text, offset, room).unwrap();
        assert!(page.len() as u64 <= room);
        let (first, piece) = page.split_once('\n').unwrap();
        joined += piece;
        match first.rsplit_once("next offset ") {
            Some((_, next)) => {
                let next: u64 = next.parse().unwrap();
                assert!(next > offset);
                offset = next;
            }
            None => {
                assert!(first.ends_with(", end"));
                return joined;
            }
        }
    }
}

#[test]
fn pages_add_up() {
    let mixed = "x\n".repeat(300) + &"\u{1f600}".repeat(200) + "\n\n\r\n" + &"word ".repeat(90);
    for text in ["", "\n", "a", &mixed, &"\n".repeat(500), &"y".repeat(2_000)] {
        for room in [90, 91, 120, 333, 5_000] {
            assert_eq!(join(text, room), text, "{room}");
        }
    }
}

#[test]
fn a_page_is_the_longest_that_fits() {
    let text: String = (0..400).map(|n| "z".repeat(n * 7 % 23) + "\n").collect();
    for room in [150, 300, 1_000, 2_000] {
        let found = page(&text, 0, room).unwrap();
        let ends = text
            .char_indices()
            .filter(|(_, c)| *c == '\n')
            .map(|(at, _)| at + 1);
        let document = Arc::new(Document::new("v.md", "text/plain", text.as_str(), 0).unwrap());
        let page = Page {
            uri: URI.to_owned(),
            document,
            offset: 0,
            max_tokens: room,
        };
        let longest = ends
            .map(|end| page.render(0..end, 1))
            .rfind(|page| page.len() as u64 <= room);
        assert_eq!(Some(found), longest);
    }
}

#[test]
fn a_cancelled_page_stops() {
    let document = Arc::new(Document::new("v.md", "text/plain", "a", 0).unwrap());
    let page = Page {
        uri: URI.to_owned(),
        document,
        offset: 0,
        max_tokens: 100,
    };
    let cancel = Cancel::new();
    cancel.set();
    assert!(matches!(page.cut(&bytes, &cancel), Err(Error::Cancelled)));
}
