//! Why a path is in or out: the closed lists of stages and reasons, and where a rule stands.
//!
//! Stages run in the order of [`Stage`]; the first that fails decides. Strings are a public
//! contract of every JSON result.

use serde::{Serialize, Serializer};

use crate::path::RelPath;

macro_rules! names {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident => $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name as written in results.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

names! {
    /// The step that decided about a path.
    Stage {
        /// The host's list of paths.
        List => "list",
        /// Finding the path in the root.
        Resolve => "resolve",
        /// The include patterns.
        Include => "include",
        /// All ignore sources.
        Ignore => "ignore",
        /// Text or not.
        Type => "type",
        /// Size of the file.
        Size => "size",
        /// Reading the file.
        Read => "read",
        /// The secret scan.
        Security => "security",
        /// Limits over all files.
        Limit => "limit",
        /// Token budget.
        Budget => "budget",
        /// Nothing was against it.
        Accepted => "accepted",
    }
}

names! {
    /// Why a path is in or out.
    Reason {
        /// The host's list exists and lacks the path.
        NotListed => "NotListed",
        /// Nothing of that name.
        NotFound => "NotFound",
        /// A directory, device, pipe or socket.
        NotRegularFile => "NotRegularFile",
        /// A symbolic link, or reached through one.
        SymlinkNotFollowed => "SymlinkNotFollowed",
        /// Not inside the root.
        OutsideRoot => "OutsideRoot",
        /// Exists under another letter case or normal form.
        SpellingMismatch => "SpellingMismatch",
        /// The name is not valid UTF-8. Shown with replacement characters.
        NameNotUtf8 => "NameNotUtf8",
        /// The path is longer than 4,096 bytes.
        PathTooLong => "PathTooLong",
        /// No include pattern matches.
        NotIncluded => "NotIncluded",
        /// An ignore rule matches.
        Ignored => "Ignored",
        /// Another checkout of a repository: its `.git` points into `worktrees` of a git directory.
        NestedWorktree => "NestedWorktree",
        /// Not text.
        Binary => "Binary",
        /// Text in an encoding that is not known with certainty.
        UnsupportedEncoding => "UnsupportedEncoding",
        /// A document written by this program.
        OwnOutput => "OwnOutput",
        /// Over the size limit of one file.
        FileTooLarge => "FileTooLarge",
        /// The system refused to open it.
        PermissionDenied => "PermissionDenied",
        /// Reading failed.
        ReadFailed => "ReadFailed",
        /// The file changed while it was read.
        ChangedDuringRead => "ChangedDuringRead",
        /// The secret scan found something.
        SecretDetected => "SecretDetected",
        /// The limit of source bytes was used up.
        ReadLimit => "ReadLimit",
        /// The limit of candidates was used up.
        CandidateLimit => "CandidateLimit",
        /// Did not fit the token budget.
        OverBudget => "OverBudget",
        /// Attempts ran out before it could be verified.
        AttemptLimit => "AttemptLimit",
        /// A single line is larger than the cap allows.
        LineOverCap => "LineOverCap",
        /// Accepted: full text was asked for.
        Full => "Full",
        /// Accepted: the host's full-text exception.
        KeepFull => "KeepFull",
        /// Accepted as a skeleton.
        Skeleton => "Skeleton",
        /// Accepted in full: no grammar for the language.
        SkeletonUnsupportedLanguage => "SkeletonUnsupportedLanguage",
        /// Accepted in full: too much of the file could not be parsed.
        SkeletonParseError => "SkeletonParseError",
        /// Accepted in full: the skeleton would not be smaller.
        SkeletonNotSmaller => "SkeletonNotSmaller",
        /// Accepted in full: parsing took too long.
        SkeletonTimeout => "SkeletonTimeout",
    }
}

impl Reason {
    /// The stage a reason belongs to.
    #[must_use]
    pub const fn stage(self) -> Stage {
        match self {
            Self::NotListed => Stage::List,
            Self::NotFound
            | Self::NotRegularFile
            | Self::SymlinkNotFollowed
            | Self::OutsideRoot
            | Self::SpellingMismatch
            | Self::NameNotUtf8
            | Self::PathTooLong => Stage::Resolve,
            Self::NotIncluded => Stage::Include,
            Self::Ignored | Self::NestedWorktree => Stage::Ignore,
            Self::Binary | Self::UnsupportedEncoding | Self::OwnOutput => Stage::Type,
            Self::FileTooLarge => Stage::Size,
            Self::PermissionDenied | Self::ReadFailed | Self::ChangedDuringRead => Stage::Read,
            Self::SecretDetected => Stage::Security,
            Self::ReadLimit | Self::CandidateLimit => Stage::Limit,
            Self::OverBudget | Self::AttemptLimit | Self::LineOverCap => Stage::Budget,
            Self::Full
            | Self::KeepFull
            | Self::Skeleton
            | Self::SkeletonUnsupportedLanguage
            | Self::SkeletonParseError
            | Self::SkeletonNotSmaller
            | Self::SkeletonTimeout => Stage::Accepted,
        }
    }
}

names! {
    /// Where a deciding rule comes from.
    RuleSource {
        /// The built-in patterns.
        DefaultPatterns => "default_patterns",
        /// An ignore file.
        IgnoreFile => "ignore_file",
        /// The host's include patterns.
        HostInclude => "host_include",
        /// The host's ignore patterns.
        HostIgnore => "host_ignore",
        /// The host's list of paths.
        HostList => "host_list",
        /// The host's full-text exceptions.
        HostKeepFull => "host_keep_full",
        /// The configuration file.
        ConfigFile => "config_file",
    }
}

/// Where a deciding rule stands. Never says what the rule says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleLocation {
    /// The kind of place.
    pub source: RuleSource,
    /// The ignore file, relative to the root (`../` leads to files of enclosing directories; git's
    /// global file has none).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 0-based position among the rules of a source that is not a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
}

/// A rule file whose rules are not in force, or not from some line on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct IdleRules {
    /// The file as in [`RuleLocation`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The 1-based line from which on they are not in force; without it, none of them is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Why: the file cannot be read, is a link or not UTF-8 text, or is over a limit.
    pub reason: Reason,
}

/// A path that was left out, and why. This is data, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The path as shown: root-relative, invalid UTF-8 replaced.
    pub path: String,
    /// Why it is out. The stage follows from it.
    pub reason: Reason,
    /// The rule that decided, where one did.
    pub rule: Option<RuleLocation>,
    /// Whether the path is a directory left out with all that is below it.
    pub directory: bool,
}

impl Omission {
    /// An omission of one path without a rule.
    #[must_use]
    pub fn new(path: &RelPath, reason: Reason) -> Self {
        Self {
            path: path.as_str().to_owned(),
            reason,
            rule: None,
            directory: false,
        }
    }
}
