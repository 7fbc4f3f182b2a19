//! The one TCP connection that a challenge and its data request share.
//!
//! ureq speaks HTTP over it, but neither finds the address nor opens the socket: both are given
//! here, and a second connection is never opened under the same agent. So whatever an agent sends
//! after a proof reaches the program that gave the proof, or nobody. Waiting happens in short
//! slices, between which the caller's wish to stop and the deadline are looked at.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::config::{AutoHeaderValue, Config};
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};
use zeroize::Zeroize;

use crate::cancel::Cancel;
use crate::crib::wire::{CONTENT_TYPE, HEAD_BYTES};

/// How long one wait lasts before the wish to stop is looked at again.
const SLICE: Duration = Duration::from_millis(20);
/// How long one attempt to connect lasts; only a full queue of the service makes it wait.
const CONNECT_SLICE: Duration = Duration::from_millis(100);
/// Room for a request with its head, and for what is read at once.
const BUFFER_BYTES: usize = 32 * 1024;

/// Why an exchange must end now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The owner of the call asked for it.
    Cancelled,
    /// The time of the call is over.
    Deadline,
}

/// When a call must end, and whether it shall end before.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    deadline: Instant,
    cancel: Cancel,
}

impl Patience {
    /// Patience for `time` from now on, or until `cancel` is set.
    pub(super) fn new(time: Duration, cancel: &Cancel) -> Self {
        Self {
            deadline: Instant::now() + time,
            cancel: cancel.clone(),
        }
    }

    /// The reason to end now, if there is one.
    pub(super) fn stop(&self) -> Option<Stop> {
        if self.cancel.is_set() {
            Some(Stop::Cancelled)
        } else if self.left().is_zero() {
            Some(Stop::Deadline)
        } else {
            None
        }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The next wait, or the error that ends all waiting.
    fn slice(&self, longest: Duration) -> io::Result<Duration> {
        match self.stop() {
            Some(_) => Err(ErrorKind::TimedOut.into()),
            None => Ok(self.left().clamp(Duration::from_millis(1), longest)),
        }
    }
}

/// What happened on the connection of one agent.
#[derive(Debug)]
pub(super) struct Line {
    port: u16,
    patience: Patience,
    dialled: AtomicBool,
    open: AtomicBool,
    received: AtomicU64,
}

impl Line {
    /// A line to `port` of 127.0.0.1 that is not connected yet.
    pub(super) fn new(port: u16, patience: Patience) -> Arc<Self> {
        Arc::new(Self {
            port,
            patience,
            dialled: AtomicBool::new(false),
            open: AtomicBool::new(false),
            received: AtomicU64::new(0),
        })
    }

    /// Whether the service ever took the connection.
    pub(super) fn was_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    /// Bytes received so far.
    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// The reason to end now, if there is one.
    pub(super) fn stop(&self) -> Option<Stop> {
        self.patience.stop()
    }

    /// The HTTP client that speaks over this line: no proxy, no redirect, no cookie, no coding,
    /// bounded heads, and an error for nothing but a broken exchange.
    pub(super) fn agent(self: &Arc<Self>) -> Agent {
        let config = Config::builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .save_redirect_history(false)
            .user_agent(AutoHeaderValue::None)
            .accept(CONTENT_TYPE)
            .accept_encoding("identity")
            .max_response_header_size(HEAD_BYTES)
            .input_buffer_size(BUFFER_BYTES)
            .output_buffer_size(BUFFER_BYTES)
            .max_idle_connections(1)
            .max_idle_connections_per_host(1)
            .timeout_global(Some(self.patience.left()))
            .build();
        Agent::with_parts(config, Dial(Arc::clone(self)), Loopback(self.port))
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let stream = loop {
            match TcpStream::connect_timeout(&address, self.patience.slice(CONNECT_SLICE)?) {
                Ok(stream) => break stream,
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(error),
            }
        };
        // A client port may meet itself where nobody listens.
        if stream.peer_addr()? != address || stream.local_addr()? == address {
            return Err(ErrorKind::ConnectionRefused.into());
        }
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SLICE))?;
        stream.set_write_timeout(Some(SLICE))?;
        Ok(stream)
    }
}

/// Answers every name with the one loopback address.
#[derive(Debug)]
struct Loopback(u16);

impl Resolver for Loopback {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        addresses.push(SocketAddr::from((Ipv4Addr::LOCALHOST, self.0)));
        Ok(addresses)
    }
}

/// Opens the line once.
#[derive(Debug)]
struct Dial(Arc<Line>);

impl Connector for Dial {
    type Out = Socket;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<Socket>, ureq::Error> {
        if self.0.dialled.swap(true, Ordering::Relaxed) {
            // The proof belongs to the first connection; a second one has proved nothing.
            return Err(io::Error::from(ErrorKind::NotConnected).into());
        }
        let stream = self.0.connect()?;
        self.0.open.store(true, Ordering::Relaxed);
        Ok(Some(Socket {
            stream,
            buffers: LazyBuffers::new(BUFFER_BYTES, BUFFER_BYTES),
            line: Arc::clone(&self.0),
        }))
    }
}

/// The open connection.
struct Socket {
    stream: TcpStream,
    buffers: LazyBuffers,
    line: Arc<Line>,
}

// The buffers may hold the key, so they are not shown.
impl std::fmt::Debug for Socket {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Socket").finish_non_exhaustive()
    }
}

impl Transport for Socket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), ureq::Error> {
        let output = self.buffers.output();
        let amount = amount.min(output.len());
        let (output, _) = output.split_at_mut(amount);
        let sent = send(&mut self.stream, &self.line.patience, output);
        // What was sent may have held the key.
        output.zeroize();
        Ok(sent?)
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, ureq::Error> {
        loop {
            self.line.patience.slice(SLICE)?;
            let room = self.buffers.input_append_buf();
            if room.is_empty() {
                return Err(io::Error::from(ErrorKind::OutOfMemory).into());
            }
            match self.stream.read(room) {
                Ok(amount) => {
                    self.buffers.input_appended(amount);
                    self.line
                        .received
                        .fetch_add(amount as u64, Ordering::Relaxed);
                    return Ok(amount > 0);
                }
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn is_open(&mut self) -> bool {
        let silent = |stream: &mut TcpStream| {
            stream.set_nonblocking(true)?;
            let silent = match stream.peek(&mut [0]) {
                Err(error) => error.kind() == ErrorKind::WouldBlock,
                // Either closed, or bytes that nobody asked for.
                Ok(_) => false,
            };
            stream.set_nonblocking(false)?;
            io::Result::Ok(silent)
        };
        silent(&mut self.stream).unwrap_or(false)
    }
}

/// Sends all of `output`.
fn send(stream: &mut TcpStream, patience: &Patience, mut output: &[u8]) -> io::Result<()> {
    while !output.is_empty() {
        patience.slice(SLICE)?;
        match stream.write(output) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(amount) => output = output.get(amount..).unwrap_or_default(),
            Err(error) if is_wait(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether a call to the system only ran out of its slice.
fn is_wait(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
