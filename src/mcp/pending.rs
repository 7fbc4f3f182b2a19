//! Requests that have no answer yet, and batches that are not complete.
//!
//! An entry lives from the moment a request needs a worker until the worker is back. It is
//! *open* while an answer is owed; a cancelled or timed-out request is closed but keeps its place,
//! because its worker is still busy. Whoever closes an entry decides what is sent, so exactly one
//! answer or none exists.

use std::collections::BTreeMap;

use super::message::{Fault, Id, error_line};
use super::results::{Envelope, Fail};
use super::serve::Moment;
use crate::cancel::Cancel;
use crate::error::ErrorCode;
use crate::limits::OUT_LINE_BYTES;
use crate::progress::Progress;

/// Number of a job, never used twice.
pub(super) type Ticket = u64;

/// Where an answer goes: a line of its own, or a batch.
pub(super) type Batch = Option<u64>;

/// One request at or before a worker.
pub(super) struct Entry {
    pub(super) envelope: Envelope,
    pub(super) failure: Option<Fail>,
    pub(super) batch: Batch,
    pub(super) cancel: Cancel,
    pub(super) deadline: Moment,
    pub(super) progress: Progress,
    /// The client's token and the last number it was told.
    pub(super) token: Option<(Id, u64)>,
    pub(super) is_open: bool,
}

impl Entry {
    /// The line that says why there is no result.
    pub(super) fn failure_line(&self, code: ErrorCode) -> Vec<u8> {
        self.envelope.failure_line(self.failure, code)
    }
}

/// All requests without an answer.
#[derive(Default)]
pub(super) struct Pending {
    entries: BTreeMap<Ticket, Entry>,
    last: Ticket,
}

impl Pending {
    /// Takes a request in.
    pub(super) fn insert(&mut self, entry: Entry) -> Ticket {
        self.last += 1;
        self.entries.insert(self.last, entry);
        self.last
    }

    /// Lets go of a request whose worker is back, or that never had one.
    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<Entry> {
        self.entries.remove(&ticket)
    }

    /// The open request with this id.
    pub(super) fn find(&self, id: &Id) -> Option<Ticket> {
        let mut entries = self.entries.iter();
        let found = entries.find(|(_, entry)| entry.is_open && entry.envelope.id == *id);
        found.map(|(&ticket, _)| ticket)
    }

    /// Closes a request and asks its work to stop.
    pub(super) fn close(&mut self, ticket: Ticket) -> Option<&Entry> {
        let entry = self
            .entries
            .get_mut(&ticket)
            .filter(|entry| entry.is_open)?;
        entry.is_open = false;
        entry.cancel.set();
        Some(entry)
    }

    /// Whether an answer is owed.
    pub(super) fn is_open(&self, ticket: Ticket) -> bool {
        self.entries.get(&ticket).is_some_and(|entry| entry.is_open)
    }

    /// Open requests, oldest first.
    pub(super) fn open(&self) -> impl Iterator<Item = (Ticket, &Entry)> {
        let entries = self.entries.iter().filter(|(_, entry)| entry.is_open);
        entries.map(|(&ticket, entry)| (ticket, entry))
    }

    /// Open requests that want to hear of progress.
    pub(super) fn listeners(&mut self) -> impl Iterator<Item = (Ticket, &mut Entry)> {
        let entries = self.entries.iter_mut();
        entries
            .filter(|(_, entry)| entry.is_open && entry.token.is_some())
            .map(|(&ticket, entry)| (ticket, entry))
    }
}

/// Answers of one array, kept until the last of them is there.
#[derive(Default)]
struct Answers {
    answers: Vec<(Option<Id>, Vec<u8>)>,
    bytes: usize,
    owed: usize,
    is_read: bool,
}

/// Batches that are not complete.
#[derive(Default)]
pub(super) struct Batches {
    open: BTreeMap<u64, Answers>,
    last: u64,
}

impl Batches {
    /// Begins a batch.
    pub(super) fn begin(&mut self) -> u64 {
        self.last += 1;
        self.open.insert(self.last, Answers::default());
        self.last
    }

    /// Announces an answer that will come later.
    pub(super) fn owe(&mut self, batch: u64) {
        if let Some(answers) = self.open.get_mut(&batch) {
            answers.owed += 1;
        }
    }

    /// Settles an announced answer, which comes now or never.
    pub(super) fn settle(&mut self, batch: u64) {
        if let Some(answers) = self.open.get_mut(&batch) {
            answers.owed = answers.owed.saturating_sub(1);
        }
    }

    /// Adds an answer. One that makes the array longer than a line becomes an error.
    pub(super) fn add(&mut self, batch: u64, id: Option<Id>, mut line: Vec<u8>) {
        if let Some(answers) = self.open.get_mut(&batch) {
            if answers.bytes + line.len() + 3 > OUT_LINE_BYTES {
                line = error_line(id.as_ref(), &Fault::TOO_LARGE);
            }
            answers.bytes += line.len() + 1;
            answers.answers.push((id, line));
        }
    }

    /// Takes back the answers to a request that was cancelled before its array was written.
    pub(super) fn retract(&mut self, id: &Id) {
        for answers in self.open.values_mut() {
            answers.answers.retain(|(known, line)| {
                let keep = known.as_ref() != Some(id);
                if !keep {
                    answers.bytes -= line.len() + 1;
                }
                keep
            });
        }
    }

    /// Says that every element was looked at.
    pub(super) fn end(&mut self, batch: u64) {
        if let Some(answers) = self.open.get_mut(&batch) {
            answers.is_read = true;
        }
    }

    /// The line of a batch that is complete. A batch without answers has none.
    pub(super) fn finish(&mut self, batch: u64) -> Option<Vec<u8>> {
        let is_complete = self
            .open
            .get(&batch)
            .is_some_and(|answers| answers.is_read && answers.owed == 0);
        let answers = is_complete
            .then(|| self.open.remove(&batch))
            .flatten()?
            .answers;
        if answers.is_empty() {
            return None;
        }
        let mut line = vec![b'['];
        for (index, (_, answer)) in answers.iter().enumerate() {
            if index > 0 {
                line.push(b',');
            }
            line.extend_from_slice(answer);
        }
        line.push(b']');
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: Option<Vec<u8>>) -> String {
        line.map_or("-".to_owned(), |line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn a_batch_is_one_line() {
        let id = |n: &str| Some(Id::Integer(n.into()));
        let mut batches = Batches::default();
        let one = batches.begin();
        batches.add(one, id("1"), b"{1}".to_vec());
        batches.owe(one);
        assert_eq!(text(batches.finish(one)), "-");
        batches.end(one);
        assert_eq!(text(batches.finish(one)), "-");
        batches.settle(one);
        batches.add(one, id("2"), b"{2}".to_vec());
        assert_eq!(text(batches.finish(one)), "[{1},{2}]");
        assert_eq!(text(batches.finish(one)), "-");

        let two = batches.begin();
        batches.add(two, id("5"), b"{5}".to_vec());
        batches.retract(&Id::Text("5".into()));
        batches.add(two, id("6"), b"{6}".to_vec());
        batches.retract(&Id::Integer("5".into()));
        batches.end(two);
        assert_eq!(text(batches.finish(two)), "[{6}]");

        let none = batches.begin();
        batches.end(none);
        assert_eq!(text(batches.finish(none)), "-");
        assert!(batches.open.is_empty());
    }

    #[test]
    fn a_batch_fits_a_line() {
        let mut batches = Batches::default();
        let one = batches.begin();
        for n in 0..4 {
            let line = vec![b'x'; OUT_LINE_BYTES / 3];
            batches.add(one, Some(Id::Integer(n.to_string().into())), line);
        }
        batches.end(one);
        let line = batches.finish(one).unwrap();
        assert!(line.len() <= OUT_LINE_BYTES, "{}", line.len());
        assert!(text(Some(line)).ends_with("\"The answer is over the size limit\"}}]"));
    }
}
