//! Skeletons and outlines of the samples in `tests/fixtures/lang`, and what holds for any source.

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::{expect, expect_file};
use moon_repomix::cancel::Cancel;
use moon_repomix::error::Error;
use moon_repomix::limits::{INDEX_DEPTH, INDEX_SYMBOLS};
use moon_repomix::path::RelPath;
use moon_repomix::reason::Reason;
use moon_repomix::syntax::path::parse_symbol_path;
use moon_repomix::syntax::skeleton::{Skeleton, skeleton};
use moon_repomix::syntax::symbols::{Index, IndexFault, Lookup, ParseState, index};

#[path = "../skeleton-check/check.rs"]
#[allow(dead_code, reason = "shared with the program that compares")]
mod check;
#[path = "../skeleton-check/languages.rs"]
#[allow(dead_code, reason = "tables of grammars that may be left out")]
mod languages;

/// Samples of the languages that the default build has.
const DEFAULT_SAMPLES: usize = 25;

/// Samples, each with its skeleton and its outline beside it.
const SAMPLES: &[&str] = &[
    "Sample.java",
    "broken.ts",
    "component.tsx",
    "crlf.py",
    "data.js",
    "nested.tsx",
    "older.js",
    "sample.astro",
    "sample.c",
    "sample.cpp",
    "sample.cs",
    "sample.css",
    "sample.dart",
    "sample.erl",
    "sample.ex",
    "sample.go",
    "sample.hcl",
    "sample.hs",
    "sample.jl",
    "sample.kt",
    "sample.lua",
    "sample.m",
    "sample.mbt",
    "sample.ml",
    "sample.mli",
    "sample.php",
    "sample.ps1",
    "sample.py",
    "sample.r",
    "sample.rb",
    "sample.rs",
    "sample.scala",
    "sample.sh",
    "sample.sol",
    "sample.sql",
    "sample.swift",
    "sample.ts",
    "sample.vue",
    "sample.zig",
    "wrapper.js",
];

#[test]
fn samples() {
    let mut n_built = 0;
    for name in SAMPLES {
        let file = fixture(name);
        let text = fs::read_to_string(&file).unwrap();
        let shown = match cut(name, &text) {
            Err(Reason::SkeletonUnsupportedLanguage) => continue,
            Ok(skeleton) => skeleton.text,
            Err(reason) => format!("full text: {}\n", reason.as_str()),
        };
        expect_file![format!("{}.skeleton", file.display())]
            .assert_eq(&shown.replace('\r', "<CR>"));
        expect_file![format!("{}.outline", file.display())].assert_eq(&outline(name, &text));
        n_built += 1;
    }
    let expected = match (cfg!(feature = "langs-all"), cfg!(feature = "langs-default")) {
        (true, _) => SAMPLES.len(),
        (_, true) => DEFAULT_SAMPLES,
        _ => 1,
    };
    assert!(n_built >= expected, "{n_built} samples");
}

#[test]
fn samples_and_own_sources_keep_what_must_be_kept() {
    let files = samples_and_own_sources();
    let mut n_skeletons = 0;
    let mut n_built = 0;
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(file).unwrap();
        let skeleton = cut(name, &text);
        n_built += usize::from(!matches!(
            skeleton,
            Err(Reason::SkeletonUnsupportedLanguage)
        ));
        if let Ok(skeleton) = skeleton {
            n_skeletons += 1;
            check_cuts(name, &text, &skeleton);
            check_symbols(name, &text, &skeleton);
        }
    }
    assert!(n_skeletons * 2 > n_built, "{n_skeletons} of {n_built}");
}

/// What `skeleton-check` asks of large trees: definitions and imports are found by the queries
/// that come with the grammars, not by our tables.
#[test]
fn samples_and_own_sources_pass_the_check_of_real_sources() {
    let specs = check::Specs::new();
    let (mut n_found, mut n_symbols) = (0, 0);
    let mut unlisted = Vec::new();
    for file in samples_and_own_sources() {
        let name = file.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        if let Some(report) = check::check(name, &text, &specs) {
            assert_eq!(report.violations, [], "{name}");
            n_found += report.found.len();
            n_symbols += report.symbols;
            let named = report.named.into_iter().filter(|named| !named.2);
            unlisted.extend(named.map(|(line, word, _)| format!("{name}:{line} {word}")));
        }
    }
    if cfg!(feature = "langs-default") {
        assert!(
            n_found > 3_000 && n_symbols > 3_000,
            "{n_found} {n_symbols}"
        );
    }
    if cfg!(feature = "langs-all") {
        // Names of other forms, and what a macro stands for.
        expect![[r#"
            sample.cpp:33 swap
            sample.cpp:63 TEST
            sample.ml:6 side
            sample.php:2 App\Http
            sample.php:16 user
            sample.php:16 other
            sample.rb:60 :oldest
            sample.swift:38 index"#]]
        .assert_eq(&unlisted.join("\n"));
    }
}

fn samples_and_own_sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = SAMPLES.iter().map(|name| fixture(name)).collect();
    let mut folders = vec![root.join("src"), root.join("tests/it")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// Kept and cut stretches are the file, lines are right, and the skeleton is smaller.
fn check_cuts(name: &str, text: &str, skeleton: &Skeleton) {
    let (mut back, mut at, mut source) = (String::new(), 0, 0);
    for cut in &skeleton.cuts {
        let kept = &skeleton.text[at..cut.output.start];
        assert_eq!(kept, &text[source..cut.source.start], "{name}");
        back += kept;
        back += &text[cut.source.clone()];
        (at, source) = (cut.output.end, cut.source.end);
        let marker = &skeleton.text[cut.output.clone()];
        assert!(
            marker.contains(&cut.first_line.to_string()),
            "{name}: {marker}"
        );
        let line = |byte: usize| text[..byte].matches('\n').count() as u32 + 1;
        let content = content(text, cut.source.clone());
        assert_eq!(cut.first_line, line(content.start), "{name}: {marker}");
        assert_eq!(cut.last_line, line(content.end - 1), "{name}: {marker}");
    }
    back += &skeleton.text[at..];
    assert_eq!(back, text, "{name}");
    assert!(count(&skeleton.text) < count(text), "{name}");
}

fn content(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + piece.len() - piece.trim_start().len();
    // An expression in parentheses is cut with them.
    let inner = piece
        .trim()
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    match inner {
        Some(inner) if inner.trim() != inner => content(text, start + 1..start + 1 + inner.len()),
        _ => start..start + piece.trim().len(),
    }
}

/// Every symbol outside function bodies is still there, with the same path, kind and number of
/// declarations; each file-level one parses again from its lines alone.
fn check_symbols(name: &str, text: &str, skeleton: &Skeleton) {
    let Ok(full) = read(name, text) else { return };
    let short = read(name, &skeleton.text).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    assert_eq!(
        outside_functions(&full),
        outside_functions(&short),
        "{name}"
    );
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for id in full.members(None).filter(|_| {
        ![".php", ".vue", ".astro"]
            .iter()
            .any(|end| name.ends_with(end))
    }) {
        let symbol = full.symbol(id).unwrap();
        if full.touches_gap(id).is_some() {
            continue;
        }
        let piece = lines[symbol.lines.start as usize - 1..symbol.lines.end as usize].concat();
        // A specification of a Go group needs the word before the group.
        let kind = symbol.kind.as_str();
        if name.ends_with(".go") && matches!(kind, "constant" | "interface" | "type") {
            continue;
        }
        let alone = read(name, &piece).unwrap_or_else(|fault| panic!("{name}: {fault:?}\n{piece}"));
        let same = |other: u32| {
            alone.segments(other) == full.segments(id)
                && alone.symbol(other).unwrap().kind == symbol.kind
        };
        let n_symbols = u32::try_from(alone.symbols.len()).unwrap();
        assert!(
            (0..n_symbols).any(same),
            "{name}: {}\n{piece}",
            full.path(id)
        );
    }
}

fn outside_functions(index: &Index) -> Vec<String> {
    let mut inside = Vec::new();
    let mut found = Vec::new();
    for (id, symbol) in (0_u32..).zip(&index.symbols) {
        let function = |id: u32| {
            let kind = index.symbol(id).unwrap().kind.as_str();
            matches!(kind, "function" | "method" | "constructor")
        };
        let hidden = symbol
            .parent
            .is_some_and(|parent| inside[parent as usize] || function(parent));
        inside.push(hidden);
        if !hidden {
            found.push(format!(
                "{} {} {}",
                index.path(id),
                symbol.kind.as_str(),
                symbol.declarations
            ));
        }
    }
    found
}

#[test]
fn reasons_for_full_text() {
    let noise: String = (0..600_u32)
        .map(|n| char::from((n * 7919 % 127) as u8))
        .collect();
    for (name, text, reason) in [
        (
            "a.unknown",
            "fn main() {}\n",
            Reason::SkeletonUnsupportedLanguage,
        ),
        ("notes.md", "# Notes\n", Reason::SkeletonUnsupportedLanguage),
        ("noise.ts", noise.as_str(), Reason::SkeletonParseError),
        ("empty.py", "", Reason::SkeletonNotSmaller),
        (
            "short.js",
            "function f() { 1 }\n",
            Reason::SkeletonNotSmaller,
        ),
        (
            "data.js",
            "module.exports = { a: [1, 2, 3], b: 'text' };\n",
            Reason::SkeletonNotSmaller,
        ),
    ] {
        assert_eq!(cut(name, text).unwrap_err(), reason, "{name}");
    }
}

#[test]
fn lookups() {
    let text = fs::read_to_string(fixture("sample.ts")).unwrap();
    let index = read("sample.ts", &text).unwrap();
    for (path, found) in [
        ("Client", "Client"),
        ("Client.request", "Client.request"),
        ("request", "Client.request"),
        ("Client.#private", "Client.#private"),
        ("#private", "Client.#private"),
        ("constructor", "Client.constructor"),
        ("limits.\"max-size\"", "limits.\"max-size\""),
        ("nested.deep", "limits.nested.deep"),
        ("bounds", "limits"),
        ("default", "default"),
        ("retry#2", "retry#2"),
        ("attempt", "retry.attempt"),
        ("local", "retry.attempt.local"),
        ("again", "Client.request.again"),
        ("\"pkg/mod\".plug", "\"pkg/mod\".plug"),
        ("Util.Text.trim", "Util.Text.trim"),
        ("Text.trim", "Util.Text.trim"),
        ("Client.legacy", "Client.legacy"),
        ("Level.High", "Level.High"),
        ("Store.get", "Store.get"),
        ("Client#1", "Client"),
    ] {
        match index.find(&parse_symbol_path(path).unwrap()) {
            Lookup::One(id) => assert_eq!(index.path(id), found, "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
    let paths = |ids: &[u32]| ids.iter().map(|id| index.path(*id)).collect::<Vec<_>>();
    match index.find(&parse_symbol_path("retry").unwrap()) {
        Lookup::Ambiguous(ids) => assert_eq!(paths(&ids), ["retry#1", "retry#2"]),
        other => panic!("{other:?}"),
    }
    match index.find(&parse_symbol_path("Server.request").unwrap()) {
        Lookup::None { near } => assert_eq!(paths(&near), ["Client.request"]),
        other => panic!("{other:?}"),
    }
    for path in ["sum", "retry#3", "Client#2"] {
        let found = index.find(&parse_symbol_path(path).unwrap());
        assert!(matches!(found, Lookup::None { .. }), "{path}: {found:?}");
    }
}

/// Of what a function binds to names, its functions are symbols; so are members of older forms.
#[test]
fn functions_bound_to_names() {
    let check = |name: &str, text: &str, expected: &str| match read(name, text) {
        Err(IndexFault::LanguageUnsupported) => {}
        Err(fault) => panic!("{name}: {fault:?}"),
        Ok(index) => {
            let n_symbols = u32::try_from(index.symbols.len()).unwrap();
            let paths: Vec<_> = (0..n_symbols).map(|id| index.path(id)).collect();
            assert_eq!(paths.join(" "), expected, "{name}: {text}");
        }
    };
    // Other locals are not.
    check(
        "a.js",
        "function f() { const a = 1, g = () => a; let o = { k() {} }; class C { m() {} } }\n",
        "f f.g",
    );
    check(
        "a.jsx",
        "const App = () => { const [s, t] = use(0); const on = async () => { t(1); }; return <b/>; };\n",
        "App App.on",
    );
    // What stands in a callback without a name is not.
    check(
        "a.js",
        "function f() { g(() => { const h = () => 1; }); }\n",
        "f",
    );
    check("a.js", "test('x', () => { const h = () => 1; });\n", "");
    check(
        "a.lua",
        "function f()\n  local g = function() return 1 end\n  local x = 1\n  t.h = function() end\nend\n",
        "f f.g",
    );
    check(
        "a.c",
        "int f(void) { int g(int); int x = g(1); return x; }\n",
        "f",
    );
    check(
        "a.cpp",
        "int f() { Box b(1); Box g(int); return 0; }\n",
        "f",
    );
    // Programs that wait are no modules; a call handed to `this` is one.
    check("a.js", "(async () => { const a = await b(); })();\n", "");
    check("a.js", "!function () { var a = 1; }.call(this);\n", "a");
    check("a.js", "void (() => { function a() {} })();\n", "a");
    check(
        "a.js",
        "(function (f) { f(jQuery); }(function ($) { $.fn.a = function () {}; }));\n",
        "$.fn.a",
    );
    check("a.js", "define({ a: function () {}, b: 1 });\n", "a b");
    check("a.js", "use({ a: function () {} });\n", "");
    // A method that sets its object's state makes no object.
    check(
        "a.js",
        "A.prototype.m = function () { this.x = 1; };\n",
        "A.m",
    );
    check("a.js", "function set() { this.x = 1; }\n", "set");
    check("a.js", "function Set() { this.x = 1; }\n", "Set Set.x");
    check(
        "a.js",
        "a.fn = a.prototype = { m: function () {} };\n",
        "a.fn a.fn.m",
    );
    check("a.astro", "<p/>\n<script>function f() {}</script>\n", "f");
    check(
        "a.astro",
        "---\r\nconst f = () => 1;\r\n---\r\n<p/>\r\n",
        "f",
    );
    check("a.astro", "\n---\nconst f = () => 1;\n<p/>\n", "");
    check("a.vue", "---\nconst f = () => 1;\n---\n<p/>\n", "");
}

#[test]
fn dependencies() {
    let check = |name: &str, text: &str, path: &str, expected: &[(&str, u32, u32)]| {
        let index = match read(name, text) {
            Err(IndexFault::LanguageUnsupported) => return,
            index => index.unwrap(),
        };
        let Lookup::One(id) = index.find(&parse_symbol_path(path).unwrap()) else {
            panic!("{path}")
        };
        let found = index.dependencies(id, text).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|one| {
                let path = one.symbol.map_or("import".to_owned(), |id| index.path(id));
                (path, one.lines.start, one.lines.end)
            })
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(path, start, end)| (path.as_str(), *start, *end))
            .collect();
        assert_eq!(found, expected, "{name} {path}");
    };
    let ts = "import { a as b, c } from 'x';\nimport d from 'y';\nconst one = 1;\n\
              function two() { return one + b(); }\nfunction three() { return two(); }\n\
              function four() { return three() + four(); }\nconst unused = c.one;\n";
    check("a.ts", ts, "two", &[("import", 1, 1), ("one", 3, 3)]);
    // Two steps only: what `two` uses is not followed further.
    check("a.ts", ts, "four", &[("two", 4, 4), ("three", 5, 5)]);
    check("a.ts", ts, "unused", &[("import", 1, 1)]);
    let py = "import os.path\nfrom a import b as c\nX = 1\n\ndef f():\n    return os.sep + c(X)\n";
    check(
        "a.py",
        py,
        "f",
        &[("import", 1, 1), ("import", 2, 2), ("X", 3, 3)],
    );
    let rs = "use std::{fmt, io as input};\nstruct A;\nimpl A { fn f(&self) -> input::Result<B> { B } }\nstruct B;\n";
    check("a.rs", rs, "A.f", &[("import", 1, 1), ("B", 4, 4)]);
    let many: String = (0..70).map(|n| format!("const c{n} = {n};\n")).collect();
    let uses: String = (0..65).map(|n| format!("c{n} + ")).collect();
    let text = format!("{many}function f() {{ return {uses}0; }}\n");
    let index = read("a.js", &text).unwrap();
    let Lookup::One(id) = index.find(&parse_symbol_path("f").unwrap()) else {
        panic!()
    };
    assert!(index.dependencies(id, &text).is_err());
    let text = text.replace("c64 + ", "");
    let index = read("a.js", &text).unwrap();
    assert_eq!(index.dependencies(id, &text).unwrap().len(), 64);
}

#[test]
fn index_limits() {
    let flat = |n: usize| format!("enum E {{{}}}", "A,".repeat(n - 1));
    let nested = |n: usize| "namespace a {".repeat(n) + &"}".repeat(n);
    let n_symbols = |text: &str| read_patiently("a.ts", text).map(|index| index.symbols.len());
    assert_eq!(n_symbols(&flat(INDEX_SYMBOLS)), Ok(INDEX_SYMBOLS));
    assert_eq!(
        n_symbols(&flat(INDEX_SYMBOLS + 1)),
        Err(IndexFault::IndexLimit)
    );
    assert_eq!(n_symbols(&nested(INDEX_DEPTH)), Ok(INDEX_DEPTH));
    assert_eq!(
        n_symbols(&nested(INDEX_DEPTH + 1)),
        Err(IndexFault::IndexLimit)
    );
}

/// Reads a large file on a machine that may be busy: its deadline is one of the clock.
fn read_patiently(name: &str, text: &str) -> Result<Index, IndexFault> {
    let tries = (0..50).map(|_| read(name, text));
    let mut done = tries.skip_while(|index| matches!(index, Err(IndexFault::ParseTimeout)));
    done.next().unwrap_or(Err(IndexFault::ParseTimeout))
}

#[test]
fn index_faults() {
    for (name, text, fault) in [
        ("a.unknown", "x", IndexFault::LanguageUnsupported),
        ("a.css", "a { b: c }", IndexFault::LanguageUnsupported),
    ] {
        assert_eq!(read(name, text).unwrap_err(), fault, "{name}");
    }
    let unreliable = read("a.ts", "]] %% }} (( <<< @@ %% ]] ~~ ^^ &&\n");
    assert!(
        matches!(unreliable, Err(IndexFault::ParseUnreliable { .. })),
        "{unreliable:?}"
    );
    let text = fs::read_to_string(fixture("broken.ts")).unwrap();
    let index = read("broken.ts", &text).unwrap();
    assert!(matches!(index.parse, ParseState::Recovered { .. }));
    for (path, touches) in [("before", false), ("Last.method", false), ("after", false)] {
        match index.find(&parse_symbol_path(path).unwrap()) {
            Lookup::One(id) => assert_eq!(index.touches_gap(id).is_some(), touches, "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
}

/// Inputs made to be slow or deep.
fn hostile() -> Vec<(&'static str, String)> {
    let minified = "function f(a,b){var c=a+b;return c>1?f(c,b):{d:[c,'}']}}";
    vec![
        ("generics.ts", "a<".repeat(250_000)),
        ("generics.cpp", "a<".repeat(250_000)),
        ("brackets.js", "[".repeat(100_000)),
        ("brackets.py", "(".repeat(100_000)),
        (
            "balanced.rs",
            format!("fn f() {{ {}{} }}", "(".repeat(50_000), ")".repeat(50_000)),
        ),
        (
            "blocks.c",
            format!("int f() {}{}", "{".repeat(50_000), "}".repeat(50_000)),
        ),
        ("long.js", minified.repeat(3_000_000 / minified.len())),
        ("quotes.py", "\"\"\"f\" '".repeat(50_000)),
        ("comments.rs", "/*".repeat(100_000)),
        (
            "symbols.ts",
            (0..20_000)
                .map(|n| format!("/** {n} */ export const c{n} = () => {{ return {n}; }};\n"))
                .collect(),
        ),
        ("chain.js", format!("x{}", ".y()".repeat(100_000))),
        (
            "members.js",
            format!("a{} = function () {{}};", ".b".repeat(100_000)),
        ),
        (
            "scripts.vue",
            "<script lang=\"ts\">let a = 1;</script>\n".repeat(20_000),
        ),
        ("tags.vue", "<script".repeat(100_000)),
    ]
}

#[test]
fn hostile_inputs_end() {
    for (name, text) in hostile() {
        let start = Instant::now();
        if let Ok(skeleton) = cut(name, &text) {
            check_cuts_of_large(name, &text, &skeleton);
        }
        let _ = read(name, &text);
        // Two parses of at most 200 ms each and linear walks, with room for a busy machine.
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{name}: {:?}",
            start.elapsed()
        );
    }
}

fn check_cuts_of_large(name: &str, text: &str, skeleton: &Skeleton) {
    let cut: usize = skeleton.cuts.iter().map(|cut| cut.source.len()).sum();
    let markers: usize = skeleton.cuts.iter().map(|cut| cut.output.len()).sum();
    assert_eq!(skeleton.text.len() + cut - markers, text.len(), "{name}");
}

#[test]
fn cancel_stops_the_parser() {
    let text = "a<".repeat(250_000);
    let path = RelPath::new("a.ts").unwrap();
    let cancelled = Cancel::new();
    cancelled.set();
    assert!(matches!(
        index(&path, &text, &cancelled),
        Err(Error::Cancelled)
    ));
    let cancel = Cancel::new();
    let started = thread::scope(|scope| {
        let work = scope.spawn(|| {
            let mut rounds = 0;
            while skeleton(&path, &text, &mut count, &cancel).is_ok() {
                rounds += 1;
            }
            rounds
        });
        cancel.set();
        let start = Instant::now();
        work.join().unwrap();
        start
    });
    assert!(
        started.elapsed() < Duration::from_millis(250),
        "{:?}",
        started.elapsed()
    );
}

/// Stands in for a token count: words and marks, which is monotone and quick.
fn count(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/lang")
        .join(name)
}

fn cut(name: &str, text: &str) -> Result<Skeleton, Reason> {
    let path = RelPath::new(name).unwrap();
    skeleton(&path, text, &mut count, &Cancel::never()).unwrap()
}

fn read(name: &str, text: &str) -> Result<Index, IndexFault> {
    let path = RelPath::new(name).unwrap();
    index(&path, text, &Cancel::never()).unwrap()
}

fn outline(name: &str, text: &str) -> String {
    let index = match read(name, text) {
        Ok(index) => index,
        Err(fault) => return format!("{fault:?}\n"),
    };
    let mut out = String::new();
    if let ParseState::Recovered { gaps } = &index.parse {
        let gaps: Vec<_> = gaps
            .iter()
            .map(|gap| format!("{}-{}", gap.start, gap.end))
            .collect();
        writeln!(out, "gaps {}", gaps.join(" ")).unwrap();
    }
    for (id, symbol) in (0_u32..).zip(&index.symbols) {
        let indent = "  ".repeat(usize::from(symbol.depth));
        let lines = symbol.lines;
        write!(
            out,
            "{indent}{} {} {}-{}",
            symbol.kind.as_str(),
            index.path(id),
            lines.start,
            lines.end
        )
        .unwrap();
        if symbol.declarations > 1 {
            write!(out, " x{}", symbol.declarations).unwrap();
        }
        if symbol.exported {
            write!(out, " exported").unwrap();
        }
        if symbol.shared_lines {
            write!(out, " shared").unwrap();
        }
        for alias in index.aliases(id) {
            write!(out, " = {alias}").unwrap();
        }
        out.push('\n');
    }
    if out.is_empty() {
        out.push_str("no symbols\n");
    }
    out
}
