//! The reference is kept from what it cannot bear.

use super::*;

/// Whether the reference is built in. If not, a check says so and does nothing else.
fn built_in() -> bool {
    let outcome = recount("");
    assert!(matches!(outcome, Ok(0) | Err(Error::Configuration(_))));
    outcome.is_ok()
}

#[test]
fn long_texts_are_recounted_in_parts() {
    if !built_in() {
        return;
    }
    let line = "fn main() { println!(\"<|endoftext|>\"); }\n";
    let one = recount(line).unwrap();
    let n = PART_BYTES / line.len() * 2 + 10;
    assert!(check(&line.repeat(n), one * n as u64).is_ok());
    assert!(matches!(
        check(line, one + 1),
        Err(Error::CountMismatch { counted, reference }) if counted == one + 1 && reference == one
    ));
}

#[test]
fn a_million_blanks_are_refused() {
    for blank in [" ", "\t", "\u{3000}"] {
        let text = format!("a{}b", blank.repeat(BLANKS + 1));
        assert!(matches!(recount(&text), Err(Error::InputLimit { .. })));
    }
    if !built_in() {
        return;
    }
    let newlines = "  \n".repeat(BLANKS / 2);
    assert!(recount(&newlines).is_ok());
    let spaces = " ".repeat(BLANKS);
    assert!(recount(&spaces).is_ok());
}
