//! Options and configuration file, merged: ranges are checked, lists are read, and what remains is a
//! [`HostOptions`] and where its result goes.
//!
//! An option beats the file. `--ignore` and `--keep-full` come after the file's patterns, so they
//! decide; `--include` and `--encoding` stand in place of the file's.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{Args, ReportForm};
use super::config::keys::Config;
use super::config::{self, ConfigFault, ConfigFile};
use super::context::{code_items, plan_request};
use super::failure::Failure;
use super::find::found;
use super::inputs::{
    inside_root, is_no_project, open_root, read_all, read_file, read_list, to_text,
};
use super::{Crib, Serve};
use crate::code::request::Item;
use crate::find::request::{ListRequest, SearchRequest};
use crate::limits::{
    CANDIDATES, DOCUMENT_TOKENS, EXPLAIN_PATHS, FILE_BYTES, MIB, OUTPUT_BYTES, REQUEST_SECONDS,
    Range, SOURCE_BYTES, VOLUME_TOKENS, VOLUMES,
};
use crate::options::{Caps, HostOptions, InputLimits, Sections};
use crate::path::RelPath;
use crate::plan;
use crate::render::Style;
use crate::root::Root;
use crate::scan::pattern::split_list;
use crate::scan::repository::GlobalExcludes;
use crate::scan::select::{FromConfig, Selection, SelectionSpec};
use crate::text::legacy::Leniency;
use crate::tokens::vocab::check_ranks_file;

/// Longest instruction file, in bytes.
const INSTRUCTION_BYTES: u64 = MIB as u64;
/// What a document is called when nobody says.
const OUTPUT_NAME: &str = "moon-repomix-output";
/// Everything about one run.
#[derive(Debug)]
pub(super) struct Settings {
    /// What is packed and how.
    pub(super) host: HostOptions,
    /// What is asked for.
    pub(super) product: Product,
    /// How the report is written.
    pub(super) form: ReportForm,
    /// How much is told.
    pub(super) detail: Detail,
    /// Least tokens of what the token tree shows, when one is wanted.
    pub(super) token_tree: Option<u64>,
    /// How many of the largest files are shown.
    pub(super) top_files: Option<u64>,
    /// What should be known before the run.
    pub(super) warnings: Vec<String>,
}

/// What a run makes.
#[derive(Debug)]
pub(super) enum Product {
    /// One document, over no more tokens than the budget.
    Document {
        /// Where it goes.
        destination: Destination,
        /// Most tokens.
        budget: Option<u64>,
    },
    /// Volumes of at most so many tokens, in a directory.
    Volumes {
        /// The directory.
        directory: Target,
        /// Tokens of a volume.
        tokens: u64,
    },
    /// The context of tasks and its audit, in a directory.
    Context {
        /// The directory.
        directory: Target,
        /// Tasks and budget.
        request: plan::request::Request,
    },
    /// Code as JSON, on standard output.
    Code {
        /// What to read.
        items: Vec<Item>,
        /// Most tokens of the JSON.
        max_tokens: u64,
    },
    /// The files of a directory, on standard output.
    Listing(ListRequest),
    /// What a query finds, on standard output.
    Search(SearchRequest),
    /// No document: why these paths are in or out.
    Explanation(Vec<RelPath>),
}

/// Where a document goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Standard output.
    Stdout,
    /// A file.
    File(Target),
}

/// A place in the file system that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The place.
    pub(super) path: PathBuf,
    /// The directory it must lie in, when the repository itself named it. Then also nothing is
    /// replaced that this program did not write.
    pub(super) within: Option<PathBuf>,
}

/// How much is told about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Errors only.
    Quiet,
    /// A summary.
    Usual,
    /// Every skipped file.
    Verbose,
}

/// Settles a run that is no server.
///
/// # Errors
/// Any [`Failure`] of usage and configuration.
pub(super) fn settle_run(args: &Args) -> Result<Settings, Failure> {
    let root = open_root(args.root())?;
    let file = match &args.other.config {
        Some(path) => Some(config::read(path, &root)?),
        None => config::find(&root)?,
    };
    let mut warnings = Vec::new();
    let mut settling = Settling::new(args, file);
    settling.keep_scanning(&mut warnings);
    let product = settling.product(&root)?;
    let output = match &product {
        Product::Document {
            destination: Destination::File(target),
            ..
        } => inside_root(&root, &target.path),
        _ => None,
    };
    let input = settling.input()?;
    let list = read_list(&args.selection, &root, input.candidates)?;
    let (option, key) = (&args.report, settling.config());
    let detail = if option.quiet {
        Detail::Quiet
    } else if option.verbose {
        Detail::Verbose
    } else {
        Detail::Usual
    };
    let (token_tree, top_files) = (
        option.token_tree.or(key.token_tree),
        option.top_files.or(key.top_files),
    );
    Ok(Settings {
        host: settling.host(root, list, output, input, Caps::default())?,
        product,
        form: option.report.unwrap_or(ReportForm::Text),
        detail,
        token_tree,
        top_files,
        warnings,
    })
}

/// Settles the server. Walks nothing and reads no configuration file that was not named.
///
/// # Errors
/// Any [`Failure`] of usage and configuration.
pub(super) fn settle_server(args: &Args) -> Result<Serve, Failure> {
    if args.root.is_none() && is_no_project(env::current_dir().ok().as_deref()) {
        return Err(Failure::RootNotNamed);
    }
    let root = open_root(args.root())?;
    let file = match &args.other.config {
        Some(path) => Some(config::read(path, &root)?),
        None => None,
    };
    let settling = Settling::new(args, file);
    let key = settling.config();
    for (name, given) in [
        ("output.splitTokens", key.split.is_some()),
        ("output.tokenBudget", key.budget.is_some()),
        ("output.filePath -", key.file_path.as_deref() == Some("-")),
    ] {
        if given {
            return Err(Failure::Conflict {
                one: "--mcp",
                other: name,
            });
        }
    }
    let mcp = &args.mcp;
    let number = Number::new;
    let caps = Caps {
        tokens: number(
            "--mcp-max-tokens",
            mcp.mcp_max_tokens,
            "mcp.maxTokens",
            key.mcp_max_tokens,
        )
        .within(VOLUME_TOKENS)?,
        output_bytes: number(
            "--mcp-max-output-bytes",
            mcp.mcp_max_output_bytes,
            "mcp.maxOutputBytes",
            key.mcp_max_output_bytes,
        )
        .within(OUTPUT_BYTES)?,
        volumes: number(
            "--mcp-max-volumes",
            mcp.mcp_max_volumes,
            "mcp.maxVolumes",
            key.mcp_max_volumes,
        )
        .within(VOLUMES)?,
    };
    let seconds = number(
        "--mcp-request-timeout",
        mcp.mcp_request_timeout,
        "mcp.requestTimeout",
        key.mcp_request_timeout,
    )
    .within(REQUEST_SECONDS)?;
    let input = settling.input()?;
    let list = read_list(&args.selection, &root, input.candidates)?;
    let crib = match &mcp.crib {
        None => Crib::Off,
        Some(None) => Crib::Usual,
        Some(Some(directory)) => Crib::At(directory.clone()),
    };
    Ok(Serve {
        host: settling.host(root, list, None, input, caps)?,
        request_time: Duration::from_secs(seconds),
        crib,
    })
}

/// A number that may come from an option or from the configuration file.
struct Number {
    option: &'static str,
    typed: Option<u64>,
    key: &'static str,
    configured: Option<u64>,
}

impl Number {
    const fn new(
        option: &'static str,
        typed: Option<u64>,
        key: &'static str,
        configured: Option<u64>,
    ) -> Self {
        Self {
            option,
            typed,
            key,
            configured,
        }
    }

    fn within(self, range: Range) -> Result<u64, Failure> {
        let (what, value) = match (self.typed, self.configured) {
            (Some(value), _) => (self.option, value),
            (None, Some(value)) => (self.key, value),
            (None, None) => return Ok(range.default),
        };
        if range.contains(value) {
            Ok(value)
        } else {
            Err(Failure::Range {
                what: what.to_owned(),
                min: range.min,
                max: range.max,
            })
        }
    }
}

/// What was typed and what the file says, side by side.
struct Settling<'a> {
    args: &'a Args,
    file: Option<ConfigFile>,
    nothing: Config,
}

impl<'a> Settling<'a> {
    fn new(args: &'a Args, file: Option<ConfigFile>) -> Self {
        Self {
            args,
            file,
            nothing: Config::default(),
        }
    }

    fn config(&self) -> &Config {
        self.file
            .as_ref()
            .map_or(&self.nothing, |file| &file.values)
    }

    /// A file that was only found cannot switch the scan off.
    fn keep_scanning(&mut self, warnings: &mut Vec<String>) {
        if let Some(file) = self.file.as_mut().filter(|file| !file.named)
            && file.values.security == Some(false)
        {
            file.values.security = None;
            warnings.push(format!(
                "{}: security.enableSecurityCheck counts only in a file named with --config; scanning all the same",
                file.name
            ));
        }
    }

    fn style(&self) -> Style {
        self.args
            .output
            .style
            .or(self.config().style)
            .unwrap_or(Style::Xml)
    }

    fn product(&self, root: &Root) -> Result<Product, Failure> {
        let (args, key) = (&self.args.output, self.config());
        let explain = &self.args.report.explain;
        if !explain.is_empty() {
            return explained(explain).map(Product::Explanation);
        }
        if let Some(product) = found(&self.args.find, self.args.context.max_tokens)? {
            return Ok(product);
        }
        let context = &self.args.context;
        if !context.code.is_empty() {
            let max_tokens = Number::new(
                "--max-tokens",
                context.max_tokens,
                "",
                context.max_tokens.or(Some(VOLUME_TOKENS.default)),
            )
            .within(VOLUME_TOKENS)?;
            return Ok(Product::Code {
                items: code_items(&context.code)?,
                max_tokens,
            });
        }
        if let (Some(file), Some(directory)) = (&context.plan, &args.output) {
            let directory = Target {
                path: directory.clone(),
                within: None,
            };
            return Ok(Product::Context {
                directory,
                request: plan_request(file)?,
            });
        }
        // A budget or a division that was typed takes the place of the other in the file.
        let configured = |value: Option<u64>, other: Option<u64>| value.filter(|_| other.is_none());
        let split = args.split.or(configured(key.split, args.budget));
        let budget = args.budget.or(configured(key.budget, args.split));
        if args.split.is_none() && args.budget.is_none() && split.is_some() && budget.is_some() {
            return Err(Failure::Conflict {
                one: "output.splitTokens",
                other: "output.tokenBudget",
            });
        }
        let number = Number::new;
        if split.is_some() {
            let tokens = number("--split", args.split, "output.splitTokens", split)
                .within(DOCUMENT_TOKENS)?;
            let directory = match self.named_output(root, args.split.is_none())? {
                Some(Destination::File(target)) => target,
                Some(Destination::Stdout) => {
                    return Err(Failure::Conflict {
                        one: "--split",
                        other: "--output -",
                    });
                }
                None => Target {
                    path: PathBuf::from(OUTPUT_NAME),
                    within: None,
                },
            };
            return Ok(Product::Volumes { directory, tokens });
        }
        let budget = match budget {
            Some(_) => Some(
                number("--budget", args.budget, "output.tokenBudget", budget)
                    .within(DOCUMENT_TOKENS)?,
            ),
            None => None,
        };
        let destination = self.named_output(root, true)?.unwrap_or_else(|| {
            let name = format!("{OUTPUT_NAME}.{}", self.style().extension());
            Destination::File(Target {
                path: PathBuf::from(name),
                within: None,
            })
        });
        Ok(Product::Document {
            destination,
            budget,
        })
    }

    /// The output that an option names, or the file where `file_counts`.
    fn named_output(&self, root: &Root, file_counts: bool) -> Result<Option<Destination>, Failure> {
        if let Some(path) = &self.args.output.output {
            return Ok(Some(match path.to_str() {
                Some("-") => Destination::Stdout,
                _ => Destination::File(Target {
                    path: path.clone(),
                    within: None,
                }),
            }));
        }
        let Some((file, named)) = self.file.as_ref().and_then(|file| {
            let path = file.values.file_path.as_ref()?;
            Some((file, path))
        }) else {
            return Ok(None);
        };
        if !file_counts {
            return Ok(None);
        }
        if named == "-" {
            return Ok(Some(Destination::Stdout));
        }
        let target = if file.named {
            Target {
                path: root.path().join(named),
                within: None,
            }
        } else {
            let fail = |fault| in_file(file, fault);
            let path = config::inside("output.filePath", named).map_err(fail)?;
            Target {
                path: root.path().join(path.as_str()),
                within: Some(root.path().to_owned()),
            }
        };
        Ok(Some(Destination::File(target)))
    }

    fn input(&self) -> Result<InputLimits, Failure> {
        let (args, key) = (&self.args.selection, self.config());
        let number = Number::new;
        Ok(InputLimits {
            candidates: number(
                "--max-files",
                args.max_files,
                "input.maxFiles",
                key.max_files,
            )
            .within(CANDIDATES)?,
            source_bytes: number(
                "--max-source-bytes",
                args.max_source_bytes,
                "input.maxSourceBytes",
                key.max_source_bytes,
            )
            .within(SOURCE_BYTES)?,
            file_bytes: number(
                "--max-file-size",
                args.max_file_size,
                "input.maxFileSize",
                key.max_file_size,
            )
            .within(FILE_BYTES)?,
        })
    }

    fn selection(
        &self,
        list: Option<Vec<RelPath>>,
        output: Option<RelPath>,
    ) -> Result<Selection, Failure> {
        let (args, key) = (&self.args.selection, self.config());
        let typed = |lists: &[String]| -> Vec<String> {
            lists.iter().flat_map(|list| split_list(list)).collect()
        };
        let behind = |file: &[String], lists: &[String]| [file.to_vec(), typed(lists)].concat();
        let replaced = !args.include.is_empty();
        let from_config = FromConfig {
            n_include: if replaced { 0 } else { key.include.len() },
            n_ignore: key.ignore.len(),
            n_keep_full: key.keep_full.len(),
            file: self.file.as_ref().and_then(|file| file.inside.clone()),
        };
        let gitignore = choose(args.gitignore, args.no_gitignore, key.gitignore, true);
        let home = env::home_dir();
        let xdg = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        Ok(Selection::new(SelectionSpec {
            include: if replaced {
                typed(&args.include)
            } else {
                key.include.clone()
            },
            ignore: behind(&key.ignore, &args.ignore),
            keep_full: behind(&key.keep_full, &args.keep_full),
            gitignore,
            dot_ignore: choose(args.dot_ignore, args.no_dot_ignore, key.dot_ignore, true),
            default_patterns: choose(
                args.default_patterns,
                args.no_default_patterns,
                key.default_patterns,
                true,
            ),
            list,
            outputs: output.into_iter().collect(),
            global_excludes: if gitignore {
                GlobalExcludes::OfUser { home, xdg }
            } else {
                GlobalExcludes::None
            },
            from_config,
        })?)
    }

    fn host(
        &self,
        root: Root,
        list: Option<Vec<RelPath>>,
        output: Option<RelPath>,
        input: InputLimits,
        caps: Caps,
    ) -> Result<HostOptions, Failure> {
        if let Some(path) = &self.args.other.tokenizer_path {
            check_ranks_file(path)?;
        }
        let (args, key) = (&self.args.output, self.config());
        let (selection, other) = (&self.args.selection, &self.args.other);
        let mut host = HostOptions::new(root, self.selection(list, output)?);
        host.instruction = self.instruction(&host.root)?;
        host.style = self.style();
        host.compress = choose(
            selection.compress,
            selection.no_compress,
            key.compress,
            false,
        );
        host.leniency = Leniency {
            encodings: if selection.encoding.is_empty() {
                key.encodings.clone()
            } else {
                selection.encoding.clone()
            },
            lossy: choose(selection.lossy, selection.no_lossy, key.lossy, false),
        };
        host.security = choose(
            other.security_check,
            other.no_security_check,
            key.security,
            true,
        );
        host.sections = Sections {
            summary: choose(args.summary, args.no_summary, key.summary, true),
            tree: choose(args.tree, args.no_tree, key.tree, true),
            files: choose(args.files, args.no_files, key.files, true),
        };
        host.header = args.header_text.clone().or_else(|| key.header_text.clone());
        host.line_numbers = choose(args.lines, args.no_lines, key.lines, false);
        host.full_metadata = choose(
            args.full_metadata,
            args.no_full_metadata,
            key.full_metadata,
            false,
        );
        host.verify_counts = other.verify_counts || key.verify_counts == Some(true);
        host.input = input;
        host.caps = caps;
        Ok(host)
    }

    fn instruction(&self, root: &Root) -> Result<Option<String>, Failure> {
        const WHAT: &str = "the instruction file";
        const KEY: &str = "output.instructionFilePath";
        let text = |path: &Path, bytes: Vec<u8>| {
            to_text(bytes).map(Some).map_err(|why| Failure::Read {
                what: WHAT,
                path: path.to_owned(),
                why,
            })
        };
        if let Some(path) = &self.args.output.instruction_file {
            return text(path, read_file(WHAT, path, INSTRUCTION_BYTES)?);
        }
        let Some(file) = &self.file else {
            return Ok(None);
        };
        let Some(named) = &file.values.instruction_path else {
            return Ok(None);
        };
        if file.named {
            let path = root.path().join(named);
            return text(&path, read_file(WHAT, &path, INSTRUCTION_BYTES)?);
        }
        let path = config::inside(KEY, named).map_err(|fault| in_file(file, fault))?;
        let (opened, _) = root
            .open_file(&path)
            .map_err(|reason| in_file(file, ConfigFault::Named { key: KEY, reason }))?;
        let shown = PathBuf::from(path.as_str());
        let bytes = read_all(opened, INSTRUCTION_BYTES).map_err(|why| Failure::Read {
            what: WHAT,
            path: shown.clone(),
            why,
        })?;
        text(&shown, bytes)
    }
}

fn in_file(file: &ConfigFile, fault: ConfigFault) -> Failure {
    Failure::Config {
        file: file.name.clone(),
        fault,
    }
}

/// What two opposite switches, the file and the default say, in this order.
fn choose(on: bool, off: bool, configured: Option<bool>, default: bool) -> bool {
    match (on, off) {
        (true, _) => true,
        (false, true) => false,
        (false, false) => configured.unwrap_or(default),
    }
}

fn explained(paths: &[std::ffi::OsString]) -> Result<Vec<RelPath>, Failure> {
    const OPTION: &str = "--explain";
    if paths.len() > EXPLAIN_PATHS {
        return Err(Failure::TooMany {
            option: OPTION,
            limit: EXPLAIN_PATHS,
        });
    }
    paths
        .iter()
        .map(|path| {
            let path = path.to_string_lossy();
            let relative = path.strip_prefix("./").unwrap_or(&path);
            RelPath::new(relative).map_err(|fault| Failure::Path {
                option: OPTION,
                path: path.into_owned(),
                fault,
            })
        })
        .collect()
}
