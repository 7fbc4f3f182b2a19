//! Finds what an item asks for in a file's text, or says why it cannot be given.

use std::ops::Range;

use serde::Serialize;

use crate::error::Error;
use crate::intake::{FindingOut, Skipped};
use crate::reason::Stage;
use crate::syntax::path::SymbolPath;
use crate::syntax::symbols::{Index, IndexFault, Lookup, ParseState};
use crate::text::{LineRange, Lines, n_line_ends, slice};

use super::request::{Item, What};

/// Most candidates named for an ambiguous symbol.
const CANDIDATES: usize = 32;

/// An item with all that is told about it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Located {
    index: usize,
    path: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<LineRange>,
    total_lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<SymbolOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<LineRange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_ending: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dependencies: Option<Vec<DependencyOut>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols: Option<Vec<OutlineOut>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SymbolOut {
    path: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "is_one")]
    declarations: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shared_lines: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DependencyOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    kind: &'static str,
    lines: LineRange,
    text: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OutlineOut {
    path: String,
    kind: &'static str,
    lines: LineRange,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exported: bool,
    #[serde(skip_serializing_if = "is_one")]
    declarations: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shared_lines: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<OutlineOut>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_one(n: &u32) -> bool {
    *n == 1
}

/// Why an item cannot be given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    index: usize,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Stage>,
    reason: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<CandidateOut>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<LineRange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct CandidateOut {
    path: String,
    kind: &'static str,
    lines: LineRange,
}

impl Problem {
    /// The file was left out.
    #[must_use]
    pub fn skipped(index: usize, skipped: &Skipped) -> Self {
        let reason = skipped.omission.reason;
        Self {
            stage: Some(reason.stage()),
            findings: skipped.findings.iter().map(FindingOut::from).collect(),
            ..Self::new(index, &skipped.omission.path, reason.as_str())
        }
    }

    fn new(index: usize, path: &str, reason: &'static str) -> Self {
        Self {
            index,
            path: path.to_owned(),
            stage: None,
            reason,
            findings: Vec::new(),
            candidate_count: None,
            candidates: None,
            lines: None,
            total_lines: None,
        }
    }
}

/// Finds `item` in the complete text of its file, whose symbols are `symbols`.
///
/// # Errors
/// [`Error::Internal`] when symbols are wanted and there are none; whatever is wrong with the item
/// is the inner `Err`.
pub fn locate(
    index: usize,
    item: &Item,
    text: &str,
    symbols: Option<&Result<Index, IndexFault>>,
) -> Result<Result<Located, Box<Problem>>, Error> {
    let lines = Lines::new(text);
    let found = Found {
        index,
        item,
        text,
        lines,
    };
    let symbols = || match symbols {
        Some(Ok(symbols)) => Ok(Ok(symbols)),
        Some(Err(fault)) => Ok(Err(Box::new(found.no_index(fault)))),
        None => Err(Error::Internal("the symbols of a file were not looked for")),
    };
    Ok(match &item.what {
        What::Full => Ok(found.whole()),
        What::Lines { start, end } => found.lines(*start, *end),
        What::Outline { depth } => symbols()?.map(|symbols| found.outline(symbols, *depth)),
        What::Symbol {
            symbol,
            dependencies,
        } => symbols()?.and_then(|symbols| found.symbol(symbols, symbol, *dependencies)),
    })
}

/// An item and the file it is looked for in.
struct Found<'a> {
    index: usize,
    item: &'a Item,
    text: &'a str,
    lines: Lines,
}

impl Found<'_> {
    fn located(&self, kind: &'static str) -> Located {
        Located {
            index: self.index,
            path: self.item.path.as_str().to_owned(),
            kind,
            language: None,
            parse: None,
            gaps: Vec::new(),
            total_lines: self.lines.n_lines(),
            symbol: None,
            lines: None,
            line_ending: None,
            text: None,
            dependencies: None,
            symbols: None,
        }
    }

    fn parsed(&self, kind: &'static str, index: &Index) -> Located {
        let (parse, gaps) = match &index.parse {
            ParseState::Ok => ("ok", Vec::new()),
            ParseState::Recovered { gaps } => ("recovered", gaps.clone()),
        };
        Located {
            language: Some(index.language.name()),
            parse: Some(parse),
            gaps,
            ..self.located(kind)
        }
    }

    fn problem(&self, reason: &'static str) -> Problem {
        Problem::new(self.index, self.item.path.as_str(), reason)
    }

    fn whole(&self) -> Located {
        let end = u32::try_from(self.lines.n_lines()).unwrap_or(u32::MAX);
        Located {
            lines: (end > 0).then_some(LineRange { start: 1, end }),
            line_ending: Some(line_ending(self.text)),
            text: Some(self.text.to_owned()),
            ..self.located("full")
        }
    }

    fn lines(&self, start: u64, end: u64) -> Result<Located, Box<Problem>> {
        let total = self.lines.n_lines();
        let within = |line: u64| {
            u32::try_from(line)
                .ok()
                .filter(|&line| line as usize <= total)
        };
        let (Some(start), Some(end)) = (within(start), within(end)) else {
            return Err(Box::new(Problem {
                total_lines: Some(total),
                ..self.problem("LineOutOfRange")
            }));
        };
        let lines = LineRange { start, end };
        let text = self.of_lines(lines);
        Ok(Located {
            lines: Some(lines),
            line_ending: Some(line_ending(&text)),
            text: Some(text),
            ..self.located("lines")
        })
    }

    fn of_lines(&self, lines: LineRange) -> String {
        let bytes: Option<Range<usize>> =
            self.lines.range(lines.start as usize, lines.end as usize);
        bytes
            .and_then(|bytes| slice(self.text, bytes))
            .unwrap_or_default()
            .to_owned()
    }

    fn no_index(&self, fault: &IndexFault) -> Problem {
        match fault {
            IndexFault::LanguageUnsupported => self.problem("LanguageUnsupported"),
            IndexFault::ParseTimeout => self.problem("ParseTimeout"),
            IndexFault::IndexLimit => self.problem("IndexLimit"),
            IndexFault::ParseUnreliable { lines } => Problem {
                lines: Some(*lines),
                ..self.problem("ParseUnreliable")
            },
        }
    }

    fn outline(&self, index: &Index, depth: u64) -> Located {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); index.symbols.len()];
        let mut top = Vec::new();
        for (id, symbol) in (0_u32..).zip(&index.symbols) {
            match symbol
                .parent
                .and_then(|parent| members.get_mut(parent as usize))
            {
                Some(siblings) => siblings.push(id),
                None => top.push(id),
            }
        }
        let symbols = level(index, &members, &top, depth);
        Located {
            symbols: Some(symbols),
            ..self.parsed("outline", index)
        }
    }

    fn symbol(
        &self,
        index: &Index,
        wanted: &SymbolPath,
        dependencies: bool,
    ) -> Result<Located, Box<Problem>> {
        let id = match index.find(wanted) {
            Lookup::One(id) => id,
            Lookup::Ambiguous(ids) => {
                return Err(Box::new(self.choice("SymbolAmbiguous", index, &ids)));
            }
            Lookup::Unreliable { lines } => {
                return Err(Box::new(Problem {
                    lines: Some(lines),
                    ..self.problem("ParseUnreliable")
                }));
            }
            Lookup::None { near } => {
                return Err(Box::new(self.choice("SymbolNotFound", index, &near)));
            }
        };
        if let Some(gap) = index.touches_gap(id) {
            return Err(Box::new(Problem {
                lines: Some(gap),
                ..self.problem("ParseUnreliable")
            }));
        }
        let Some(symbol) = index.symbol(id) else {
            return Err(Box::new(self.choice("SymbolNotFound", index, &[])));
        };
        let dependencies = match dependencies {
            true => Some(self.dependencies(index, id)?),
            false => None,
        };
        let lines = symbol.lines;
        let text = self.of_lines(lines);
        Ok(Located {
            symbol: Some(SymbolOut {
                path: index.path(id),
                kind: symbol.kind.as_str(),
                declarations: symbol.declarations,
                shared_lines: symbol.shared_lines,
                aliases: index.aliases(id),
            }),
            lines: Some(lines),
            line_ending: Some(line_ending(&text)),
            text: Some(text),
            dependencies,
            ..self.parsed("symbol", index)
        })
    }

    fn dependencies(&self, index: &Index, id: u32) -> Result<Vec<DependencyOut>, Box<Problem>> {
        let found = index
            .dependencies(id, self.text)
            .map_err(|_| Box::new(self.problem("DependencyLimit")))?;
        let out = found.into_iter().map(|dependency| {
            let symbol = dependency.symbol.and_then(|id| index.symbol(id));
            let lines = dependency.lines;
            DependencyOut {
                path: dependency.symbol.map(|id| index.path(id)),
                kind: symbol.map_or("import", |symbol| symbol.kind.as_str()),
                lines,
                text: self.of_lines(lines),
            }
        });
        Ok(out.collect())
    }

    fn choice(&self, reason: &'static str, index: &Index, ids: &[u32]) -> Problem {
        let candidates = ids.iter().take(CANDIDATES).filter_map(|&id| {
            let symbol = index.symbol(id)?;
            Some(CandidateOut {
                path: index.path(id),
                kind: symbol.kind.as_str(),
                lines: symbol.lines,
            })
        });
        Problem {
            candidate_count: Some(ids.len()),
            candidates: Some(candidates.collect()),
            ..self.problem(reason)
        }
    }
}

/// One level of an outline and those below it. Recursion ends at `depth`, which is at most 8.
fn level(index: &Index, members: &[Vec<u32>], ids: &[u32], depth: u64) -> Vec<OutlineOut> {
    let entries = ids.iter().filter_map(|&id| {
        let symbol = index.symbol(id)?;
        let below = members.get(id as usize).map_or(&[][..], Vec::as_slice);
        let deeper = depth > 1;
        Some(OutlineOut {
            path: index.path(id),
            kind: symbol.kind.as_str(),
            lines: symbol.lines,
            exported: symbol.exported,
            declarations: symbol.declarations,
            shared_lines: symbol.shared_lines,
            aliases: index.aliases(id),
            truncated: !deeper && !below.is_empty(),
            members: if deeper {
                level(index, members, below, depth - 1)
            } else {
                Vec::new()
            },
        })
    });
    entries.collect()
}

/// `lf`, `crlf`, `mixed` or `none`.
fn line_ending(text: &str) -> &'static str {
    let n_lf = n_line_ends(text.as_bytes());
    let n_crlf = text.matches("\r\n").count();
    match (n_lf, n_crlf) {
        (0, _) => "none",
        (_, 0) => "lf",
        (lf, crlf) if lf == crlf => "crlf",
        _ => "mixed",
    }
}
