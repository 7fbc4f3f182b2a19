//! Info strings of Markdown fences, by file name.

/// The part of a file name after its last dot, in lower case; empty when there is none.
pub(super) fn extension(name: &str) -> String {
    let dot = name.rsplit_once('.').map(|(_, extension)| extension);
    dot.map(str::to_ascii_lowercase).unwrap_or_default()
}

/// The info string for a file name; empty when its type is not known.
pub(super) fn hint(name: &str) -> &'static str {
    let lower = name.to_ascii_lowercase();
    let by_name = BASENAMES
        .iter()
        .find(|(_, names)| names.contains(&lower.as_str()));
    if let Some((hint, _)) = by_name {
        return hint;
    }
    if lower.starts_with("dockerfile.") {
        return "dockerfile";
    }
    let extension = extension(name);
    let by_extension = EXTENSIONS
        .iter()
        .find(|(_, list)| list.contains(&extension.as_str()));
    by_extension.map(|(hint, _)| *hint).unwrap_or_default()
}

const BASENAMES: &[(&str, &[&str])] = &[
    (
        "bash",
        &[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            "pkgbuild",
            ".envrc",
        ],
    ),
    ("bazel", &["build", "workspace"]),
    ("cmake", &["cmakelists.txt"]),
    ("diff", &[]),
    ("dockerfile", &["dockerfile", "containerfile"]),
    ("gitattributes", &[".gitattributes"]),
    (
        "gitignore",
        &[
            ".gitignore",
            ".dockerignore",
            ".ignore",
            ".npmignore",
            ".prettierignore",
            ".eslintignore",
        ],
    ),
    ("go.mod", &["go.mod"]),
    ("groovy", &["jenkinsfile"]),
    (
        "ini",
        &[
            ".editorconfig",
            ".gitconfig",
            ".gitmodules",
            ".npmrc",
            ".pylintrc",
            ".flake8",
            ".coveragerc",
        ],
    ),
    ("javascript", &["jakefile"]),
    (
        "json",
        &[
            ".babelrc",
            ".eslintrc",
            ".prettierrc",
            "composer.lock",
            "flake.lock",
            ".swcrc",
        ],
    ),
    ("just", &["justfile", ".justfile"]),
    ("makefile", &["makefile", "gnumakefile", "kbuild"]),
    (
        "meson",
        &["meson.build", "meson_options.txt", "meson.options"],
    ),
    ("python", &["sconstruct", "sconscript", "wscript"]),
    (
        "ruby",
        &[
            "gemfile",
            "rakefile",
            "guardfile",
            "podfile",
            "vagrantfile",
            "fastfile",
            "brewfile",
            "dangerfile",
        ],
    ),
    (
        "toml",
        &[
            "cargo.lock",
            "poetry.lock",
            "uv.lock",
            "pipfile",
            "gopkg.lock",
        ],
    ),
    (
        "yaml",
        &[
            ".clang-format",
            ".clang-tidy",
            ".clangd",
            "pubspec.lock",
            ".gemrc",
        ],
    ),
];

const EXTENSIONS: &[(&str, &[&str])] = &[
    ("ada", &["ada", "adb", "ads"]),
    ("apache", &["htaccess"]),
    ("asciidoc", &["adoc", "asciidoc"]),
    ("asm", &["asm", "s", "nasm"]),
    ("astro", &["astro"]),
    ("awk", &["awk"]),
    ("bash", &["sh", "bash", "zsh", "ksh", "bats", "ebuild"]),
    ("bat", &["bat", "cmd"]),
    ("bazel", &["bzl", "bazel", "star"]),
    ("bibtex", &["bib"]),
    ("c", &["c", "h"]),
    ("clojure", &["clj", "cljs", "cljc", "edn"]),
    ("cmake", &["cmake"]),
    ("cobol", &["cob", "cbl", "cpy"]),
    ("coffeescript", &["coffee"]),
    ("common-lisp", &["lisp", "lsp", "cl", "asd"]),
    (
        "cpp",
        &[
            "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "inl", "ipp", "tpp", "ixx",
            "cppm",
        ],
    ),
    ("crystal", &["cr"]),
    ("csharp", &["cs", "csx"]),
    ("css", &["css"]),
    ("csv", &["csv"]),
    ("cuda", &["cu", "cuh"]),
    ("cython", &["pyx", "pxd", "pxi"]),
    ("d", &["d"]),
    ("dart", &["dart"]),
    ("diff", &["diff", "patch"]),
    ("dockerfile", &["dockerfile", "containerfile"]),
    ("dot", &["dot", "gv"]),
    ("elixir", &["ex", "exs"]),
    ("elm", &["elm"]),
    ("emacs-lisp", &["el"]),
    ("erb", &["erb"]),
    ("erlang", &["erl", "hrl", "escript"]),
    ("fish", &["fish"]),
    ("fortran", &["f", "f90", "f95", "f03", "f08", "for"]),
    ("fsharp", &["fs", "fsi", "fsx"]),
    ("gdscript", &["gd"]),
    ("gherkin", &["feature"]),
    ("glsl", &["glsl", "vert", "frag", "geom", "comp"]),
    ("go", &["go"]),
    ("graphql", &["graphql", "gql", "graphqls"]),
    ("groovy", &["groovy", "gradle", "gvy"]),
    ("handlebars", &["hbs", "handlebars"]),
    ("haskell", &["hs", "lhs", "hsc"]),
    ("hcl", &["hcl", "nomad"]),
    ("html", &["html", "htm", "xhtml"]),
    ("http", &["http", "rest"]),
    ("idris", &["idr"]),
    ("ini", &["ini", "cfg", "conf", "desktop", "service"]),
    ("java", &["java"]),
    ("javascript", &["js", "mjs", "cjs"]),
    ("jinja", &["j2", "jinja", "jinja2"]),
    (
        "json",
        &[
            "json",
            "jsonld",
            "geojson",
            "webmanifest",
            "ipynb",
            "avsc",
            "har",
            "importmap",
        ],
    ),
    ("json5", &["json5"]),
    ("jsonc", &["jsonc", "code-workspace"]),
    ("jsonl", &["jsonl", "ndjson"]),
    ("jsonnet", &["jsonnet", "libsonnet"]),
    ("jsx", &["jsx"]),
    ("julia", &["jl"]),
    ("just", &["just"]),
    ("kotlin", &["kt", "kts"]),
    ("latex", &["tex", "sty", "cls", "ltx"]),
    ("less", &["less"]),
    ("liquid", &["liquid"]),
    ("llvm", &["ll"]),
    ("lua", &["lua", "rockspec", "luau"]),
    ("makefile", &["mk", "mak", "make"]),
    ("markdown", &["md", "markdown", "mkd", "mdown"]),
    ("mdx", &["mdx"]),
    ("mermaid", &["mmd", "mermaid"]),
    ("mojo", &["mojo"]),
    ("moonbit", &["mbt", "mbti"]),
    ("nginx", &["nginx"]),
    ("nim", &["nim", "nims", "nimble"]),
    ("nix", &["nix"]),
    ("nushell", &["nu"]),
    ("objective-c", &["m"]),
    ("objective-cpp", &["mm"]),
    ("ocaml", &["ml", "mli", "mll", "mly"]),
    ("odin", &["odin"]),
    ("org", &["org"]),
    ("pascal", &["pas", "pp", "dpr", "lpr"]),
    ("perl", &["pl", "pm", "perl", "psgi"]),
    ("php", &["php", "phtml", "php3", "php4", "php5", "phpt"]),
    ("plantuml", &["puml", "plantuml", "iuml"]),
    ("powershell", &["ps1", "psm1", "psd1"]),
    ("prisma", &["prisma"]),
    ("prolog", &["pro", "prolog"]),
    ("properties", &["properties"]),
    ("protobuf", &["proto"]),
    ("pug", &["pug", "jade"]),
    ("purescript", &["purs"]),
    ("python", &["py", "pyi", "pyw"]),
    ("qml", &["qml"]),
    ("r", &["r", "rmd"]),
    ("racket", &["rkt"]),
    ("razor", &["cshtml", "razor"]),
    ("ron", &["ron"]),
    ("rst", &["rst"]),
    (
        "ruby",
        &["rb", "rake", "gemspec", "ru", "podspec", "rbi", "jbuilder"],
    ),
    ("rust", &["rs"]),
    ("sass", &["sass"]),
    ("scala", &["scala", "sc", "sbt"]),
    ("scheme", &["scm", "ss", "sld"]),
    ("scss", &["scss"]),
    ("smithy", &["smithy"]),
    ("solidity", &["sol"]),
    ("sql", &["sql", "psql", "ddl", "dml", "pgsql", "mysql"]),
    ("starlark", &["starlark"]),
    ("svelte", &["svelte"]),
    ("swift", &["swift"]),
    ("systemverilog", &["sv", "svh"]),
    ("tcl", &["tcl"]),
    ("terraform", &["tf", "tfvars"]),
    ("text", &["txt", "log"]),
    ("thrift", &["thrift"]),
    ("toml", &["toml"]),
    ("tsv", &["tsv"]),
    ("tsx", &["tsx"]),
    ("twig", &["twig"]),
    ("typescript", &["ts", "mts", "cts"]),
    ("typst", &["typ"]),
    ("v", &["vv", "vsh"]),
    ("vala", &["vala", "vapi"]),
    ("vb", &["vb", "vbs", "bas"]),
    ("verilog", &["v", "vh"]),
    ("vhdl", &["vhd", "vhdl"]),
    ("vim", &["vim"]),
    ("vue", &["vue"]),
    ("wat", &["wat", "wast"]),
    ("wgsl", &["wgsl"]),
    (
        "xml",
        &[
            "xml",
            "xsd",
            "xsl",
            "xslt",
            "svg",
            "plist",
            "csproj",
            "fsproj",
            "vbproj",
            "props",
            "targets",
            "xaml",
            "resx",
            "rss",
            "atom",
            "pom",
            "nuspec",
            "storyboard",
            "xib",
            "wsdl",
        ],
    ),
    ("yaml", &["yaml", "yml", "clang-format"]),
    ("zig", &["zig", "zon"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints() {
        for (name, expected) in [
            ("main.rs", "rust"),
            ("Dockerfile", "dockerfile"),
            ("Dockerfile.dev", "dockerfile"),
            ("Makefile", "makefile"),
            ("CMakeLists.txt", "cmake"),
            ("Cargo.lock", "toml"),
            ("Cargo.toml", "toml"),
            ("a.b.YML", "yaml"),
            (".gitignore", "gitignore"),
            ("README.md", "markdown"),
            ("unknown", ""),
            ("unknown.zzz", ""),
            ("", ""),
        ] {
            assert_eq!(hint(name), expected, "{name}");
        }
    }

    #[test]
    fn no_name_stands_twice() {
        for table in [BASENAMES, EXTENSIONS] {
            let mut names: Vec<_> = table.iter().flat_map(|(_, names)| *names).collect();
            let n_names = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), n_names);
        }
    }
}
