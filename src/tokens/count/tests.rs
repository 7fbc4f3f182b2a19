//! What the counter reports, by example.

use super::*;

#[test]
fn a_profile_has_the_ends_of_lines() {
    let text = "one two\n\n  three;\n// four\n\n";
    let profile = Counter::new().profile(text, &Cancel::never()).unwrap();
    let cuts: Vec<_> = profile.cuts.iter().map(|cut| &text[..cut.offset]).collect();
    // The newline behind the semicolon takes the slashes along, so there is no cut.
    assert_eq!(cuts, ["one two\n\n", text]);
    for cut in &profile.cuts {
        assert_eq!(cut.running, Counter::new().count(&text[..cut.offset]));
    }
}

#[test]
fn an_empty_text_ends_where_it_begins() {
    let mut counter = Counter::new();
    let profile = counter.profile("", &Cancel::never()).unwrap();
    let end = Cut {
        offset: 0,
        running: 0,
    };
    assert_eq!(
        profile,
        Profile {
            total: 0,
            cuts: vec![end]
        }
    );
    assert_eq!(counter.count_limited("", 0), Some(0));
    assert_eq!(counter.count_limited("a", 0), None);
}

#[test]
fn a_set_flag_ends_the_count() {
    let cancel = Cancel::new();
    cancel.set();
    let mut counter = Counter::new();
    assert!(matches!(
        counter.count_checked("text", &cancel),
        Err(Error::Cancelled)
    ));
    assert!(matches!(
        counter.profile("text", &cancel),
        Err(Error::Cancelled)
    ));
    assert_eq!(counter.count("text"), 1);
}

#[test]
fn parts_counted_in_parallel_add_up() {
    let line = "    let total = counter.count(text); // exact\n\n/* more */\n";
    let text = line.repeat(100_000);
    let cancel = Cancel::never();
    let expected = Counter::new().count(&text);
    assert_eq!(count_in_parallel(&text, &cancel).unwrap(), expected);
    let giant = "a".repeat(5_000_000);
    assert_eq!(
        count_in_parallel(&giant, &cancel).unwrap(),
        Counter::new().count(&giant)
    );
    cancel.set();
    assert!(matches!(
        count_in_parallel(&text, &cancel),
        Err(Error::Cancelled)
    ));
}
