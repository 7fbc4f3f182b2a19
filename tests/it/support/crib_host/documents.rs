//! The made-up documents of the stub service, and how it lists, searches and loads them.

use serde_json::{Value, json};

/// One enabled document set.
pub(crate) struct Set {
    pub(crate) id: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) branch: &'static str,
    pub(crate) version: &'static str,
    pub(crate) locale: &'static str,
    pub(crate) domain: Option<&'static str>,
    pub(crate) collection: Option<&'static str>,
}

/// One section of a set.
pub(crate) struct Page {
    pub(crate) key: String,
    pub(crate) set: &'static Set,
    pub(crate) title: &'static str,
    pub(crate) text: String,
}

const PROJECT: &str = "postgresql";

const fn manual(
    id: &'static str,
    branch: &'static str,
    version: &'static str,
    locale: &'static str,
) -> Set {
    Set {
        id,
        kind: "manual",
        branch,
        version,
        locale,
        domain: None,
        collection: None,
    }
}

/// Sorted as the list promises.
pub(crate) static SETS: [Set; 5] = [
    manual("postgresql-18-en", "18", "18.1", "en"),
    manual("postgresql-18-zh", "18", "18.1", "zh-Hans"),
    manual("postgresql-17-en", "17", "17.7", "en"),
    Set {
        id: "wiki-17-en",
        kind: "wiki",
        branch: "17",
        version: "17.7",
        locale: "en",
        domain: Some("operations"),
        collection: Some("Field notes"),
    },
    manual("postgresql-9.6-en", "9.6", "9.6.24", "en"),
];

const PLAIN: [(&str, &str); 4] = [
    (
        "SELECT",
        "A query reads rows from tables, joins them, keeps those that WHERE accepts and sorts them last.\n\
         SELECT name, price::numeric FROM parts WHERE price > 10 ORDER BY name;\n",
    ),
    (
        "Window functions",
        "A window function looks at neighbouring rows without folding them into one.\n\
         SELECT rank() OVER (PARTITION BY shelf ORDER BY price) FROM parts;\n",
    ),
    (
        "Vacuum & freezing",
        "Old row versions are removed in the background; a table that changes much needs this more often.\n",
    ),
    (
        "Text in many scripts",
        "从零个或多个表中取得行。 na\u{ef}ve, e\u{301}tude, 👩\u{200d}🚀, 𠀀𠀁, 🐘🐘🐘.\n",
    ),
];

/// Every section of every set. The last page of each set is long and full of astral characters.
pub(crate) fn pages() -> Vec<Page> {
    let mut pages = Vec::new();
    for set in &SETS {
        for (number, (title, text)) in PLAIN.iter().enumerate() {
            pages.push(Page {
                key: format!("{}:{number:02}", set.id),
                set,
                title,
                text: text.repeat(1 + number),
            });
        }
        pages.push(Page {
            key: format!("{}:long", set.id),
            set,
            title: "SELECT in full",
            text: "𠀀🐘e\u{301}行s".repeat(4_000),
        });
        for number in 0..12 {
            pages.push(Page {
                key: format!("{}:note-{number:02}", set.id),
                set,
                title: "Release note",
                text: format!("Note {number}: one thing was made better.\n"),
            });
        }
    }
    pages
}

/// The answer to a list.
pub(crate) fn list(generation: &str) -> Value {
    let sets: Vec<Value> = SETS.iter().map(describe).collect();
    json!({"generation": generation, "docsets": sets})
}

fn describe(set: &Set) -> Value {
    let count = pages().iter().filter(|page| page.set.id == set.id).count();
    json!({
        "docset_id": set.id, "kind": set.kind, "project": PROJECT, "branch": set.branch,
        "version": set.version, "locale": set.locale, "domain": set.domain,
        "collection": set.collection, "title": format!("PostgreSQL {}", set.branch),
        "sections": count, "updated_at": "2026-05-01T00:00:00Z",
    })
}

/// What a search looks for once prefix, filters and aliases are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) text: String,
    pub(crate) project: String,
    pub(crate) branch: String,
    pub(crate) locale: String,
    pub(crate) domain: Option<String>,
    pub(crate) collection: Option<String>,
}

impl Wanted {
    /// Applies prefix and filters of the text; `None` when no words are left.
    pub(crate) fn resolve(mut self) -> Option<Self> {
        let text = self.text.clone();
        let rest = self.prefix(&text).unwrap_or(&text).to_owned();
        let mut words: Vec<String> = Vec::new();
        for word in split(&rest) {
            if !self.filter(&word) {
                words.push(word);
            }
        }
        self.text = words.join(" ");
        self.project = match self.project.to_ascii_lowercase().as_str() {
            "pg" | "pgsql" | "postgres" => PROJECT.to_owned(),
            _ => self.project,
        };
        self.branch = match self.branch.as_str() {
            "latest" | "current" => "18".to_owned(),
            "all" => "*".to_owned(),
            _ => self.branch,
        };
        self.locale = match self.locale.to_ascii_lowercase().as_str() {
            "zh" | "zh-cn" | "cn" => "zh-Hans".to_owned(),
            "en-us" | "en-gb" => "en".to_owned(),
            _ => self.locale,
        };
        (!self.text.is_empty()).then_some(self)
    }

    /// Takes a version prefix such as `PG96:` and gives the text behind it.
    fn prefix<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let (head, rest) = text.split_once(':')?;
        if rest.starts_with(':') {
            return None;
        }
        let letters = head
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(head.len());
        let (word, version) = head.split_at(letters);
        let known = ["pg", "pgsql", "postgres", "postgresql"];
        if !known.contains(&word.to_ascii_lowercase().as_str()) {
            return None;
        }
        let numeric = version.chars().all(|c| c.is_ascii_digit() || c == '.');
        if !numeric && version != "*" {
            return None;
        }
        self.project = PROJECT.to_owned();
        if !version.is_empty() {
            self.branch = match version.as_bytes() {
                [major @ (b'8' | b'9'), minor @ b'0'..=b'9'] => {
                    format!("{}.{}", *major as char, *minor as char)
                }
                _ => version.to_owned(),
            };
        }
        Some(rest)
    }

    fn filter(&mut self, word: &str) -> bool {
        let Some((name, value)) = word.split_once(':') else {
            return false;
        };
        let value = value.trim_matches('"').to_owned();
        if value.is_empty() || value.starts_with(':') {
            return false;
        }
        match name {
            "project" => self.project = value,
            "branch" | "version" => self.branch = value,
            "locale" | "lang" => self.locale = value,
            "domain" => self.domain = Some(value),
            "collection" | "wiki" => self.collection = Some(value),
            _ => return false,
        }
        true
    }

    fn fits(&self, set: &Set) -> bool {
        let same = |wanted: &str, is: &str| wanted == "*" || wanted == is;
        let named = |wanted: &Option<String>, is: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| is == Some(wanted))
        };
        self.project == PROJECT
            && same(&self.branch, set.branch)
            && same(&self.locale, set.locale)
            && named(&self.domain, set.domain)
            && named(&self.collection, set.collection)
    }
}

/// Words, a quoted filter value kept in one piece.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        quoted ^= c == '"';
        if c.is_whitespace() && !quoted {
            words.push(std::mem::take(&mut word));
        } else {
            word.push(c);
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The answer to a search.
pub(crate) fn search(generation: &str, wanted: &Wanted, offset: usize, limit: usize) -> Value {
    let words: Vec<String> = wanted.text.split(' ').map(str::to_lowercase).collect();
    let pages = pages();
    let mut hits: Vec<&Page> = pages
        .iter()
        .filter(|page| wanted.fits(page.set))
        .filter(|page| {
            let text = format!("{} {}", page.title, page.text).to_lowercase();
            words.iter().all(|word| text.contains(word))
        })
        .collect();
    hits.sort_by(|a, b| a.key.cmp(&b.key));
    let results: Vec<Value> = hits
        .iter()
        .enumerate()
        .skip(offset)
        .take(limit)
        .map(|(index, page)| {
            json!({
                "section_key": page.key, "title": page.title, "breadcrumb": ["SQL", page.title],
                "kind": page.set.kind, "project": PROJECT, "branch": page.set.branch,
                "version": page.set.version, "locale": page.set.locale,
                "domain": page.set.domain, "collection": page.set.collection,
                "docset_id": page.set.id, "rank": index + 1,
                "snippet": page.text.chars().take(300).collect::<String>(),
            })
        })
        .collect();
    let next = (offset + limit < hits.len()).then_some(offset + limit);
    json!({
        "generation": generation,
        "query": {
            "text": wanted.text, "project": wanted.project, "branch": wanted.branch,
            "locale": wanted.locale, "domain": wanted.domain, "collection": wanted.collection,
        },
        "results": results, "offset": offset, "limit": limit, "has_more": next.is_some(),
        "next_offset": next, "matched_docsets": SETS.iter().filter(|set| wanted.fits(set)).count(),
        "timed_out": false, "cancelled": false, "candidate_truncated": false, "elapsed_ms": 1,
    })
}

/// The answer to a load; `None` when the offset is beyond the end.
pub(crate) fn load(generation: &str, page: &Page, offset: usize, limit: usize) -> Option<Value> {
    let total = page.text.chars().count();
    if offset > total {
        return None;
    }
    let text: String = page.text.chars().skip(offset).take(limit).collect();
    let length = text.chars().count();
    Some(json!({
        "generation": generation, "section_key": page.key, "title": page.title,
        "breadcrumb": ["SQL", page.title], "project": PROJECT, "branch": page.set.branch,
        "locale": page.set.locale, "text": text, "offset": offset, "length": length,
        "total": total, "next_offset": (offset + length < total).then_some(offset + length),
    }))
}
