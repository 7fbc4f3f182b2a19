//! Tests of `answer`.

use serde_json::{Value, json};

use super::*;

fn hits() -> Value {
    json!({
        "generation": "g1",
        "query": {"text": "x", "project": "postgresql", "branch": "18", "locale": "en",
                  "domain": null, "collection": null},
        "results": [{
            "section_key": "k:1", "title": "T", "breadcrumb": ["A"], "kind": "manual",
            "project": "postgresql", "branch": "18", "version": "18.1", "locale": "en",
            "domain": null, "collection": null, "docset_id": "d", "snippet": "s", "rank": 3,
        }],
        "offset": 2, "limit": 1, "has_more": true, "next_offset": 3, "matched_docsets": 1,
        "timed_out": false, "cancelled": false, "candidate_truncated": false, "elapsed_ms": 4,
    })
}

fn section() -> Value {
    json!({
        "generation": "g1", "section_key": "k", "title": "T", "breadcrumb": [],
        "project": "postgresql", "branch": "18", "locale": "en", "text": "a🐘", "offset": 3,
        "length": 2, "total": 9, "next_offset": 5,
    })
}

fn accepts_hits(answer: &Value) -> bool {
    let args = r#"{"text":"x","limit":1,"offset":2,"generation":"g1"}"#;
    let args = SearchArgs::parse(args).unwrap();
    serde_json::from_value::<Hits>(answer.clone()).is_ok_and(|hits| hits.answers(&args))
}

fn accepts_section(answer: &Value) -> bool {
    let args = r#"{"section_key":"k","generation":"g1","offset":3,"limit":5}"#;
    let args = LoadArgs::parse(args).unwrap();
    serde_json::from_value::<Section>(answer.clone()).is_ok_and(|section| section.answers(&args))
}

/// Each sound document, then one change at a time: a pointer and its new value.
#[test]
fn each_rule_is_checked() {
    let long = "s".repeat(SNIPPET_CHARS + 1);
    assert!(accepts_hits(&hits()));
    for (pointer, value) in [
        ("/generation", json!("g2")),
        ("/generation", json!("g 1")),
        ("/generation", json!(1)),
        ("/offset", json!(0)),
        ("/limit", json!(2)),
        ("/has_more", json!(false)),
        ("/next_offset", json!(null)),
        ("/next_offset", json!(2)),
        ("/next_offset", json!(4)),
        ("/next_offset", json!("3")),
        ("/timed_out", json!(0)),
        ("/results", json!({})),
        (
            "/results",
            json!([hits()["results"][0], hits()["results"][0]]),
        ),
        ("/results/0/section_key", json!("a/b")),
        ("/results/0/snippet", json!(long)),
        ("/results/0/rank", json!(0)),
        ("/results/0/kind", json!("blog")),
        ("/results/0/breadcrumb", json!("A")),
        ("/query/text", json!(null)),
    ] {
        let mut changed = hits();
        *changed.pointer_mut(pointer).unwrap() = value.clone();
        assert!(!accepts_hits(&changed), "{pointer} {value}");
    }
    assert!(accepts_section(&section()));
    for (pointer, value) in [
        ("/generation", json!("g2")),
        ("/section_key", json!("other")),
        ("/offset", json!(2)),
        ("/length", json!(3)),
        ("/text", json!("abcdef")),
        ("/text", json!("")),
        ("/total", json!(4)),
        ("/total", json!(5)),
        ("/next_offset", json!(6)),
        ("/next_offset", json!(null)),
        ("/text", json!(null)),
    ] {
        let mut changed = section();
        *changed.pointer_mut(pointer).unwrap() = value.clone();
        assert!(!accepts_section(&changed), "{pointer} {value}");
    }
}

#[test]
fn every_member_must_be_there() {
    for (whole, accepts) in [
        (hits(), accepts_hits as fn(&Value) -> bool),
        (section(), accepts_section),
    ] {
        for name in whole.as_object().unwrap().keys() {
            let mut without = whole.clone();
            without.as_object_mut().unwrap().remove(name);
            assert!(!accepts(&without), "{name}");
        }
    }
    for name in hits()["results"][0].as_object().unwrap().keys() {
        let mut without = hits();
        without["results"][0].as_object_mut().unwrap().remove(name);
        assert!(!accepts_hits(&without), "{name}");
    }
}
