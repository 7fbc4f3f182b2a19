//! The documentation client over real sockets, against a stub of the service.
//!
//! After every case the stub judges all that its sockets received: in a hostile case no part of
//! the key may be among it, in a sound one only in the header that is meant for it.

#![cfg(all(feature = "crib", unix))]

#[path = "support/crib_host/mod.rs"]
pub(crate) mod crib_host;
mod discovery;

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use moon_repomix::cancel::Cancel;
use moon_repomix::crib::answer::{Docsets, Hits, Section};
use moon_repomix::crib::client::Service;
use moon_repomix::crib::fault::{Code, Failure};
use moon_repomix::crib::wire::{ListArgs, LoadArgs, SearchArgs};
use serde_json::{Value, json};

use crib_host::{Fault, Host, documents};

type Answer<T> = Result<T, Failure>;

/// Time for calls that must not be seen to run out of it.
const ENOUGH: Duration = Duration::from_secs(8);

fn service(host: &Host) -> Service {
    Service::new(host.user_data()).with_time(ENOUGH)
}

fn list(host: &Host) -> Answer<Docsets> {
    let args = ListArgs::parse("{}")?;
    service(host).list(&args, &Cancel::never())
}

fn search(host: &Host, args: &Value) -> Answer<Hits> {
    let args = SearchArgs::parse(&args.to_string())?;
    service(host).search(&args, &Cancel::never())
}

fn load(host: &Host, args: &Value) -> Answer<Section> {
    let args = LoadArgs::parse(&args.to_string())?;
    service(host).load(&args, &Cancel::never())
}

/// The fault of a failed call, after a look for what must never stand in one.
fn fault<T: std::fmt::Debug>(answer: Answer<T>) -> moon_repomix::crib::fault::Fault {
    match answer {
        Err(Failure::Fault(fault)) => {
            let text = serde_json::to_string(&fault).unwrap();
            for secret in ["host text", "/tmp", "nonce", "127.0.0.1"] {
                assert!(!text.contains(secret), "{text}");
            }
            fault
        }
        other => panic!("not a fault: {other:?}"),
    }
}

fn code<T: std::fmt::Debug>(answer: Answer<T>) -> Code {
    fault(answer).code
}

#[test]
fn list_search_and_load() {
    let host = Host::start();
    let sets = list(&host).unwrap();
    assert_eq!(sets.generation, host.generation());
    assert_eq!(json!(sets), documents::list(&host.generation()));
    let branches: Vec<&str> = sets.docsets.iter().map(|set| &*set.branch).collect();
    assert_eq!(branches, ["18", "18", "17", "17", "9.6"]);

    let hits = search(&host, &json!({"text": "rank over"})).unwrap();
    assert_eq!((hits.limit, hits.offset, hits.has_more), (20, 0, false));
    assert_eq!(hits.query.branch.as_deref(), Some("18"));
    assert_eq!(hits.query.locale.as_deref(), Some("zh-Hans"));
    assert_eq!(hits.results[0].section_key, "postgresql-18-zh:01");

    let args = json!({"section_key": hits.results[0].section_key, "generation": hits.generation});
    let section = load(&host, &args).unwrap();
    assert_eq!(section.title, "Window functions");
    assert_eq!((section.length, section.next_offset), (section.total, None));
    assert_eq!(host.times_key_sent(), 3);
    assert_eq!(host.connections(), 3, "one connection for a call");
    host.judge();
}

#[test]
fn members_come_in_documented_order() {
    let host = Host::start();
    host.fault(Fault::UnknownMember);
    let text = serde_json::to_string(&list(&host).unwrap()).unwrap();
    let start = format!(
        r#"{{"generation":"{}","docsets":[{{"docset_id":"postgresql-18-en","kind":"manual","project":"postgresql","branch":"18","version":"18.1","locale":"en","domain":null,"collection":null,"title":"PostgreSQL 18","sections":17,"updated_at":""#,
        host.generation()
    );
    assert!(text.starts_with(&start), "{text:.400}");
    assert!(!text.contains("\"x\""));
    host.judge();
}

#[test]
fn arguments_arrive_as_given() {
    let host = Host::start();
    let asked = json!({
        "text": "  PG17: note domain:operations collection:\"Field notes\" 100% a&b=c+d \u{2028} 𠀀::text  ",
        "branch": "*", "locale": "en-GB", "limit": 50, "offset": 3,
    });
    let hits = search(&host, &asked).unwrap();
    assert_eq!(
        json!(hits.query),
        json!({
            "text": "note 100% a&b=c+d 𠀀::text", "project": "postgresql", "branch": "17",
            "locale": "en", "domain": "operations", "collection": "Field notes",
        })
    );
    assert_eq!((hits.limit, hits.offset, hits.matched_docsets), (50, 3, 1));
    search(&host, &json!({"text": "🐘".repeat(256)})).unwrap();

    for (args, name) in [
        (json!({"text": "PG96: "}), "text"),
        (json!({"text": "x".repeat(257)}), "text"),
        (json!({"text": "x", "limit": 51}), "limit"),
    ] {
        let refused = fault(search(&host, &args));
        assert_eq!(
            (refused.code, refused.argument),
            (Code::InvalidArgument, Some(name))
        );
        assert!(refused.message.starts_with(name), "{}", refused.message);
    }
    host.judge();
}

#[test]
fn pages_join_to_the_whole() {
    let host = Host::start();
    let mut keys = Vec::new();
    let mut offset = Some(0);
    while let Some(at) = offset {
        let args = json!({"text": "note", "branch": "*", "locale": "*", "limit": 7, "offset": at});
        let hits = search(&host, &args).unwrap();
        assert_eq!(hits.results.first().map(|hit| hit.rank), Some(at + 1));
        keys.extend(hits.results.into_iter().map(|hit| hit.section_key));
        offset = hits.next_offset;
    }
    let unique: std::collections::BTreeSet<&String> = keys.iter().collect();
    assert_eq!((keys.len(), unique.len()), (60, 60));

    let pages = documents::pages();
    let generation = host.generation();
    for (key, step) in [
        ("postgresql-18-en:long", 50_000),
        ("postgresql-18-en:long", 7_001),
        ("postgresql-18-en:03", 1),
        ("wiki-17-en:03", 13),
    ] {
        let page = pages.iter().find(|page| page.key == key).unwrap();
        let total = page.text.chars().count() as u64;
        let (mut text, mut offset) = (String::new(), Some(0));
        while let Some(at) = offset {
            let args =
                json!({"section_key": key, "generation": generation, "offset": at, "limit": step});
            let piece = load(&host, &args).unwrap();
            assert_eq!((piece.offset, piece.total), (at, total));
            text.push_str(&piece.text);
            offset = piece.next_offset;
        }
        assert_eq!(text, page.text, "{key} in steps of {step}");

        let at = |offset| json!({"section_key": key, "generation": generation, "offset": offset});
        let end = load(&host, &at(total)).unwrap();
        assert_eq!((end.text.as_str(), end.next_offset), ("", None));
        let beyond = fault(load(&host, &at(total + 1)));
        assert_eq!(
            (beyond.code, beyond.argument),
            (Code::InvalidArgument, Some("offset"))
        );
    }
    host.judge();
}

#[test]
fn a_changed_generation_is_told() {
    let host = Host::start();
    let hits = search(&host, &json!({"text": "select"})).unwrap();
    let old = hits.generation;
    let key = &hits.results[0].section_key;
    host.change_documents();
    let stale_list = ListArgs::parse(&json!({"generation": old}).to_string()).unwrap();
    for stale in [
        fault(load(&host, &json!({"section_key": key, "generation": old}))),
        fault(search(&host, &json!({"text": "select", "generation": old}))),
        fault(service(&host).list(&stale_list, &Cancel::never())),
    ] {
        assert_eq!(stale.code, Code::GenerationChanged);
        assert_eq!(stale.current_generation, Some(host.generation()));
    }
    load(
        &host,
        &json!({"section_key": key, "generation": host.generation()}),
    )
    .unwrap();
    let unknown = json!({"section_key": "no:such", "generation": host.generation()});
    assert_eq!(code(load(&host, &unknown)), Code::SectionNotFound);
    host.judge();
}

#[test]
fn nothing_is_kept_between_calls() {
    let host = Host::start();
    for _ in 0..3 {
        list(&host).unwrap();
        host.restart();
        list(&host).unwrap();
        host.reset_key();
    }
    list(&host).unwrap();
    host.judge();
}

/// What fails to prove itself gets a nonce and nothing else, once.
#[test]
fn impostors_get_no_byte_of_the_key() {
    for impostor in [
        Fault::RandomProof,
        Fault::RelayedProof,
        Fault::ReplayedProof,
        Fault::OtherInstance,
        Fault::MisnamedInstance,
        Fault::OtherPid,
        Fault::OtherKey,
        Fault::UnframedProof,
        Fault::ShortProof,
        Fault::ChallengeSchema,
        Fault::NoChallenge,
        Fault::ChallengeRedirect,
        Fault::ChallengeClosed,
    ] {
        let host = Host::start();
        if impostor == Fault::ReplayedProof {
            list(&host).unwrap();
        }
        let (sent, connections) = (host.times_key_sent(), host.connections());
        host.fault(impostor);
        assert_eq!(code(list(&host)), Code::ServerProofFailed, "{impostor:?}");
        assert_eq!(host.times_key_sent(), sent, "{impostor:?}");
        assert_eq!(
            host.connections(),
            connections + 1,
            "{impostor:?}: no retry"
        );
        host.judge();
    }
}

#[test]
fn a_lost_connection_is_proved_again() {
    for (fault, connections, outcome) in [
        (Fault::CloseAnnounced, 2, None),
        (Fault::CloseSilent, 2, None),
        (Fault::CloseThenSquatter, 2, Some(Code::ServerProofFailed)),
        (Fault::CloseAlways, 3, Some(Code::LocalApiUnavailable)),
    ] {
        let host = Host::start();
        host.fault(fault);
        assert_eq!(
            list(&host).map_err(|f| code::<()>(Err(f))).err(),
            outcome,
            "{fault:?}"
        );
        assert_eq!(host.connections(), connections, "{fault:?}");
        host.judge();
    }
}

#[test]
fn answers_are_held_to_the_contract() {
    for (fault, outcome) in [
        (Fault::None, None),
        (Fault::AtLimit, None),
        (Fault::Chunked, None),
        (Fault::SetCookie, None),
        (Fault::UnknownMember, None),
        (Fault::Oversize, Some(Code::ResponseTooLarge)),
        (Fault::OversizeChunked, Some(Code::ResponseTooLarge)),
        (Fault::Redirect, Some(Code::BadResponse)),
        (Fault::RedirectHome, Some(Code::BadResponse)),
        (Fault::Gzip, Some(Code::BadResponse)),
        (Fault::TextPlain, Some(Code::BadResponse)),
        (Fault::HeadTooLarge, Some(Code::BadResponse)),
        (Fault::Deep, Some(Code::BadResponse)),
        (Fault::BadUtf8, Some(Code::BadResponse)),
        (Fault::BadShape, Some(Code::BadResponse)),
        (Fault::RepeatedKey, Some(Code::BadResponse)),
        (Fault::Truncated, Some(Code::BadResponse)),
        (Fault::NotHttp, Some(Code::BadResponse)),
        (Fault::OldHttp, Some(Code::BadResponse)),
        (Fault::Report("unauthorized", 401), Some(Code::Unauthorized)),
        (Fault::Report("forbidden", 403), Some(Code::Forbidden)),
        (Fault::Report("busy", 503), Some(Code::Busy)),
        (
            Fault::Report("local_api_unavailable", 503),
            Some(Code::LocalApiUnavailable),
        ),
        (
            Fault::Report("internal_error", 500),
            Some(Code::InternalError),
        ),
        (
            Fault::Report("invalid_argument", 400),
            Some(Code::InvalidArgument),
        ),
        (Fault::Report("busy", 400), Some(Code::BadResponse)),
        (
            Fault::Report("deadline_exceeded", 503),
            Some(Code::BadResponse),
        ),
        (
            Fault::Report("something_else", 400),
            Some(Code::BadResponse),
        ),
    ] {
        let host = Host::start();
        host.fault(fault);
        for _ in 0..2 {
            assert_eq!(
                list(&host).map_err(|f| code::<()>(Err(f))).err(),
                outcome,
                "{fault:?}"
            );
        }
        host.judge();
    }
}

/// One deadline for challenge and document together.
#[test]
fn the_deadline_ends_every_wait() {
    let time = Duration::from_millis(300);
    thread::scope(|scope| {
        for fault in [
            Fault::ChallengeSilent,
            Fault::Drip,
            Fault::DripHead,
            Fault::Hold,
            Fault::SlowBoth,
        ] {
            scope.spawn(move || {
                let host = Host::start();
                host.fault(fault);
                let service = Service::new(host.user_data()).with_time(time);
                let started = Instant::now();
                let answer = service.list(&ListArgs::parse("{}").unwrap(), &Cancel::never());
                let took = started.elapsed();
                assert_eq!(code(answer), Code::DeadlineExceeded, "{fault:?}");
                assert!(
                    time <= took && took < time + Duration::from_secs(1),
                    "{took:?}"
                );
                host.judge();
            });
        }
    });
}

#[test]
fn cancelling_ends_the_exchange() {
    for fault in [
        Fault::Hold,
        Fault::Drip,
        Fault::DripHead,
        Fault::ChallengeSilent,
    ] {
        let host = Host::start();
        host.fault(fault);
        let cancel = Cancel::new();
        let (took, answer) = thread::scope(|scope| {
            let (host, asked) = (&host, &cancel);
            let call = scope.spawn(move || {
                let answer = service(host).list(&ListArgs::parse("{}").unwrap(), asked);
                (Instant::now(), answer)
            });
            match fault {
                Fault::Hold => host.wait_for_held(1),
                _ => host.wait_for_connections(1),
            }
            let started = Instant::now();
            cancel.set();
            let (ended, answer) = call.join().unwrap();
            host.wait_for_silence();
            (ended - started, answer)
        });
        assert_eq!(answer, Err(Failure::Cancelled));
        assert!(took < Duration::from_millis(250), "{fault:?}: {took:?}");
        host.judge();
    }
    let host = Host::start();
    let cancel = Cancel::new();
    cancel.set();
    let answer = service(&host).list(&ListArgs::parse("{}").unwrap(), &cancel);
    assert_eq!((answer, host.connections()), (Err(Failure::Cancelled), 0));
}

/// This test runs itself again with proxy variables set, since they belong to a process.
#[test]
fn proxy_variables_are_ignored() {
    const USER_DATA: &str = "CRIB_TEST_USER_DATA";
    if let Some(user_data) = std::env::var_os(USER_DATA) {
        let service = Service::new(user_data.into());
        let sets = service.list(&ListArgs::parse("{}").unwrap(), &Cancel::never());
        assert_eq!(sets.unwrap().docsets.len(), documents::SETS.len());
        return;
    }
    let host = Host::start();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "crib::proxy_variables_are_ignored"]);
    child.env(USER_DATA, host.user_data());
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
        let trap = format!("http://127.0.0.1:{}", host.trap());
        child.env(name, &trap).env(name.to_uppercase(), &trap);
    }
    child.env("no_proxy", "").env("NO_PROXY", "");
    let output = child.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(host.times_key_sent(), 1);
    host.judge();
}

/// The judge itself: it finds a key, a part of its text and its raw bytes.
#[test]
fn the_judge_finds_keys() {
    let key = crib_host::random();
    let text = crib_host::base64url(&key);
    for (bytes, holds) in [
        (text.clone().into_bytes(), true),
        (format!("x{}y", &text[20..32]).into_bytes(), true),
        ([b"x".as_slice(), &key].concat(), true),
        (text.as_bytes()[20..31].to_vec(), false),
        (key[..31].to_vec(), false),
    ] {
        assert_eq!(crib_host::holds_key(&bytes, &key), holds);
    }
}
