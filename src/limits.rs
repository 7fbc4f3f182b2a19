//! Every number that bounds something, in one place.
//!
//! A *limit* is a constant of the program, a *cap* the host's choice within a limit, a *budget*
//! what one request may still spend. Callers can lower what the host allows, never raise it.
//! Help texts, tool schemas, checks and the README table read these constants.

use std::time::Duration;

/// One mebibyte, in bytes.
pub const MIB: usize = 1024 * 1024;

/// The values a host may choose from, and what it gets when it says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Smallest value accepted.
    pub min: u64,
    /// Value used when the host names none.
    pub default: u64,
    /// Largest value accepted.
    pub max: u64,
}

impl Range {
    /// Whether `value` may be chosen.
    #[must_use]
    pub const fn contains(&self, value: u64) -> bool {
        self.min <= value && value <= self.max
    }
}

/// Bytes of a file for each place that `--lossy` may replace; a shorter file may have one. Keeps
/// files in other encodings out, which would be replacement characters mostly. Enforced in
/// `text::legacy`; nobody can change it.
pub const LOSSY_BYTES: usize = 1_000;
/// Longest incoming line of the repository server, in bytes without its newline. Protects memory
/// from a caller that never sends a newline. Enforced in `mcp::frame`; nobody can change it.
pub const FRAME_BYTES: usize = MIB;
/// Longest incoming line of the documentation server, in bytes without its newline.
pub const DOCS_FRAME_BYTES: usize = 256 * 1024;
/// Longest outgoing line, in bytes, JSON escapes included. Clients drop the connection at 10 MiB.
/// Enforced in `mcp`; a longer resource is a `ResourceLimit`.
pub const OUT_LINE_BYTES: usize = 9 * MIB;
/// Requests being worked on at once by the repository server. Enforced in `mcp::serve`.
pub const IN_FLIGHT: usize = 4;
/// Documentation requests being worked on at once by the documentation server.
pub const DOCS_IN_FLIGHT: usize = 8;
/// Documentation requests that may wait behind those. One more is refused as busy.
pub const DOCS_WAITING: usize = 32;
/// Elements of one batch array (2025-03-26). Bounds what one line can be answered with. Enforced
/// in `mcp::message`; a longer array is refused as a whole.
pub const BATCH_ITEMS: usize = 128;
/// Time one request may take, in seconds. The host chooses within the range.
pub const REQUEST_SECONDS: Range = Range {
    min: 1,
    default: 60,
    max: 600,
};
/// Time that documentation requests have left after the end of input: enough for an application
/// that answers at once, and the sockets of the others are closed soon.
pub const DOCS_FINISH: Duration = Duration::from_millis(100);
/// Time given to finished answers after the end of input.
pub const GRACE: Duration = Duration::from_millis(500);
/// Progress notifications are at least this far apart.
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// Tokens of one volume, task context or reading sequence. The host chooses within the range,
/// a request can only lower it.
pub const VOLUME_TOKENS: Range = Range {
    min: 1,
    default: 16_000,
    max: 16_000,
};
/// Volumes held for one run, the index not counted. Enforced in `pack::split`.
pub const VOLUMES: Range = Range {
    min: 1,
    default: 64,
    max: 256,
};
/// Tokens that `--split` and `--budget` may name. Keeps sums of counts far from 64 bits.
/// Enforced in `cli::settings`.
pub const DOCUMENT_TOKENS: Range = Range {
    min: 1,
    default: VOLUME_TOKENS.default,
    max: 1_000_000_000_000,
};
/// Volumes of a document divided into a directory. Keeps the numbers of parts to four digits.
/// Enforced in `pack::split`; nobody can change it.
pub const SPLIT_VOLUMES: u64 = 9_999;
/// All derived bytes held for one run, index or audit included. The host chooses within the range.
pub const OUTPUT_BYTES: Range = Range {
    min: MIB as u64,
    default: 16 * MIB as u64,
    max: 256 * MIB as u64,
};
/// Bytes of one resource. Nobody can change it.
pub const RESOURCE_BYTES: usize = 4 * MIB;
/// Tokens one `read_context` call returns when the request names no number.
pub const READ_TOKENS: u64 = 8_000;

/// Paths in one list of a request. The list of a host may have as many as [`CANDIDATES`].
pub const LISTED_PATHS: usize = 4_096;
/// UTF-8 bytes of one root-relative path.
pub const PATH_BYTES: usize = 4_096;
/// Paths of one `explain_selection` request.
pub const EXPLAIN_PATHS: usize = 256;

/// Tasks of one planning request.
pub const TASKS: usize = 16;
/// UTF-8 bytes of a task's name.
pub const TASK_ID_BYTES: usize = 64;
/// Items of one `required` or `optional` list.
pub const TASK_ITEMS: usize = 128;
/// Different paths over all tasks of one planning request.
pub const PLAN_PATHS: usize = 128;
/// Bytes of the canonical JSON of one planning request.
pub const PLAN_BYTES: usize = MIB;
/// Priorities of an optional item.
pub const PRIORITY: Range = Range {
    min: 0,
    default: 0,
    max: 100,
};
/// Source bytes one planning request may read.
pub const PLAN_READ_BYTES: Range = Range {
    min: 1,
    default: 16 * MIB as u64,
    max: 16 * MIB as u64,
};
/// Renderings of a complete document in one planning request.
pub const PLAN_ATTEMPTS: Range = Range {
    min: 2,
    default: 256,
    max: 256,
};

/// Successful rounds of one reading sequence.
pub const CODE_ROUNDS: usize = 3;
/// Items of one `read_code_context` request.
pub const CODE_ITEMS: usize = 64;
/// UTF-8 bytes of a symbol path.
pub const SYMBOL_BYTES: usize = 1_024;
/// Segments of a symbol path.
pub const SYMBOL_SEGMENTS: usize = 32;
/// Levels of an outline.
pub const OUTLINE_DEPTH: Range = Range {
    min: 1,
    default: 8,
    max: 8,
};
/// Symbols in the index of one file.
pub const INDEX_SYMBOLS: usize = 20_000;
/// Nesting of symbols in the index of one file.
pub const INDEX_DEPTH: usize = 64;
/// Same-file declarations delivered with one symbol.
pub const DEPENDENCIES: usize = 64;
/// Time one file may take to parse.
pub const PARSE_TIME: Duration = Duration::from_millis(200);

/// UTF-8 bytes of a search text.
pub const QUERY_BYTES: usize = 1_024;
/// Patterns that narrow one search.
pub const SEARCH_PATHS: usize = 32;
/// Tokens of one answer of `list_files` or `search_code`. A request chooses up to the host's cap.
pub const FIND_TOKENS: Range = Range {
    min: 200,
    default: 2_000,
    max: VOLUME_TOKENS.max,
};
/// Groups that a search may skip.
pub const FIND_OFFSET: u64 = 1_000_000;
/// Levels of a listing.
pub const LIST_DEPTH: Range = Range {
    min: 1,
    default: 16,
    max: 16,
};
/// Files that one search looks into for symbols, the best ones, where not all are needed.
pub const SEARCH_FILES: usize = 64;
/// Bytes of a compiled regular expression.
pub const REGEX_BYTES: usize = MIB;
/// Processor time that each thread may spend on one pass over the files of a tree. What is not
/// looked at then is told as `partial`.
pub const SEARCH_TIME: Duration = Duration::from_secs(1);
/// Files that a server remembers facts about.
pub const MEMORY_ENTRIES: usize = 200_000;
/// Bytes that a server remembers, outlines included, estimated.
pub const MEMORY_BYTES: usize = 128 * MIB;

/// Files and directories one walk may meet. Protects memory; more fail the run with `InputLimit`.
pub const CANDIDATES: Range = Range {
    min: 1,
    default: 200_000,
    max: 10_000_000,
};
/// Source bytes one run may read. More fail the run with `InputLimit`.
pub const SOURCE_BYTES: Range = Range {
    min: 1,
    default: 1024 * MIB as u64,
    max: 1024 * 1024 * MIB as u64,
};
/// Bytes of one source file. A larger file is skipped with `FileTooLarge`.
pub const FILE_BYTES: Range = Range {
    min: 1,
    default: 50 * MIB as u64,
    max: 1024 * MIB as u64,
};
/// Bytes of one ignore file. A larger one is refused with an error naming it.
pub const IGNORE_FILE_BYTES: usize = 4 * MIB;

/// Unicode scalars of a documentation search text.
pub const CRIB_TEXT_CHARS: usize = 256;
/// Hits on one page of a documentation search.
pub const CRIB_HITS: Range = Range {
    min: 1,
    default: 20,
    max: 50,
};
/// Largest offset of a documentation search.
pub const CRIB_OFFSET: u64 = 10_000;
/// Unicode scalars of one delivered piece of a documentation page.
pub const CRIB_PAGE: Range = Range {
    min: 1,
    default: 16_000,
    max: 50_000,
};
/// Time for one exchange with the documentation service, challenge and data together.
pub const CRIB_TIME: Duration = Duration::from_secs(8);
/// Bytes of one answer of the documentation service.
pub const CRIB_BYTES: usize = 4 * MIB;
