//! Planning: one shared document for several tasks, the best possible within its token budget.
//!
//! Everything required stands in the document; beyond that, more demands of the highest priority
//! are satisfied, or equally many and more of the next, and so on down. [`choose`] holds the rule
//! in full and finds the best choice exactly, because segments add up.
//!
//! 1. Required files are read first. If one of them is not available, or the document with all of
//!    them is over the budget, no optional file is opened and there is no document.
//! 2. A document is delivered only after it was rendered and counted as a whole.
//! 3. Documents have no directory tree, since what stands around the files must not depend on
//!    which files are chosen.
//! 4. The order of tasks changes the audit, never the document.

pub mod audit;
pub mod choose;
pub mod request;

mod gather;
mod settle;
mod wants;

use serde::Serialize;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::Security;
use crate::limits::RESOURCE_BYTES;
use crate::options::HostOptions;
use crate::progress::Progress;
use crate::reason::Reason;
use crate::render::document::{Around, around};
use crate::render::{Style, separator};
use crate::tokens::count::with_counter;
use crate::tokens::verify;

use self::audit::{Audit, Facts};
use self::choose::{Form, Item};
use self::gather::{Gatherer, Outcome, Segment};
use self::request::Request;
use self::settle::{Bounds, Draft, Settled, settle};
use self::wants::{Want, merge};

/// What came of a request.
#[derive(Debug)]
pub enum Planned {
    /// A document and its audit.
    Success(Success),
    /// No document, since something required is missing or does not fit.
    Failure(Box<Failure>),
}

/// A document for the tasks.
#[derive(Clone, Debug)]
pub struct Success {
    /// `complete` or `with_omissions`.
    pub status: &'static str,
    /// The form of the document.
    pub style: Style,
    /// Tokens it may have.
    pub max_tokens: u64,
    /// The document.
    pub text: String,
    /// Its tokens, counted as a whole.
    pub tokens: u64,
    /// The text of `audit.json`.
    pub audit: String,
    /// Tokens of the audit, which are no part of the budget.
    pub audit_tokens: u64,
    /// The outcome of the secret scan.
    pub security: Security,
    /// Bytes of document and audit, also when their texts were moved elsewhere.
    bytes: (usize, usize),
}

/// Why there is no document. Serialises to the complete result.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    schema_version: u32,
    /// `required_unavailable` or `required_over_budget`.
    pub status: &'static str,
    /// The outcome of the secret scan.
    pub security: Security,
    /// What became of the required paths.
    pub audit: Audit,
}

/// The result of a success. `R` describes a resource, for surfaces that have resources.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuccessOut<'a, R> {
    schema_version: u32,
    status: &'static str,
    run_id: &'a str,
    security: &'a Security,
    context: ContextOut<R>,
    audit: AuditOut<R>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextOut<R> {
    max_tokens: String,
    tokens: String,
    bytes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<R>,
}

#[derive(Debug, Serialize)]
struct AuditOut<R> {
    tokens: String,
    bytes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<R>,
}

impl Success {
    /// What the document is called: `context.md` and so on.
    #[must_use]
    pub fn name(&self) -> String {
        format!("context.{}", self.style.extension())
    }

    /// What the audit is called.
    #[must_use]
    pub const fn audit_name() -> &'static str {
        "audit.json"
    }

    /// The result, with descriptions of the two resources where there are any. Does not look at the
    /// texts, which may have been moved elsewhere.
    pub fn result<'a, R: Serialize>(
        &'a self,
        run_id: &'a str,
        context: Option<R>,
        audit: Option<R>,
    ) -> SuccessOut<'a, R> {
        SuccessOut {
            schema_version: 1,
            status: self.status,
            run_id,
            security: &self.security,
            context: ContextOut {
                max_tokens: self.max_tokens.to_string(),
                tokens: self.tokens.to_string(),
                bytes: self.bytes.0.to_string(),
                resource: context,
            },
            audit: AuditOut {
                tokens: self.audit_tokens.to_string(),
                bytes: self.bytes.1.to_string(),
                resource: audit,
            },
        }
    }
}

/// Plans the document of `request`.
///
/// Reads at most the request's bytes. Choosing takes milliseconds, reading and counting the rest.
///
/// # Errors
/// [`Error::Configuration`] when the host leaves file bodies out, [`Error::SecretInText`] for the
/// host's own texts, [`Error::ResourceLimit`] when document, audit or failure pass the host's or
/// the program's limit, [`Error::CountMismatch`] when the host asked for the check and it failed,
/// [`Error::Cancelled`].
pub fn plan(
    host: &HostOptions,
    request: &Request,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Planned, Error> {
    if !host.sections.files {
        return Err(Error::Configuration(
            "a task context needs the text of files, which this set-up leaves out".to_owned(),
        ));
    }
    host.check_texts(cancel)?;
    let wants = merge(request);
    Plan::new(host, request, &wants, progress, cancel).run(Plan::draft)
}

/// A request being worked on.
struct Plan<'a> {
    host: &'a HostOptions,
    request: &'a Request,
    wants: &'a [Want],
    around: Around,
    frame_tokens: u64,
    gatherer: Gatherer<'a>,
    cancel: &'a Cancel,
}

impl<'a> Plan<'a> {
    fn new(
        host: &'a HostOptions,
        request: &'a Request,
        wants: &'a [Want],
        progress: &'a Progress,
        cancel: &'a Cancel,
    ) -> Self {
        let skeletons = wants.iter().any(Want::takes_skeleton);
        let around = around(&host.frame(host.style, skeletons));
        Self {
            host,
            request,
            wants,
            frame_tokens: with_counter(|counter| {
                counter.count(&around.head) + counter.count(&around.tail)
            }),
            around,
            gatherer: Gatherer {
                host,
                wants,
                outcomes: wants.iter().map(|_| None).collect(),
                max_read_bytes: request.max_read_bytes.min(host.input.source_bytes),
                read_bytes: 0,
                progress,
                cancel,
            },
            cancel,
        }
    }

    /// Works the request out; `render` is [`Plan::draft`].
    fn run(
        &mut self,
        render: impl Fn(&Self, &[Form]) -> Result<Draft, Error>,
    ) -> Result<Planned, Error> {
        let (required, mut optional): (Vec<usize>, Vec<usize>) = (0..self.wants.len())
            .partition(|&position| self.wants.get(position).is_some_and(Want::is_required));
        self.gatherer.gather(&required)?;
        let is_missing = |outcome: &Option<Outcome>| matches!(outcome, Some(Err(_)));
        if self.gatherer.outcomes.iter().any(is_missing) {
            return self.failure("required_unavailable", None);
        }
        let cheapest: Vec<Form> = self.items().iter().map(Item::cheapest).collect();
        let first = render(self, &cheapest)?;
        if first.tokens > self.request.max_tokens {
            return self.failure("required_over_budget", Some(&first));
        }
        let required_tokens = first.tokens;
        // Stable, so equally wanted paths stay in byte order.
        optional.sort_by_cached_key(|&position| self.wants.get(position).map(Want::urgency));
        self.gatherer.gather(&optional)?;
        let bounds = Bounds {
            max_tokens: self.request.max_tokens,
            frame_tokens: self.frame_tokens,
            max_attempts: self.request.max_attempts,
        };
        let render = |forms: &[Form]| render(self, forms);
        let settled = settle(&self.items(), first, &bounds, render, self.cancel)?;
        self.success(settled, required_tokens)
    }

    /// The wanted paths as far as they were looked at: one item each, in byte order.
    fn items(&self) -> Vec<Item> {
        let wants = self.wants.iter().zip(&self.gatherer.outcomes);
        let item = |(want, outcome): (&Want, &Option<Outcome>)| {
            let file = outcome.as_ref().and_then(|outcome| outcome.as_ref().ok());
            let tokens = |form| file.and_then(|file| Some(file.segment(form)?.tokens));
            Item {
                least: want.least(),
                skeleton: tokens(Form::Skeleton),
                full: tokens(Form::Full),
                optional: want.optional(),
            }
        };
        wants.map(item).collect()
    }

    /// The segments of the files in these forms, in byte order of their paths.
    fn segments<'s>(&'s self, forms: &'s [Form]) -> impl Iterator<Item = &'s Segment> {
        let outcomes = self.gatherer.outcomes.iter().zip(forms);
        outcomes.filter_map(|(outcome, &form)| outcome.as_ref()?.as_ref().ok()?.segment(form))
    }

    /// Renders the document with these forms and counts it as a whole.
    fn draft(&self, forms: &[Form]) -> Result<Draft, Error> {
        let mut text = self.around.head.clone();
        for (i, segment) in self.segments(forms).enumerate() {
            self.cancel.check()?;
            if i > 0 {
                text.push_str(separator(self.host.style));
            }
            text.push_str(&segment.text);
        }
        text.push_str(&self.around.tail);
        let tokens = with_counter(|counter| counter.count_checked(&text, self.cancel))?;
        Ok(Draft {
            forms: forms.to_vec(),
            text,
            tokens,
        })
    }

    /// Tokens of a document that are not those of its files.
    fn frame_of(&self, draft: &Draft) -> u64 {
        let segments: u64 = self
            .segments(&draft.forms)
            .map(|segment| segment.tokens)
            .sum();
        draft.tokens.saturating_sub(segments)
    }

    /// What every audit of this plan says.
    fn facts<'f>(&'f self, status: &'static str, forms: &'f [Form]) -> Facts<'f> {
        Facts {
            status,
            style: self.host.style,
            request: self.request,
            wants: self.wants,
            outcomes: &self.gatherer.outcomes,
            forms,
            missing: None,
            required_tokens: None,
            context_tokens: None,
            frame_tokens: self.frame_tokens,
            max_read_bytes: self.gatherer.max_read_bytes,
            read_bytes: self.gatherer.read_bytes,
            attempts: 0,
            security: self.gatherer.security(),
        }
    }

    /// `over` is the document that is over the budget, if one was made.
    fn failure(&self, status: &'static str, over: Option<&Draft>) -> Result<Planned, Error> {
        let nothing = vec![Form::None; self.wants.len()];
        let facts = self.facts(status, &nothing);
        let audit = Audit::new(match over {
            Some(draft) => Facts {
                missing: Some(Reason::OverBudget),
                required_tokens: Some(draft.tokens),
                frame_tokens: self.frame_of(draft),
                attempts: 1,
                ..facts
            },
            None => facts,
        });
        let failure = Failure {
            schema_version: 1,
            status,
            security: self.gatherer.security(),
            audit,
        };
        let json = serde_json::to_string(&failure)
            .map_err(|_| Error::Internal("the audit is not JSON"))?;
        self.within(json.len(), json.len())?;
        Ok(Planned::Failure(Box::new(failure)))
    }

    fn success(&self, settled: Settled, required_tokens: u64) -> Result<Planned, Error> {
        let Settled {
            draft,
            attempts,
            exhausted,
        } = settled;
        let satisfied = self.wants.iter().zip(&draft.forms).all(|(want, form)| {
            let mut demands = want.demands.iter();
            demands.all(|demand| form.satisfies(demand.mode))
        });
        let status = if satisfied {
            "complete"
        } else {
            "with_omissions"
        };
        let audit = Audit::new(Facts {
            missing: Some(if exhausted {
                Reason::AttemptLimit
            } else {
                Reason::OverBudget
            }),
            required_tokens: Some(required_tokens),
            context_tokens: Some(draft.tokens),
            frame_tokens: self.frame_of(&draft),
            attempts,
            ..self.facts(status, &draft.forms)
        });
        let audit = audit.text();
        self.within(
            draft.text.len().max(audit.len()),
            draft.text.len() + audit.len(),
        )?;
        let audit_tokens = with_counter(|counter| counter.count_checked(&audit, self.cancel))?;
        if self.host.verify_counts {
            verify::check(&draft.text, draft.tokens)?;
            verify::check(&audit, audit_tokens)?;
        }
        Ok(Planned::Success(Success {
            status,
            style: self.host.style,
            max_tokens: self.request.max_tokens,
            bytes: (draft.text.len(), audit.len()),
            text: draft.text,
            tokens: draft.tokens,
            audit,
            audit_tokens,
            security: self.gatherer.security(),
        }))
    }

    /// Refuses a result whose largest resource or whose total is over its limit, in bytes.
    fn within(&self, largest: usize, total: usize) -> Result<(), Error> {
        if largest > RESOURCE_BYTES {
            return Err(Error::ResourceLimit {
                limit: RESOURCE_BYTES as u64,
                size: largest as u64,
            });
        }
        let limit = self.host.caps.output_bytes;
        let size = total as u64;
        if size > limit {
            return Err(Error::ResourceLimit { limit, size });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
