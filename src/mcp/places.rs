//! Places: which jobs run, which wait, and who holds the busy slot.
//!
//! Jobs start in the order in which they came, except that one that computes waits until no other
//! does, and lets those behind it pass that need no slot. A job keeps its place and the slot until
//! its worker is back, whatever became of its request.

use std::collections::VecDeque;

use super::pending::Ticket;
use super::profile::Profile;
use super::worker::Job;

/// Jobs that run or wait.
pub(super) struct Places {
    /// Jobs that may run at once.
    at_once: usize,
    /// Jobs that may run or wait.
    most: usize,
    n_running: usize,
    waiting: VecDeque<Job>,
    /// The job that computes.
    slot: Option<Ticket>,
}

impl Places {
    /// None taken. A computation counts as one of the jobs of a profile while it waits.
    pub(super) fn new(profile: &Profile) -> Self {
        Self {
            at_once: profile.in_flight,
            most: profile.in_flight + profile.waiting,
            n_running: 0,
            waiting: VecDeque::new(),
            slot: None,
        }
    }

    /// Whether one more job must be refused.
    pub(super) fn are_full(&self) -> bool {
        self.n_running + self.waiting.len() >= self.most
    }

    /// Takes a job in.
    pub(super) fn queue(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    /// The first job that may start now. It no longer waits, and has no place yet.
    pub(super) fn next(&mut self) -> Option<Job> {
        if self.n_running >= self.at_once {
            return None;
        }
        let may_start = |job: &Job| !job.computes() || self.slot.is_none();
        let at = self.waiting.iter().position(may_start)?;
        self.waiting.remove(at)
    }

    /// Gives a job its place.
    pub(super) fn take(&mut self, job: &Job) {
        self.n_running += 1;
        if job.computes() {
            self.slot = Some(job.ticket);
        }
    }

    /// The worker of a job is back.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.n_running -= 1;
        if self.slot == Some(ticket) {
            self.slot = None;
        }
    }

    /// Takes a job back that still waits; `false` when it does not.
    pub(super) fn give_up(&mut self, ticket: Ticket) -> bool {
        let n_waiting = self.waiting.len();
        self.waiting.retain(|job| job.ticket != ticket);
        self.waiting.len() < n_waiting
    }
}
