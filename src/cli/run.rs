//! One run, from settings to the last line of its report.
//!
//! The order is fixed: the product is made in memory, judged against the budget, written, and only
//! then summed up. Parallel work runs in rayon's global pool, one thread a core.

use std::io::{self, IsTerminal};

use serde::Serialize;

use super::args::ReportForm;
use super::failure::{Failure, OverBudget};
use super::output::{check_target, write_document, write_files, write_volumes};
use super::print::{self, Wanted};
use super::report::{self, Outcome};
use super::settings::{Destination, Detail, Product, Settings, Target};
use super::size::grouped;
use super::watch::{Bar, Watch};
use crate::cancel::Cancel;
use crate::code::request::Item;
use crate::code::{self, Round};
use crate::error::Error;
use crate::explain::explain;
use crate::find::list::{Listing, list};
use crate::find::request::{ListRequest, SearchRequest};
use crate::find::search;
use crate::limits::SPLIT_VOLUMES;
use crate::memory::Memory;
use crate::pack::split::VolumeCaps;
use crate::pack::volumes::RunCaps;
use crate::pack::{Request, document, volumes};
use crate::path::RelPath;
use crate::plan::{self, Planned, Success};
use crate::progress::Progress;
use crate::render::Style;

/// Files that are named when a document is over its budget.
const CONTRIBUTORS: usize = 10;
/// On a terminal the summary shows what has at least this part of all tokens.
const TREE_PART: u64 = 50;
/// The run number in the index of volumes on disk.
const RUN_ID: &str = "1";

/// Makes what the settings ask for.
///
/// # Errors
/// Any [`Failure`] of the run.
pub(super) fn run(settings: &Settings) -> Result<(), Failure> {
    if settings.form == ReportForm::Text && settings.detail != Detail::Quiet {
        for warning in &settings.warnings {
            print::to_stderr(&format!("warning: {warning}\n"));
        }
    }
    let (progress, cancel) = (Progress::new(), Cancel::new());
    let bar = if settings.detail == Detail::Quiet || settings.form == ReportForm::Json {
        Bar::Unwanted
    } else {
        Bar::Wanted
    };
    let watch = Watch::start(bar, &progress, &cancel);
    let work = Work {
        settings,
        watch,
        progress,
        cancel,
    };
    match &settings.product {
        Product::Document {
            destination,
            budget,
        } => work.document(destination, *budget),
        Product::Volumes { directory, tokens } => work.volumes(directory, *tokens),
        Product::Context { directory, request } => work.context(directory, request),
        Product::Code { items, max_tokens } => work.code(items, *max_tokens),
        Product::Explanation(paths) => work.explanation(paths),
        Product::Listing(request) => work.listing(request),
        Product::Search(request) => work.search(request),
    }
}

struct Work<'a> {
    settings: &'a Settings,
    watch: Watch,
    progress: Progress,
    cancel: Cancel,
}

impl<'a> Work<'a> {
    fn request(&self) -> Request<'a> {
        Request {
            paths: None,
            style: self.settings.host.style,
            compress: self.settings.host.compress,
        }
    }

    fn document(self, destination: &Destination, budget: Option<u64>) -> Result<(), Failure> {
        if let Destination::File(target) = destination {
            check_target(target, false)?;
        }
        let host = &self.settings.host;
        let document = document::pack(host, &self.request(), &self.progress, &self.cancel)?;
        let outcome = Outcome::of_document(&document);
        if let Some(budget) = budget.filter(|budget| document.tokens > *budget) {
            let contributors = outcome.largest(CONTRIBUTORS);
            return Err(Failure::OverBudget(OverBudget {
                tokens: document.tokens,
                budget,
                contributors: contributors
                    .into_iter()
                    .map(|(path, tokens)| (path.to_owned(), tokens))
                    .collect(),
            }));
        }
        write_document(&document, destination, &self.cancel)?;
        let output = match destination {
            Destination::Stdout => "-".to_owned(),
            Destination::File(target) => target.path.display().to_string(),
        };
        self.tell(&outcome, &output);
        Ok(())
    }

    fn volumes(self, target: &Target, tokens: u64) -> Result<(), Failure> {
        check_target(target, true)?;
        let caps = RunCaps {
            volume: VolumeCaps {
                tokens,
                bytes: u64::MAX,
                volumes: SPLIT_VOLUMES,
            },
            output_bytes: u64::MAX,
        };
        let (host, request) = (&self.settings.host, self.request());
        let pack = volumes::pack(host, &request, &caps, RUN_ID, &self.progress, &self.cancel)?;
        write_volumes(&pack, target, &self.cancel)?;
        let outcome = Outcome::of_volumes(&pack, request.style, tokens);
        self.tell(&outcome, &target.path.display().to_string());
        Ok(())
    }

    fn explanation(self, paths: &[RelPath]) -> Result<(), Failure> {
        let explanation = explain(&self.settings.host, paths, &self.progress, &self.cancel)?;
        drop(self.watch);
        let text = match self.settings.form {
            ReportForm::Text => print::explanation(&explanation),
            ReportForm::Json => as_json(&explanation)? + "\n",
        };
        print::to_stdout(text.as_bytes())
    }

    fn listing(self, request: &ListRequest) -> Result<(), Failure> {
        let (host, memory) = (&self.settings.host, Memory::new());
        let listing = list(host, &memory, request, &self.progress, &self.cancel)?;
        drop(self.watch);
        match listing {
            Listing::Shown(text) => print::to_stdout(text.as_bytes()),
            Listing::Missing(text) => Err(Failure::NotListed(text.trim_end().to_owned())),
        }
    }

    fn search(self, request: &SearchRequest) -> Result<(), Failure> {
        let (host, memory) = (&self.settings.host, Memory::new());
        let text = search(host, &memory, request, &self.progress, &self.cancel)?;
        drop(self.watch);
        print::to_stdout(text.as_bytes())
    }

    fn context(self, target: &Target, request: &plan::request::Request) -> Result<(), Failure> {
        check_target(target, true)?;
        let planned = plan::plan(&self.settings.host, request, &self.progress, &self.cancel)?;
        let success = match planned {
            Planned::Success(success) => success,
            Planned::Failure(failure) => {
                return Err(no_context(
                    &failure,
                    failure.status == "required_over_budget",
                ));
            }
        };
        let name = success.name();
        let files = [
            (name.as_str(), success.text.as_str()),
            (Success::audit_name(), success.audit.as_str()),
        ];
        write_files(&files, target, is_context_name, &self.cancel)?;
        drop(self.watch);
        let text = match (self.settings.form, self.settings.detail) {
            (ReportForm::Json, _) => as_json(&success.result::<()>(RUN_ID, None, None))? + "\n",
            (ReportForm::Text, Detail::Quiet) => return Ok(()),
            (ReportForm::Text, _) => format!(
                "{}: {} of {} tokens, {}\n",
                target.path.join(&name).display(),
                grouped(success.tokens),
                grouped(success.max_tokens),
                success.status
            ),
        };
        print::to_stderr(&text);
        Ok(())
    }

    fn code(self, items: &[Item], max_tokens: u64) -> Result<(), Failure> {
        let round = Round {
            run_id: RUN_ID,
            previous_run_id: None,
            number: 1,
            max_tokens,
            used_tokens: 0,
        };
        let outcome = code::read(
            &self.settings.host,
            items,
            &round,
            &self.progress,
            &self.cancel,
        )?;
        drop(self.watch);
        match outcome.delivered(&round) {
            Ok(delivered) => print::to_stdout(delivered.text.as_bytes()),
            Err(failed) => Err(no_context(&failed, failed.status == "over_budget")),
        }
    }

    /// Reports a success. A document that goes down a pipe is accompanied only by what was asked
    /// for and what needs attention.
    fn tell(self, outcome: &Outcome<'_>, output: &str) {
        let Self {
            settings, watch, ..
        } = self;
        drop(watch);
        if settings.form == ReportForm::Json {
            print::to_stderr(&report::success(outcome, output, &settings.warnings));
            return;
        }
        if settings.detail == Detail::Quiet {
            return;
        }
        let piped = output == "-" && !io::stdout().is_terminal();
        let by_itself = (!piped && io::stderr().is_terminal())
            .then_some((outcome.totals.tokens / TREE_PART).max(1));
        let wanted = Wanted {
            detail: settings.detail,
            totals: !piped || settings.detail == Detail::Verbose,
            token_tree: settings.token_tree.or(by_itself),
            top_files: settings.top_files,
        };
        print::to_stderr(&print::summary(outcome, output, wanted));
    }
}

/// `context.xml` and so on, and the audit.
fn is_context_name(name: &str) -> bool {
    name == Success::audit_name()
        || name.strip_prefix("context.").is_some_and(|extension| {
            Style::ALL
                .iter()
                .any(|style| style.extension() == extension)
        })
}

fn no_context(result: &impl Serialize, over_budget: bool) -> Failure {
    match as_json(result) {
        Ok(json) => Failure::NoContext { json, over_budget },
        Err(failure) => failure,
    }
}

fn as_json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|_| Error::Internal("a result is not JSON").into())
}
