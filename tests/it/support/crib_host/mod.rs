//! A stub of the documentation service, with faults on demand.
//!
//! It keeps the contract over a few made-up documents, on free ports of 127.0.0.1, and keeps
//! every byte that any of its sockets receives, so that a test can look for the key in them.

pub(crate) mod documents;
mod serve;

use std::collections::BTreeSet;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What the service does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// A proof of random bytes.
    RandomProof,
    /// The proof that the real service on another port gives for this nonce.
    RelayedProof,
    /// A proof recorded before.
    ReplayedProof,
    /// The right proof for another instance, which is named.
    OtherInstance,
    /// The right proof, but another instance is named.
    MisnamedInstance,
    /// A proof with another process id.
    OtherPid,
    /// A proof with another key.
    OtherKey,
    /// A proof over the same parts without their lengths.
    UnframedProof,
    /// The first 31 bytes of the right proof.
    ShortProof,
    /// The right proof with schema 2.
    ChallengeSchema,
    /// 404 on the challenge.
    NoChallenge,
    /// 307 on the challenge, to the trap.
    ChallengeRedirect,
    /// Closes on the challenge.
    ChallengeClosed,
    /// Never answers the challenge.
    ChallengeSilent,
    /// The first time: right proof with `Connection: close`. Afterwards sound.
    CloseAnnounced,
    /// The first time: right proof, then closed at once. Afterwards sound.
    CloseSilent,
    /// Right proof, then closed, every time.
    CloseAlways,
    /// The first time: right proof, then closed; whoever answers afterwards cannot prove.
    CloseThenSquatter,
    /// 307 on documents, to the trap.
    Redirect,
    /// 302 on documents, to the same path of the same service.
    RedirectHome,
    /// A body of 4 MiB and one byte, with its length.
    Oversize,
    /// A chunked body without end.
    OversizeChunked,
    /// A body of exactly 4 MiB.
    AtLimit,
    /// A sound chunked body.
    Chunked,
    /// One byte of the body after another, for ever.
    Drip,
    /// One byte of the head after another, for ever.
    DripHead,
    /// Half of the deadline for the challenge and more than half for the document.
    SlowBoth,
    /// `Content-Encoding: gzip`.
    Gzip,
    /// `Content-Type: text/plain`.
    TextPlain,
    /// Sets a cookie.
    SetCookie,
    /// A head of more than 16 KiB.
    HeadTooLarge,
    /// JSON nested 40 deep in an unknown member.
    Deep,
    /// Bytes that are not UTF-8.
    BadUtf8,
    /// JSON of another shape.
    BadShape,
    /// A key given twice.
    RepeatedKey,
    /// Unknown members, which go no further.
    UnknownMember,
    /// A body shorter than announced.
    Truncated,
    /// Something that is not HTTP.
    NotHttp,
    /// HTTP/1.0.
    OldHttp,
    /// The document is held back until the client leaves.
    Hold,
    /// This code with this status.
    Report(&'static str, u16),
}

/// Which port a connection came in on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The recorded one.
    Main,
    /// The same service on another port, for relays.
    Other,
    /// Where nobody may ever connect.
    Trap,
}

/// What one connection received.
pub(crate) struct Connection {
    pub(crate) role: Role,
    /// Every byte received.
    pub(crate) bytes: Vec<u8>,
    /// Where the key may stand: headers of data requests on a proved connection.
    pub(crate) allowed: Vec<std::ops::Range<usize>>,
    /// The peer has closed.
    pub(crate) closed: bool,
}

struct State {
    keys: Vec<[u8; 32]>,
    instance: String,
    port: u16,
    revision: u32,
    fault: Fault,
    /// Challenges answered since the fault was set.
    challenges: u32,
    nonces: BTreeSet<String>,
    recorded: Option<Value>,
    connections: Vec<Connection>,
    /// What clients did that they must not do.
    wrongs: Vec<String>,
    held: usize,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    over: AtomicBool,
    trap: u16,
    other: u16,
    /// How slow [`Fault::SlowBoth`] is.
    pause: Duration,
}

/// The running stub. Its files and ports go with it.
pub(crate) struct Host {
    directory: tempfile::TempDir,
    shared: Arc<Shared>,
    ports: Mutex<Vec<u16>>,
}

impl Host {
    /// Starts the stub with fresh key, instance and ports.
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let [main, other, trap] = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                keys: vec![random()],
                instance: hex(&random()[..16]),
                port: port(&main),
                revision: 1,
                fault: Fault::None,
                challenges: 0,
                nonces: BTreeSet::new(),
                recorded: None,
                connections: Vec::new(),
                wrongs: Vec::new(),
                held: 0,
            }),
            changed: Condvar::new(),
            over: AtomicBool::new(false),
            trap: port(&trap),
            other: port(&other),
            pause: Duration::from_millis(200),
        });
        let ports = [&main, &other, &trap].map(port).to_vec();
        for (role, listener) in [(Role::Main, main), (Role::Other, other), (Role::Trap, trap)] {
            serve::listen(Arc::clone(&shared), role, listener);
        }
        let host = Self {
            directory,
            shared,
            ports: Mutex::new(ports),
        };
        fs::DirBuilder::new()
            .mode(0o755)
            .create(host.user_data())
            .unwrap();
        fs::DirBuilder::new()
            .mode(0o700)
            .create(host.api())
            .unwrap();
        host.write();
        host
    }

    /// The directory that clients are given.
    pub(crate) fn user_data(&self) -> PathBuf {
        self.directory.path().join("Crib")
    }

    /// The directory of the discovery files.
    pub(crate) fn api(&self) -> PathBuf {
        self.user_data().join("api")
    }

    /// A path beside the user data, for tests to put things.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }

    /// The port of the service.
    pub(crate) fn port(&self) -> u16 {
        self.state().port
    }

    /// The generation that holds now.
    pub(crate) fn generation(&self) -> String {
        self.state().generation()
    }

    /// From now on this goes wrong.
    pub(crate) fn fault(&self, fault: Fault) {
        let mut state = self.state();
        state.fault = fault;
        state.challenges = 0;
    }

    /// As if a document set had been enabled.
    pub(crate) fn change_documents(&self) {
        self.state().revision += 1;
    }

    /// As if the application had been started again: another port, another instance.
    pub(crate) fn restart(&self) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        {
            let mut state = self.state();
            state.port = port;
            state.instance = hex(&random()[..16]);
        }
        self.ports.lock().unwrap().push(port);
        serve::listen(Arc::clone(&self.shared), Role::Main, listener);
        self.write();
    }

    /// As if the user had reset the key.
    pub(crate) fn reset_key(&self) {
        self.state().keys.push(random());
        self.write();
    }

    /// The sound status file as it would be now.
    pub(crate) fn status(&self) -> Value {
        let state = self.state();
        json!({
            "schema": 1, "app_version": "1.4.0 (stub)", "instance_id": state.instance,
            "pid": std::process::id(), "process_start": process_start(std::process::id()),
            "host": "127.0.0.1", "port": state.port, "key_id": key_id(&state.key()),
            "future": {"port": 1},
        })
    }

    /// The text of the key file.
    pub(crate) fn key_text(&self) -> String {
        base64url(&self.state().key())
    }

    /// Writes both files anew, sound.
    pub(crate) fn write(&self) {
        self.put("status.json", self.status().to_string().as_bytes());
        self.put("access-key", format!("{}\n", self.key_text()).as_bytes());
    }

    /// Puts a file in the place of another as the application does: written aside, renamed.
    pub(crate) fn put(&self, name: &str, content: &[u8]) {
        put(&self.api().join(name), content);
    }

    /// How many connections the recorded port has had.
    pub(crate) fn connections(&self) -> usize {
        let state = self.state();
        state
            .connections
            .iter()
            .filter(|c| c.role == Role::Main)
            .count()
    }

    /// Waits until `n` documents are held back.
    pub(crate) fn wait_for_held(&self, n: usize) {
        self.wait(|state| state.held == n);
    }

    /// Waits until the recorded port has had `n` connections.
    pub(crate) fn wait_for_connections(&self, n: usize) {
        self.wait(|state| {
            let mains = state.connections.iter().filter(|c| c.role == Role::Main);
            mains.count() == n
        });
    }

    /// Waits until `n` clients of the recorded port have left.
    pub(crate) fn wait_for_closed(&self, n: usize) {
        self.wait(|state| {
            let mains = state.connections.iter().filter(|c| c.role == Role::Main);
            mains.filter(|c| c.closed).count() == n
        });
    }

    /// The port where nobody may connect.
    pub(crate) fn trap(&self) -> u16 {
        self.shared.trap
    }

    /// Waits until every client has closed its connections.
    pub(crate) fn wait_for_silence(&self) {
        self.wait(|state| state.connections.iter().all(|c| c.closed));
    }

    fn wait(&self, mut done: impl FnMut(&State) -> bool) {
        let state = self.state();
        let (_guard, outcome) = self
            .shared
            .changed
            .wait_timeout_while(state, Duration::from_secs(20), |state| !done(state))
            .unwrap();
        assert!(!outcome.timed_out(), "the stub waited in vain");
    }

    /// Fails when a client did what it must not do, or when any part of a key stands in what
    /// any socket received anywhere but in the one header of a proved connection.
    pub(crate) fn judge(&self) {
        self.wait_for_silence();
        let state = self.state();
        assert_eq!(state.wrongs, [] as [String; 0]);
        for connection in &state.connections {
            assert_ne!(connection.role, Role::Trap, "the trap was connected to");
            let mut rest = connection.bytes.clone();
            for range in &connection.allowed {
                rest[range.clone()].fill(0);
            }
            let found = state.keys.iter().any(|key| holds_key(&rest, key));
            assert!(!found, "a part of the key reached a socket");
        }
    }

    /// How often the key was sent where it may be sent.
    pub(crate) fn times_key_sent(&self) -> usize {
        self.wait_for_silence();
        let state = self.state();
        state.connections.iter().map(|c| c.allowed.len()).sum()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        for port in self.ports.lock().unwrap().iter() {
            // Wakes the thread that accepts.
            let _ = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], *port)));
        }
    }
}

impl State {
    fn key(&self) -> [u8; 32] {
        *self.keys.last().unwrap()
    }

    fn generation(&self) -> String {
        let ids: Vec<&str> = documents::SETS.iter().map(|set| set.id).collect();
        let hash = Sha256::digest(format!("{} {}", self.revision, ids.join(" ")));
        format!("g{}", hex(&hash[..8]))
    }
}

/// Writes `content` beside `path`, private, and renames it there.
pub(crate) fn put(path: &Path, content: &[u8]) {
    let aside = path.with_extension("new");
    let _ = fs::remove_file(&aside);
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&aside)
        .unwrap();
    std::io::Write::write_all(&mut file, content).unwrap();
    fs::rename(&aside, path).unwrap();
}

/// Whether the raw key, or any 12 characters of its text in a row, stand in `bytes`.
pub(crate) fn holds_key(bytes: &[u8], key: &[u8; 32]) -> bool {
    let text = base64url(key).into_bytes();
    let within = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    within(key) || text.windows(12).any(within)
}

/// Fresh random bytes.
pub(crate) fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// base64url without padding.
pub(crate) fn base64url(bytes: &[u8]) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bits: Vec<u8> = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1))
        .collect();
    bits.chunks(6)
        .map(|chunk| {
            let value = chunk.iter().fold(0, |value, bit| value << 1 | bit);
            alphabet[usize::from(value << (6 - chunk.len()))] as char
        })
        .collect()
}

/// The bytes of base64url text.
fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bits = Vec::new();
    for c in text.chars() {
        let value = alphabet.find(c)?;
        bits.extend((0..6).rev().map(|at| value >> at & 1));
    }
    let byte = |bits: &[usize]| u8::try_from(bits.iter().fold(0, |byte, bit| byte << 1 | bit));
    bits.chunks_exact(8).map(|chunk| byte(chunk).ok()).collect()
}

/// The public name of a key.
pub(crate) fn key_id(key: &[u8; 32]) -> String {
    let hash = Sha256::digest([b"crib-local-api/1 key-id\0".as_slice(), key].concat());
    hex(&hash[..8])
}

/// The parts of a proof's message.
struct Parts<'a> {
    client_nonce: &'a [u8],
    server_nonce: &'a [u8],
    instance: &'a str,
    port: u16,
    pid: u32,
}

impl Parts<'_> {
    fn prove(&self, key: &[u8; 32], framed: bool) -> Vec<u8> {
        let (port, pid) = (self.port.to_string(), self.pid.to_string());
        let mut message = Vec::new();
        for part in [
            b"crib-local-api/1 server-proof".as_slice(),
            self.client_nonce,
            self.server_nonce,
            self.instance.as_bytes(),
            b"127.0.0.1",
            port.as_bytes(),
            pid.as_bytes(),
        ] {
            if framed {
                message.extend(u32::try_from(part.len()).unwrap().to_be_bytes());
            }
            message.extend(part);
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
        mac.update(&message);
        mac.finalize().into_bytes().to_vec()
    }
}

/// The system's start mark of a process.
#[cfg(target_os = "linux")]
pub(crate) fn process_start(pid: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let ticks = stat.rsplit(')').next().unwrap().split(' ').nth(20).unwrap();
    format!("linux:{}:{ticks}", boot.trim())
}

/// The system's start mark of a process.
#[cfg(target_os = "macos")]
pub(crate) fn process_start(pid: u32) -> String {
    let info: proc_pidinfo::ProcBSDInfo = proc_pidinfo::proc_pidinfo(proc_pidinfo::Pid(pid))
        .unwrap()
        .unwrap();
    format!(
        "darwin:{}.{:06}",
        info.pbi_start_tvsec, info.pbi_start_tvusec
    )
}
