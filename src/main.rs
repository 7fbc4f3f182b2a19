//! The program `moon-repomix`: arguments in, exit code out.

use std::env;
use std::io;
use std::panic;
use std::process::ExitCode;
use std::sync::Arc;

use moon_repomix::cli::{self, Command, Crib, Exit, Serve};
use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::serve::{Ending, Server, serve};
use moon_repomix::mcp::tools;

fn main() -> ExitCode {
    panic::set_hook(Box::new(cli::report_defect));
    let command = panic::catch_unwind(|| cli::start(std::env::args_os()));
    match command {
        Ok(Command::Done(exit)) => ExitCode::from(exit.code()),
        Ok(Command::Serve(serve)) => serve_mcp(*serve),
        Err(_) => ExitCode::from(Exit::Failed.code()),
    }
}

/// Serves until the client leaves.
fn serve_mcp(start: Serve) -> ExitCode {
    let host = Arc::new(start.host);
    let output_bytes = host.caps.output_bytes;
    let mut table = tools::repository(&host);
    let mut profile = Profile::repository();
    let user_data = match start.crib {
        Crib::Off => None,
        Crib::Usual => Some(None),
        Crib::At(directory) => Some(Some(directory)),
    };
    if let Some(user_data) = user_data {
        let Some(documentation) = tools::documentation(user_data, env::home_dir()) else {
            cli::report("error: this build has no documentation tools");
            return ExitCode::from(Exit::Usage.code());
        };
        table.extend(documentation);
        profile = Profile::combined();
    }
    let server = Server::new(profile, table)
        .with_output_bytes(output_bytes)
        .with_request_time(start.request_time);
    match serve(io::stdin(), io::stdout(), server) {
        Ending::EndOfInput | Ending::OutputClosed => ExitCode::from(Exit::Success.code()),
        Ending::NoThread(_) => {
            cli::report("error: the system gave no thread");
            ExitCode::from(Exit::Failed.code())
        }
    }
}
