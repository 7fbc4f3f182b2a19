//! JSON documents with one member, or one element of a long list, a line.
//!
//! A reader that takes a document in slices gets whole lines, and whole lines are whole facts.

use serde::Serialize;

/// A JSON object under construction.
#[derive(Debug)]
pub struct Lines {
    out: String,
}

impl Default for Lines {
    fn default() -> Self {
        Self::new()
    }
}

impl Lines {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self {
            out: String::from("{"),
        }
    }

    /// Adds a member on a line of its own.
    #[must_use]
    pub fn member(mut self, name: &str, value: &impl Serialize) -> Self {
        self.name(name);
        push(&mut self.out, value);
        self
    }

    /// Adds a member unless it is `None`.
    #[must_use]
    pub fn optional(self, name: &str, value: Option<&impl Serialize>) -> Self {
        match value {
            Some(value) => self.member(name, value),
            None => self,
        }
    }

    /// Adds a list with each element on a line of its own.
    #[must_use]
    pub fn list<T: Serialize>(mut self, name: &str, values: impl IntoIterator<Item = T>) -> Self {
        self.name(name);
        self.out.push('[');
        for (i, value) in values.into_iter().enumerate() {
            self.out.push_str(if i == 0 { "\n" } else { ",\n" });
            push(&mut self.out, &value);
        }
        self.out
            .push_str(if self.out.ends_with('[') { "]" } else { "\n]" });
        self
    }

    /// The text, with one newline at its end.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.out.push_str("}\n");
        self.out
    }

    fn name(&mut self, name: &str) {
        if self.out.len() > 1 {
            self.out.push_str(",\n");
        }
        push(&mut self.out, &name);
        self.out.push(':');
    }
}

/// The JSON of our own structs, which always serialise.
fn push(out: &mut String, value: &impl Serialize) {
    out.push_str(&serde_json::to_string(value).unwrap_or_else(|_| String::from("null")));
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn one_fact_a_line() {
        let text = Lines::new()
            .member("a", &1)
            .list("b", [1, 2])
            .list("c", [0; 0])
            .optional("d", None::<&u8>)
            .finish();
        assert_eq!(text, "{\"a\":1,\n\"b\":[\n1,\n2\n],\n\"c\":[]}\n");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
