//! Counts over the candidates of a run, for results and summaries.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::intake::Skipped;

/// How many candidates became what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileCounts {
    /// Accepted and skipped together.
    pub candidates: u64,
    /// Files whose text is in the result.
    pub accepted: u64,
    /// Files and directories that are not.
    pub skipped: u64,
    /// Skipped candidates by reason, in byte order of the reasons.
    pub skipped_by_reason: BTreeMap<&'static str, u64>,
}

impl FileCounts {
    /// Counts the candidates of a run.
    #[must_use]
    pub fn new(n_accepted: usize, skipped: &[Skipped]) -> Self {
        let mut skipped_by_reason: BTreeMap<&'static str, u64> = BTreeMap::new();
        for one in skipped {
            *skipped_by_reason
                .entry(one.omission.reason.as_str())
                .or_default() += 1;
        }
        let (accepted, skipped) = (n_accepted as u64, skipped.len() as u64);
        Self {
            candidates: accepted + skipped,
            accepted,
            skipped,
            skipped_by_reason,
        }
    }
}
