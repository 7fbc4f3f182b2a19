//! What the README shows is true: commands run, configuration is accepted, limits are the program's.

use std::collections::BTreeSet;
use std::sync::Arc;

use moon_repomix::limits;
use moon_repomix::mcp::tools;
use moon_repomix::options::HostOptions;
use moon_repomix::scan::select::{Selection, SelectionSpec};

use crate::cli::{finish, program, sample};

const README: &str = include_str!("../../README.md");

/// The fenced blocks of a language.
fn blocks(language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in README.lines() {
        match &mut open {
            Some(block) if line == "```" => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            Some(block) => {
                block.push_str(line);
                block.push('\n');
            }
            None if line == format!("```{language}") => open = Some(String::new()),
            // A block of another language is read to its end.
            None if line.starts_with("```") => open = None,
            None => {}
        }
    }
    blocks
}

/// The words of a shell line with single quotes.
fn shell_words(line: &str) -> Vec<String> {
    line.split('\'')
        .enumerate()
        .flat_map(|(i, part)| {
            if i % 2 == 1 {
                vec![part.to_owned()]
            } else {
                part.split_whitespace().map(str::to_owned).collect()
            }
        })
        .collect()
}

#[test]
fn commands_run() {
    let lines: Vec<String> = blocks("sh")
        .iter()
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(lines.len() >= 7);
    for line in lines {
        let project = sample();
        let words = shell_words(&line);
        assert_eq!(words[0], "moon-repomix", "{line}");
        let mut command = program(project.dir());
        command.args(&words[1..]);
        let ran = finish(command, b"");
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    }
}

#[test]
fn the_client_configuration_starts_the_server() {
    let project = sample();
    let blocks = blocks("json");
    assert!(!blocks.is_empty());
    for block in blocks {
        let value: serde_json::Value = serde_json::from_str(&block).unwrap();
        let arguments = value["mcpServers"]["moon-repomix"]["args"]
            .as_array()
            .unwrap();
        let mut command = program(project.dir());
        for argument in arguments {
            let argument = argument.as_str().unwrap();
            command.arg(if argument == "/path/to/repository" {
                "."
            } else {
                argument
            });
        }
        let ran = finish(
            command,
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        );
        assert_eq!(ran.stderr, "");
        assert!(ran.ok().contains("\"id\":1"));
    }
}

#[test]
fn the_configuration_file_is_accepted() {
    let project = sample();
    let blocks = blocks("jsonc");
    assert_eq!(blocks.len(), 1);
    project.write("moon-repomix.config.json", &blocks[0]);
    let mut command = program(project.dir());
    command.arg("-v");
    let ran = finish(command, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(project.join("packed.md")).unwrap();
    assert!(text.contains("Release 2"));
    let mut command = program(project.dir());
    command.args([
        ".",
        "--config",
        "moon-repomix.config.json",
        "-o",
        "other.md",
    ]);
    assert_eq!(finish(command, b"").code, 0);
}

#[test]
fn options_are_those_of_the_program() {
    let project = sample();
    let mut command = program(project.dir());
    command.arg("--help");
    let help = finish(command, b"").ok();
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let options = |text: &str| -> BTreeSet<String> {
        text.match_indices("--")
            .filter(|(at, _)| !text[..*at].ends_with(is_name))
            .map(|(at, _)| {
                text[at..]
                    .chars()
                    .take_while(|c| is_name(*c))
                    .collect::<String>()
            })
            .filter(|option| option[2..].starts_with(|c: char| c.is_ascii_lowercase()))
            .collect()
    };
    let (list, _) = help.split_once("\nNumbers of tokens").unwrap();
    let defined: BTreeSet<String> = list
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
        .flat_map(|line| options(line.split("  ").next().unwrap()))
        .collect();
    let table: String = README
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    let listed = options(&table);
    assert!(defined.len() > 30, "{defined:?}");
    let missing: Vec<_> = defined.difference(&listed).collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
    let unknown: Vec<_> = listed.difference(&defined).collect();
    assert!(unknown.is_empty(), "not in the program: {unknown:?}");
}

#[test]
fn tools_are_those_of_the_server() {
    let project = sample();
    let selection = Selection::new(SelectionSpec::default()).unwrap();
    let host = Arc::new(HostOptions::new(project.root(""), selection));
    for tool in tools::repository(&host) {
        assert!(
            README.contains(&format!("| `{}` |", tool.name)),
            "{}",
            tool.name
        );
    }
}

#[test]
fn limits_are_those_of_the_program() {
    let grouped = |n: u64| {
        let digits: Vec<char> = n.to_string().chars().rev().collect();
        let groups: Vec<String> = digits
            .chunks(3)
            .map(|group| group.iter().rev().collect())
            .collect();
        groups.into_iter().rev().collect::<Vec<String>>().join(",")
    };
    let mib = |n: u64| match n {
        1 => "1 byte".to_owned(),
        n => {
            assert_eq!(n % limits::MIB as u64, 0);
            format!("{} MiB", grouped(n / limits::MIB as u64))
        }
    };
    let counts = |range: limits::Range| {
        let [default, min, max] = [range.default, range.min, range.max].map(grouped);
        format!("{default} ({min} to {max})")
    };
    let bytes = |range: limits::Range| {
        let [default, min, max] = [range.default, range.min, range.max].map(mib);
        format!("{default} ({min} to {max})")
    };
    let seconds = limits::REQUEST_SECONDS;
    let rows = [
        ("incoming message", mib(limits::FRAME_BYTES as u64)),
        ("outgoing message", mib(limits::OUT_LINE_BYTES as u64)),
        ("requests at once", limits::IN_FLIGHT.to_string()),
        (
            "time of a request (`--mcp-request-timeout`)",
            format!("{} s ({} to {})", seconds.default, seconds.min, seconds.max),
        ),
        (
            "tokens of a volume, context or reading sequence (`--mcp-max-tokens`)",
            counts(limits::VOLUME_TOKENS),
        ),
        ("volumes (`--mcp-max-volumes`)", counts(limits::VOLUMES)),
        (
            "bytes of all resources (`--mcp-max-output-bytes`)",
            bytes(limits::OUTPUT_BYTES),
        ),
        ("bytes of one resource", mib(limits::RESOURCE_BYTES as u64)),
        (
            "paths of one list in a request",
            format!(
                "{}, each of at most {} bytes",
                grouped(limits::LISTED_PATHS as u64),
                grouped(limits::PATH_BYTES as u64)
            ),
        ),
        (
            "paths of one explanation",
            limits::EXPLAIN_PATHS.to_string(),
        ),
        (
            "tasks, paths of one plan",
            format!("{}, {}", limits::TASKS, limits::PLAN_PATHS),
        ),
        (
            "rounds of one reading sequence",
            limits::CODE_ROUNDS.to_string(),
        ),
        (
            "files and directories (`--max-files`)",
            counts(limits::CANDIDATES),
        ),
        (
            "bytes of one file (`--max-file-size`)",
            bytes(limits::FILE_BYTES),
        ),
        (
            "bytes of all files (`--max-source-bytes`)",
            bytes(limits::SOURCE_BYTES),
        ),
        ("volumes of `--split`", grouped(limits::SPLIT_VOLUMES)),
    ];
    for (what, value) in rows {
        let row = format!("| {what} | {value} |");
        assert!(README.contains(&row), "{row}");
    }
}

#[rustfmt::skip]
mod example {
    // The example of the README.
    use std::path::Path;

    use moon_repomix::cancel::Cancel;
    use moon_repomix::error::Error;
    use moon_repomix::options::HostOptions;
    use moon_repomix::pack::{Request, document};
    use moon_repomix::progress::Progress;
    use moon_repomix::render::Style;
    use moon_repomix::root::Root;
    use moon_repomix::scan::select::{Selection, SelectionSpec};

    pub(super) fn pack_sources(root: &Path) -> Result<(String, u64), Error> {
        let spec = SelectionSpec {
            include: vec!["src/**".to_owned()],
            ..SelectionSpec::default()
        };
        let host = HostOptions::new(Root::open(root)?, Selection::new(spec)?);
        let request = Request {
            paths: None,
            style: Style::Markdown,
            compress: true,
        };
        let document = document::pack(&host, &request, &Progress::new(), &Cancel::never())?;
        Ok((document.to_text(), document.tokens))
    }
    // The end.
}

#[test]
fn the_example_works_and_is_the_one_shown() {
    let project = sample();
    let (text, tokens) = example::pack_sources(project.dir()).unwrap();
    assert!(text.contains("src/main.rs") && !text.contains("README.md"));
    let reference = tiktoken_rs::o200k_base_singleton();
    assert_eq!(tokens, reference.encode_ordinary(&text).len() as u64);
    let source = include_str!("readme.rs");
    let (_, from) = source
        .split_once("    // The example of the README.\n")
        .unwrap();
    let (code, _) = from.split_once("    // The end.\n").unwrap();
    let shown: String = code
        .lines()
        .map(|line| {
            line.strip_prefix("    ")
                .unwrap_or(line)
                .replace("pub(super) ", "")
                + "\n"
        })
        .collect();
    assert_eq!(blocks("rust"), [shown]);
}
