//! The program `crib-mcp`: the documentation server alone.

use std::env;
use std::io;
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use moon_repomix::cli;
use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::serve::{Ending, Server, serve};
use moon_repomix::mcp::tools;

/// Serves the documentation installed in the Crib reader over MCP, on standard input and output.
///
/// Crib must be running with its local API enabled; otherwise the tools say so. Nothing is sent
/// to any address but 127.0.0.1, and nothing is changed.
#[derive(Debug, Parser)]
#[command(name = "crib-mcp", version)]
struct Args {
    /// User data directory of Crib [default: Library/Application Support/Crib in the home
    /// directory].
    #[arg(long, value_name = "DIR")]
    user_data: Option<PathBuf>,
}

fn main() -> ExitCode {
    panic::set_hook(Box::new(cli::report_defect));
    // The name in help and errors is the same whatever the file is called.
    let parsed = Args::command()
        .no_binary_name(true)
        .try_get_matches_from(env::args_os().skip(1))
        .and_then(|matches| Args::from_arg_matches(&matches));
    let args = match parsed {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let Some(tools) = tools::documentation(args.user_data, env::home_dir()) else {
        cli::report("error: this build has no documentation tools");
        return ExitCode::FAILURE;
    };
    let server = Server::new(Profile::documentation(), tools);
    match serve(io::stdin(), io::stdout(), server) {
        Ending::EndOfInput | Ending::OutputClosed => ExitCode::SUCCESS,
        Ending::NoThread(_) => {
            cli::report("error: the system gave no thread");
            ExitCode::FAILURE
        }
    }
}
