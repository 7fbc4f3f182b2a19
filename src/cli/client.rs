//! Ready configuration for MCP clients: the program, the root and the other options, with absolute
//! paths, in the form that each client reads.

use std::env;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory, ValueHint};
use serde_json::{Value, json};

use super::args::{Args, Client};
use super::failure::Failure;
use super::inputs::open_root;

/// What the server is called in a client: one short name that every client accepts.
const NAME: &str = "moon-repomix";

/// The snippet for `client`, to serve `root` with the options in `matches`.
///
/// # Errors
/// [`Failure::Root`] when the root is not a directory.
pub(super) fn snippet(
    client: Client,
    root: &Path,
    matches: &ArgMatches,
) -> Result<String, Failure> {
    let root = open_root(root)?;
    let command = env::current_exe()
        .unwrap_or_else(|_| PathBuf::from(NAME))
        .display()
        .to_string();
    let mut arguments = vec![root.path().display().to_string(), "--mcp".to_owned()];
    arguments.extend(other_options(matches));
    Ok(render(client, &command, &arguments))
}

fn render(client: Client, command: &str, arguments: &[String]) -> String {
    let entry = json!({ "command": command, "args": arguments });
    let typed = json!({ "type": "stdio", "command": command, "args": arguments });
    let document = |key: &str, entry: Value| {
        let text = serde_json::to_string_pretty(&json!({ key: { NAME: entry } }));
        text.unwrap_or_default() + "\n"
    };
    match client {
        Client::ClaudeCode => document("mcpServers", typed),
        Client::ClaudeDesktop | Client::Cursor | Client::Gemini => document("mcpServers", entry),
        Client::Vscode => document("servers", typed),
        Client::Zed => document("context_servers", entry),
        // A TOML basic string takes the same escapes as a JSON string.
        Client::Codex => format!(
            "[mcp_servers.{NAME}]\ncommand = {}\nargs = {}\n",
            json!(command),
            json!(arguments)
        ),
    }
}

/// The options that were typed, in the order of their definition, with absolute paths.
fn other_options(matches: &ArgMatches) -> Vec<String> {
    let mut out = Vec::new();
    let command = Args::command();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let typed = matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(long) = argument.get_long().filter(|_| typed) else {
            continue;
        };
        if ["mcp", "print_client_config"].contains(&id) {
            continue;
        }
        let option = format!("--{long}");
        if matches!(argument.get_action(), ArgAction::SetTrue) {
            if matches.get_flag(id) {
                out.push(option);
            }
            continue;
        }
        let values: Vec<String> = matches
            .get_raw(id)
            .into_iter()
            .flatten()
            .map(|value| {
                let is_path = matches!(
                    argument.get_value_hint(),
                    ValueHint::FilePath | ValueHint::DirPath
                );
                if is_path {
                    absolute(Path::new(value))
                } else {
                    value.to_string_lossy().into_owned()
                }
            })
            .collect();
        if values.is_empty() {
            out.push(option.clone());
        }
        for value in values {
            // Joined, so that a value that begins with - stays one.
            out.push(format!("{option}={value}"));
        }
    }
    out
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path)
        .unwrap_or_else(|_| path.to_owned())
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use serde_json::Value;

    use super::{Client, render};

    #[test]
    fn every_client_gets_command_and_arguments() {
        let arguments = ["/a \"b\"".to_owned(), "--mcp".to_owned()];
        for client in Client::value_variants() {
            let text = render(*client, "/bin/x", &arguments);
            if *client == Client::Codex {
                assert_eq!(
                    text,
                    "[mcp_servers.moon-repomix]\ncommand = \"/bin/x\"\nargs = [\"/a \\\"b\\\"\",\"--mcp\"]\n"
                );
                continue;
            }
            let value: Value = serde_json::from_str(&text).unwrap();
            let key = match client {
                Client::Vscode => "servers",
                Client::Zed => "context_servers",
                _ => "mcpServers",
            };
            let entry = &value[key]["moon-repomix"];
            assert_eq!(entry["command"], "/bin/x", "{client:?}");
            assert_eq!(entry["args"][0], "/a \"b\"", "{client:?}");
        }
    }
}
