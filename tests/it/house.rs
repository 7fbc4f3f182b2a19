//! The rules of the source tree: who may import whom, and what may stand where.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Rows, lowest first. A module imports only from lower rows; row 0 may use itself.
const ROWS: [&[&str]; 8] = [
    &[
        "limits",
        "error",
        "cancel",
        "progress",
        "path",
        "root",
        "reason",
        "marker",
        "text",
        "arguments",
    ],
    &["scan", "secrets", "syntax", "tokens", "crib"],
    &["intake"],
    &["render", "memory"],
    &["options"],
    &["pack", "plan", "code", "explain", "find"],
    &["mcp", "cli"],
    &["main", "bin", "lib", "build"],
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file: path below `src/` and text.
fn sources() -> BTreeMap<String, String> {
    fn collect(dir: &Path, base: &Path, out: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, base, out);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(base)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                out.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let base = root().join("src");
    let mut out = BTreeMap::new();
    collect(&base, &base, &mut out);
    assert!(out.len() > 40, "only {} files found", out.len());
    out
}

/// The lines of a file that are code: no comments, and nothing from a test module on.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim_start()))
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .filter(|(_, line)| !line.starts_with("//"))
}

fn is_test_file(name: &str) -> bool {
    name.ends_with("tests.rs") || name.contains("/tests/")
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

fn module(name: &str) -> &str {
    name.split('/').next().unwrap().trim_end_matches(".rs")
}

/// Modules of this crate named in a line: `crate::x` and each name of `crate::{x, y::z}`.
fn imports(line: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (start, _) in line.match_indices("crate::") {
        let rest = &line[start + 7..];
        if let Some(group) = rest.strip_prefix('{') {
            let group = group.split('}').next().unwrap();
            found.extend(
                group
                    .split(',')
                    .map(|name| name.trim().split(|c| !is_name(c)).next().unwrap()),
            );
        } else {
            found.push(rest.split(|c| !is_name(c)).next().unwrap());
        }
    }
    found
}

#[test]
fn imports_point_down() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let own = module(&name);
        let own_row = row(own).unwrap_or_else(|| panic!("{name} belongs to no row"));
        if own_row == ROWS.len() - 1 || is_test_file(&name) {
            continue;
        }
        for (number, line) in code(&text) {
            for other in imports(line) {
                let Some(other_row) = row(other) else {
                    continue;
                };
                let fine = other == own || other_row < own_row || (own_row == 0 && other_row == 0);
                let crib_outside_mcp = other == "crib" && own != "mcp" && own != "crib";
                if !fine || crib_outside_mcp {
                    wrong.push(format!("{name}:{number} imports {other}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `what` may stand only in files that begin with one of `places`.
fn only_in(what: &[&str], places: &[&str]) {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        if is_test_file(&name)
            || name == "build.rs"
            || places.iter().any(|place| name.starts_with(place))
        {
            continue;
        }
        for (number, line) in code(&text) {
            for word in what {
                if line.contains(word) {
                    wrong.push(format!("{name}:{number} has {word}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn side_effects_have_their_places() {
    only_in(
        &["std::fs", "fs::File"],
        &[
            "scan/",
            "path.rs",
            "root.rs",
            "root/",
            "crib/discover",
            "tokens/vocab.rs",
            "cli/",
        ],
    );
    only_in(&["std::process"], &["main.rs", "bin/"]);
    only_in(&["std::env"], &["cli/", "main.rs", "bin/"]);
    only_in(
        &["Instant::now", "SystemTime"],
        &[
            "mcp/serve.rs",
            "syntax/parse.rs",
            "find/clock.rs",
            "root/portable.rs",
            "crib/connection.rs",
            "cli/",
        ],
    );
    only_in(
        &["cfg(feature"],
        &[
            "lib.rs",
            "syntax/grammar.rs",
            "tokens/vocab.rs",
            "mcp/tools/mod.rs",
        ],
    );
    only_in(
        &["println!", "eprintln!", "print!(", "stdout()", "stderr()"],
        &["cli/", "main.rs", "bin/"],
    );
    only_in(
        &[
            "todo!",
            "unimplemented!",
            "Box<dyn Error",
            "Box<dyn std::error",
        ],
        &[],
    );
}

#[test]
fn files_are_small_and_say_what_they_are_for() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        if !text.starts_with("//! ") {
            wrong.push(format!("{name} lacks its module comment"));
        }
        if text.contains("To be written.") {
            wrong.push(format!("{name} is empty"));
        }
        let n_lines = text.lines().count();
        if n_lines > 700 {
            wrong.push(format!("{name} has {n_lines} lines"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_top_level_is_what_the_readme_says() {
    let listed = [
        ".ci",
        ".git",
        ".gitignore",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "README.md",
        "assets",
        "benches",
        "src",
        "target",
        "tests",
    ];
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_str().unwrap();
        assert!(
            listed.contains(&name) || name.starts_with("moon-repomix-output."),
            "{name} does not belong at the top level"
        );
    }
}
