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

/// How the name of an incomplete file begins.
const TEMPORARY: &str = ".moon-repomix.";

/// Whether `text` is something that this program wrote, whatever its name.
#[must_use]
pub fn is_own_output(text: &str) -> bool {
    [XML, MARKDOWN, JSON, PLAIN, INDEX, AUDIT]
        .iter()
        .any(|marker| text.starts_with(marker))
}

/// What a file is called until it is complete. A run that was killed may leave it behind.
#[must_use]
pub fn temporary_name(random: u64) -> String {
    format!("{TEMPORARY}{random:016x}.tmp")
}

/// Whether this program writes incomplete files under such names.
#[must_use]
pub fn is_temporary_name(name: &str) -> bool {
    let middle = name.strip_prefix(TEMPORARY);
    let middle = middle.and_then(|rest| rest.strip_suffix(".tmp"));
    middle.is_some_and(|middle| !middle.is_empty() && middle.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::{is_own_output, is_temporary_name, temporary_name};

    #[test]
    fn incomplete_files_are_known_by_their_names() {
        for name in [
            &*temporary_name(0),
            &*temporary_name(u64::MAX),
            ".moon-repomix.7.tmp",
        ] {
            assert!(is_temporary_name(name), "{name}");
        }
        for name in [
            ".moon-repomix..tmp",
            ".moon-repomix.x.tmp",
            "a.tmp",
            ".moon-repomix.7.tmp2",
        ] {
            assert!(!is_temporary_name(name), "{name}");
        }
    }

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
