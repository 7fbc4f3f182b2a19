//! Which options exclude each other, and which need another.

use std::path::Path;

use super::args::Args;
use super::failure::Failure;

/// Refuses options that exclude each other or need another.
///
/// # Errors
/// [`Failure::Conflict`], [`Failure::Needs`].
pub(super) fn check(args: &Args) -> Result<(), Failure> {
    let (output, selection, report, mcp) = (&args.output, &args.selection, &args.report, &args.mcp);
    let conflict = |one, other| Err(Failure::Conflict { one, other });
    let run_only = [
        ("--stdin", selection.stdin),
        ("--stdin0", selection.stdin0),
        ("--output", output.output.is_some()),
        ("--report", report.report.is_some()),
        ("--budget", output.budget.is_some()),
        ("--split", output.split.is_some()),
        ("--explain", !report.explain.is_empty()),
        ("--plan", args.context.plan.is_some()),
        ("--code", !args.context.code.is_empty()),
        ("--list", args.find.list.is_some()),
        ("--search", args.find.search.is_some()),
        ("--in", !args.find.within.is_empty()),
        ("--max-tokens", args.context.max_tokens.is_some()),
        ("--token-tree", report.token_tree.is_some()),
        ("--top-files", report.top_files.is_some()),
    ];
    let server_only = [
        ("--mcp-max-tokens", mcp.mcp_max_tokens.is_some()),
        ("--mcp-max-output-bytes", mcp.mcp_max_output_bytes.is_some()),
        ("--mcp-max-volumes", mcp.mcp_max_volumes.is_some()),
        ("--mcp-request-timeout", mcp.mcp_request_timeout.is_some()),
        ("--crib", mcp.crib.is_some()),
    ];
    // Options that each of these cannot be combined with.
    const FOUND: &[&str] = &[
        "--list",
        "--explain",
        "--plan",
        "--code",
        "--output",
        "--budget",
        "--split",
        "--token-tree",
        "--top-files",
    ];
    let excluded: [(&'static str, &[&str]); 5] = [
        ("--search", FOUND),
        ("--list", FOUND.get(1..).unwrap_or_default()),
        (
            "--explain",
            &[
                "--plan",
                "--code",
                "--output",
                "--budget",
                "--split",
                "--token-tree",
                "--top-files",
            ],
        ),
        (
            "--plan",
            &[
                "--code",
                "--budget",
                "--split",
                "--token-tree",
                "--top-files",
            ],
        ),
        (
            "--code",
            &[
                "--output",
                "--budget",
                "--split",
                "--token-tree",
                "--top-files",
            ],
        ),
    ];
    let server = match args.other.print_client_config {
        Some(_) => Some("--print-client-config"),
        None => mcp.mcp.then_some("--mcp"),
    };
    if let Some(server) = server {
        if let Some((option, _)) = run_only.iter().find(|(_, given)| *given) {
            return conflict(server, option);
        }
        return Ok(());
    }
    if let Some(&(option, _)) = server_only.iter().find(|(_, given)| *given) {
        return Err(Failure::Needs {
            option,
            other: "--mcp",
        });
    }
    let given = |name: &str| {
        run_only
            .iter()
            .any(|(option, given)| *option == name && *given)
    };
    for (option, others) in excluded {
        if let Some((other, _)) = run_only
            .iter()
            .find(|(other, _)| given(option) && others.contains(other) && given(other))
        {
            return conflict(option, other);
        }
    }
    let finds = given("--list") || given("--search");
    if given("--in") && !finds {
        return Err(Failure::Needs {
            option: "--in",
            other: "--list or --search",
        });
    }
    if given("--max-tokens") && !finds && !given("--code") {
        return Err(Failure::Needs {
            option: "--max-tokens",
            other: "--code, --list or --search",
        });
    }
    if args.context.plan.is_some()
        && !matches!(output.output.as_deref(), Some(path) if path != Path::new("-"))
    {
        return Err(Failure::Needs {
            option: "--plan",
            other: "--output DIR",
        });
    }
    if output.split.is_some() {
        if output.budget.is_some() {
            return conflict("--split", "--budget");
        }
        if output.output.as_deref() == Some(Path::new("-")) {
            return conflict("--split", "--output -");
        }
    }
    Ok(())
}
