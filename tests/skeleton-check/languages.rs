//! What a declaration and an import are, said without the tables of `src/syntax/lang`.
//!
//! Where a grammar comes with a query for code navigation (`TAGS_QUERY`), that query says what a
//! definition is. A short query of our own adds what those leave out: imports, fields, constants.

use tree_sitter::{Language, Query};

/// A language as this check sees it.
pub(crate) struct Spec {
    /// The extension of a file that is read with this grammar.
    pub(crate) extension: &'static str,
    /// The grammar.
    pub(crate) grammar: Language,
    /// Captures `definition.*` and `import`.
    pub(crate) query: Query,
    /// Functions, named or not: nothing below them is at file or member level.
    pub(crate) functions: &'static [&'static str],
    /// Nodes that a definition's signature begins with when it is the first thing in them.
    pub(crate) holders: &'static [&'static str],
    /// Children that are bodies, for grammars that do not name them with a field.
    pub(crate) bodies: &'static [&'static str],
    /// The language to try when this one leaves errors.
    pub(crate) second: Option<&'static str>,
}

struct Row {
    more: &'static str,
    functions: &'static [&'static str],
    holders: &'static [&'static str],
    bodies: &'static [&'static str],
}

macro_rules! specs {
    ($($feature:literal $name:literal $extension:literal $grammar:expr, [$($tags:expr),*], $row:ident, $second:expr;)+) => {
        /// The language of that name, when its grammar is built in.
        pub(crate) fn spec(name: &str) -> Option<Spec> {
            match name {
                $(#[cfg(feature = $feature)]
                $name => Some(build($name, $extension, $grammar.into(), &[$($tags),*], &$row, $second)),)+
                _ => None,
            }
        }

        /// Every name known here.
        pub(crate) const NAMES: &[&str] = &[$($name),+];
    };
}

fn build(
    name: &str,
    extension: &'static str,
    grammar: Language,
    tags: &[&str],
    row: &'static Row,
    second: Option<&'static str>,
) -> Spec {
    let source = format!("{}\n{}", tags.join("\n"), row.more);
    let query = Query::new(&grammar, &source).unwrap_or_else(|error| panic!("{name}: {error}"));
    Spec {
        extension,
        grammar,
        query,
        functions: row.functions,
        holders: row.holders,
        bodies: row.bodies,
        second,
    }
}

specs! {
    "lang-rust" "rust" "rs" tree_sitter_rust::LANGUAGE, [tree_sitter_rust::TAGS_QUERY], RUST, None;
    "lang-python" "python" "py" tree_sitter_python::LANGUAGE, [tree_sitter_python::TAGS_QUERY], PYTHON, None;
    "lang-javascript" "javascript" "js" tree_sitter_javascript::LANGUAGE, [tree_sitter_javascript::TAGS_QUERY], JAVASCRIPT, Some("tsx");
    "lang-typescript" "typescript" "ts" tree_sitter_typescript::LANGUAGE_TYPESCRIPT, [SCRIPT_TAGS, tree_sitter_typescript::TAGS_QUERY], TYPESCRIPT, None;
    "lang-typescript" "tsx" "tsx" tree_sitter_typescript::LANGUAGE_TSX, [SCRIPT_TAGS, tree_sitter_typescript::TAGS_QUERY], TYPESCRIPT, None;
    "lang-go" "go" "go" tree_sitter_go::LANGUAGE, [tree_sitter_go::TAGS_QUERY], GO, None;
    "lang-java" "java" "java" tree_sitter_java::LANGUAGE, [tree_sitter_java::TAGS_QUERY], JAVA, None;
    "lang-c" "c" "c" tree_sitter_c::LANGUAGE, [tree_sitter_c::TAGS_QUERY], C, Some("cpp");
    "lang-cpp" "cpp" "cpp" tree_sitter_cpp::LANGUAGE, [tree_sitter_cpp::TAGS_QUERY], CPP, None;
    "lang-csharp" "csharp" "cs" tree_sitter_c_sharp::LANGUAGE, [tree_sitter_c_sharp::TAGS_QUERY], CSHARP, None;
    "lang-ruby" "ruby" "rb" tree_sitter_ruby::LANGUAGE, [tree_sitter_ruby::TAGS_QUERY], RUBY, None;
    "lang-php" "php" "php" tree_sitter_php::LANGUAGE_PHP, [tree_sitter_php::TAGS_QUERY], PHP, None;
    "lang-kotlin" "kotlin" "kt" tree_sitter_kotlin_ng::LANGUAGE, [], KOTLIN, None;
    "lang-swift" "swift" "swift" tree_sitter_swift::LANGUAGE, [tree_sitter_swift::TAGS_QUERY], SWIFT, None;
    "lang-lua" "lua" "lua" tree_sitter_lua::LANGUAGE, [tree_sitter_lua::TAGS_QUERY], LUA, None;
    "lang-bash" "bash" "sh" tree_sitter_bash::LANGUAGE, [], BASH, None;
    "lang-scala" "scala" "scala" tree_sitter_scala::LANGUAGE, [], SCALA, None;
    "lang-haskell" "haskell" "hs" tree_sitter_haskell::LANGUAGE, [], HASKELL, None;
    "lang-ocaml" "ocaml" "ml" tree_sitter_ocaml::LANGUAGE_OCAML, [tree_sitter_ocaml::TAGS_QUERY], OCAML, None;
    "lang-r" "r" "r" tree_sitter_r::LANGUAGE, [tree_sitter_r::TAGS_QUERY], R, None;
    "lang-solidity" "solidity" "sol" tree_sitter_solidity::LANGUAGE, [tree_sitter_solidity::TAGS_QUERY], SOLIDITY, None;
}

/// The navigation query of typed scripts builds on that of plain ones.
#[cfg(feature = "lang-javascript")]
const SCRIPT_TAGS: &str = tree_sitter_javascript::TAGS_QUERY;
#[cfg(all(feature = "lang-typescript", not(feature = "lang-javascript")))]
const SCRIPT_TAGS: &str = "";

const RUST: Row = Row {
    more: "[(function_signature_item) (const_item) (static_item) (associated_type) (impl_item)
            (field_declaration) (enum_variant)] @definition.more
           [(use_declaration) (extern_crate_declaration)] @import",
    functions: &[
        "function_item",
        "closure_expression",
        "macro_rule",
        "macro_invocation",
    ],
    holders: &[],
    bodies: &["token_tree"],
};

const PYTHON: Row = Row {
    more: "(class_definition body: (block (expression_statement (assignment) @definition.field)))
           [(import_statement) (import_from_statement) (future_import_statement)] @import",
    functions: &["function_definition", "lambda"],
    holders: &["decorated_definition", "expression_statement"],
    bodies: &[],
};

const SCRIPT_FUNCTIONS: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
    "class_static_block",
];

const SCRIPT_HOLDERS: &[&str] = &[
    "variable_declarator",
    "lexical_declaration",
    "variable_declaration",
    "export_statement",
    "expression_statement",
    "ambient_declaration",
];

const JAVASCRIPT: Row = Row {
    more: "[(method_definition) (field_definition)] @definition.more
           (program (lexical_declaration (variable_declarator) @definition.more))
           (program (variable_declaration (variable_declarator) @definition.more))
           (export_statement value: (_)) @definition.more
           [(import_statement) (export_statement source: (_))
            (export_statement (export_clause))] @import
           ((variable_declarator value: (call_expression function: (identifier) @f)) @import
            (#eq? @f \"require\"))",
    functions: SCRIPT_FUNCTIONS,
    holders: SCRIPT_HOLDERS,
    bodies: &[],
};

const TYPESCRIPT: Row = Row {
    more: "[(method_definition) (public_field_definition) (property_signature) (method_signature)
            (call_signature) (construct_signature) (index_signature) (interface_declaration)
            (type_alias_declaration) (enum_declaration) (enum_assignment) (internal_module)
            (abstract_method_signature)] @definition.more
           (program (lexical_declaration (variable_declarator) @definition.more))
           (export_statement declaration: (lexical_declaration (variable_declarator) @definition.more))
           (export_statement value: (_)) @definition.more
           [(import_statement) (import_alias) (export_statement source: (_))
            (export_statement (export_clause))] @import",
    functions: SCRIPT_FUNCTIONS,
    holders: SCRIPT_HOLDERS,
    bodies: &[],
};

const GO: Row = Row {
    more:
        "[(method_elem) (field_declaration) (const_spec) (var_spec) (type_alias)] @definition.more
           [(import_declaration) (package_clause)] @import",
    functions: &["function_declaration", "method_declaration", "func_literal"],
    holders: &["type_declaration", "const_declaration", "var_declaration"],
    bodies: &[],
};

const JAVA: Row = Row {
    more: "[(constructor_declaration) (compact_constructor_declaration) (enum_declaration)
            (record_declaration) (annotation_type_declaration) (field_declaration)
            (annotation_type_element_declaration) (enum_constant) (constant_declaration)
            (module_declaration)] @definition.more
           [(import_declaration) (package_declaration)] @import",
    functions: &[
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "lambda_expression",
        "static_initializer",
    ],
    holders: &[],
    bodies: &[],
};

const C_HOLDERS: &[&str] = &[
    "pointer_declarator",
    "reference_declarator",
    "parenthesized_declarator",
    "array_declarator",
    "init_declarator",
    "function_declarator",
    "function_definition",
    "declaration",
    "field_declaration",
    "type_definition",
    "template_declaration",
];

const C: Row = Row {
    more: "[(field_declaration) (enumerator) (preproc_def) (preproc_function_def)
            (type_definition) (function_definition)] @definition.more
           (translation_unit (declaration) @definition.more)
           (preproc_include) @import",
    functions: &["function_definition"],
    holders: C_HOLDERS,
    bodies: &[],
};

const CPP: Row = Row {
    more: "[(field_declaration) (enumerator) (preproc_def) (preproc_function_def)
            (type_definition) (function_definition) (namespace_definition) (alias_declaration)
            (concept_definition) (friend_declaration)] @definition.more
           (translation_unit (declaration) @definition.more)
           (declaration_list (declaration) @definition.more)
           [(preproc_include) (using_declaration)] @import",
    functions: &["function_definition", "lambda_expression"],
    holders: C_HOLDERS,
    bodies: &[
        "field_declaration_list",
        "compound_statement",
        "try_statement",
    ],
};

const CSHARP: Row = Row {
    more: "[(constructor_declaration) (destructor_declaration) (property_declaration)
            (indexer_declaration) (field_declaration) (event_field_declaration)
            (event_declaration) (delegate_declaration) (struct_declaration) (enum_declaration)
            (enum_member_declaration) (record_declaration) (operator_declaration)
            (conversion_operator_declaration) (accessor_declaration)
            (file_scoped_namespace_declaration)] @definition.more
           (using_directive) @import",
    functions: &[
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "operator_declaration",
        "conversion_operator_declaration",
        "accessor_declaration",
        "local_function_statement",
        "lambda_expression",
        "anonymous_method_expression",
    ],
    holders: &[],
    bodies: &["accessor_list", "block"],
};

const RUBY: Row = Row {
    more: "(assignment left: (constant)) @definition.constant
           ((call method: (identifier) @m) @definition.field (#match? @m \"^attr_\"))
           ((call method: (identifier) @m) @import
            (#match? @m \"^(require|require_relative|autoload|include|extend|prepend)$\"))",
    functions: &["method", "singleton_method"],
    holders: &[],
    bodies: &[],
};

const PHP: Row = Row {
    more: "[(const_declaration) (property_declaration) (enum_declaration) (enum_case)
            (use_declaration) (namespace_definition)] @definition.more
           (namespace_use_declaration) @import",
    functions: &[
        "function_definition",
        "method_declaration",
        "anonymous_function",
        "arrow_function",
    ],
    holders: &[],
    bodies: &[],
};

const KOTLIN: Row = Row {
    more: "[(class_declaration) (object_declaration) (companion_object) (function_declaration)
            (property_declaration) (secondary_constructor) (enum_entry) (type_alias)
            (class_parameter)] @definition.more
           [(import) (package_header)] @import",
    functions: &[
        "function_declaration",
        "secondary_constructor",
        "getter",
        "setter",
        "lambda_literal",
        "anonymous_initializer",
        "anonymous_function",
    ],
    holders: &[],
    bodies: &["class_body", "enum_class_body", "function_body", "block"],
};

const SWIFT: Row = Row {
    more: "[(function_declaration) (init_declaration) (deinit_declaration) (property_declaration)
            (protocol_function_declaration) (protocol_property_declaration) (typealias_declaration)
            (enum_entry) (subscript_declaration) (associatedtype_declaration)] @definition.more
           (import_declaration) @import",
    functions: &[
        "function_declaration",
        "init_declaration",
        "deinit_declaration",
        "computed_property",
        "computed_getter",
        "computed_setter",
        "willset_clause",
        "didset_clause",
        "lambda_literal",
    ],
    holders: &[],
    bodies: &["computed_property", "willset_didset_block", "statements"],
};

const LUA: Row = Row {
    more: "(chunk (variable_declaration) @definition.variable)
           ((function_call name: (identifier) @f) @import (#eq? @f \"require\"))",
    functions: &["function_declaration", "function_definition"],
    holders: &[],
    bodies: &[],
};

const BASH: Row = Row {
    more: "(function_definition) @definition.function
           (program (variable_assignment) @definition.variable)
           (program (declaration_command) @definition.variable)
           ((command name: (command_name) @n) @import (#match? @n \"^(source|[.])$\"))",
    functions: &["function_definition"],
    holders: &[],
    bodies: &[],
};

const SCALA: Row = Row {
    more: "[(class_definition) (object_definition) (trait_definition) (function_definition)
            (function_declaration) (val_definition) (var_definition) (val_declaration)
            (var_declaration) (type_definition) (package_clause)] @definition.more
           (import_declaration) @import",
    functions: &[
        "function_definition",
        "lambda_expression",
        "val_definition",
        "var_definition",
    ],
    holders: &[],
    bodies: &["template_body", "block"],
};

const HASKELL: Row = Row {
    more: "[(signature) (data_type) (newtype) (class) (instance) (type_synonym)] @definition.more
           (import) @import",
    functions: &["function", "bind"],
    holders: &[],
    bodies: &["class_declarations", "instance_declarations"],
};

const OCAML: Row = Row {
    more: "[(value_specification) (exception_definition)] @definition.more
           (open_module) @import",
    functions: &["let_binding", "method_definition", "let_expression"],
    holders: &["value_definition"],
    bodies: &[],
};

const R: Row = Row {
    more: "((call function: (identifier) @f) @import (#match? @f \"^(library|require|source)$\"))",
    functions: &["function_definition"],
    holders: &[],
    bodies: &[],
};

const SOLIDITY: Row = Row {
    more: "[(function_definition) (modifier_definition) (constructor_definition)
            (state_variable_declaration) (error_declaration) (enum_value)
            (struct_member)] @definition.more
           [(import_directive) (pragma_directive)] @import",
    functions: &[
        "function_definition",
        "modifier_definition",
        "constructor_definition",
        "fallback_receive_definition",
    ],
    holders: &[],
    bodies: &["function_body", "contract_body"],
};
