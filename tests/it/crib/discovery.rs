//! Discovery files that must not be trusted, and processes that are not the recorded one.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use moon_repomix::cancel::Cancel;
use moon_repomix::crib::client::Service;
use moon_repomix::crib::fault::Code;
use moon_repomix::crib::wire::ListArgs;
use serde_json::{Value, json};

use super::crib_host::{Host, base64url, process_start, random};
use super::{code, list};

type Spoil = fn(&Host);

/// What is wrong with a file is seen before a socket is opened.
#[test]
fn unsafe_files_are_refused() {
    use Code::{DiscoveryUnsafe, LocalApiUnavailable};

    let mode = |bits| Permissions::from_mode(bits);
    for role in ["status.json", "access-key"] {
        for (name, code_wanted) in [
            ("symlink", DiscoveryUnsafe),
            ("hard link", DiscoveryUnsafe),
            ("0640", DiscoveryUnsafe),
            ("0604", DiscoveryUnsafe),
            ("0620", DiscoveryUnsafe),
            ("fifo", DiscoveryUnsafe),
            ("directory", DiscoveryUnsafe),
            ("oversize", DiscoveryUnsafe),
            ("truncated", DiscoveryUnsafe),
            ("empty", DiscoveryUnsafe),
            ("owner", DiscoveryUnsafe),
            ("missing", LocalApiUnavailable),
        ] {
            let host = Host::start();
            let (path, aside) = (host.api().join(role), host.beside("aside"));
            let content = fs::read(&path).unwrap();
            match name {
                "symlink" => {
                    fs::rename(&path, &aside).unwrap();
                    symlink(&aside, &path).unwrap();
                }
                "hard link" => fs::hard_link(&path, &aside).unwrap(),
                "0640" | "0604" | "0620" => {
                    let bits = u32::from_str_radix(name, 8).unwrap();
                    fs::set_permissions(&path, mode(bits)).unwrap();
                }
                "fifo" => {
                    fs::remove_file(&path).unwrap();
                    let made = Command::new("mkfifo")
                        .args(["-m", "600"])
                        .arg(&path)
                        .status();
                    assert!(made.unwrap().success());
                }
                "directory" => {
                    fs::remove_file(&path).unwrap();
                    fs::create_dir(&path).unwrap();
                    fs::set_permissions(&path, mode(0o700)).unwrap();
                }
                "oversize" => host.put(role, &[content, vec![b' '; 16 * 1024]].concat()),
                "truncated" => host.put(role, &content[..content.len() / 2]),
                "empty" => host.put(role, b""),
                "owner" if chown(&path, Some(12_345), None).is_err() => continue,
                "owner" => {}
                _ => fs::remove_file(&path).unwrap(),
            }
            assert_eq!(code(list(&host)), code_wanted, "{role}: {name}");
            assert_eq!(host.connections(), 0, "{role}: {name}");
        }
    }
}

#[test]
fn unsafe_directories_are_refused() {
    let mode = |path, bits| fs::set_permissions(path, Permissions::from_mode(bits)).unwrap();
    let make_link = |path: PathBuf, host: &Host| {
        fs::rename(&path, host.beside("aside")).unwrap();
        symlink(host.beside("aside"), &path).unwrap();
    };
    let cases: [(&str, Spoil); 7] = [
        ("api 0750", |host| {
            fs::set_permissions(host.api(), Permissions::from_mode(0o750)).unwrap();
        }),
        ("api 0701", |host| {
            fs::set_permissions(host.api(), Permissions::from_mode(0o701)).unwrap();
        }),
        ("user data 0775", |host| {
            fs::set_permissions(host.user_data(), Permissions::from_mode(0o775)).unwrap();
        }),
        ("user data 0757", |host| {
            fs::set_permissions(host.user_data(), Permissions::from_mode(0o757)).unwrap();
        }),
        ("api is a file", |host| {
            fs::rename(host.api(), host.beside("aside")).unwrap();
            fs::write(host.api(), b"").unwrap();
        }),
        ("nothing", |_| ()),
        ("user data 0700", |host| {
            fs::set_permissions(host.user_data(), Permissions::from_mode(0o700)).unwrap();
        }),
    ];
    for (name, spoil) in cases {
        let host = Host::start();
        spoil(&host);
        let sound = matches!(name, "nothing" | "user data 0700");
        let outcome = list(&host).map_err(|f| code::<()>(Err(f))).err();
        assert_eq!(outcome, (!sound).then_some(Code::DiscoveryUnsafe), "{name}");
        host.judge();
    }
    for place in [Host::api as fn(&Host) -> PathBuf, Host::user_data] {
        let host = Host::start();
        make_link(place(&host), &host);
        assert_eq!(code(list(&host)), Code::DiscoveryUnsafe);
        let slash = format!("{}/", host.user_data().display());
        let answer =
            Service::new(slash.into()).list(&ListArgs::parse("{}").unwrap(), &Cancel::never());
        assert_eq!(
            code(answer),
            Code::DiscoveryUnsafe,
            "a trailing slash follows no link"
        );
        assert_eq!(host.connections(), 0);
        if chown(host.beside("aside"), Some(12_345), None).is_ok() {
            fs::remove_file(place(&host)).unwrap();
            fs::rename(host.beside("aside"), place(&host)).unwrap();
            assert_eq!(code(list(&host)), Code::DiscoveryUnsafe, "owner");
        }
        mode(host.beside(""), 0o700);
    }
    let absent = Service::new(Host::start().beside("absent"));
    let answer = absent.list(&ListArgs::parse("{}").unwrap(), &Cancel::never());
    assert_eq!(code(answer), Code::LocalApiUnavailable);
}

#[test]
fn broken_status_files_are_refused() {
    use Code::{ApiIncompatible, DiscoveryUnsafe, LocalApiUnavailable};

    let host = Host::start();
    let port = host.port();
    for (field, value, wanted) in [
        ("port", json!(80), DiscoveryUnsafe),
        ("port", json!(0), DiscoveryUnsafe),
        ("port", json!(1023), DiscoveryUnsafe),
        ("port", json!(65_536), DiscoveryUnsafe),
        ("port", json!(65_536 + u32::from(port)), DiscoveryUnsafe),
        ("port", json!(port.to_string()), DiscoveryUnsafe),
        ("port", json!(f64::from(port) + 0.5), DiscoveryUnsafe),
        ("host", json!("localhost"), DiscoveryUnsafe),
        ("host", json!("127.0.0.2"), DiscoveryUnsafe),
        ("host", json!("127.1"), DiscoveryUnsafe),
        ("host", json!("::1"), DiscoveryUnsafe),
        ("pid", json!(1), DiscoveryUnsafe),
        ("pid", json!(-1), DiscoveryUnsafe),
        ("pid", json!(1_u64 << 31), DiscoveryUnsafe),
        ("instance_id", json!("A".repeat(32)), DiscoveryUnsafe),
        ("instance_id", json!("a".repeat(31)), DiscoveryUnsafe),
        ("key_id", json!("0".repeat(16)), DiscoveryUnsafe),
        ("key_id", Value::Null, DiscoveryUnsafe),
        ("app_version", json!("v".repeat(65)), DiscoveryUnsafe),
        ("process_start", json!(7), DiscoveryUnsafe),
        ("process_start", json!("linux:other:1"), LocalApiUnavailable),
        ("schema", json!(2), ApiIncompatible),
    ] {
        let mut status = host.status();
        status[field] = value.clone();
        host.put("status.json", status.to_string().as_bytes());
        assert_eq!(code(list(&host)), wanted, "{field} {value}");
    }
    let sound = host.status().to_string();
    let repeated = sound.replacen('{', "{\"port\":8080,", 1);
    let nested = sound.replacen('{', "{\"x\":{\"a\":1,\"a\":1},", 1);
    for bad in [repeated, nested, format!("[{sound}]"), format!("{sound}x")] {
        host.put("status.json", bad.as_bytes());
        assert_eq!(code(list(&host)), DiscoveryUnsafe, "{bad}");
    }
    host.put("status.json", sound.as_bytes());
    let key = host.key_text();
    for bad in [
        format!("{key}="),
        format!("{key}\n\n"),
        format!("{key}\r\n"),
        format!(" {key}"),
        format!("+{}", &key[1..]),
        key[..42].to_owned(),
        base64url(&random()),
    ] {
        host.put("access-key", bad.as_bytes());
        assert_eq!(code(list(&host)), DiscoveryUnsafe);
    }
    assert_eq!(host.connections(), 0);

    host.put("access-key", key.as_bytes());
    let padded = format!("{sound:16384}");
    host.put("status.json", padded.as_bytes());
    list(&host).expect("a key without line feed, and a status file of just the limit");
    host.judge();
}

#[test]
fn only_the_recorded_process_is_trusted() {
    let host = Host::start();
    let try_pid = |pid: u32, start: &str| {
        let mut status = host.status();
        status["pid"] = json!(pid);
        status["process_start"] = json!(start);
        host.put("status.json", status.to_string().as_bytes());
        let answer = code(list(&host));
        assert_eq!(host.connections(), 0);
        answer
    };
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let (pid, start) = (child.id(), process_start(child.id()));
    let own = process_start(std::process::id());
    assert_eq!(
        try_pid(pid, &own),
        Code::LocalApiUnavailable,
        "another start mark"
    );
    assert_eq!(
        try_pid(pid, &start[..start.len() - 1]),
        Code::LocalApiUnavailable
    );

    // Its input ends, it ends, and it stays a zombie until it is waited for.
    drop(child.stdin.take());
    let ended = Instant::now();
    while is_running(pid) {
        assert!(ended.elapsed() < Duration::from_secs(10));
        thread::yield_now();
    }
    assert_eq!(try_pid(pid, &start), Code::LocalApiUnavailable, "zombie");
    child.wait().unwrap();
    assert_eq!(try_pid(pid, &start), Code::LocalApiUnavailable, "gone");

    let mut status = host.status();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    status["port"] = json!(free.local_addr().unwrap().port());
    drop(free);
    host.put("status.json", status.to_string().as_bytes());
    assert_eq!(
        code(list(&host)),
        Code::LocalApiUnavailable,
        "nobody listens"
    );
    host.judge();
}

/// Whether the process has not ended yet, by the system's own tool.
fn is_running(pid: u32) -> bool {
    let shown = Command::new("ps")
        .args(["-o", "stat=", "-p", &pid.to_string()])
        .output();
    !String::from_utf8(shown.unwrap().stdout)
        .unwrap()
        .trim()
        .starts_with('Z')
}

/// Files that are replaced without pause: a call succeeds or is refused, and goes nowhere else.
#[test]
fn replacement_during_calls_is_harmless() {
    let host = Host::start();
    let (status, key) = (host.status().to_string(), host.key_text());
    let over = Cancel::new();
    let succeeded = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.is_set() {
                host.put("status.json", status.as_bytes());
                host.put("access-key", key.as_bytes());
            }
        });
        let outcomes: Vec<Option<Code>> = (0..40)
            .map(|_| list(&host).map_err(|f| code::<()>(Err(f))).err())
            .collect();
        over.set();
        assert!(
            outcomes
                .iter()
                .all(|outcome| matches!(outcome, None | Some(Code::DiscoveryUnsafe))),
            "{outcomes:?}"
        );
        outcomes.iter().filter(|outcome| outcome.is_none()).count()
    });
    assert!(succeeded > 0);
    host.judge();
}
