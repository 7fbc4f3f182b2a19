//! Parts join to the text and begin where counts add.

use super::*;
use crate::tokens::count::Counter;

fn check(text: &str, size: usize) -> usize {
    let parts = parts(text, size);
    assert_eq!(parts.concat(), text);
    let mut counter = Counter::new();
    let sum: u64 = parts.iter().map(|part| counter.count(part)).sum();
    assert_eq!(sum, counter.count(text), "{text:?} by {size}");
    parts.len()
}

#[test]
fn parts_add_up() {
    let texts = [
        ("", 1),
        ("\n", 1),
        ("a\nb\nc", 3),
        ("a\r\nb\r\n", 2),
        (";\n//\n;\n/x\n", 2),
        (";\n //\n", 2),
        ("a\n\n\n  \n  b\n   \n", 2),
        ("no seam at all", 1),
        ("é\nü\n\u{3000}\u{3000}中\n", 3),
        ("x\n\u{85}\ny\n", 2),
    ];
    for (text, expected) in texts {
        assert_eq!(check(text, 1), expected, "{text:?}");
        for size in 0..text.len() + 2 {
            check(text, size);
        }
    }
}

#[test]
fn parts_are_about_the_size() {
    let text = "word\n".repeat(1_000);
    assert_eq!(check(&text, 50), 100);
}
