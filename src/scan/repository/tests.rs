//! Tests of `repository`.

use super::*;

#[test]
fn excludes_of_the_configuration() {
    for (config, expected) in [
        ("", None),
        ("[core]\n\texcludesFile = ~/x\n", Some("~/x")),
        ("[CORE]\nexcludesfile=/a b # c\n", Some("/a b")),
        ("[core] excludesFile = \"/a # b\" ; c\n", Some("/a # b")),
        (
            "[core]\nexcludesFile = /a\n[core]\nexcludesFile = /b\n",
            Some("/b"),
        ),
        ("[user]\nexcludesFile = /a\n", None),
        ("[core \"x\"]\nexcludesFile = /a\n", None),
        (
            "[alias]\n\tx = ![ -f a ]\n[core]\nexcludesFile = /a\n",
            Some("/a"),
        ),
        ("[core]\n# excludesFile = /a\n", None),
    ] {
        assert_eq!(excludes_file(config).as_deref(), expected, "{config}");
    }
}

#[test]
fn the_global_file() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let xdg = home.join("xdg");
    fs::create_dir_all(xdg.join("git")).unwrap();
    let ask = |xdg| global_excludes(Some(home), xdg).unwrap();
    assert_eq!(ask(None), home.join(".config/git/ignore"));
    assert_eq!(ask(Some(xdg.as_path())), xdg.join("git/ignore"));
    assert_eq!(
        ask(Some(Path::new("relative"))),
        home.join(".config/git/ignore")
    );
    fs::write(xdg.join("git/config"), "[core]\nexcludesFile = /one\n").unwrap();
    assert_eq!(ask(Some(xdg.as_path())), Path::new("/one"));
    fs::write(home.join(".gitconfig"), "[core]\nexcludesFile = ~/two\n").unwrap();
    assert_eq!(ask(Some(xdg.as_path())), home.join("two"));
    assert_eq!(global_excludes(None, None), None);
}

#[test]
fn finding_the_repository() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    fs::create_dir_all(dir.join("work/a/b")).unwrap();
    fs::create_dir_all(dir.join("work/.git")).unwrap();
    let found = find(&dir.join("work/a/b")).unwrap();
    assert_eq!(found.work_tree, dir.join("work"));
    assert_eq!(found.exclude, dir.join("work/.git/info/exclude"));
    // A broken pointer is no repository; the search goes on above.
    fs::write(dir.join("work/a/.git"), "nonsense").unwrap();
    assert_eq!(find(&dir.join("work/a/b")), Some(found));
}
