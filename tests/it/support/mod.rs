//! What several test files share.

pub(crate) mod parse;
pub(crate) mod server;

use std::fs;
use std::path::{Path, PathBuf};

use moon_repomix::options::HostOptions;
use moon_repomix::path::RelPath;
use moon_repomix::root::Root;
use moon_repomix::scan::select::{Selection, SelectionSpec};

/// A tree of files in a temporary directory, removed at the end.
pub(crate) struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    /// Builds a tree from one string: a line `//- path` begins a file, the lines up to the next
    /// header are its content, and a path that ends in `/` is an empty directory. The indentation
    /// of the first header is removed from every line.
    pub(crate) fn new(tree: &str) -> Self {
        Self::build(tempfile::tempdir().unwrap(), tree)
    }

    /// The same in a file system in memory, where there is one: for trees with many names.
    pub(crate) fn in_memory(tree: &str) -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::build(dir.unwrap(), tree)
    }

    fn build(dir: tempfile::TempDir, tree: &str) -> Self {
        let project = Self { dir };
        let indent = tree
            .lines()
            .find_map(|line| line.find("//- "))
            .unwrap_or_default();
        let mut open: Option<(&str, String)> = None;
        for line in tree.lines() {
            let line = line.get(indent..).unwrap_or_default();
            if let Some(path) = line.strip_prefix("//- ") {
                project.finish(open.replace((path.trim_end(), String::new())));
            } else if let Some((_, text)) = &mut open {
                text.push_str(line);
                text.push('\n');
            }
        }
        // The last line of the string holds only the indentation of the closing quote.
        if let Some((_, text)) = &mut open
            && tree.ends_with(' ')
        {
            text.pop();
        }
        project.finish(open);
        project
    }

    fn finish(&self, file: Option<(&str, String)>) {
        match file {
            Some((path, _)) if path.ends_with('/') => {
                fs::create_dir_all(self.join(path)).unwrap();
            }
            Some((path, text)) => self.write(path, text),
            None => {}
        }
    }

    /// Writes one file, with the directories that lead to it.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Sets the permissions of a file or directory.
    #[cfg(unix)]
    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(self.join(path), mode).unwrap();
    }

    /// The directory of the tree.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// An absolute path in the tree.
    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// The tree, or a directory of it, as a root.
    pub(crate) fn root(&self, path: &str) -> Root {
        Root::open(&self.join(path)).unwrap()
    }
}

/// A host of the tree with these rules.
pub(crate) fn host(project: &Project, spec: SelectionSpec) -> HostOptions {
    HostOptions::new(project.root(""), Selection::new(spec).unwrap())
}

/// A host of the tree with the rules that hold when nothing is said.
pub(crate) fn plain_host(project: &Project) -> HostOptions {
    host(project, SelectionSpec::default())
}

/// A host whose tree tells about this very process. Its `mem` is a file of no bytes; what stands at
/// its beginning cannot be read.
#[cfg(target_os = "linux")]
pub(crate) fn own_process() -> HostOptions {
    let root = Root::open(Path::new("/proc/self")).unwrap();
    let selection = Selection::new(SelectionSpec::default()).unwrap();
    HostOptions::new(root, selection)
}

/// Tokens by the reference tokenizer.
pub(crate) fn reference(text: &str) -> u64 {
    let counted = tiktoken_rs::o200k_base_singleton().encode_ordinary(text);
    counted.len() as u64
}

/// What the scan takes for a secret; put together here so that no file holds one.
pub(crate) fn token() -> String {
    format!("{}{}", "ghp", "_16C7e42F292c6912E7710c838347Ae178B4a")
}

/// A checked path.
pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

/// Whether permissions bind this process. They do not bind root: then the test `name` is run in a
/// child process as the user nobody, its failure is this test's failure, and the answer is no.
#[cfg(unix)]
pub(crate) fn is_ordinary_user(name: &str) -> bool {
    use std::os::unix::process::CommandExt;

    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    // Setting a user also drops the supplementary groups.
    child.args([name, "--exact"]).uid(NOBODY).gid(NOBODY);
    let output = match child.output() {
        Ok(output) => output,
        // The build directory is private to root, so there is nothing that nobody can start.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return false,
        Err(error) => panic!("{error}"),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "no test {name}: {said}");
    false
}
