//! Threads, channels and the main loop.
//!
//! ```text
//! input -> [mcp-reader] --inbox(1)--> main loop --out(1)--> [mcp-writer] -> output
//!                                     |      ^
//!                              jobs(N)|      |done
//!                                     v      |
//!                                   [worker-0 ..] -- computing --> [scan-0 ..]
//! ```
//!
//! The main loop owns all state and waits in one select; it never blocks in a send. Guarantees:
//!
//! 1. Requests that need no work are answered at once, whatever runs.
//! 2. A client that does not read is not read either, so memory stays bounded.
//! 3. A place is free before its answer is written. Computations wait for each other in order,
//!    within the time that each has from its arrival.
//! 4. A cancelled request gets no answer and no progress; a late one exactly one failure. Both
//!    keep their place until the worker is back.
//! 5. At the end of input, what finishes within the profile's time is answered, the rest is
//!    cancelled without answer. A hung job cannot delay the end.
//! 6. A panic in a tool is an internal error without detail; the worker lives on.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Select, Sender, bounded, unbounded};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::dispatch::{Action, Task, TaskWork, dispatch};
use super::frame::{Frame, FrameReader};
use super::message::{Fault, Id, Message, Request, classify, error_line, parse, present};
use super::pending::{Batch, Batches, Entry, Pending, Ticket};
use super::places::Places;
use super::profile::Profile;
use super::results::progress_line;
use super::state::State;
use super::tools::{Prepared, Tool};
use super::worker::{Done, Job, work_off};
use crate::cancel::Cancel;
use crate::error::ErrorCode;
use crate::limits::{GRACE, MIB, PROGRESS_INTERVAL, REQUEST_SECONDS, RESOURCE_BYTES};
use crate::progress::Progress;

/// Input is read only while fewer unwritten lines than this wait.
const UNWRITTEN_LINES: usize = 4;
/// Input is read only while unwritten lines have fewer bytes than this: one large answer is enough.
const UNWRITTEN_BYTES: usize = 2 * MIB;

/// A reading of the clock, which only this module looks at.
pub(super) type Moment = Instant;

/// A server that is ready to be served.
pub struct Server {
    pub(super) profile: Profile,
    pub(super) tools: Vec<Tool>,
    pub(super) result_bytes: usize,
    request_time: Duration,
    threads: usize,
}

impl Server {
    /// A server with these tools, listed in this order.
    #[must_use]
    pub fn new(profile: Profile, tools: Vec<Tool>) -> Self {
        Self {
            profile,
            tools,
            result_bytes: RESOURCE_BYTES,
            request_time: Duration::from_secs(REQUEST_SECONDS.default),
            threads: 0,
        }
    }

    /// The same server with more tools, listed after the others.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Bytes that the host allows for the result of a tool as it is sent, [`RESOURCE_BYTES`] at most.
    #[must_use]
    pub fn with_output_bytes(mut self, bytes: u64) -> Self {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.result_bytes = bytes.min(RESOURCE_BYTES);
        self
    }

    /// Time one request may take. The command line accepts [`REQUEST_SECONDS`].
    #[must_use]
    pub fn with_request_time(mut self, time: Duration) -> Self {
        self.request_time = time;
        self
    }

    /// Threads of the pool that computing tools run in; 0 for one a core.
    #[must_use]
    pub fn with_threads(mut self, n_threads: usize) -> Self {
        self.threads = n_threads;
        self
    }
}

/// Why serving ended.
#[derive(Debug)]
pub enum Ending {
    /// The client closed the input.
    EndOfInput,
    /// The client closed the output.
    OutputClosed,
    /// The system gave no thread. Nothing was served.
    NoThread(io::Error),
}

/// Serves until the input ends or the output is closed. Blocks; the calling thread becomes the
/// main loop. Writes nothing but protocol messages to `output` and nothing anywhere else.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    server: Server,
) -> Ending {
    let wires = match start(input, output, &server.profile) {
        Ok(wires) => wires,
        Err(error) => return Ending::NoThread(error),
    };
    Service::new(server, wires.jobs.clone()).run(wires)
}

/// The main loop's ends of the channels.
struct Wires {
    inbox: Receiver<Frame>,
    jobs: Sender<Job>,
    done: Receiver<Done>,
    out: Sender<Vec<u8>>,
    /// Nothing is ever sent; it disconnects when the writer leaves.
    writer: Receiver<()>,
}

fn start(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    profile: &Profile,
) -> io::Result<Wires> {
    let spawn = |name: String, body: Box<dyn FnOnce() + Send>| {
        thread::Builder::new().name(name).spawn(body).map(drop)
    };
    let (inbox_in, inbox) = bounded(1);
    let (out, out_end) = bounded::<Vec<u8>>(1);
    let (alive, writer) = bounded::<()>(0);
    let (jobs, jobs_end) = bounded::<Job>(profile.in_flight);
    let (done_in, done) = unbounded();
    for index in 0..profile.in_flight {
        let (jobs, done) = (jobs_end.clone(), done_in.clone());
        spawn(
            format!("worker-{index}"),
            Box::new(move || work_off(&jobs, &done)),
        )?;
    }
    let mut output = output;
    spawn(
        "mcp-writer".to_owned(),
        Box::new(move || {
            let _alive = alive;
            for line in out_end {
                if output
                    .write_all(&line)
                    .and_then(|()| output.flush())
                    .is_err()
                {
                    return;
                }
            }
        }),
    )?;
    let mut frames = FrameReader::new(input, profile.frame_bytes);
    spawn(
        "mcp-reader".to_owned(),
        Box::new(move || {
            while let Ok(Some(frame)) = frames.read() {
                if inbox_in.send(frame).is_err() {
                    return;
                }
            }
        }),
    )?;
    Ok(Wires {
        inbox,
        jobs,
        done,
        out,
        writer,
    })
}

/// One line on its way to the writer.
struct Unwritten {
    line: Vec<u8>,
    /// The request that a progress notification is about.
    progress_of: Option<Ticket>,
}

/// When the server leaves after the end of input.
struct Farewell {
    /// Running work may finish until then.
    finish: Instant,
    /// Unwritten lines may be written until then.
    leave: Instant,
}

/// Everything the main loop owns.
struct Service {
    server: Server,
    jobs: Sender<Job>,
    state: State,
    pending: Pending,
    batches: Batches,
    places: Places,
    outbox: VecDeque<Unwritten>,
    pool: Option<Arc<ThreadPool>>,
    next_tick: Option<Instant>,
    farewell: Option<Farewell>,
}

/// What the select came back with.
enum Event {
    Frame(Frame),
    EndOfInput,
    Done(Done),
    Written,
    WriterGone,
    Time,
}

impl Service {
    fn new(server: Server, jobs: Sender<Job>) -> Self {
        Self {
            places: Places::new(&server.profile),
            server,
            jobs,
            state: State::default(),
            pending: Pending::default(),
            batches: Batches::default(),
            outbox: VecDeque::new(),
            pool: None,
            next_tick: None,
            farewell: None,
        }
    }

    fn run(mut self, wires: Wires) -> Ending {
        loop {
            let now = Instant::now();
            self.expire(now);
            self.tick(now);
            if let Some(farewell) = &self.farewell {
                let is_idle = self.outbox.is_empty() && self.pending.open().next().is_none();
                if is_idle || now >= farewell.leave {
                    break;
                }
            }
            match self.wait(&wires) {
                Event::Frame(Frame::Line(line)) => self.line(&line),
                Event::Frame(Frame::TooLong) => self.push(error_line(None, &Fault::TOO_LONG)),
                Event::EndOfInput => {
                    let now = Instant::now();
                    self.farewell = Some(Farewell {
                        finish: now + self.server.profile.finish,
                        leave: now + GRACE,
                    });
                }
                Event::Done(done) => self.done(done),
                Event::Written => {
                    if let Some(farewell) = &mut self.farewell {
                        farewell.leave = Instant::now() + GRACE;
                    }
                }
                Event::WriterGone => {
                    self.close_all();
                    return Ending::OutputClosed;
                }
                Event::Time => {}
            }
        }
        self.close_all();
        // The last line is written before the process may end, unless the client does not read it.
        drop(wires.out);
        if let Some(farewell) = &self.farewell {
            let _ = wires.writer.recv_deadline(farewell.leave);
        }
        Ending::EndOfInput
    }

    /// Waits for the next event. Sends the oldest unwritten line when the writer takes it.
    fn wait(&mut self, wires: &Wires) -> Event {
        let unwritten: usize = self.outbox.iter().map(|one| one.line.len()).sum();
        let may_read = self.farewell.is_none()
            && self.outbox.len() < UNWRITTEN_LINES
            && unwritten < UNWRITTEN_BYTES;
        let mut select = Select::new();
        let done = select.recv(&wires.done);
        let writer = select.recv(&wires.writer);
        let inbox = may_read.then(|| select.recv(&wires.inbox));
        let out = (!self.outbox.is_empty()).then(|| select.send(&wires.out));
        let ready = match self.next_time() {
            Some(time) => match select.select_deadline(time) {
                Ok(ready) => ready,
                Err(_) => return Event::Time,
            },
            None => select.select(),
        };
        match ready.index() {
            index if index == done => match ready.recv(&wires.done) {
                Ok(done) => Event::Done(done),
                Err(_) => Event::WriterGone,
            },
            index if index == writer => {
                let _ = ready.recv(&wires.writer);
                Event::WriterGone
            }
            index if Some(index) == inbox => match ready.recv(&wires.inbox) {
                Ok(frame) => Event::Frame(frame),
                Err(_) => Event::EndOfInput,
            },
            index => {
                debug_assert_eq!(Some(index), out);
                let line = self.outbox.pop_front().map(|one| one.line);
                match ready.send(&wires.out, line.unwrap_or_default()) {
                    Ok(()) => Event::Written,
                    Err(_) => Event::WriterGone,
                }
            }
        }
    }

    /// The nearest moment at which something is due.
    fn next_time(&self) -> Option<Instant> {
        let deadlines = self.pending.open().map(|(_, entry)| entry.deadline);
        let farewell = self.farewell.iter().map(|one| {
            if self.pending.open().next().is_some() {
                one.finish.min(one.leave)
            } else {
                one.leave
            }
        });
        deadlines.chain(self.next_tick).chain(farewell).min()
    }

    // ---- input

    fn line(&mut self, line: &[u8]) {
        match parse(line) {
            Message::Batch(elements) => self.batch(&elements),
            message => self.message(message, None),
        }
    }

    fn batch(&mut self, elements: &[&RawValue]) {
        let is_served = self.state.negotiated.is_some_and(|one| one.has_batches());
        if !is_served || elements.is_empty() {
            let fault = if is_served {
                Fault::INVALID_REQUEST
            } else {
                Fault::BATCH
            };
            return self.push(error_line(None, &fault));
        }
        let batch = self.batches.begin();
        for element in elements {
            self.message(classify(element), Some(batch));
        }
        self.batches.end(batch);
        self.finish(batch);
    }

    fn message(&mut self, message: Message<'_>, batch: Batch) {
        match message {
            Message::Ignored => {}
            Message::Request(request) => self.request(&request, batch),
            Message::Notification { method, params } => {
                if method == "notifications/cancelled" {
                    self.cancelled(params);
                }
            }
            Message::Refused { id, fault } => {
                let line = error_line(id.as_ref(), &fault);
                self.deliver(batch, id.as_ref(), line);
            }
            Message::Batch(_) => {
                let line = error_line(None, &Fault::INVALID_REQUEST);
                self.deliver(batch, None, line);
            }
        }
    }

    fn request(&mut self, request: &Request<'_>, batch: Batch) {
        let action = if self.pending.find(&request.id).is_some() {
            Err(Fault::DUPLICATE_ID)
        } else {
            dispatch(&mut self.state, &self.server, request, batch.is_some())
        };
        let line = match action {
            Ok(Action::Answer(line)) => line,
            Err(fault) => error_line(Some(&request.id), &fault),
            Ok(Action::Run(task)) => match self.accept(task, batch) {
                Ok(()) => return,
                Err(line) => line,
            },
        };
        self.deliver(batch, Some(&request.id), line);
    }

    /// Gives a task a place, or the line that refuses it.
    fn accept(&mut self, task: Task, batch: Batch) -> Result<(), Vec<u8>> {
        if self.places.are_full() {
            return Err(task.envelope.failure_line(task.failure, ErrorCode::Busy));
        }
        let pool = match task.work.is_parallel().then(|| self.pool()).transpose() {
            Ok(pool) => pool,
            Err(_) => return Err(error_line(Some(&task.envelope.id), &Fault::INTERNAL)),
        };
        let (cancel, progress) = (Cancel::new(), Progress::new());
        let now = Instant::now();
        if task.progress_token.is_some() && self.next_tick.is_none() {
            self.next_tick = Some(now + PROGRESS_INTERVAL);
        }
        let ticket = self.pending.insert(Entry {
            envelope: task.envelope.clone(),
            failure: task.failure,
            batch,
            cancel: cancel.clone(),
            deadline: now + self.server.request_time,
            progress: progress.clone(),
            token: task.progress_token.map(|token| (token, 0)),
            is_open: true,
        });
        if let Some(batch) = batch {
            self.batches.owe(batch);
        }
        self.places.queue(Job {
            ticket,
            envelope: task.envelope,
            failure: task.failure,
            pool,
            cancel,
            progress,
            work: task.work,
        });
        self.start_waiting();
        Ok(())
    }

    /// The pool for computing tools, made when the first of them runs.
    fn pool(&mut self) -> Result<Arc<ThreadPool>, rayon::ThreadPoolBuildError> {
        if let Some(pool) = &self.pool {
            return Ok(Arc::clone(pool));
        }
        let builder = ThreadPoolBuilder::new()
            .num_threads(self.server.threads)
            .thread_name(|index| format!("scan-{index}"));
        let pool = Arc::new(builder.build()?);
        self.pool = Some(Arc::clone(&pool));
        Ok(pool)
    }

    fn start_waiting(&mut self) {
        while let Some(mut job) = self.places.next() {
            if let TaskWork::Turn(turn) = &job.work {
                job.work = match turn.prepare(&self.server.tools, &self.state.shelf) {
                    Ok(Prepared::Work(work)) => TaskWork::Computation(work),
                    Ok(Prepared::Reply(reply)) => {
                        self.answer(job.ticket, job.envelope.tool_line(&reply, job.failure));
                        continue;
                    }
                    Err(fault) => {
                        self.answer(job.ticket, error_line(Some(&job.envelope.id), &fault));
                        continue;
                    }
                };
            }
            self.places.take(&job);
            // The channel holds as many jobs as may run, so this never waits.
            if self.jobs.send(job).is_err() {
                return;
            }
        }
    }

    // ---- what ends a request

    fn done(&mut self, done: Done) {
        self.places.leave(done.ticket);
        if let Some(bundle) = done.bundle
            && self.pending.is_open(done.ticket)
        {
            self.state.shelf.commit(bundle);
        }
        self.answer(done.ticket, done.line);
        self.start_waiting();
    }

    /// Answers a request, unless nobody waits for that any more.
    fn answer(&mut self, ticket: Ticket, line: Vec<u8>) {
        if let Some(entry) = self.pending.remove(ticket)
            && entry.is_open
        {
            self.settle(entry.batch, Some((&entry.envelope.id, line)));
        }
    }

    fn cancelled(&mut self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params<'a> {
            #[serde(borrow, default, deserialize_with = "present")]
            request_id: Option<&'a RawValue>,
        }
        let id = params
            .and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok())
            .and_then(|params| params.request_id)
            .and_then(Id::read);
        let Some(id) = id else {
            return;
        };
        match self.pending.find(&id) {
            Some(ticket) => self.close(ticket, None),
            None => self.batches.retract(&id),
        }
    }

    /// Closes a request: with the failure of a code, or without any answer.
    fn close(&mut self, ticket: Ticket, code: Option<ErrorCode>) {
        let Some(entry) = self.pending.close(ticket) else {
            return;
        };
        let batch = entry.batch;
        let id = entry.envelope.id.clone();
        let line = code.map(|code| entry.failure_line(code));
        self.outbox.retain(|one| one.progress_of != Some(ticket));
        if self.places.give_up(ticket) {
            self.pending.remove(ticket);
        }
        self.settle(batch, line.map(|line| (&id, line)));
    }

    fn close_all(&mut self) {
        let tickets: Vec<Ticket> = self.pending.open().map(|(ticket, _)| ticket).collect();
        for ticket in tickets {
            self.close(ticket, None);
        }
    }

    /// Ends requests whose time is over, and at the end of input those that are not finished.
    fn expire(&mut self, now: Instant) {
        let late: Vec<Ticket> = self
            .pending
            .open()
            .filter(|(_, entry)| now >= entry.deadline)
            .map(|(ticket, _)| ticket)
            .collect();
        for ticket in late {
            self.close(ticket, Some(ErrorCode::Timeout));
        }
        if self.farewell.as_ref().is_some_and(|one| now >= one.finish) {
            self.close_all();
        }
    }

    // ---- output

    /// Tells those who want to know how far their requests have come. Says nothing while the
    /// client does not read.
    fn tick(&mut self, now: Instant) {
        if self.next_tick.is_none_or(|tick| now < tick) {
            return;
        }
        let may_write = self.outbox.is_empty();
        let mut has_listeners = false;
        for (ticket, entry) in self.pending.listeners() {
            has_listeners = true;
            let (done, found) = entry.progress.read();
            if let Some((token, told)) = &mut entry.token
                && may_write
                && done > *told
            {
                *told = done;
                let mut line = progress_line(token, done, found, entry.envelope.revision);
                line.push(b'\n');
                self.outbox.push_back(Unwritten {
                    line,
                    progress_of: Some(ticket),
                });
            }
        }
        self.next_tick = has_listeners.then(|| now + PROGRESS_INTERVAL);
    }

    /// Settles a request that was accepted: its answer comes now, or never.
    fn settle(&mut self, batch: Batch, answer: Option<(&Id, Vec<u8>)>) {
        if let Some(batch) = batch {
            self.batches.settle(batch);
        }
        if let Some((id, line)) = answer {
            self.deliver(batch, Some(id), line);
        }
        if let Some(batch) = batch {
            self.finish(batch);
        }
    }

    /// Sends an answer on its way, alone or in its batch.
    fn deliver(&mut self, batch: Batch, id: Option<&Id>, line: Vec<u8>) {
        match batch {
            Some(batch) => self.batches.add(batch, id.cloned(), line),
            None => self.push(line),
        }
    }

    /// Writes a batch that is complete.
    fn finish(&mut self, batch: u64) {
        if let Some(line) = self.batches.finish(batch) {
            self.push(line);
        }
    }

    fn push(&mut self, mut line: Vec<u8>) {
        line.push(b'\n');
        self.outbox.push_back(Unwritten {
            line,
            progress_of: None,
        });
    }
}
