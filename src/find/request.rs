//! What a listing or a search asks for, and how it is written as JSON.

use crate::arguments::{Argument, Field, Fields, Invalid, Rule};
use crate::error::Error;
use crate::limits::{FIND_OFFSET, FIND_TOKENS, LIST_DEPTH, QUERY_BYTES, SEARCH_PATHS};
use crate::options::Caps;
use crate::path::{PathFault, RelPath};

use super::narrow::Narrow;

/// A listing that is asked for.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The directory; the root when there is none.
    pub dir: Option<RelPath>,
    /// Most levels shown.
    pub depth: u64,
    /// Which files.
    pub narrow: Narrow,
    /// Most tokens of the answer.
    pub max_tokens: u64,
    /// Whether tokens are told in place of bytes.
    pub tokens: bool,
}

/// A search that is asked for.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// What is looked for.
    pub query: String,
    /// How the query is read.
    pub mode: Mode,
    /// Which files.
    pub narrow: Narrow,
    /// Whether case counts; each mode has its own default.
    pub case_sensitive: Option<bool>,
    /// Most tokens of the answer.
    pub max_tokens: u64,
    /// Places to skip.
    pub offset: usize,
}

/// How a query is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One name as a symbol if it is defined; everything else as words.
    Auto,
    /// Words in any order and form.
    Words,
    /// The definitions of a name or symbol path.
    Symbol,
    /// The places in code where a name stands.
    References,
    /// These very characters.
    Text,
    /// A regular expression.
    Regex,
}

impl Mode {
    /// All modes by name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("words", Self::Words),
        ("symbol", Self::Symbol),
        ("references", Self::References),
        ("text", Self::Text),
        ("regex", Self::Regex),
    ];

    /// The name as written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, mode)| *mode == self);
        found.map_or("auto", |(name, _)| name)
    }

    /// The mode of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, mode)| *mode)
    }
}

/// Least tokens that a request may name: the usual least, or the host's cap below it.
#[must_use]
pub fn least_tokens(cap: u64) -> u64 {
    FIND_TOKENS.min.min(cap)
}

/// Reads a listing from its arguments.
///
/// # Errors
/// The first argument that breaks a rule.
pub fn parse_list(arguments: &Argument, caps: &Caps) -> Result<ListRequest, Invalid> {
    let accepted = ["path", "depth", "glob", "maxTokens", "tokens"];
    let fields = Fields::of(arguments, &accepted)?;
    let dir = fields.optional("path").map(|field| {
        directory(field.text()?).map_err(|fault| field.invalid(Rule::Path, fault.to_string()))
    });
    let depth = fields
        .optional("depth")
        .map(|field| field.integer(LIST_DEPTH.min, LIST_DEPTH.max));
    let glob = fields.optional("glob");
    let patterns = glob.as_ref().map(Field::text).transpose()?;
    let narrow = Narrow::new("glob", patterns);
    let tokens = fields.optional("tokens").map(|field| field.flag());
    Ok(ListRequest {
        dir: dir.transpose()?.flatten(),
        depth: depth.transpose()?.unwrap_or(LIST_DEPTH.default),
        narrow: match (narrow, &glob) {
            (Ok(narrow), _) => narrow,
            (Err(error), Some(field)) => return Err(bad_pattern(field, &error)),
            (Err(_), None) => Narrow::default(),
        },
        max_tokens: max_tokens(&fields, caps)?,
        tokens: tokens.transpose()?.unwrap_or(false),
    })
}

/// Reads a search from its arguments.
///
/// # Errors
/// The first argument that breaks a rule.
pub fn parse_search(arguments: &Argument, caps: &Caps) -> Result<SearchRequest, Invalid> {
    let accepted = [
        "query",
        "mode",
        "paths",
        "caseSensitive",
        "maxTokens",
        "offset",
    ];
    let fields = Fields::of(arguments, &accepted)?;
    let query = fields.required("query")?;
    let text = query.text_within(1, QUERY_BYTES)?;
    let mode = fields
        .optional("mode")
        .map(|field| field.choice(&Mode::ALL));
    let case = fields.optional("caseSensitive").map(|field| field.flag());
    let offset = fields
        .optional("offset")
        .map(|field| field.integer(0, FIND_OFFSET));
    let mut narrow = Narrow::default();
    if let Some(field) = fields.optional("paths") {
        let items = field.list(1, SEARCH_PATHS)?;
        for item in &items {
            Narrow::new("paths", [item.text()?]).map_err(|error| bad_pattern(item, &error))?;
        }
        let patterns = items.iter().map(Field::text);
        let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
        narrow = Narrow::new("paths", patterns).map_err(|error| bad_pattern(&field, &error))?;
    }
    let request = SearchRequest {
        query: text.to_owned(),
        mode: mode.transpose()?.unwrap_or(Mode::Auto),
        narrow,
        case_sensitive: case.transpose()?,
        max_tokens: max_tokens(&fields, caps)?,
        offset: usize::try_from(offset.transpose()?.unwrap_or(0)).unwrap_or(usize::MAX),
    };
    match super::check(&request) {
        Ok(()) => Ok(request),
        Err(problem) => Err(query.invalid(Rule::Length, problem)),
    }
}

/// A directory as people write it: `.` and `/` are the root, and a `/` at the end counts nothing.
///
/// # Errors
/// The first rule of paths that it breaks.
pub fn directory(text: &str) -> Result<Option<RelPath>, PathFault> {
    let text = text.strip_prefix("./").unwrap_or(text);
    match text.strip_suffix('/').unwrap_or(text) {
        "" | "." => Ok(None),
        path => RelPath::new(path).map(Some),
    }
}

fn max_tokens(fields: &Fields<'_>, caps: &Caps) -> Result<u64, Invalid> {
    match fields.optional("maxTokens") {
        Some(field) => field.capped(least_tokens(caps.tokens), caps.tokens),
        None => Ok(FIND_TOKENS.default.min(caps.tokens)),
    }
}

fn bad_pattern(field: &Field<'_>, error: &Error) -> Invalid {
    let problem = match error {
        Error::Pattern { problem, .. } => problem.as_str(),
        _ => "cannot be used",
    };
    field.invalid(Rule::Path, format!("must be a pattern: {problem}"))
}
