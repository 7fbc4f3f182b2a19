//! Ignore files compared with git itself.

use super::*;

/// Random ignore files over a small tree give what git itself gives.
#[test]
fn ignore_files_mean_what_they_mean_to_git() {
    const NAMES: [&str; 6] = ["a", "b", "ab", "a.c", "b]", "[a"];
    const PARTS: [&str; 22] = [
        "a",
        "b",
        "ab",
        "a.c",
        "*",
        "**",
        "a*",
        "*b",
        "*.c",
        "?",
        "a?",
        "[ab]",
        "[!a]*",
        "[^b]",
        "\\a",
        "*a*",
        "**.c",
        "[[:alpha:]]",
        "[a-]*",
        "b]",
        "[]b]",
        "[a",
    ];
    let project = Project::in_memory("");
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(arguments)
            .current_dir(project.dir())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    let dirs = ["", "a/", "b/", "ab/", "a/b/", "b/a/", "a/b/ab/"];
    for dir in dirs {
        fs::create_dir_all(project.join(dir)).unwrap();
    }
    for dir in dirs {
        for name in NAMES.map(|name| format!("{dir}{name}")) {
            if !project.join(&name).exists() {
                project.write(&name, "");
            }
        }
    }
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % n as u64).unwrap()
    };
    for round in 0..200 {
        let mut files = String::new();
        for dir in ["", "a/", "a/b/"] {
            let mut lines = String::new();
            for _ in 0..below(6) {
                let start = ["", "", "", "/", "!", "!", "!/"][below(7)];
                let parts: Vec<&str> = (0..=below(3)).map(|_| PARTS[below(PARTS.len())]).collect();
                let end = ["", "", "", "/", " ", "/**", "\\ ", "\r"][below(8)];
                lines.push_str(&format!("{start}{}{end}\n", parts.join("/")));
            }
            files.push_str(&format!("--- {dir}\n{lines}"));
            project.write(&format!("{dir}.gitignore"), lines);
        }
        let mut expected: Vec<String> = git(&["ls-files", "--others", "--exclude-standard", "-z"])
            .split_terminator('\0')
            .map(str::to_owned)
            .collect();
        expected.sort();
        let found = found(
            &project.root(""),
            SelectionSpec {
                default_patterns: false,
                ..SelectionSpec::default()
            },
        );
        let got: Vec<&str> = found.wanted.iter().map(|c| c.path.as_str()).collect();
        assert_eq!(got, expected, "round {round}\n{files}");
    }
}
