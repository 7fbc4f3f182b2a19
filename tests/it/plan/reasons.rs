//! Every reason for which a path is left out or stands in another form, in the audit of a plan.

use super::*;
use crate::support::rel;

/// Text that the scan takes for a secret; put together here so that this file holds none.
fn secret() -> String {
    format!(
        "token = \"{}_{}\"\n",
        "ghp", "a8Kd02mXq7Lr5TzW9bYc3NvE6hJs1PfU4gQ0"
    )
}

#[test]
fn secrets() {
    let project = Project::new("");
    project.write("clean.py", python("clean", 2));
    project.write("flagged.py", format!("import os\n{}", secret()));
    let mut host = plain_host(&project);
    let optional = one(
        json!([item("clean.py", "full")]),
        json!([item("flagged.py", "either")]),
        16_000,
    );
    let required = one(
        json!([item("clean.py", "full"), item("flagged.py", "skeleton")]),
        json!([]),
        16_000,
    );
    let check = |audit: &Value| {
        let shown = file(audit, "flagged.py");
        assert_eq!(shown["stage"], "security");
        assert_eq!(shown["reason"], "SecretDetected");
        assert_eq!(shown["findings"][0]["startLine"], 2);
        let members: Vec<&String> = shown.as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            [
                "delivered",
                "demands",
                "findings",
                "path",
                "reason",
                "stage"
            ]
        );
        assert_eq!(audit["security"]["status"], "flagged");
        assert_eq!(audit["security"]["scannedFiles"], 2);
        assert_eq!(audit["security"]["flaggedFiles"], 1);
        assert!(!audit.to_string().contains("a8Kd02mX"));
    };
    let (audit, success) = run(&host, &optional);
    check(&audit);
    assert_eq!(audit["status"], "with_omissions");
    assert!(!success.unwrap().text.contains("a8Kd02mX"));
    let (audit, success) = run(&host, &required);
    check(&audit);
    assert_eq!(audit["status"], "required_unavailable");
    assert!(success.is_none());
    host.header = Some(secret());
    assert!(matches!(
        try_plan(&host, &optional),
        Err(Error::SecretInText { .. })
    ));
    host.header = None;
    host.security = false;
    let (audit, success) = run(&host, &optional);
    assert_eq!(
        audit["security"],
        json!({"status": "disabled", "scannedFiles": 0, "flaggedFiles": 0, "detectors": []})
    );
    assert!(success.unwrap().text.contains("a8Kd02mX"));
}

#[test]
fn every_reason() {
    let project = Project::new("");
    project.write("kept.py", python("kept", 3));
    project.write("short.py", "x = 1\n");
    project.write("some.py", python("some", 6));
    project.write("prose.txt", "prose\n");
    project.write("dir/file", "x");
    project.write("binary", b"\0\x01\x02\xff\xfe\0\0");
    project.write("legacy", b"\xff\xfe\x00");
    project.write("own", "<!-- moon-repomix-document 1 -->\n");
    project.write("large", "x".repeat(5_000));
    project.write("ignored.log", "x");
    project.write("out/side", "x");
    project.write(".gitignore", "*.log\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("prose.txt", project.join("link")).unwrap();
    let spec = |list: Option<Vec<_>>| SelectionSpec {
        keep_full: vec!["kept.py".to_owned()],
        ignore: vec!["out/".to_owned()],
        list,
        ..SelectionSpec::default()
    };
    let mut host = host(&project, spec(None));
    host.input.file_bytes = 4_000;
    for (path, mode, delivered, stage, reason) in [
        ("kept.py", "skeleton", "full", None, "KeepFull"),
        ("kept.py", "full", "full", None, "KeepFull"),
        ("short.py", "skeleton", "full", None, "SkeletonNotSmaller"),
        ("some.py", "skeleton", "skeleton", None, "Skeleton"),
        ("some.py", "full", "full", None, "Full"),
        (
            "prose.txt",
            "skeleton",
            "full",
            None,
            "SkeletonUnsupportedLanguage",
        ),
        ("prose.txt", "full", "full", None, "Full"),
        ("gone", "full", "none", Some("resolve"), "NotFound"),
        ("dir", "full", "none", Some("resolve"), "NotRegularFile"),
        (
            "PROSE.txt",
            "full",
            "none",
            Some("resolve"),
            "SpellingMismatch",
        ),
        (
            "link",
            "full",
            "none",
            Some("resolve"),
            "SymlinkNotFollowed",
        ),
        ("ignored.log", "full", "none", Some("ignore"), "Ignored"),
        ("out/side", "full", "none", Some("ignore"), "Ignored"),
        ("binary", "full", "none", Some("type"), "Binary"),
        (
            "legacy",
            "full",
            "none",
            Some("type"),
            "UnsupportedEncoding",
        ),
        ("own", "full", "none", Some("type"), "OwnOutput"),
        ("large", "full", "none", Some("size"), "FileTooLarge"),
    ] {
        if cfg!(not(unix)) && path == "link" {
            continue;
        }
        for is_required in [true, false] {
            let wish = json!([item(path, mode)]);
            let arguments = match is_required {
                true => one(wish, json!([]), 16_000),
                false => one(json!([]), wish, 16_000),
            };
            let (audit, success) = run(&host, &arguments);
            let shown = file(&audit, path);
            assert_eq!(shown["delivered"], delivered, "{path}");
            assert_eq!(shown.get("stage").and_then(Value::as_str), stage, "{path}");
            assert_eq!(shown["reason"], reason, "{path}");
            assert_eq!(success.is_some(), stage.is_none() || !is_required, "{path}");
            let status = match (stage, is_required) {
                (None, _) => "complete",
                (Some(_), true) => "required_unavailable",
                (Some(_), false) => "with_omissions",
            };
            assert_eq!(audit["status"], status, "{path}");
        }
    }
    let ignored = run(
        &host,
        &one(json!([]), json!([item("ignored.log", "full")]), 16_000),
    )
    .0;
    assert_eq!(
        file(&ignored, "ignored.log")["rule"],
        json!({"source": "ignore_file", "file": ".gitignore", "line": 1})
    );
    let listed = self::host(&project, spec(Some(vec![rel("some.py")])));
    let (audit, _) = run(
        &listed,
        &one(
            json!([]),
            json!([item("prose.txt", "full"), item("some.py", "full")]),
            16_000,
        ),
    );
    assert_eq!(
        outcomes(&audit),
        ["prose.txt none list NotListed", "some.py full - Full"]
    );
    let included = self::host(
        &project,
        SelectionSpec {
            include: vec!["*.py".to_owned()],
            ..SelectionSpec::default()
        },
    );
    let (audit, _) = run(
        &included,
        &one(json!([]), json!([item("prose.txt", "full")]), 16_000),
    );
    assert_eq!(outcomes(&audit), ["prose.txt none include NotIncluded"]);
}

/// What may not be opened. As root this runs in a child process that is an ordinary user.
#[cfg(unix)]
#[test]
fn permission_denied() {
    if !crate::support::is_ordinary_user("plan::reasons::permission_denied") {
        return;
    }
    let project = Project::new("//- open\ntext\n//- shut/inside\ntext\n");
    project.write("closed", "text\n");
    project.set_mode("closed", 0o000);
    project.set_mode("shut", 0o000);
    let host = plain_host(&project);
    for path in ["closed", "shut/inside"] {
        unreadable(&host, "open", path, "PermissionDenied", 5);
    }
    project.set_mode("shut", 0o755);
}

#[cfg(target_os = "linux")]
#[test]
fn read_failed() {
    let host = crate::support::own_process();
    let wish = || json!([item("mem", "full")]);
    for (arguments, status) in [
        (one(wish(), json!([]), 16_000), "required_unavailable"),
        (one(json!([]), wish(), 16_000), "with_omissions"),
    ] {
        let (audit, _) = run(&host, &arguments);
        assert_eq!(audit["status"], status);
        assert_eq!(outcomes(&audit), ["mem none read ReadFailed"]);
    }
}

/// `bad` is left out for `reason` beside the file `good`, and nothing else can be had when it is
/// required.
#[cfg(unix)]
fn unreadable(host: &HostOptions, good: &str, bad: &str, reason: &str, read_bytes: u64) {
    let wish = |path| json!([item(path, "full")]);
    let (audit, success) = run(host, &one(wish(good), wish(bad), 16_000));
    assert!(success.is_some());
    assert_eq!(audit["status"], "with_omissions");
    let shown = file(&audit, bad);
    assert_eq!(shown["delivered"], "none");
    assert_eq!(
        (&shown["stage"], &shown["reason"]),
        (&json!("read"), &json!(reason))
    );
    assert_eq!(tokens(&audit["limits"], "readBytes"), Some(read_bytes));
    let (audit, success) = run(host, &one(wish(bad), wish(good), 16_000));
    assert!(success.is_none());
    assert_eq!(audit["status"], "required_unavailable");
    assert_eq!(outcomes(&audit), [format!("{bad} none read {reason}")]);
    assert_eq!(tokens(&audit["limits"], "readBytes"), Some(0));
}
