//! What is told about a run to people, on standard error after the document.
//!
//! Names from the repository are written so that they cannot move the cursor or forge a line.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use super::failure::Failure;
use super::report::Outcome;
use super::settings::Detail;
use super::size::grouped;
use super::tree::{push_row, token_tree};
use crate::explain::Explanation;
use crate::intake::Skipped;
use crate::reason::{IdleRules, Reason, RuleLocation, RuleSource};
use crate::render::quote;

/// Files of one kind of warning that are listed one by one.
const LISTED: usize = 10;

/// Which parts of a summary are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// How much is told.
    pub(super) detail: Detail,
    /// Whether totals are told, or only what needs attention.
    pub(super) totals: bool,
    /// Least tokens of what the token tree shows.
    pub(super) token_tree: Option<u64>,
    /// How many of the largest files are shown.
    pub(super) top_files: Option<u64>,
}

/// Writes to standard output. A reader that went away is no failure.
///
/// # Errors
/// [`Failure::Stdout`].
pub(super) fn to_stdout(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Stdout(error.kind()))
        }
        _ => Ok(()),
    }
}

/// Writes to standard error. Nobody can be told when that fails.
pub(super) fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The summary of a run.
#[must_use]
pub(super) fn summary(outcome: &Outcome<'_>, output: &str, wanted: Wanted) -> String {
    let mut out = String::new();
    if let Some(min) = wanted.token_tree {
        let files = outcome
            .files
            .iter()
            .map(|(file, tokens)| (file.path.as_str(), *tokens));
        out.push_str(&token_tree(files, outcome.totals.tokens, min));
    }
    if let Some(n_files) = wanted.top_files {
        out.push_str("Largest files:\n");
        for (path, tokens) in outcome.largest(usize::try_from(n_files).unwrap_or(usize::MAX)) {
            push_row(&mut out, tokens, outcome.totals.tokens);
            let _ = writeln!(out, "{}", quote::name(path));
        }
    }
    if wanted.detail == Detail::Verbose {
        for one in outcome.skipped {
            push_skip(&mut out, one);
        }
    }
    if wanted.totals {
        push_totals(&mut out, outcome, output);
    }
    push_warnings(&mut out, outcome, wanted.detail);
    out
}

fn push_totals(out: &mut String, outcome: &Outcome<'_>, output: &str) {
    let totals = &outcome.totals;
    let _ = write!(
        out,
        "{} files, {} tokens (o200k_base), {} bytes",
        grouped(outcome.counts.accepted),
        grouped(totals.tokens),
        grouped(totals.bytes)
    );
    if let Some(volumes) = &outcome.volumes {
        let _ = write!(out, " in {} volumes", volumes.count);
    }
    let shown = if output == "-" {
        "standard output"
    } else {
        output
    };
    let _ = writeln!(out, " -> {shown}");
    if outcome.counts.skipped > 0 {
        let reasons: Vec<String> = outcome
            .counts
            .skipped_by_reason
            .iter()
            .map(|(reason, n)| format!("{reason} {}", grouped(*n)))
            .collect();
        let n_skipped = grouped(outcome.counts.skipped);
        let _ = writeln!(out, "skipped {n_skipped}: {}", reasons.join(", "));
    }
}

/// What needs attention: flagged files, files that could not be packed though they were wanted.
fn push_warnings(out: &mut String, outcome: &Outcome<'_>, detail: Detail) {
    if outcome.security.status == "disabled" {
        out.push_str("warning: the secret scan is off\n");
    }
    for one in outcome
        .skipped
        .iter()
        .filter(|one| !one.findings.is_empty())
    {
        let _ = write!(
            out,
            "warning: left out {}:",
            quote::name(&one.omission.path)
        );
        push_findings(out, one);
        out.push('\n');
    }
    let wanted: Vec<&Skipped> = outcome
        .skipped
        .iter()
        .filter(|one| one.findings.is_empty() && is_surprising(one.omission.reason))
        .collect();
    let n_listed = if detail == Detail::Verbose {
        0 // They stand in the list already.
    } else {
        LISTED
    };
    for one in wanted.iter().take(n_listed) {
        out.push_str("warning: ");
        push_skip(out, one);
    }
    if detail != Detail::Verbose {
        push_rest(out, wanted.len());
    }
    let style = outcome.style.as_str();
    let replaced = || {
        let files = outcome.files.iter().map(|(file, _)| file);
        files.filter(|file| file.n_replaced > 0)
    };
    for file in replaced().take(LISTED) {
        let _ = writeln!(
            out,
            "warning: replaced characters that {style} cannot hold in {}: {}",
            quote::name(file.path.as_str()),
            file.n_replaced
        );
    }
    push_rest(out, replaced().count());
    for one in outcome.idle.iter().take(LISTED) {
        push_idle(out, one);
    }
    push_rest(out, outcome.idle.len());
    if outcome.partial && outcome.idle.is_empty() {
        out.push_str("warning: a directory could not be read, so files may be missing\n");
    }
}

/// Names a rule file that is not in force.
fn push_idle(out: &mut String, idle: &IdleRules) {
    let file = idle.file.as_deref();
    let file = file.map_or_else(|| "git's global excludes".into(), quote::name);
    let _ = write!(out, "warning: the rules of {file}");
    if let Some(line) = idle.line {
        let _ = write!(out, " from line {line} on");
    }
    let _ = writeln!(out, " are not in force: {}", idle.reason.as_str());
}

/// Says how many of a kind are not listed.
fn push_rest(out: &mut String, n_all: usize) {
    if let Some(n_more) = n_all.checked_sub(LISTED).filter(|n_more| *n_more > 0) {
        let n_more = grouped(n_more as u64);
        let _ = writeln!(out, "warning: and {n_more} more; --report json lists all");
    }
}

/// Whether somebody who wanted the file would be surprised.
const fn is_surprising(reason: Reason) -> bool {
    !matches!(
        reason,
        Reason::Ignored | Reason::NotIncluded | Reason::NotListed | Reason::OwnOutput
    )
}

fn push_findings(out: &mut String, one: &Skipped) {
    for (i, finding) in one.findings.iter().enumerate() {
        out.push_str(if i == 0 { " " } else { ", " });
        out.push_str(finding.label);
        push_lines(out, finding.start_line, finding.end_line);
    }
}

fn push_lines(out: &mut String, start: u32, end: u32) {
    let _ = if start == end {
        write!(out, " in line {start}")
    } else {
        write!(out, " in lines {start} to {end}")
    };
}

fn push_skip(out: &mut String, one: &Skipped) {
    let omission = &one.omission;
    let slash = if omission.directory { "/" } else { "" };
    let name = quote::name(&omission.path);
    let _ = write!(out, "skipped {name}{slash}: {}", omission.reason.as_str());
    if let Some(rule) = &omission.rule {
        push_rule(out, rule);
    }
    if !one.findings.is_empty() {
        out.push_str(" (");
        let mut findings = String::new();
        push_findings(&mut findings, one);
        out.push_str(findings.trim_start());
        out.push(')');
    }
    out.push('\n');
}

fn push_rule(out: &mut String, rule: &RuleLocation) {
    let place = match rule.source {
        RuleSource::DefaultPatterns => "built-in pattern",
        RuleSource::IgnoreFile => "ignore file",
        RuleSource::HostInclude => "--include",
        RuleSource::HostIgnore => "--ignore",
        RuleSource::HostList => "list",
        RuleSource::HostKeepFull => "--keep-full",
        RuleSource::ConfigFile => "configuration file",
    };
    let _ = write!(out, " ({place}");
    if let Some(file) = &rule.file {
        let _ = write!(out, " {}", quote::name(file));
    }
    if let Some(line) = rule.line {
        let _ = write!(out, ", line {line}");
    }
    if let Some(index) = rule.index {
        let _ = write!(out, ", pattern {}", u64::from(index) + 1);
    }
    out.push(')');
}

/// An explanation, one line a path.
#[must_use]
pub(super) fn explanation(explanation: &Explanation) -> String {
    let mut out = String::new();
    for decision in &explanation.decisions {
        let _ = write!(
            out,
            "{}: {}, {}",
            quote::name(&decision.path),
            decision.decision,
            decision.reason.as_str()
        );
        if let Some(rule) = &decision.rule {
            push_rule(&mut out, rule);
        }
        for finding in &decision.findings {
            let _ = write!(out, ", {}", finding.label);
            push_lines(&mut out, finding.start_line, finding.end_line);
        }
        out.push('\n');
    }
    out
}
