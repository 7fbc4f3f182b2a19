//! One run, from settings to the last line of its report.
//!
//! The order is fixed: the product is made in memory, judged against the budget, written, and only
//! then summed up. Parallel work runs in rayon's global pool, one thread a core.

use std::io::{self, IsTerminal, Write};

use super::args::ReportForm;
use super::failure::{Failure, OverBudget};
use super::output::{check_target, write_document, write_volumes};
use super::print::{self, Wanted};
use super::report::{self, Outcome};
use super::settings::{Destination, Detail, Product, Settings, Target};
use super::watch::{Bar, Watch};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::explain::explain;
use crate::limits::SPLIT_VOLUMES;
use crate::pack::split::VolumeCaps;
use crate::pack::volumes::RunCaps;
use crate::pack::{Request, document, volumes};
use crate::path::RelPath;
use crate::progress::Progress;

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
        Product::Explanation(paths) => work.explanation(paths),
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
            ReportForm::Json => {
                let text = serde_json::to_string(&explanation)
                    .map_err(|_| Error::Internal("the explanation is not JSON"))?;
                text + "\n"
            }
        };
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::Stdout(error.kind()))
            }
            _ => Ok(()),
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
