//! The service's documents: their members in documented order, their form and their limits.
//!
//! A document is read into these types, so a member nobody promised goes no further, and written
//! again in the order of the fields. Members that may be null must still be present.

use serde::{Deserialize, Deserializer, Serialize};

use crate::crib::wire::{
    GENERATION_CHARS, ListArgs, LoadArgs, SECTION_KEY_CHARS, SNIPPET_CHARS, SearchArgs,
    is_coordinate,
};
use crate::limits::CRIB_OFFSET;

/// What kind of document set it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The manual of one version.
    Manual,
    /// A collection of wiki pages.
    Wiki,
}

/// The enabled document sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Docsets {
    /// Stands for the set of enabled document sets; changes with it.
    pub generation: String,
    /// Sorted by project, branch (highest first), locale and id.
    pub docsets: Vec<Docset>,
}

/// One enabled document set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Docset {
    /// Its id.
    pub docset_id: String,
    /// Manual or wiki.
    pub kind: Kind,
    /// What it documents.
    pub project: String,
    /// Version line, such as 18 or 9.6.
    pub branch: String,
    /// Full version, such as 18.1.
    pub version: String,
    /// Language.
    pub locale: String,
    /// Documentation domain.
    #[serde(deserialize_with = "nullable")]
    pub domain: Option<String>,
    /// Wiki collection.
    #[serde(deserialize_with = "nullable")]
    pub collection: Option<String>,
    /// For display.
    pub title: String,
    /// Number of sections.
    pub sections: u64,
    /// When its content was last updated, as the service writes it.
    pub updated_at: String,
}

/// One page of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// The generation that the section keys belong to.
    pub generation: String,
    /// What was searched for, after prefix, filters, aliases and defaults.
    pub query: Query,
    /// The hits, best first.
    pub results: Vec<Hit>,
    /// Hits passed over.
    pub offset: u64,
    /// Most hits on a page.
    pub limit: u64,
    /// Whether there is a next page; true exactly when `next_offset` is there.
    pub has_more: bool,
    /// Offset of the next page.
    #[serde(deserialize_with = "nullable")]
    pub next_offset: Option<u64>,
    /// Document sets that were searched.
    pub matched_docsets: u64,
    /// The service ran out of time: the result is incomplete.
    pub timed_out: bool,
    /// The service was interrupted: the result is incomplete.
    pub cancelled: bool,
    /// There were more candidates than the service looks at: the result is incomplete.
    pub candidate_truncated: bool,
    /// How long the service searched, in milliseconds.
    pub elapsed_ms: u64,
}

/// The effective values of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The words.
    pub text: String,
    /// The project.
    #[serde(deserialize_with = "nullable")]
    pub project: Option<String>,
    /// The version line, or `*`.
    #[serde(deserialize_with = "nullable")]
    pub branch: Option<String>,
    /// The language, or `*`.
    #[serde(deserialize_with = "nullable")]
    pub locale: Option<String>,
    /// The documentation domain.
    #[serde(deserialize_with = "nullable")]
    pub domain: Option<String>,
    /// The wiki collection.
    #[serde(deserialize_with = "nullable")]
    pub collection: Option<String>,
}

/// One hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// Coordinate of the section, valid within the generation.
    pub section_key: String,
    /// Title of the section.
    pub title: String,
    /// Titles on the way to the section.
    pub breadcrumb: Vec<String>,
    /// Manual or wiki.
    pub kind: Kind,
    /// What it documents.
    pub project: String,
    /// Version line.
    pub branch: String,
    /// Full version.
    pub version: String,
    /// Language.
    pub locale: String,
    /// Documentation domain.
    #[serde(deserialize_with = "nullable")]
    pub domain: Option<String>,
    /// Wiki collection.
    #[serde(deserialize_with = "nullable")]
    pub collection: Option<String>,
    /// The document set it belongs to.
    pub docset_id: String,
    /// Plain text around the hit, at most 300 Unicode scalars.
    pub snippet: String,
    /// Place in the whole result, from 1.
    pub rank: u64,
}

/// One piece of a section's plain text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The generation that the key belongs to.
    pub generation: String,
    /// Coordinate of the section.
    pub section_key: String,
    /// Title of the section.
    pub title: String,
    /// Titles on the way to the section.
    pub breadcrumb: Vec<String>,
    /// What it documents.
    pub project: String,
    /// Version line.
    pub branch: String,
    /// Language.
    pub locale: String,
    /// The piece.
    pub text: String,
    /// Where the piece starts, in Unicode scalars.
    pub offset: u64,
    /// Unicode scalars of the piece.
    pub length: u64,
    /// Unicode scalars of the whole section.
    pub total: u64,
    /// Where the next piece starts; absent at the end.
    #[serde(deserialize_with = "nullable")]
    pub next_offset: Option<u64>,
}

/// A member that may be null but not absent.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// Whether `answered` is a generation, and the one that was asked for.
fn is_generation(answered: &str, expected: Option<&str>) -> bool {
    is_coordinate(answered, GENERATION_CHARS)
        && expected.is_none_or(|expected| expected == answered)
}

fn scalars(text: &str) -> u64 {
    text.chars().count() as u64
}

impl Docsets {
    /// Whether this can be the answer to `args`.
    pub(super) fn answers(&self, args: &ListArgs) -> bool {
        is_generation(&self.generation, args.generation.as_deref())
    }
}

impl Hits {
    /// Whether this can be the answer to `args`.
    pub(super) fn answers(&self, args: &SearchArgs) -> bool {
        let hits = self.results.len() as u64;
        let next = self.next_offset;
        is_generation(&self.generation, args.generation.as_deref())
            && (self.offset, self.limit) == (args.offset, args.limit)
            && hits <= self.limit
            && self.has_more == next.is_some()
            && next.is_none_or(|next| {
                self.offset < next && next <= CRIB_OFFSET.min(self.offset + self.limit)
            })
            && self.results.iter().all(Hit::is_sound)
    }
}

impl Hit {
    fn is_sound(&self) -> bool {
        is_coordinate(&self.section_key, SECTION_KEY_CHARS)
            && scalars(&self.snippet) <= SNIPPET_CHARS as u64
            && self.rank >= 1
    }
}

impl Section {
    /// Whether this can be the answer to `args`.
    pub(super) fn answers(&self, args: &LoadArgs) -> bool {
        let Some(end) = self.offset.checked_add(self.length) else {
            return false;
        };
        let next = (end < self.total).then_some(end);
        is_generation(&self.generation, Some(&args.generation))
            && self.section_key == args.section_key
            && self.offset == args.offset
            && self.length == scalars(&self.text)
            && self.length <= args.limit
            && end <= self.total
            && self.next_offset == next
            // A piece that brings nothing would be asked for again and again.
            && (self.length > 0 || next.is_none())
    }
}

#[cfg(test)]
mod tests;
