//! What runs on a worker: one job after another, each answer finished where it was computed.
//!
//! A panic in a tool becomes an internal error without detail, and the worker lives on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use rayon::ThreadPool;

use super::dispatch::TaskWork;
use super::message::Fault;
use super::pending::Ticket;
use super::resources::Bundle;
use super::results::{Envelope, Fail};
use super::tools::{Outcome, Reply};
use crate::cancel::Cancel;
use crate::error::ErrorCode;
use crate::progress::Progress;

/// One piece of work on its way to a worker.
pub(super) struct Job {
    pub(super) ticket: Ticket,
    pub(super) envelope: Envelope,
    pub(super) failure: Option<Fail>,
    pub(super) pool: Option<Arc<ThreadPool>>,
    pub(super) cancel: Cancel,
    pub(super) progress: Progress,
    pub(super) work: TaskWork,
}

impl Job {
    /// Whether it needs the busy slot.
    pub(super) fn computes(&self) -> bool {
        self.work.computes()
    }
}

/// What comes back.
pub(super) struct Done {
    pub(super) ticket: Ticket,
    pub(super) line: Vec<u8>,
    pub(super) bundle: Option<Bundle>,
}

/// Does jobs until there are none, or nobody wants their results.
pub(super) fn work_off(jobs: &Receiver<Job>, done: &Sender<Done>) {
    for job in jobs {
        if done.send(run(job)).is_err() {
            return;
        }
    }
}

/// Does one job. Its answer is finished here, so that the main loop never serialises much.
fn run(job: Job) -> Done {
    let Job {
        ticket,
        envelope,
        failure,
        pool,
        cancel,
        progress,
        work,
    } = job;
    let (line, bundle) = match work {
        _ if cancel.is_set() => (Vec::new(), None),
        TaskWork::Read { uri, document } => {
            let contents = envelope.contents(&uri, &document);
            let line = contents.unwrap_or_else(|too_long| envelope.failure_line(failure, too_long));
            (line, None)
        }
        // A computation is prepared before it is sent here.
        TaskWork::Turn(_) => (
            envelope.failure_line(failure, ErrorCode::InternalError),
            None,
        ),
        TaskWork::Tool(work) | TaskWork::Find(work) | TaskWork::Computation(work) => {
            let work = AssertUnwindSafe(|| match pool {
                Some(pool) => pool.install(|| work(&cancel, &progress)),
                None => work(&cancel, &progress),
            });
            let outcome =
                catch_unwind(work).unwrap_or_else(|_| Outcome::from(Reply::Fault(Fault::INTERNAL)));
            let bundle = outcome.bundle.filter(|_| outcome.reply.is_success());
            match envelope.reply(&outcome.reply) {
                Ok(line) => (line, bundle),
                Err(too_long) => (envelope.failure_line(failure, too_long), None),
            }
        }
    };
    Done {
        ticket,
        line,
        bundle,
    }
}
