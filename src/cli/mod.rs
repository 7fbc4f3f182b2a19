//! The command line: what was typed, what the configuration file says, the run, and its report.
//!
//! Standard output carries the document (or what was asked for in its place) and nothing else;
//! everything told about a run goes to standard error. The server is started by the program, which
//! gets [`Command::Serve`] from here.
//!
//! | module | what it knows |
//! |---|---|
//! | `args` | the options as typed |
//! | `size` | numbers with units |
//! | `config` | the configuration file |
//! | `conflicts` | options that exclude each other |
//! | `inputs` | the root, and the files and lists that the host names |
//! | `settings` | options and file merged, ranges |
//! | `client` | configuration of MCP clients |
//! | `run` | one run from settings to exit code |
//! | `output` | files and directories, all or nothing |
//! | `watch` | interruption and the progress bar |
//! | `report` `tree` `print` | what is told about a run |
//! | `context` | what --plan and --code ask for |
//! | `find` | what --list and --search ask for |
//! | `failure` | errors and their exit codes |

mod args;
mod client;
mod config;
mod conflicts;
mod context;
mod failure;
mod find;
mod inputs;
mod output;
mod print;
mod report;
mod run;
mod settings;
mod size;
mod tree;
mod watch;

use std::ffi::OsString;
use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches};

use crate::options::HostOptions;
use args::{Args, ReportForm};
use failure::Failure;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, also when files were skipped.
    Success,
    /// The run failed.
    Failed,
    /// Wrong usage or configuration.
    Usage,
    /// The document is over the budget.
    OverBudget,
    /// Interrupted by a signal.
    Interrupted,
}

impl Exit {
    /// The exit code of the process.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::OverBudget => 3,
            Self::Interrupted => 130,
        }
    }
}

/// What the program is to do.
#[derive(Debug)]
pub enum Command {
    /// Nothing more: the run is over.
    Done(Exit),
    /// Serve these options over standard input and output.
    Serve(Box<Serve>),
}

/// What the host decided about the server.
#[derive(Debug)]
pub struct Serve {
    /// What clients may see.
    pub host: HostOptions,
    /// Time one request may take.
    pub request_time: Duration,
    /// Whether to offer the documentation tools.
    pub crib: Crib,
}

/// Whether the server offers documentation tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crib {
    /// No.
    Off,
    /// Yes, with the reader's usual user data directory.
    Usual,
    /// Yes, with this user data directory.
    At(PathBuf),
}

/// Reads `arguments`, the program's name first, and does what they say unless that is to serve.
#[must_use]
pub fn start(arguments: impl IntoIterator<Item = OsString>) -> Command {
    let arguments = args::join_optional_numbers(arguments);
    let parsed = Args::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Args::from_arg_matches(&matches)?, matches)));
    let (args, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version go to standard output, errors to standard error.
            let _ = error.print();
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Success
            };
            return Command::Done(exit);
        }
    };
    let json = args.report.report == Some(ReportForm::Json);
    match follow(&args, &matches) {
        Ok(command) => command,
        Err(failure) => {
            let text = if json {
                report::failure(&failure)
            } else {
                format!("error: {failure}\n")
            };
            print::to_stderr(&text);
            Command::Done(failure.exit())
        }
    }
}

fn follow(args: &Args, matches: &clap::ArgMatches) -> Result<Command, Failure> {
    if let Some(shell) = args.other.completions {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut Args::command(), "moon-repomix", &mut text);
        return show(&text);
    }
    if args.other.man {
        let mut text = Vec::new();
        clap_mangen::Man::new(Args::command())
            .render(&mut text)
            .map_err(|error| Failure::Stdout(error.kind()))?;
        return show(&text);
    }
    conflicts::check(args)?;
    if let Some(client) = args.other.print_client_config {
        let snippet = client::snippet(client, args.root(), matches)?;
        return show(snippet.as_bytes());
    }
    if args.mcp.mcp {
        return Ok(Command::Serve(Box::new(settings::settle_server(args)?)));
    }
    run::run(&settings::settle_run(args)?)?;
    Ok(Command::Done(Exit::Success))
}

fn show(text: &[u8]) -> Result<Command, Failure> {
    print::to_stdout(text)?;
    Ok(Command::Done(Exit::Success))
}

/// Writes a line to standard error. Nobody can be told when that fails.
pub fn report(line: &str) {
    print::to_stderr(&format!("{line}\n"));
}

/// Names the place of a defect. The text of a panic can quote source, so it is not shown.
pub fn report_defect(defect: &PanicHookInfo<'_>) {
    match defect.location() {
        Some(place) => report(&format!(
            "internal error at {}:{}",
            place.file(),
            place.line()
        )),
        None => report("internal error"),
    }
}
