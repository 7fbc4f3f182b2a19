//! Tables of what is and is not a secret. Values are joined at run time from harmless parts.

use super::*;

fn found(text: &str) -> Vec<(&'static str, u32, u32)> {
    detect(text, &Cancel::never())
        .unwrap()
        .iter()
        .map(|f| (f.label, f.start_line, f.end_line))
        .collect()
}

#[test]
fn table_fits_code() {
    assert!(rules::table().is_some());
    assert!(labels().count() > 60);
}

#[test]
fn a_token() {
    let token = ["gh", "p_", "uV4nJ8sYq2LwZ7tRk0XbC5mD9fHe3GaPiT1o"].concat();
    assert_eq!(found(&format!("a\nb {token}\n")), [("github-token", 2, 2)]);
}
