//! A run whose result is volumes and an index.

use crate::cancel::Cancel;
use crate::error::Error;
use crate::intake::{Security, Skipped};
use crate::options::HostOptions;
use crate::progress::Progress;
use crate::reason::IdleRules;
use crate::tokens::count::count_in_parallel;
use crate::tokens::verify;

use super::Request;
use super::index;
use super::piece::{FileFacts, Room, gather};
use super::split::{self, Volume, VolumeCaps};

/// What bounds a run.
#[derive(Clone, Copy, Debug)]
pub struct RunCaps {
    /// Each volume, and their number.
    pub volume: VolumeCaps,
    /// Bytes of all volumes and the index together.
    pub output_bytes: u64,
}

/// The result of a run.
#[derive(Debug)]
pub struct Pack {
    /// The volumes, in reading order.
    pub volumes: Vec<Volume>,
    /// The text of `index.json`.
    pub index: String,
    /// Tokens of the index.
    pub index_tokens: u64,
    /// What is told about each accepted file, in path order.
    pub files: Vec<FileFacts>,
    /// Everything left out, in path order.
    pub skipped: Vec<Skipped>,
    /// The outcome of the secret scan.
    pub security: Security,
    /// Rule files that are not in force, in ascending order.
    pub idle: Vec<IdleRules>,
    /// Whether a directory could not be listed or a rule file is not in force.
    pub partial: bool,
}

/// Sums over the volumes and the accepted files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tokens of all volumes.
    pub tokens: u64,
    /// Bytes of all volumes.
    pub bytes: u64,
    /// Bytes of the accepted files on disk.
    pub source_bytes: u64,
    /// Lines of the accepted files.
    pub source_lines: u64,
}

impl Pack {
    /// Sums over the volumes and the accepted files.
    #[must_use]
    pub fn totals(&self) -> Totals {
        totals(&self.volumes, &self.files)
    }
}

/// Sums over volumes and accepted files.
#[must_use]
pub fn totals(volumes: &[Volume], files: &[FileFacts]) -> Totals {
    Totals {
        tokens: volumes.iter().map(|volume| volume.tokens).sum(),
        bytes: volumes.iter().map(|volume| volume.text.len() as u64).sum(),
        source_bytes: files.iter().map(|file| file.source_bytes).sum(),
        source_lines: files.iter().map(|file| u64::from(file.source_lines)).sum(),
    }
}

/// Packs the request's files into volumes. `run_id` stands in the index.
///
/// # Errors
/// Those of gathering and dividing, and [`Error::ResourceLimit`] when volumes and index pass
/// `caps.output_bytes` or the index alone passes `caps.volume.bytes`.
pub fn pack(
    host: &HostOptions,
    request: &Request<'_>,
    caps: &RunCaps,
    run_id: &str,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<Pack, Error> {
    let room = Room {
        tokens: split::room(host, request, &caps.volume)?,
        bytes: caps.output_bytes,
    };
    let gathered = gather(host, request, room, progress, cancel)?;
    let division = split::divide(host, request, gathered.accepted, &caps.volume, cancel)?;
    let mut skipped = gathered.skipped;
    skipped.extend(division.over);
    skipped.sort_by(|a, b| a.omission.path.cmp(&b.omission.path));
    let mut pack = Pack {
        volumes: division.volumes,
        index: String::new(),
        index_tokens: 0,
        files: division.files,
        skipped,
        security: gathered.security,
        idle: gathered.idle,
        partial: gathered.partial,
    };
    pack.index = index::render(&pack, request, caps.volume.tokens, run_id);
    let total = pack.totals().bytes + pack.index.len() as u64;
    if total > caps.output_bytes {
        return Err(Error::ResourceLimit {
            limit: caps.output_bytes,
        });
    }
    if pack.index.len() as u64 > caps.volume.bytes {
        return Err(Error::ResourceLimit {
            limit: caps.volume.bytes,
        });
    }
    pack.index_tokens = count_in_parallel(&pack.index, cancel)?;
    if host.verify_counts {
        for volume in &pack.volumes {
            cancel.check()?;
            verify::check(&volume.text, volume.tokens)?;
        }
        verify::check(&pack.index, pack.index_tokens)?;
    }
    Ok(pack)
}
