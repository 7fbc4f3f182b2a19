//! The command line exactly as typed. Nothing is merged, checked against a range or opened here.
//!
//! The first paragraph of each description is the short help (`-h`), all of it the long help
//! (`--help`). Numbers come from [`crate::limits`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args as Group, Parser, ValueEnum, ValueHint};
use clap_complete::Shell;

use super::size;
use crate::find::request::Mode;
use crate::limits::{
    CANDIDATES, EXPLAIN_PATHS, FILE_BYTES, LOSSY_BYTES, MIB, OUTPUT_BYTES, REQUEST_SECONDS, Range,
    SOURCE_BYTES, VOLUME_TOKENS, VOLUMES,
};
use crate::render::Style;
use crate::text::legacy::Legacy;

/// Packs a repository into documents for language models, with exact o200k token counts, and
/// serves the same engine to editors over MCP.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "moon-repomix",
    version,
    after_help = "Exit codes: 0 success (also with skipped files), 1 the run failed, 2 wrong usage or configuration, 3 over --budget, 130 interrupted.",
    after_long_help = AFTER_LONG_HELP,
    max_term_width = 100
)]
pub(super) struct Args {
    /// Directory to pack [default: the current directory].
    ///
    /// Nothing outside it is ever packed, and no symbolic link below it is followed.
    #[arg(value_name = "ROOT", value_hint = ValueHint::DirPath)]
    pub(super) root: Option<PathBuf>,

    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) selection: SelectionArgs,
    #[command(flatten)]
    pub(super) context: ContextArgs,
    #[command(flatten)]
    pub(super) find: FindArgs,
    #[command(flatten)]
    pub(super) report: ReportArgs,
    #[command(flatten)]
    pub(super) mcp: McpArgs,
    #[command(flatten)]
    pub(super) other: OtherArgs,
}

impl Args {
    /// The root, named or not.
    #[must_use]
    pub(super) fn root(&self) -> &Path {
        self.root.as_deref().unwrap_or(Path::new("."))
    }
}

const AFTER_LONG_HELP: &str = "\
Numbers of tokens and files accept k, m and g as thousands (8k, 1.5m), numbers of bytes as powers of 1,024 (512k, 16MiB).

A run reads moon-repomix.config.json, else repomix.config.json, from ROOT: JSON, in which comments and trailing commas are allowed. With --mcp only a file named by --config is read. Options beat the file; --ignore and --keep-full add to it. Each switch has an opposite (--summary, --compress and --no-compress, --gitignore and so on) that takes back what the file says.

Files are written completely or not at all: when a run fails or is interrupted, the earlier output stays as it was. Documents of this program are recognised by their first line and never packed again.

A run uses one thread a core; RAYON_NUM_THREADS sets another number. The result does not depend on it.

Exit codes: 0 success (also with skipped files), 1 the run failed, 2 wrong usage or configuration, 3 over --budget, 130 interrupted.";

/// What is written, and where.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArgs {
    /// Form of the document: xml, markdown (md), json or plain [default: xml].
    #[arg(short = 'f', long, value_name = "STYLE", value_parser = style)]
    pub(super) style: Option<Style>,
    /// Where the document goes; - is standard output [default: moon-repomix-output.EXT].
    ///
    /// A relative name counts from the current directory; missing directories are made. With
    /// --split it names the directory of the volumes [default: moon-repomix-output].
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// Divide the document into volumes of at most N tokens each.
    ///
    /// The output is a directory with volume-001.EXT and so on and an index.json. Each volume's
    /// count is exact and includes everything in it. A file that does not fit one volume is divided
    /// at line ends; a file with a single line over N is left out and reported. Volumes of an
    /// earlier run in the directory are replaced or removed; other files there are left alone.
    #[arg(long, value_name = "N", value_parser = size::count)]
    pub(super) split: Option<u64>,
    /// Fail with exit code 3, writing nothing, when the document is over N tokens.
    ///
    /// The largest contributors are named with their shares.
    #[arg(long, value_name = "N", value_parser = size::count)]
    pub(super) budget: Option<u64>,
    /// Text for the top of every document.
    #[arg(long, value_name = "TEXT")]
    pub(super) header_text: Option<String>,
    /// File whose text stands at the end of every document.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) instruction_file: Option<PathBuf>,
    /// Leave out the explanation at the top.
    #[arg(long, overrides_with = "summary")]
    pub(super) no_summary: bool,
    #[arg(long, hide = true, overrides_with = "no_summary")]
    pub(super) summary: bool,
    /// Leave out the directory tree.
    #[arg(long, overrides_with = "tree")]
    pub(super) no_tree: bool,
    #[arg(long, hide = true, overrides_with = "no_tree")]
    pub(super) tree: bool,
    /// Leave out the files' text.
    #[arg(long, overrides_with = "files")]
    pub(super) no_files: bool,
    #[arg(long, hide = true, overrides_with = "no_files")]
    pub(super) files: bool,
    /// Number the lines.
    #[arg(long, overrides_with = "no_lines")]
    pub(super) lines: bool,
    #[arg(long, hide = true, overrides_with = "lines")]
    pub(super) no_lines: bool,
    /// List for each file the lines that --compress left out.
    #[arg(long, overrides_with = "no_full_metadata")]
    pub(super) full_metadata: bool,
    #[arg(long, hide = true, overrides_with = "full_metadata")]
    pub(super) no_full_metadata: bool,
}

/// Which files are packed, and in which form.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Selection")]
pub(super) struct SelectionArgs {
    /// Pack only what matches; may be repeated, and takes comma lists.
    ///
    /// Patterns are written as in an ignore file and know {a,b} besides; commas in braces do not
    /// divide. A pattern that is also the path of a file means that file. Ignore rules still hold.
    #[arg(long, value_name = "GLOB")]
    pub(super) include: Vec<String>,
    /// Leave out what matches; may be repeated, and takes comma lists.
    ///
    /// Stands above all ignore files; a pattern that begins with ! takes back, also from an ignore
    /// file or the built-in patterns.
    #[arg(short, long, value_name = "GLOB")]
    pub(super) ignore: Vec<String>,
    /// Do not read .gitignore, .git/info/exclude and git's global excludes.
    #[arg(long, overrides_with = "gitignore")]
    pub(super) no_gitignore: bool,
    #[arg(long, hide = true, overrides_with = "no_gitignore")]
    pub(super) gitignore: bool,
    /// Do not read .ignore files.
    #[arg(long, overrides_with = "dot_ignore")]
    pub(super) no_dot_ignore: bool,
    #[arg(long, hide = true, overrides_with = "no_dot_ignore")]
    pub(super) dot_ignore: bool,
    /// Do not use the built-in patterns.
    #[arg(long, overrides_with = "default_patterns")]
    pub(super) no_default_patterns: bool,
    #[arg(long, hide = true, overrides_with = "no_default_patterns")]
    pub(super) default_patterns: bool,
    /// Pack exactly the files listed on standard input, one path a line.
    ///
    /// Paths are relative to ROOT, or absolute and below it. Ignore rules still hold.
    #[arg(long, conflicts_with_all = ["stdin0", "files_from"])]
    pub(super) stdin: bool,
    /// As --stdin, with a NUL behind each path.
    #[arg(long, conflicts_with = "files_from")]
    pub(super) stdin0: bool,
    /// Pack exactly the files listed in FILE, one path a line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, long_help = files_from_help())]
    pub(super) files_from: Option<PathBuf>,
    /// Encodings to try, in this order, on files that are not UTF-8; may be repeated.
    ///
    /// Names are labels of the WHATWG list (GBK, Shift_JIS, EUC-JP, EUC-KR, Big5, windows-1252,
    /// ISO-8859-2 and so on). A file is taken in the first one in which every byte is text; what
    /// looks binary, and UTF-8 that was damaged, is not. The report names the encoding.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = Legacy::from_name)]
    pub(super) encoding: Vec<Legacy>,
    /// Take UTF-8 with a few bad bytes; each bad place becomes U+FFFD.
    #[arg(long, overrides_with = "no_lossy", long_help = lossy_help())]
    pub(super) lossy: bool,
    #[arg(long, hide = true, overrides_with = "lossy")]
    pub(super) no_lossy: bool,
    /// Reduce source files to declarations; bodies become markers with line numbers.
    ///
    /// A file of a language that is not known, that cannot be parsed, or that would not become
    /// smaller stays whole.
    #[arg(long, overrides_with = "no_compress")]
    pub(super) compress: bool,
    #[arg(long, hide = true, overrides_with = "compress")]
    pub(super) no_compress: bool,
    /// With --compress, keep the full text of what matches; may be repeated, takes comma lists.
    #[arg(long, value_name = "GLOB")]
    pub(super) keep_full: Vec<String>,
    /// Skip files larger than this.
    #[arg(long, value_name = "BYTES", value_parser = size::bytes, long_help = range_help("Skip files larger than this.", FILE_BYTES, "bytes"))]
    pub(super) max_file_size: Option<u64>,
    /// Fail when there are more files and directories than this.
    #[arg(long, value_name = "N", value_parser = size::count, long_help = range_help("Fail when there are more files and directories than this.", CANDIDATES, "names"))]
    pub(super) max_files: Option<u64>,
    /// Fail when the wanted files have more bytes than this.
    #[arg(long, value_name = "BYTES", value_parser = size::bytes, long_help = range_help("Fail when the wanted files have more bytes than this.", SOURCE_BYTES, "bytes"))]
    pub(super) max_source_bytes: Option<u64>,
}

/// Contexts instead of a packed document.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Contexts")]
pub(super) struct ContextArgs {
    /// Plan the context of tasks: reads a request from FILE, writes context.<ext> and audit.json into the directory of -o.
    ///
    /// FILE holds the JSON that the tool plan_task_context takes: maxTokens, and tasks with required and
    /// optional files. Exit code 3 when the required files are over the budget, 1 when one is not available; then
    /// nothing is written and the audit goes to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) plan: Option<PathBuf>,
    /// Print code as JSON: whole symbols, lines, files or outlines. Give ROOT before it.
    ///
    /// A SPEC is src/api.ts:Client.request for a symbol (with + behind it also the declarations of the same file
    /// that it uses), src/db.rs:120-188 for lines, src/x.py: for an outline, README.md for a whole file.
    /// All or nothing: when one cannot be given, the reasons go to standard error and the exit code is 1, or 3 when
    /// the JSON is over --max-tokens.
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub(super) code: Vec<String>,
    /// Most tokens of the JSON of --code, or of the text of --list or --search.
    #[arg(long, value_name = "N", value_parser = size::count, long_help = range_help("Most tokens of the JSON of --code, or of the text of --list or --search (from 200, default 2,000).", VOLUME_TOKENS, "tokens"))]
    pub(super) max_tokens: Option<u64>,
}

/// Finding instead of packing.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Finding")]
pub(super) struct FindArgs {
    /// List the selected files of DIR, or of the root, with lines and sizes. Give ROOT before it.
    ///
    /// As many levels as --max-tokens allows, to standard output; what is left out is counted by reason.
    #[arg(long, value_name = "DIR", num_args = 0..=1, value_hint = ValueHint::DirPath)]
    pub(super) list: Option<Option<String>>,
    /// Find QUERY in the selected files; prints the symbols or lines that hold it, best first.
    #[arg(long, value_name = "QUERY")]
    pub(super) search: Option<String>,
    /// How QUERY is read: auto, words, symbol, references, text or regex [default: auto].
    ///
    /// auto takes one name or symbol path as symbol when something of that name is defined, everything else as words.
    #[arg(long, value_name = "MODE", value_parser = mode, requires = "search")]
    pub(super) mode: Option<Mode>,
    /// Narrow --list or --search to the files that match; may be repeated, ! excludes.
    #[arg(long = "in", value_name = "GLOB")]
    pub(super) within: Vec<String>,
    /// Places of --search to skip: the next offset of the last answer.
    #[arg(long, value_name = "N", value_parser = size::count, requires = "search")]
    pub(super) offset: Option<u64>,
}

/// What is told about the run.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Report")]
pub(super) struct ReportArgs {
    /// Show the tokens of files and directories with at least MIN tokens, as a tree [MIN: 0].
    #[arg(long, value_name = "MIN", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = size::count)]
    pub(super) token_tree: Option<u64>,
    /// Show the N files with the most tokens.
    #[arg(long, value_name = "N", value_parser = size::count)]
    pub(super) top_files: Option<u64>,
    /// Say why each PATH is in or out; writes no document. Give ROOT before it.
    #[arg(long, value_name = "PATH", num_args = 1.., long_help = explain_help())]
    pub(super) explain: Vec<OsString>,
    /// Form of the report: text, or json (one JSON object on standard error).
    ///
    /// With json nothing else is written to standard error; a failure is an object, too. --explain
    /// then writes its JSON to standard output.
    #[arg(long, value_name = "FORM", value_enum)]
    pub(super) report: Option<ReportForm>,
    /// Write nothing to standard error but errors.
    #[arg(short, long, conflicts_with_all = ["verbose", "token_tree", "top_files"])]
    pub(super) quiet: bool,
    /// List every skipped file with its reason and the rule that decided.
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// How the report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportForm {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// The server.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "MCP server")]
pub(super) struct McpArgs {
    /// Serve ROOT to an MCP client over standard input and output.
    ///
    /// Read-only. All other options fix what clients may see. Nothing is read before a request
    /// needs it. ROOT must be named when the current directory is / or a home directory.
    #[arg(long)]
    pub(super) mcp: bool,
    /// Most tokens of a volume, context or reading sequence; requests can only lower it.
    #[arg(long, value_name = "N", value_parser = size::count, long_help = range_help("Most tokens of a volume, context or reading sequence; requests can only lower it.", VOLUME_TOKENS, "tokens"))]
    pub(super) mcp_max_tokens: Option<u64>,
    /// Most bytes of all resources of one run.
    #[arg(long, value_name = "N", value_parser = size::bytes, long_help = range_help("Most bytes of all resources of one run.", OUTPUT_BYTES, "bytes"))]
    pub(super) mcp_max_output_bytes: Option<u64>,
    /// Most volumes of one run.
    #[arg(long, value_name = "N", value_parser = size::count, long_help = range_help("Most volumes of one run, the index not counted.", VOLUMES, "volumes"))]
    pub(super) mcp_max_volumes: Option<u64>,
    /// Seconds one request may take.
    #[arg(long, value_name = "S", value_parser = size::count, long_help = range_help("Seconds one request may take.", REQUEST_SECONDS, "seconds"))]
    pub(super) mcp_request_timeout: Option<u64>,
    /// Offer the documentation tools of the Crib reader, too; DIR is its user data directory.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, value_hint = ValueHint::DirPath)]
    pub(super) crib: Option<Option<PathBuf>>,
}

/// Everything else.
#[derive(Clone, Debug, Group)]
#[command(next_help_heading = "Other")]
pub(super) struct OtherArgs {
    /// Configuration file to read instead of the one in ROOT.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// The o200k_base ranks file; any other file is refused.
    ///
    /// The program counts with the tables built into it. A file named here is checked to be the one
    /// that these tables were made from.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) tokenizer_path: Option<PathBuf>,
    /// Do not scan for secrets.
    #[arg(long, overrides_with = "security_check")]
    pub(super) no_security_check: bool,
    #[arg(long, hide = true, overrides_with = "no_security_check")]
    pub(super) security_check: bool,
    /// Count every document again with the reference tokenizer and fail on a difference.
    #[arg(long)]
    pub(super) verify_counts: bool,
    /// Write the completions of a shell to standard output.
    #[arg(long, value_name = "SHELL", value_enum)]
    pub(super) completions: Option<Shell>,
    /// Write the manual page to standard output.
    #[arg(long)]
    pub(super) man: bool,
    /// Write the configuration of an MCP client for ROOT and the other options to standard output.
    #[arg(long, value_name = "CLIENT", value_enum)]
    pub(super) print_client_config: Option<Client>,
}

/// An MCP client whose configuration can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Vscode,
    Cursor,
    Zed,
    Gemini,
    Codex,
}

fn mode(name: &str) -> Result<Mode, &'static str> {
    Mode::from_name(name).ok_or("must be one of auto, words, symbol, references, text, regex")
}

fn style(name: &str) -> Result<Style, &'static str> {
    match name {
        "md" => Ok(Style::Markdown),
        name => Style::from_name(name).ok_or("must be one of xml, markdown (md), json, plain"),
    }
}

fn range_help(what: &str, range: Range, unit: &str) -> String {
    let shown = |n: u64| match n {
        n if unit == "bytes" && n > 1 && n.is_multiple_of(MIB as u64) => {
            format!("{} MiB", size::grouped(n / MIB as u64))
        }
        n => size::grouped(n),
    };
    let unit = if unit == "bytes" { "" } else { unit };
    format!(
        "{what}\n\n{} to {} {unit}",
        shown(range.min),
        shown(range.max)
    )
    .trim_end()
    .to_owned()
        + &format!(" [default: {}]", shown(range.default))
}

fn files_from_help() -> String {
    "Pack exactly the files listed in FILE, one path a line.\n\nPaths are relative to ROOT, or absolute and below it, and at most as many as --max-files. Ignore rules still hold. With --mcp the list is all that clients may see.".to_owned()
}

fn lossy_help() -> String {
    format!(
        "Take UTF-8 with a few bad bytes; each bad place becomes U+FFFD.\n\nAt most one place in each {} bytes of a file, or one in a shorter file. The entry of the file and the report say how many.",
        size::grouped(LOSSY_BYTES as u64)
    )
}

fn explain_help() -> String {
    format!(
        "Say why each PATH is in or out; writes no document. Give ROOT before it.\n\nAt most {EXPLAIN_PATHS} paths, relative to ROOT."
    )
}

/// Options whose value may be left out. Clap reads such a value only behind `=`.
const OPTIONAL_NUMBERS: [&str; 1] = ["--token-tree"];

/// Joins an optional number to its option, so that `--token-tree 100` and `--token-tree ROOT` both
/// mean what they say.
#[must_use]
pub(super) fn join_optional_numbers(
    arguments: impl IntoIterator<Item = OsString>,
) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    let mut open = false;
    let mut only_paths = false;
    for argument in arguments {
        let number = argument
            .to_str()
            .is_some_and(|text| size::count(text).is_ok());
        match out.last_mut() {
            Some(option) if open && number => {
                option.push("=");
                option.push(&argument);
                open = false;
            }
            _ => {
                only_paths |= argument == "--";
                open = !only_paths && OPTIONAL_NUMBERS.iter().any(|option| argument == *option);
                out.push(argument);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Args, join_optional_numbers};

    fn parse(line: &str) -> Result<Args, clap::Error> {
        let words = std::iter::once("moon-repomix").chain(line.split_whitespace());
        Args::try_parse_from(join_optional_numbers(words.map(Into::into)))
    }

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn optional_numbers() {
        for (line, tree, root) in [
            ("--token-tree", Some(0), "."),
            ("--token-tree 100", Some(100), "."),
            ("--token-tree 1.5k dir", Some(1_500), "dir"),
            ("--token-tree dir", Some(0), "dir"),
            ("--token-tree=7 dir", Some(7), "dir"),
            ("dir --token-tree", Some(0), "dir"),
            ("-- --token-tree", None, "--token-tree"),
        ] {
            let args = parse(line).unwrap();
            assert_eq!(args.report.token_tree, tree, "{line}");
            assert_eq!(args.root().to_str(), Some(root), "{line}");
        }
    }

    #[test]
    fn the_last_of_two_opposites_counts() {
        let args = parse("--no-tree --tree").unwrap();
        assert!(args.output.tree && !args.output.no_tree);
        let args = parse("--tree --no-tree").unwrap();
        assert!(!args.output.tree && args.output.no_tree);
    }

    #[test]
    fn every_option_is_explained() {
        let mut command = Args::command();
        for argument in command.get_arguments().filter(|one| !one.is_hide_set()) {
            assert!(argument.get_help().is_some(), "{}", argument.get_id());
        }
        let help = command.render_long_help().to_string();
        for text in ["16,000", "256 MiB", "1 to 600", "200,000", "50 MiB"] {
            assert!(help.contains(text), "{text} is missing in\n{help}");
        }
    }
}
