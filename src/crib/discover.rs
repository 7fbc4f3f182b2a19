//! Finds the running service from its two files, and trusts them only when they are private.
//!
//! Order of the checks, all on open descriptors, none through a link:
//! 1. the user-data directory: owner, not writable by others;
//! 2. the directory of the discovery files inside it: owner, closed to others;
//! 3. each file inside that: regular, owner, closed to others, one name only, size;
//! 4. the same file unchanged after it was read;
//! 5. the status file's fields, then the key and that it belongs to the status;
//! 6. the recorded process lives, is ours and is the one that wrote the file.
//!
//! Nothing is kept between calls, so a new port or key is found by the next one. A file replaced
//! while it was read makes discovery start over once.

use std::path::Path;

use serde_json::{Map, Value};

use crate::crib::fault::{Code, Fault};
use crate::crib::json;
#[cfg(unix)]
use crate::crib::process;
use crate::crib::proof::{Key, Peer};
use crate::crib::wire::{
    APP_VERSION_BYTES, HOST, INSTANCE_CHARS, KEY_ID_CHARS, PIDS, PORTS, PROCESS_START_BYTES, SCHEMA,
};
#[cfg(unix)]
use files::{Files, Trouble};

/// A service that may be asked to prove itself.
pub(super) struct Found {
    pub(super) peer: Peer,
    pub(super) key: Key,
}

/// What a status file says, every field checked.
struct Status {
    peer: Peer,
    process_start: String,
    key_id: String,
}

const STATUS_ROLE: &str = "status file";
const KEY_ROLE: &str = "key file";

/// Looks for the service recorded in `user_data`.
///
/// # Errors
/// [`Code::LocalApiUnavailable`], [`Code::DiscoveryUnsafe`] or [`Code::ApiIncompatible`].
#[cfg(unix)]
pub(super) fn discover(user_data: &Path) -> Result<Found, Fault> {
    discover_watched(user_data, &mut |_| ())
}

/// Elsewhere owner, links and processes cannot be checked, so nothing is trusted.
#[cfg(not(unix))]
pub(super) fn discover(_: &Path) -> Result<Found, Fault> {
    Err(Fault::saying(
        Code::LocalApiUnavailable,
        "Crib's local API cannot be used on this system, because its discovery files cannot be checked here.",
    ))
}

/// `opened` is told each role whose file was opened and not yet read.
#[cfg(unix)]
fn discover_watched(
    user_data: &Path,
    opened: &mut dyn FnMut(&'static str),
) -> Result<Found, Fault> {
    let mut attempt = || attempt(user_data, opened);
    match attempt() {
        Err(Trouble::Replaced(_)) => attempt(),
        outcome => outcome,
    }
    .map_err(|trouble| match trouble {
        Trouble::Replaced(role) => Fault::discovery(role, "changed while it was read"),
        Trouble::Fault(fault) => fault,
    })
}

#[cfg(unix)]
fn attempt(user_data: &Path, opened: &mut dyn FnMut(&'static str)) -> Result<Found, Trouble> {
    use crate::crib::wire::{KEY_FILE, KEY_FILE_BYTES, STATUS_BYTES, STATUS_FILE};

    let files = Files::open(user_data)?;
    let mut status = vec![0; STATUS_BYTES + 1];
    let length = files.read(STATUS_FILE, STATUS_ROLE, &mut status, opened)?;
    let status = Status::read(status.get(..length).unwrap_or_default())?;

    let mut text = zeroize::Zeroizing::new([0; KEY_FILE_BYTES + 1]);
    let length = files.read(KEY_FILE, KEY_ROLE, text.as_mut(), opened)?;
    let key = Key::read(text.get(..length).unwrap_or_default())
        .ok_or_else(|| Fault::discovery(KEY_ROLE, "does not hold one key"))?;
    if key.id() != status.key_id {
        return Err(Fault::discovery(KEY_ROLE, "does not belong to the status file").into());
    }

    let process = process::look_up(status.peer.pid);
    let ours = |process: &process::Process| {
        process.start == status.process_start
            && process.uid == rustix::process::getuid().as_raw()
            && !process.zombie
    };
    if !process.as_ref().is_some_and(ours) {
        return Err(Fault::saying(
            Code::LocalApiUnavailable,
            "Crib is not running. Start Crib and enable its local API in Settings, Integrations.",
        )
        .into());
    }
    Ok(Found {
        peer: status.peer,
        key,
    })
}

impl Status {
    fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let fields: Map<String, Value> = json::parse(bytes).ok_or_else(|| {
            Fault::discovery(STATUS_ROLE, "is not one JSON object with each key once")
        })?;
        if fields.get("schema").and_then(Value::as_u64) != Some(SCHEMA) {
            return Err(Fault::new(Code::ApiIncompatible));
        }
        Self::from_fields(&fields)
            .ok_or_else(|| Fault::discovery(STATUS_ROLE, "breaks a rule of its fields"))
    }

    fn from_fields(fields: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let number = |name: &str| fields.get(name).and_then(Value::as_u64);
        let hex = |text: &&str| {
            text.bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        text("app_version").filter(|version| version.len() <= APP_VERSION_BYTES)?;
        text("host").filter(|host| *host == HOST)?;
        let start = text("process_start")
            .filter(|start| (1..=PROCESS_START_BYTES).contains(&start.len()))?;
        let instance = text("instance_id").filter(|id| id.len() == INSTANCE_CHARS)?;
        let key_id = text("key_id").filter(|id| id.len() == KEY_ID_CHARS)?;
        let port = number("port").filter(|port| PORTS.contains(port))?;
        let pid = number("pid").filter(|pid| PIDS.contains(pid))?;
        Some(Self {
            peer: Peer {
                instance_id: Some(instance).filter(hex)?.to_owned(),
                port: u16::try_from(port).ok()?,
                pid: u32::try_from(pid).ok()?,
            },
            process_start: start.to_owned(),
            key_id: Some(key_id).filter(hex)?.to_owned(),
        })
    }
}

#[cfg(unix)]
mod files;

#[cfg(all(test, unix))]
mod tests;
