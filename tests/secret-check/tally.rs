//! Counts what was found per label and embedding, and prints it as one table.

use std::collections::BTreeMap;
use std::fmt;

use moon_repomix::cancel::Cancel;
use moon_repomix::secrets::detect;

use crate::corpus::Sample;

/// Least share of each label, of each embedding, and of all in a set that nobody tuned on.
const LABEL: f64 = 0.97;
const EMBEDDING: f64 = 0.95;
const SECOND: (f64, f64) = (0.90, 0.98);

/// Found, of how many.
#[derive(Clone, Copy, Default)]
struct Share(u32, u32);

impl Share {
    fn add(&mut self, hit: bool) {
        self.0 += u32::from(hit);
        self.1 += 1;
    }

    fn value(self) -> f64 {
        f64::from(self.0) / f64::from(self.1.max(1))
    }
}

/// What a scan made of all samples.
#[derive(Default)]
pub struct Tally {
    labels: BTreeMap<&'static str, Share>,
    embeddings: BTreeMap<&'static str, Share>,
    harmless: BTreeMap<&'static str, Share>,
    all: Share,
    right: u32,
    wrong: Share,
}

/// Whether the scan finds something in the lines of the value (anywhere in a harmless text), and
/// whether it calls it what it is.
pub fn found(sample: &Sample, secret: bool) -> (bool, bool) {
    let findings = detect(&sample.text, &Cancel::never()).unwrap();
    let (first, last) = sample.lines;
    let there = |start: u32, end: u32| !secret || start <= last && first <= end;
    let mut hits = findings
        .iter()
        .filter(|finding| there(finding.start_line, finding.end_line))
        .peekable();
    let hit = hits.peek().is_some();
    (hit, hits.any(|finding| finding.label == sample.kind))
}

impl Tally {
    pub fn add(&mut self, sample: &Sample, secret: bool, hit: bool, right: bool) {
        if secret {
            self.labels.entry(sample.kind).or_default().add(hit);
            self.embeddings.entry(sample.embedding).or_default().add(hit);
            self.all.add(hit);
            self.right += u32::from(right);
        } else {
            self.harmless.entry(sample.kind).or_default().add(hit);
            self.wrong.add(hit);
        }
    }

    fn precision(&self) -> f64 {
        f64::from(self.all.0) / f64::from((self.all.0 + self.wrong.0).max(1))
    }

    /// Whether the figures are what they should be.
    pub fn good(&self, second: bool) -> bool {
        if second {
            return self.all.value() >= SECOND.0 && self.precision() >= SECOND.1;
        }
        self.wrong.0 == 0
            && self.labels.values().all(|share| share.value() >= LABEL)
            && self.embeddings.values().all(|share| share.value() >= EMBEDDING)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |f: &mut fmt::Formatter<'_>, title: &str, table: &BTreeMap<&str, Share>| {
            writeln!(f, "{title:<28} {:>6} {:>6} {:>6}", "found", "of", "share")?;
            for (name, share) in table {
                writeln!(f, "{name:<28} {:>6} {:>6} {:>6.3}", share.0, share.1, share.value())?;
            }
            writeln!(f)
        };
        rows(f, "label", &self.labels)?;
        rows(f, "embedding", &self.embeddings)?;
        rows(f, "harmless", &self.harmless)?;
        writeln!(
            f,
            "recall {:.4} ({} of {}), right label {:.4}, precision {:.4} ({} false in {} harmless texts)",
            self.all.value(),
            self.all.0,
            self.all.1,
            f64::from(self.right) / f64::from(self.all.1.max(1)),
            self.precision(),
            self.wrong.0,
            self.wrong.1,
        )
    }
}
