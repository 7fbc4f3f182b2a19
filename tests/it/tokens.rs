//! Counts against the reference tokenizer, on everything the pattern and the merges can be got
//! wrong on.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::tokens::count::{Counter, with_counter};
use moon_repomix::tokens::{verify, vocab};

fn reference(text: &str) -> u64 {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len() as u64
}

/// Small repeatable generator (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn text(&mut self, from: &[&str], longest: usize) -> String {
        (0..self.below(longest + 1))
            .map(|_| self.pick(from))
            .collect()
    }
}

/// Characters and fragments on which pre-tokenizers differ.
#[rustfmt::skip]
const NASTY: &[&str] = &[
    "a", "b", "Z", "A", "AAA", "the", "Word", "x1", "0", "12", "1234", "²", "٣", "Ⅻ", " ", "  ",
    "\t", "\n", "\r", "\r\n", "\n\n", "\u{85}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{A0}",
    "\u{3000}", "\u{1C}", "\u{1F}", "\u{0B}", "\u{0C}", "\0", "'", "'s", "'S", "'re", "'VE",
    "'ll", "'d", "'\u{17F}", "’s", "/", "//", "\n/", ";\n", ";\n//", "{", "}", "(", "!", "!!",
    "-", "----", "_", "<|endoftext|>", "<|endofprompt|>", "<", ">", "\u{301}", "\u{301}\u{301}",
    "é", "É", "ǅ", "ʰ", "ª", "ß", "中", "文字", "かな", "한", "ไทย", "العربية", "हिन्दी", "𝐀", "𝟘", "😀",
    "👩\u{200D}👩", "🏳️\u{200D}🌈", "\u{378}", "\u{E000}", "\u{10FFFF}", "\u{10EC5}", "€", "Ω", "ſ",
    "ı", "İ",
];

fn expect_equal(counter: &mut Counter, text: &str) {
    assert_eq!(counter.count(text), reference(text), "on {text:?}");
}

/// Each code point between letters, digits, blanks, punctuation and contractions.
fn every_code_point(codes: std::ops::Range<u32>) {
    let mut counter = Counter::new();
    for character in codes.filter_map(char::from_u32) {
        expect_equal(
            &mut counter,
            &format!("{character}a A{character}1 {character}'s"),
        );
        expect_equal(
            &mut counter,
            &format!("B{character}{character}\n{character} .{character}C"),
        );
    }
}

#[test]
fn every_code_point_of_the_first_two_planes() {
    every_code_point(0..0x2_0000);
}

#[test]
fn every_code_point_of_the_other_planes() {
    every_code_point(0x2_0000..0x11_0000);
}

fn random_strings(seed: u64, n: usize, longest: usize) {
    let (mut random, mut counter) = (Random(seed), Counter::new());
    for _ in 0..n {
        let text = random.text(NASTY, longest);
        expect_equal(&mut counter, &text);
    }
}

#[test]
fn random_strings_of_nasty_characters() {
    random_strings(0x5EED, 150_000, 12);
}

#[test]
fn more_random_strings_of_nasty_characters() {
    random_strings(0xFEED, 150_000, 9);
}

#[test]
fn long_random_strings() {
    random_strings(0xBEEF, 3_000, 400);
}

#[test]
fn random_ascii_of_few_kinds() {
    let kinds: [&[&str]; 5] = [
        &["a", "A", "'", "s", "S", "r", "e", " ", "\n"],
        &[" ", "\n", "\r", "\t", "a", "/", "."],
        &["1", "2", "a", " ", "\n", "."],
        &["/", "\n", ".", "*", " ", "x"],
        &[
            "fooBar",
            " ",
            "  ",
            "    ",
            "(",
            ");\n",
            "// ",
            "HTTPServer",
            "don't",
            "0x1F",
            "\t",
            "\"",
        ],
    ];
    let (mut random, mut counter) = (Random(7), Counter::new());
    for round in 0..40_000 {
        let text = random.text(kinds[round % kinds.len()], 150);
        expect_equal(&mut counter, &text);
    }
}

#[test]
fn traps() {
    let cases: &[(&str, &[&str])] = &[
        (
            "long s is a contraction",
            &["it'\u{17F}", "IT'\u{17F}x", "a'\u{17F}'s", "1'\u{17F}"],
        ),
        (
            "contractions fold case",
            &[
                "don'T", "WE'RE", "we'Ve", "I'lL x", "x'D'd'D", "a'l", "a're're", "''s",
            ],
        ),
        (
            "marks belong to letter runs",
            &["e\u{301}a", "E\u{301}A", " \u{301}", "\u{301}a"],
        ),
        (
            "marks belong to punctuation runs",
            &[
                "!\u{301}\u{301}!",
                " !\u{301}",
                "\u{301}\u{301}",
                ".\u{301}a",
            ],
        ),
        (
            "caseless letters backtrack",
            &[
                "\u{2B0}AAA",
                "\u{2B0}AAAa",
                "AA\u{2B0}AAA",
                "中AAA",
                "\u{301}AAA",
                " \u{301}AAA",
            ],
        ),
        (
            "a caseless letter before a contraction",
            &["\u{2B0}'s", "AA\u{2B0}'s", "\u{2B0}AAA's", "\u{301}'s"],
        ),
        (
            "punctuation swallows newlines and slashes",
            &[";\n//x", ";\r\n\n/a", "//\n//", "/\n/", " ;\n\n/x", "!\n /"],
        ),
        (
            "information separators are not white space",
            &["\u{1C}\u{1D}\u{1E}\u{1F}", " \u{1F}a", "\u{1C}\n/"],
        ),
        (
            "next line and separators are white space",
            &[
                "\u{85}\u{85}a",
                "a\u{2028}b",
                "\u{3000}\u{3000}1",
                "\u{2029}\n",
            ],
        ),
        (
            "zero-width no-break space is not",
            &["\u{FEFF}use", "\u{FEFF}\u{FEFF}1", "\n\u{FEFF}\n"],
        ),
        (
            "digits go by threes",
            &[
                "1",
                "12",
                "123",
                "1234",
                "1234567",
                "٣٣٣٣",
                "1٣²Ⅻ5",
                "a1b22c333d4444",
            ],
        ),
        (
            "the last blank goes with the word",
            &["a  b", "a   1", "\t\tx", " \n  x", "  \n\n  \n y", "a \t"],
        ),
        (
            "the last blank of a wide run",
            &["\u{3000}\u{3000}\u{3000}.", "\u{85} \u{2028}0"],
        ),
        (
            "special-token text is ordinary",
            &[
                "<|endoftext|>",
                "a<|endofprompt|>b",
                "<|endoftext|><|endoftext|>\n",
            ],
        ),
        (
            "zero bytes do not shorten a word",
            &["\0", "\0\0", "a\0", "a\0\0", "\0\0\0\0\0\0\0\0", "x\0\n"],
        ),
        (
            "camel case",
            &[
                "fooBar",
                "HTTPServer",
                "parseHTML5Doc",
                "ǅabc",
                "AǅB",
                "XMLʰttp",
            ],
        ),
    ];
    let mut counter = Counter::new();
    for (name, texts) in cases {
        for text in *texts {
            assert_eq!(counter.count(text), reference(text), "{name}: {text:?}");
        }
    }
    assert_eq!(counter.count(""), 0);
}

/// The adversarial inputs, by name, of about `size` bytes.
fn hostile(size: usize) -> Vec<(&'static str, String)> {
    let mut random = Random(0xACE);
    let mut of = |from: &[&str], size: usize| {
        let mut text = String::new();
        while text.len() < size {
            text.push_str(random.pick(from));
        }
        text
    };
    let letters: Vec<String> = ('a'..='z').map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    let base64: Vec<String> = ('a'..='z')
        .chain('A'..='Z')
        .chain('0'..='9')
        .map(String::from)
        .collect();
    let base64: Vec<&str> = base64
        .iter()
        .map(String::as_str)
        .chain(["+", "/"])
        .collect();
    let wide: Vec<String> = (0x4E00..0x9F00_u32)
        .chain(0x3041..0x3097)
        .chain(0xAC00..0xD7A0)
        .filter_map(char::from_u32)
        .map(String::from)
        .collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    vec![
        ("one letter", "a".repeat(size)),
        ("one capital", "A".repeat(size)),
        ("spaces", " ".repeat(size)),
        ("spaces and a word", " ".repeat(size) + "a"),
        ("newlines", "\n".repeat(size)),
        (
            "newlines after punctuation",
            ".".to_owned() + &"\n/".repeat(size / 2),
        ),
        ("exclamation marks", "!".repeat(size)),
        ("dashes", "-".repeat(size)),
        ("equals signs", "=".repeat(size)),
        ("two letters", "ab".repeat(size / 2)),
        (
            "caseless letter and capitals",
            "\u{2B0}".to_owned() + &"A".repeat(size),
        ),
        (
            "alternating caseless letter and capital",
            "\u{2B0}A".repeat(size / 3),
        ),
        ("combining marks", "\u{301}".repeat(size / 2)),
        (
            "letter and combining marks",
            "e\u{301}\u{301}".repeat(size / 5),
        ),
        ("emoji", "👩\u{200D}👩\u{200D}👧".repeat(size / 18)),
        ("contractions", "a's".repeat(size / 3)),
        ("digits", "7".repeat(size)),
        ("random letters", of(&letters, size)),
        ("random blanks", of(&[" ", "\t"], size)),
        (
            "random white space",
            of(&[" ", "\t", "\n", "\r", "\u{3000}"], size),
        ),
        ("random base64", of(&base64, size)),
        (
            "random hexadecimal",
            of(&["0", "1", "2", "3", "7", "9", "a", "c", "e", "f"], size),
        ),
        (
            "random punctuation",
            of(
                &["!", "-", "=", "*", "#", ".", ")", "(", "\\", "^", "~"],
                size,
            ),
        ),
        ("random letters of two kinds", of(&["a", "b"], size)),
        ("random ideographs, kana and hangul", of(&wide, size)),
    ]
}

#[test]
fn hostile_inputs_are_exact() {
    let mut counter = Counter::new();
    for size in [700, 5_000, 60_000] {
        for (name, text) in hostile(size) {
            assert_eq!(counter.count(&text), reference(&text), "{name}, {size}");
        }
    }
}

#[test]
fn runs_of_every_length_are_exact() {
    let mut counter = Counter::new();
    for unit in [
        " ", "\t", "\n", "a", "-", "=", "*", "_", "#", "/", "0", "é", "中", "\r\n", "ab",
    ] {
        for n in (1..300).chain([511, 512, 513, 640, 767, 768, 1023, 1024, 1025, 4096]) {
            expect_equal(&mut counter, &unit.repeat(n));
        }
    }
}

/// A blank run that the reference panics on has a count that follows from shorter ones.
#[test]
fn a_million_blanks() {
    let mut counter = Counter::new();
    let short = counter.count(&" ".repeat(128 * 100));
    assert_eq!(short, reference(&" ".repeat(128 * 100)));
    let long = " ".repeat(128 * 10_000);
    assert_eq!(counter.count(&long), short * 100);
    assert!(matches!(
        verify::recount(&long),
        Err(Error::InputLimit { .. })
    ));
}

/// Four times the input takes at most six times the time, where quadratic work would take sixteen.
/// The least of several attempts counts, since the machine may be busy.
#[test]
fn hostile_inputs_are_linear() {
    let mut counter = Counter::new();
    let mut time = |text: &str| {
        let start = Instant::now();
        assert!(counter.count(text) > 0);
        start.elapsed()
    };
    let inputs = hostile(100_000).into_iter().zip(hostile(400_000));
    for ((name, small), (_, large)) in inputs {
        let linear = (0..20).any(|_| time(&large) <= time(&small) * 6 + Duration::from_millis(2));
        assert!(linear, "{name}");
    }
}

/// Fragments that make seams of every kind.
fn fragment(random: &mut Random) -> String {
    let mut text = random.text(NASTY, 8);
    if random.below(2) == 0 {
        text.push_str(random.pick(&["\n", "\r\n", "\r", "\n\n", ";\n", " \n"]));
    }
    text
}

#[test]
fn counts_add_at_seams() {
    let (mut random, mut counter) = (Random(0x5EA4), Counter::new());
    let (mut hard, mut indented) = (0, 0);
    for _ in 0..200_000 {
        let (a, b) = (fragment(&mut random), fragment(&mut random));
        let blank = |c: char| c.is_whitespace() && !matches!(c, '\r' | '\n');
        let body = b.trim_start_matches(blank);
        let Some(first) = body.chars().next().filter(|c| !c.is_whitespace()) else {
            continue;
        };
        if !a.ends_with(['\r', '\n']) {
            continue;
        }
        if body.len() < b.len() {
            indented += 1;
        } else if first != '/' {
            hard += 1;
        } else {
            continue;
        }
        let joined = format!("{a}{b}");
        let sum = counter.count(&a) + counter.count(&b);
        assert_eq!(sum, counter.count(&joined), "{a:?} and {b:?}");
        if (hard + indented) % 8 == 0 {
            assert_eq!(sum, reference(&joined), "{a:?} and {b:?}");
        }
    }
    assert!(hard > 20_000 && indented > 3_000, "{hard} and {indented}");
}

#[test]
fn parts_of_a_profile_add_up() {
    let (mut random, mut counter) = (Random(0xC07), Counter::new());
    let cancel = Cancel::never();
    for _ in 0..20_000 {
        let text: String = (0..6).map(|_| fragment(&mut random)).collect();
        let profile = counter.profile(&text, &cancel).unwrap();
        assert_eq!(profile.total, counter.count(&text));
        let last = profile.cuts.last().unwrap();
        assert_eq!((last.offset, last.running), (text.len(), profile.total));
        let mut starts = vec![(0, 0)];
        for cut in &profile.cuts {
            for &(offset, running) in &starts {
                let part = &text[offset..cut.offset];
                assert_eq!(
                    counter.count(part),
                    cut.running - running,
                    "{part:?} in {text:?}"
                );
                if !part.starts_with('/') && !is_blank_line(part) {
                    let headed = format!("head;\n{part}");
                    let sum = counter.count("head;\n") + cut.running - running;
                    assert_eq!(counter.count(&headed), sum, "{part:?} behind a header");
                }
            }
            starts.push((cut.offset, cut.running));
        }
    }
}

/// Whether the first line of `text` has nothing but white space, or there is none.
fn is_blank_line(text: &str) -> bool {
    let line = text.split(['\r', '\n']).next().unwrap_or_default();
    line.chars().all(char::is_whitespace)
}

#[test]
fn own_sources_are_exact() {
    let mut counter = Counter::new();
    let mut pending = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
    let (mut files, mut all) = (0, String::new());
    while let Some(path) = pending.pop() {
        let hidden = |path: &std::path::Path| {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            name.starts_with('.') || name == "target" || name == "assets"
        };
        if path.is_dir() {
            let mut entries: Vec<_> = std::fs::read_dir(&path)
                .unwrap()
                .map(|e| e.unwrap().path())
                .collect();
            entries.retain(|entry| !hidden(entry));
            entries.sort();
            pending.extend(entries);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            expect_equal(&mut counter, &text);
            write!(all, "=== {files}\n{text}").unwrap();
            files += 1;
        }
    }
    assert!(files > 10 && all.len() > 50_000);
    expect_equal(&mut counter, &all);
}

#[test]
fn a_cap_is_exact() {
    let (mut random, mut counter) = (Random(0xCA9), Counter::new());
    for _ in 0..3_000 {
        let text = random.text(NASTY, 60);
        let exact = counter.count(&text);
        assert_eq!(counter.count_limited(&text, exact), Some(exact));
        assert_eq!(counter.count_limited(&text, exact + 1), Some(exact));
        if exact > 0 {
            assert_eq!(counter.count_limited(&text, exact - 1), None);
        }
    }
    let giant = "x".repeat(20_000_000);
    let start = Instant::now();
    assert_eq!(counter.count_limited(&giant, 1_000), None);
    assert!(
        start.elapsed() < Duration::from_millis(50),
        "refused without work"
    );
}

#[test]
fn the_self_check_tells_a_difference() {
    if let Err(Error::Configuration(_)) = verify::recount("") {
        // Built without the reference; then every check says so.
        let refused = verify::check("fn main() {}\n", 4);
        assert!(matches!(refused, Err(Error::Configuration(_))));
        return;
    }
    assert!(verify::check("fn main() {}\n", 4).is_ok());
    let wrong = verify::check("fn main() {}\n", 5);
    assert!(matches!(
        wrong,
        Err(Error::CountMismatch {
            counted: 5,
            reference: 4
        })
    ));
}

#[test]
fn a_threads_counter_may_be_used_twice_at_once() {
    let nested = with_counter(|outer| {
        let inner = with_counter(|inner| inner.count("one two"));
        (outer.count("one two three"), inner)
    });
    assert_eq!(nested, (3, 2));
}

#[test]
fn only_the_expected_ranks_file_is_accepted() {
    let asset = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets/tokenizer-o200k_base.tiktoken");
    assert!(vocab::check_ranks_file(&asset).is_ok());
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(&asset).unwrap();
    let copy = folder.path().join("copy");
    std::fs::write(&copy, &bytes).unwrap();
    assert!(vocab::check_ranks_file(&copy).is_ok());
    bytes[100] ^= 1;
    std::fs::write(&copy, &bytes).unwrap();
    let others = [copy, folder.path().join("absent"), folder.path().to_owned()];
    for other in &others {
        let refused = vocab::check_ranks_file(other);
        assert!(
            matches!(refused, Err(Error::Configuration(_))),
            "{refused:?}"
        );
    }
}

/// The flag is set while one giant piece is merged; the count ends long before it would.
#[test]
fn a_giant_piece_can_be_cancelled() {
    let cancel = Cancel::new();
    cancel.set();
    let mut counter = Counter::new();
    for (name, text) in hostile(300_000) {
        assert!(
            matches!(counter.count_checked(&text, &cancel), Err(Error::Cancelled)),
            "{name}"
        );
        assert!(
            matches!(counter.profile(&text, &cancel), Err(Error::Cancelled)),
            "{name}"
        );
    }
    let text = hostile(8_000_000).swap_remove(17).1;
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let (started, start) = std::sync::mpsc::channel();
        let (text, cancel) = (&text, &cancel);
        let work = scope.spawn(move || {
            started.send(()).unwrap();
            let outcome = Counter::new().count_checked(text, cancel);
            (outcome, Instant::now())
        });
        start.recv().unwrap();
        cancel.set();
        let set = Instant::now();
        let (outcome, end) = work.join().unwrap();
        assert!(matches!(outcome, Err(Error::Cancelled)));
        assert!(end - set < Duration::from_millis(250));
    });
}
