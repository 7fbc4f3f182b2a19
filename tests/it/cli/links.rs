//! A repository that was only cloned chooses neither where the result goes nor what it replaces.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{Ran, sample, words};
use crate::support::Project;

/// A repository in `repo` beside what it must not reach.
fn hostile() -> Project {
    Project::new(
        r#"
        //- home/.bashrc
        alias ll='ls -l'
        //- home/empty/.keep
        //- repo/a.txt
        Some text.
        "#,
    )
}

/// Runs with the repository as the current directory.
fn inside(project: &Project, line: &str) -> Ran {
    let mut command = super::program(&project.join("repo"));
    command.args(line.split_whitespace());
    super::finish(command, b"")
}

#[track_caller]
fn untouched(project: &Project) {
    let shell = fs::read_to_string(project.join("home/.bashrc")).unwrap();
    assert_eq!(shell, "alias ll='ls -l'\n");
    let n_files = |dir: &str| fs::read_dir(project.join(dir)).unwrap().count();
    assert_eq!((n_files("home"), n_files("home/empty")), (2, 1));
}

fn link(project: &Project, target: &str, name: &str) {
    symlink(target, project.join("repo").join(name)).unwrap();
}

const BY_LINK: &str = "is a link or lies behind one, which only a path given with -o may follow\n";

#[test]
fn the_default_name_is_never_followed() {
    let project = hostile();
    for target in ["../home/.bashrc", "../home/new", "../home/empty"] {
        link(&project, target, "moon-repomix-output.xml");
        let text = inside(&project, ".").fails(1);
        assert_eq!(text, format!("error: moon-repomix-output.xml {BY_LINK}"));
        untouched(&project);
        fs::remove_file(project.join("repo/moon-repomix-output.xml")).unwrap();
    }
    // The same from elsewhere: the current directory is the place.
    symlink("home/.bashrc", project.join("moon-repomix-output.xml")).unwrap();
    let text = words(&project, "repo").fails(1);
    assert_eq!(text, format!("error: moon-repomix-output.xml {BY_LINK}"));
    untouched(&project);
    // A path that somebody typed is followed, whatever it is.
    words(&project, "repo -o moon-repomix-output.xml").ok();
    let shell = fs::read_to_string(project.join("home/.bashrc")).unwrap();
    assert!(shell.starts_with("<repository"));
}

#[test]
fn the_default_directory_of_volumes_is_never_followed() {
    let project = hostile();
    link(&project, "../home/empty", "moon-repomix-output");
    let text = inside(&project, "--split 2k").fails(1);
    assert_eq!(text, format!("error: moon-repomix-output {BY_LINK}"));
    untouched(&project);
    fs::remove_file(project.join("repo/moon-repomix-output")).unwrap();
    fs::create_dir(project.join("repo/moon-repomix-output")).unwrap();
    for name in ["volume-001.xml", "index.json"] {
        link(
            &project,
            "../../home/.bashrc",
            &format!("moon-repomix-output/{name}"),
        );
        let text = inside(&project, "--split 2k").fails(1);
        assert_eq!(text, format!("error: moon-repomix-output/{name} {BY_LINK}"));
        untouched(&project);
        fs::remove_file(project.join("repo/moon-repomix-output").join(name)).unwrap();
    }
    inside(&project, "--split 2k").ok();
    // Typed, the directory may be a link; what stands in it is still replaced only if it is ours.
    link(&project, "../home/empty", "typed");
    inside(&project, "--split 2k -o typed").ok();
    assert!(project.join("home/empty/volume-001.xml").exists());
}

#[test]
fn a_configured_place_is_never_behind_a_link() {
    let project = hostile();
    link(&project, "../home", "there");
    link(&project, "../home/.bashrc", "shell");
    link(&project, ".", "here");
    let root = project.join("repo").canonicalize().unwrap();
    for (path, shown) in [
        ("there/.bashrc", "there"),
        ("there/new/x.xml", "there"),
        ("shell", "shell"),
        ("here/x.xml", "here"),
        ("new/../there/x", "new/../there/x"),
    ] {
        for named in [false, true] {
            for split in [false, true] {
                let division = if split { Some(1_000) } else { None };
                let config = serde_json::json!({
                    "output": { "filePath": path, "headerText": "id", "splitTokens": division }
                });
                let mut config = config;
                if division.is_none() {
                    config["output"]
                        .as_object_mut()
                        .unwrap()
                        .remove("splitTokens");
                }
                project.write("repo/repomix.config.json", config.to_string());
                let line = if named {
                    "--config repomix.config.json"
                } else {
                    ""
                };
                let ran = inside(&project, line);
                let wanted = format!("error: {} {BY_LINK}", root.join(shown).display());
                if path.contains("..") {
                    assert_ne!(ran.code, 0, "{path}");
                } else {
                    assert_eq!(ran.fails(1), wanted, "{path}");
                }
                untouched(&project);
            }
        }
    }
}

#[test]
fn nothing_of_another_program_is_replaced_by_default() {
    let project = sample();
    for (text, name) in [
        ("mine\n", "moon-repomix-output.xml"),
        ("", "moon-repomix-output.md"),
    ] {
        project.write(name, text);
        let style = if name.ends_with("md") { "-f md" } else { "" };
        let told = words(&project, style).fails(1);
        assert_eq!(
            told,
            format!(
                "error: {name} was not written by moon-repomix and is left alone; -o names another place\n"
            )
        );
        assert_eq!(fs::read_to_string(project.join(name)).unwrap(), text);
    }
    // Typed, it is replaced.
    words(&project, "-o moon-repomix-output.xml").ok();
    // What this program wrote is replaced.
    words(&project, "").ok();
    // A pipe in its place is neither opened nor written.
    fs::remove_file(project.join("moon-repomix-output.md")).unwrap();
    make_pipe(&project.join("moon-repomix-output.md"));
    let told = words(&project, "-f md").fails(1);
    assert!(
        told.contains("moon-repomix-output.md was not written by"),
        "{told}"
    );
}

#[test]
fn a_typed_link_is_followed_to_a_file_that_does_not_exist_yet() {
    let project = sample();
    fs::create_dir(project.join("real")).unwrap();
    symlink("real/new.xml", project.join("one.xml")).unwrap();
    symlink("one.xml", project.join("two.xml")).unwrap();
    words(&project, "-o two.xml").ok();
    for name in ["one.xml", "two.xml"] {
        assert!(
            fs::symlink_metadata(project.join(name))
                .unwrap()
                .is_symlink()
        );
    }
    let text = fs::read_to_string(project.join("real/new.xml")).unwrap();
    assert!(text.starts_with("<repository"));
    // Links in a circle lead nowhere.
    symlink("b", project.join("a")).unwrap();
    symlink("a", project.join("b")).unwrap();
    let told = words(&project, "-o a").fails(1);
    assert!(told.starts_with("error: a cannot be written: "), "{told}");
}

#[test]
fn the_mode_of_what_is_replaced_stays() {
    let project = sample();
    for mode in [0o600, 0o640, 0o666] {
        words(&project, "").ok();
        let path = project.join("moon-repomix-output.xml");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        words(&project, "").ok();
        let now = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(now & 0o7777, mode);
    }
}

fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}
