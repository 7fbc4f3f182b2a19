//! Tests of the whole module.

use crate::syntax::grammar::{LANGUAGES, Language, grammar};
use crate::syntax::lang::{Cut, File};

/// Every kind and field in the tables exists in the grammar: a misspelt one would be silence.
#[test]
fn tables_fit_their_grammars() {
    for lang in LANGUAGES.iter().filter(|lang| lang.file != File::Scripts) {
        let Some(grammar) = grammar(Language::of(lang)) else {
            continue;
        };
        let language = grammar.language();
        let mut kinds: Vec<&str> = lang.rules.iter().map(|rule| rule.node).collect();
        kinds.extend(lang.identifiers);
        for rule in lang.rules {
            match rule.cut {
                Cut::Nothing | Cut::Bytes(..) => {}
                Cut::Field(field) | Cut::Indented(field) | Cut::Until(field) => {
                    assert!(
                        language.field_id_for_name(field).is_some(),
                        "{} {field}",
                        lang.name
                    );
                }
                Cut::Child(kind) | Cut::Around(kind) => kinds.push(kind),
            }
        }
        for kind in kinds {
            assert_ne!(
                language.id_for_node_kind(kind, true),
                0,
                "{}: {kind}",
                lang.name
            );
        }
        let mut names: Vec<&str> = lang.rules.iter().map(|rule| rule.node).collect();
        names.sort_unstable();
        let n_rules = names.len();
        names.dedup();
        assert_eq!(names.len(), n_rules, "{}: a kind stands twice", lang.name);
    }
}
