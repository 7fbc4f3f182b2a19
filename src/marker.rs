//! How documents of this program begin, so that they are recognised and never packed again.

/// An XML document.
pub const XML: &str = "<repository generator=\"moon-repomix-document\" version=\"1\"";
/// A Markdown document.
pub const MARKDOWN: &str = "<!-- moon-repomix-document 1 -->";
/// A JSON document.
pub const JSON: &str = "{\"generator\":\"moon-repomix-document\",\"version\":1";
/// A plain text document.
pub const PLAIN: &str = "moon-repomix-document 1:";
/// The index of a divided document.
pub const INDEX: &str = "{\"schemaVersion\":1,\n\"kind\":\"pack_index\",";
/// The audit of a task context.
pub const AUDIT: &str = "{\"schemaVersion\":1,\n\"kind\":\"task_audit\",";

/// Whether `text` is something that this program wrote, whatever its name.
#[must_use]
pub fn is_own_output(text: &str) -> bool {
    [XML, MARKDOWN, JSON, PLAIN, INDEX, AUDIT]
        .iter()
        .any(|marker| text.starts_with(marker))
}

#[cfg(test)]
mod tests {
    use super::is_own_output;

    #[test]
    fn only_the_very_beginning_counts() {
        assert!(is_own_output(
            "<repository generator=\"moon-repomix-document\" version=\"1\" name=\"x\">\n"
        ));
        assert!(!is_own_output(
            "\n<repository generator=\"moon-repomix-document\" version=\"1\">"
        ));
        assert!(!is_own_output(""));
    }
}
