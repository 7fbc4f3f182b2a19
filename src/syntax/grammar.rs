//! Which language a path is written in, and the grammar for it when it is built in.
//!
//! The only place of this module that looks at features: a language whose grammar is left out of
//! a build is still known by name.

use std::fmt;
use std::sync::OnceLock;

use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

use crate::path::RelPath;
use crate::syntax::fence;
use crate::syntax::lang::{self, Lang, Rule};

/// A programming language that this crate knows.
#[derive(Clone, Copy)]
pub struct Language(&'static Lang);

impl Language {
    pub(super) const JAVASCRIPT: Self = Self(&lang::javascript::JAVASCRIPT);
    pub(super) const TYPESCRIPT: Self = Self(&lang::javascript::TYPESCRIPT);

    /// Name of the language in lower case, as shown in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    #[cfg(test)]
    pub(super) const fn of(lang: &'static Lang) -> Self {
        Self(lang)
    }

    pub(super) const fn lang(self) -> &'static Lang {
        self.0
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The language of a file by its name, whether or not its grammar is built in.
#[must_use]
pub fn language(path: &RelPath) -> Option<Language> {
    let name = path.name();
    let by_name = LANGUAGES.iter().find(|lang| lang.basenames.contains(&name));
    let extension = fence::extension(name);
    let by_extension = || {
        LANGUAGES
            .iter()
            .find(|lang| lang.extensions.contains(&extension.as_str()))
    };
    by_name.or_else(by_extension).map(|lang| Language(lang))
}

/// The info string of a Markdown fence around a file; empty when its type is not known.
#[must_use]
pub fn fence_hint(path: &RelPath) -> &'static str {
    fence::hint(path.name())
}

/// A built-in grammar together with the table of its language, indexed by kind of node.
pub(super) struct Grammar {
    lang: &'static Lang,
    language: tree_sitter::Language,
    rules: Vec<Option<&'static Rule>>,
    identifiers: Vec<bool>,
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.lang.name)
    }
}

impl Grammar {
    fn new(lang: &'static Lang, function: LanguageFn) -> Self {
        let language = tree_sitter::Language::new(function);
        let n_kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let mut rules = Vec::new();
        let mut identifiers = Vec::new();
        for kind in 0..n_kinds {
            let named = language.node_kind_is_named(kind);
            let name = language
                .node_kind_for_id(kind)
                .filter(|_| named)
                .unwrap_or_default();
            rules.push(lang.rules.iter().find(|rule| rule.node == name));
            identifiers.push(lang.identifiers.contains(&name));
        }
        Self {
            lang,
            language,
            rules,
            identifiers,
        }
    }

    /// The language it belongs to.
    pub(super) const fn lang(&self) -> &'static Lang {
        self.lang
    }

    /// The grammar for the parser.
    pub(super) const fn language(&self) -> &tree_sitter::Language {
        &self.language
    }

    /// The row for a node.
    pub(super) fn rule(&self, node: Node<'_>) -> Option<&'static Rule> {
        self.rules
            .get(usize::from(node.kind_id()))
            .copied()
            .flatten()
    }

    /// Whether a leaf is a use of a name.
    pub(super) fn is_identifier(&self, node: Node<'_>) -> bool {
        self.identifiers
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or_default()
    }

    /// The grammar to try when this one leaves gaps.
    pub(super) fn fallback(&self) -> Option<&'static Self> {
        match self.lang.name {
            "c" => named("cpp"),
            "javascript" => named("tsx"),
            _ => None,
        }
    }
}

/// The grammar of a language, if it is built in.
pub(super) fn grammar(language: Language) -> Option<&'static Grammar> {
    named(language.name())
}

macro_rules! grammars {
    ($($feature:literal $lang:path => $function:expr,)+) => {
        /// Every language known, in the order in which file names are tried.
        pub(super) static LANGUAGES: &[&Lang] =
            &[
                $(&$lang,)+
                &lang::javascript::VUE,
                &lang::javascript::SVELTE,
                &lang::javascript::ASTRO,
            ];

        fn named(name: &str) -> Option<&'static Grammar> {
            $(if name == $lang.name {
                #[cfg(feature = $feature)]
                {
                    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
                    return Some(GRAMMAR.get_or_init(|| Grammar::new(&$lang, $function)));
                }
                #[cfg(not(feature = $feature))]
                return None;
            })+
            None
        }
    };
}

grammars! {
    "lang-javascript" lang::javascript::JAVASCRIPT => tree_sitter_javascript::LANGUAGE,
    "lang-typescript" lang::javascript::TYPESCRIPT => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    "lang-typescript" lang::javascript::TSX => tree_sitter_typescript::LANGUAGE_TSX,
    "lang-python" lang::python::PYTHON => tree_sitter_python::LANGUAGE,
    "lang-rust" lang::rust::RUST => tree_sitter_rust::LANGUAGE,
    "lang-go" lang::go::GO => tree_sitter_go::LANGUAGE,
    "lang-java" lang::java::JAVA => tree_sitter_java::LANGUAGE,
    "lang-c" lang::cfamily::C => tree_sitter_c::LANGUAGE,
    "lang-cpp" lang::cfamily::CPP => tree_sitter_cpp::LANGUAGE,
    "lang-csharp" lang::csharp::CSHARP => tree_sitter_c_sharp::LANGUAGE,
    "lang-ruby" lang::ruby::RUBY => tree_sitter_ruby::LANGUAGE,
    "lang-php" lang::php::PHP => tree_sitter_php::LANGUAGE_PHP,
    "lang-kotlin" lang::kotlin::KOTLIN => tree_sitter_kotlin_ng::LANGUAGE,
    "lang-swift" lang::swift::SWIFT => tree_sitter_swift::LANGUAGE,
    "lang-bash" lang::bash::BASH => tree_sitter_bash::LANGUAGE,
    "lang-lua" lang::lua::LUA => tree_sitter_lua::LANGUAGE,
    "lang-css" lang::css::CSS => tree_sitter_css::LANGUAGE,
    "lang-scala" lang::scala::SCALA => tree_sitter_scala::LANGUAGE,
    "lang-dart" lang::dart::DART => tree_sitter_dart::LANGUAGE,
    "lang-elixir" lang::elixir::ELIXIR => tree_sitter_elixir::LANGUAGE,
    "lang-solidity" lang::solidity::SOLIDITY => tree_sitter_solidity::LANGUAGE,
    "lang-zig" lang::zig::ZIG => tree_sitter_zig::LANGUAGE,
    "lang-objc" lang::objc::OBJC => tree_sitter_objc::LANGUAGE,
    "lang-r" lang::r::R => tree_sitter_r::LANGUAGE,
    "lang-moonbit" lang::moonbit::MOONBIT => tree_sitter_moonbit::LANGUAGE,
    "lang-haskell" lang::haskell::HASKELL => tree_sitter_haskell::LANGUAGE,
    "lang-ocaml" lang::ocaml::OCAML => tree_sitter_ocaml::LANGUAGE_OCAML,
    "lang-ocaml" lang::ocaml::INTERFACE => tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE,
    "lang-sql" lang::sql::SQL => tree_sitter_sequel::LANGUAGE,
    "lang-julia" lang::julia::JULIA => tree_sitter_julia::LANGUAGE,
    "lang-erlang" lang::erlang::ERLANG => tree_sitter_erlang::LANGUAGE,
    "lang-powershell" lang::powershell::POWERSHELL => tree_sitter_powershell::LANGUAGE,
    "lang-hcl" lang::hcl::HCL => tree_sitter_hcl::LANGUAGE,
}
