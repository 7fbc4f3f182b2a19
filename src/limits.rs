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

/// Paths in one list of a request or of the host.
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
/// Bytes of the rule files of one directory together. What is over is named and not in force.
/// Enforced in `scan::rule_file`; nobody can change it.
pub const RULE_BYTES: usize = MIB;
/// Rules of the rule files of one directory together. What is over is named and not in force.
pub const RULES: usize = 100_000;
/// Bytes of the rule files that are kept at a time: those of the directories on the way to one
/// file. Bounds the memory of a walk, which is at most some thirty times as much.
pub const HELD_RULE_BYTES: usize = 4 * MIB;
/// Bytes of one pattern of the host. A longer one is an error.
pub const PATTERN_BYTES: usize = 64 * 1024;

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
