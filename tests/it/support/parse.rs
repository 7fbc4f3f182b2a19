//! Reads documents back, knowing nothing but how the four styles are described.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::Event;

/// One entry of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) text: String,
    /// What stands beside the path, as text.
    pub(crate) marks: BTreeMap<String, String>,
}

/// The entries of a document in `style`.
pub(crate) fn entries(style: &str, document: &str) -> Vec<Entry> {
    match style {
        "xml" => xml(document),
        "json" => json(document),
        "markdown" => fenced(document, "# Files\n", "## `", "`"),
        "plain" => ruled(document),
        _ => unreachable!(),
    }
}

fn xml(document: &str) -> Vec<Entry> {
    let mut reader = Reader::from_str(document);
    reader.config_mut().check_end_names = true;
    let (mut found, mut open, mut depth, mut roots) = (Vec::new(), None::<Entry>, 0, 0);
    loop {
        let mut push = |text: &str| {
            if let Some(entry) = &mut open {
                entry.text.push_str(text);
            }
        };
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                roots += usize::from(depth == 0);
                depth += 1;
                if start.name().as_ref() == "file" {
                    let mut entry = Entry::default();
                    for attribute in start.attributes() {
                        let attribute = attribute.unwrap();
                        let name = attribute.key.as_ref().to_owned();
                        let value = quick_xml::escape::unescape(&attribute.value)
                            .unwrap()
                            .into_owned();
                        if name == "path" {
                            entry.path = value;
                        } else {
                            entry.marks.insert(name, value);
                        }
                    }
                    open = Some(entry);
                }
            }
            Event::Text(text) => push(&text),
            Event::CData(text) => push(&text),
            Event::GeneralRef(name) => match name.resolve_char_ref().unwrap() {
                Some(c) => push(&c.to_string()),
                None => push(match &*name {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    other => panic!("entity {other}"),
                }),
            },
            Event::End(end) => {
                depth -= 1;
                if end.name().as_ref() == "file" {
                    let mut entry = open.take().unwrap();
                    entry.text = entry.text.strip_prefix('\n').unwrap().to_owned();
                    found.push(entry);
                }
            }
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((depth, roots), (0, 1), "one root");
    found
}

fn json(document: &str) -> Vec<Entry> {
    let value: serde_json::Value = serde_json::from_str(document).unwrap();
    let files = value["files"].as_array().unwrap().iter();
    files
        .map(|file| Entry {
            path: file["path"].as_str().unwrap().to_owned(),
            text: file["content"].as_str().unwrap().to_owned(),
            marks: file
                .as_object()
                .unwrap()
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "path" | "content"))
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect(),
        })
        .collect()
}

fn fenced(document: &str, files: &str, before: &str, after: &str) -> Vec<Entry> {
    let start = document.find(&format!("\n{files}")).unwrap() + 1 + files.len();
    let mut lines = document[start..].split_inclusive('\n');
    let mut found = Vec::new();
    while let Some(heading) = lines.next() {
        let Some(heading) = heading.strip_prefix(before) else {
            break;
        };
        let (path, marks) = heading.split_once(after).unwrap();
        let opening = lines.next().unwrap();
        let fence: String = opening.chars().take_while(|&c| c == '`').collect();
        let text: String = lines
            .by_ref()
            .take_while(|line| line.trim_end_matches('\n') != fence)
            .collect();
        found.push(entry(path, marks.trim_end(), text));
    }
    found
}

fn ruled(document: &str) -> Vec<Entry> {
    let mut lines = document.split_inclusive('\n').skip(1);
    let mut found = Vec::new();
    while let Some(heading) = lines.next() {
        let (rule, rest) = heading.trim_end_matches('\n').split_once(' ').unwrap();
        assert!(
            rule.len() >= 16 && rule.bytes().all(|b| b == b'='),
            "{heading:?}"
        );
        let text: String = lines
            .by_ref()
            .take_while(|line| line.trim_end_matches('\n') != rule)
            .collect();
        if rest.starts_with('[') {
            continue;
        }
        let mut quoted = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let at = match (rest.starts_with('"'), rest.rfind(" (")) {
            (true, _) => {
                quoted.next().unwrap().unwrap();
                quoted.byte_offset()
            }
            (false, Some(at)) if rest.ends_with(')') => at,
            _ => rest.len(),
        };
        let (path, marks) = rest.split_at(at);
        found.push(entry(path, marks, text));
    }
    found
}

fn entry(path: &str, marks: &str, mut text: String) -> Entry {
    let path = if path.starts_with('"') {
        serde_json::from_str(path).unwrap()
    } else {
        path.to_owned()
    };
    let marks = marks.trim().trim_start_matches('(').trim_end_matches(')');
    let marks: BTreeMap<String, String> = marks
        .split("; ")
        .filter(|mark| !mark.is_empty())
        .map(|mark| {
            let (name, value) = mark.split_once(' ').unwrap_or((mark, ""));
            (name.to_owned(), value.to_owned())
        })
        .collect();
    if marks.contains_key("no") {
        assert_eq!(text.pop(), Some('\n'));
    }
    Entry { path, text, marks }
}
