//! How the three documentation tools describe themselves.
//!
//! Schemas are plain draft-07 objects made from the same tables that check the arguments: no
//! unions, formats or patterns, optional arguments simply not required. Some clients do not look at
//! `additionalProperties`, so the check itself is in [`wire`].

use serde_json::{Map, Value, json};

use crate::crib::wire::{self, Argument, Kind};

/// What a tool says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its title, for people.
    pub title: &'static str,
    /// What it does, the decisive sentence first. ASCII, under 2 KiB.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [Argument],
}

/// The list of enabled document sets.
pub const LIST: Tool = Tool {
    name: "list_installed_docsets",
    title: "List installed documentation",
    description: "Lists the documentation packs enabled in the local Crib app, with version and language, and the current search generation. \
        The generation changes whenever a pack is enabled, disabled or updated. \
        Needs Crib running with its local API enabled; otherwise fails with local_api_unavailable.",
    arguments: wire::LIST_ARGUMENTS,
};

/// The search.
pub const SEARCH: Tool = Tool {
    name: "search_documentation",
    title: "Search documentation",
    description: "Searches the manuals and wikis enabled in the local Crib app and returns hits with a section_key and the generation to load them with. \
        Page with next_offset while has_more is true. timed_out, cancelled or candidate_truncated mark an incomplete result. \
        Without branch and locale it searches version 18 in Simplified Chinese (zh-Hans); pass '*' for all. \
        Filters and a version prefix inside text, such as 'PG96: SELECT', win over the arguments. \
        matched_docsets 0 means that no enabled pack fits the branch, locale, domain or collection.",
    arguments: wire::SEARCH_ARGUMENTS,
};

/// Loading a section.
pub const LOAD: Tool = Tool {
    name: "load_documentation_page",
    title: "Load a documentation section",
    description: "Returns the plain text of one documentation section, named by the section_key and generation of a search result. \
        Follow next_offset until it is null; offset and limit count Unicode characters. \
        Fails with generation_changed when packs changed since the search: search again and use the new section_key and generation.",
    arguments: wire::LOAD_ARGUMENTS,
};

/// The tools in listed order.
pub const TOOLS: [Tool; 3] = [LIST, SEARCH, LOAD];

impl Tool {
    /// The JSON schema of the arguments.
    #[must_use]
    pub fn input_schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for argument in self.arguments {
            properties.insert(argument.name.to_owned(), property(argument));
            if argument.required {
                required.push(argument.name);
            }
        }
        let mut schema = json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }
}

fn property(argument: &Argument) -> Value {
    let description = argument.description;
    match argument.kind {
        Kind::Text { chars, default } => {
            let mut property = json!({
                "type": "string",
                "description": description,
                "minLength": 1,
                "maxLength": chars,
            });
            if let Some(default) = default {
                property["default"] = json!(default);
            }
            property
        }
        Kind::Coordinate { chars } => json!({
            "type": "string",
            "description": description,
            "minLength": 1,
            "maxLength": chars,
        }),
        Kind::Integer { min, max, default } => json!({
            "type": "integer",
            "description": description,
            "minimum": min,
            "maximum": max,
            "default": default,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_fit_every_client() {
        for tool in TOOLS {
            assert!(tool.description.is_ascii() && tool.description.len() < 2048);
            assert!(tool.name.len() <= 40);
            let schema = tool.input_schema();
            assert_eq!(schema["type"], "object");
            for word in [
                "oneOf", "anyOf", "allOf", "format", "pattern", "$schema", "$ref",
            ] {
                assert!(
                    !schema.to_string().contains(&format!("\"{word}\"")),
                    "{word}"
                );
            }
            for argument in tool.arguments {
                assert!(argument.description.is_ascii() && argument.refusal.is_ascii());
                let property = &schema["properties"][argument.name];
                assert!(property["type"].is_string(), "{property}");
            }
        }
    }
}
