//! The rules asset, read once on first use.
//!
//! The table says what to look for and where; how a shape is checked is code. A shape or class
//! name that the code does not know makes the whole table unusable, which a test would show, so
//! table and code cannot drift apart.

use std::sync::LazyLock;

use crate::secrets::class::Class;
use crate::secrets::finder::Finder;

const ASSET: &str = include_str!("../../assets/secret-rules.txt");

static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| Table::read(ASSET));

/// One piece of a token, in reading order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The longest run of the class, with its least and greatest length.
    Run(Class, usize, usize),
    /// Exactly this text.
    Text(&'static [u8]),
    /// The run before the anchor.
    Before(Class, usize, usize),
    /// How the run before the anchor starts.
    Starts(&'static [u8]),
    /// What the last run contains.
    Contains(&'static [u8]),
    /// What the last run does not contain.
    Lacks(&'static [u8]),
}

/// How the text at an anchor is checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Token(Vec<Part>),
    Pem,
    PemBase64,
    Jwk,
    Putty,
    Jwt,
    Url,
    Bearer,
    DockerAuth,
    Password,
    Key,
}

/// A label with its shape.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) label: &'static str,
    pub(super) shape: Shape,
}

/// One literal at which the scan stops.
#[derive(Debug)]
pub(super) struct Anchor {
    pub(super) rule: usize,
    pub(super) text: Vec<u8>,
    /// Whether letter case matters.
    pub(super) cased: bool,
}

/// All rules, ready to scan.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) rules: Vec<Rule>,
    pub(super) anchors: Vec<Anchor>,
    pub(super) finder: Finder,
    /// Per first letter, a bit for each second letter that words have.
    pairs: [u32; 26],
}

/// The table, or nothing when the asset does not fit the code.
pub(super) fn table() -> Option<&'static Table> {
    TABLE.as_ref()
}

impl Table {
    fn read(asset: &'static str) -> Option<Self> {
        let mut rules = Vec::new();
        let mut anchors = Vec::new();
        let mut pairs = [0_u32; 26];
        for line in asset.lines() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            let columns: Vec<&'static str> = line.split(" |").map(str::trim).collect();
            if let ["bigram", first, seconds] = *columns {
                let row = pairs.get_mut(letter(*first.as_bytes().first()?)?)?;
                for &second in seconds.as_bytes() {
                    *row |= 1 << letter(second)?;
                }
                continue;
            }
            let [label, shape, literals, parameters] = *columns else {
                return None;
            };
            let shape = shape_of(shape, parameters)?;
            let cased = !matches!(
                shape,
                Shape::Url | Shape::Bearer | Shape::DockerAuth | Shape::Password | Shape::Key
            );
            for literal in literals.split(' ') {
                anchors.push(Anchor {
                    rule: rules.len(),
                    text: literal.replace("\\s", " ").into_bytes(),
                    cased,
                });
            }
            rules.push(Rule { label, shape });
        }
        let finder = Finder::new(anchors.iter().map(|anchor| anchor.text.as_slice()))?;
        Some(Self {
            rules,
            anchors,
            finder,
            pairs,
        })
    }

    /// Whether words have letter `a` before letter `b`, whatever their case.
    pub(super) fn common_pair(&self, a: u8, b: u8) -> bool {
        let (Some(a), Some(b)) = (letter(a), letter(b)) else {
            return false;
        };
        self.pairs.get(a).is_some_and(|row| row >> b & 1 == 1)
    }
}

/// 0 for a, 25 for z.
fn letter(b: u8) -> Option<usize> {
    let b = b.to_ascii_lowercase();
    b.is_ascii_lowercase().then(|| usize::from(b - b'a'))
}

fn shape_of(name: &str, parameters: &'static str) -> Option<Shape> {
    let shape = match (name, parameters) {
        ("token", _) => {
            let parts: Option<Vec<Part>> = parameters.split(' ').map(part_of).collect();
            return parts.map(Shape::Token);
        }
        ("assign", "password") => return Some(Shape::Password),
        ("assign", "key") => return Some(Shape::Key),
        ("pem", _) => Shape::Pem,
        ("pem-base64", _) => Shape::PemBase64,
        ("jwk", _) => Shape::Jwk,
        ("putty", _) => Shape::Putty,
        ("jwt", _) => Shape::Jwt,
        ("url", _) => Shape::Url,
        ("bearer", _) => Shape::Bearer,
        ("docker", _) => Shape::DockerAuth,
        _ => return None,
    };
    parameters.is_empty().then_some(shape)
}

fn part_of(word: &'static str) -> Option<Part> {
    let run = |word: &str| {
        let (class, bounds) = word.split_once(':')?;
        let (least, most) = bounds.split_once('-').unwrap_or((bounds, bounds));
        let (least, most) = (least.parse().ok()?, most.parse().ok()?);
        (least <= most).then_some((Class::named(class)?, least, most))
    };
    if let Some(text) = word.strip_prefix('=') {
        return Some(Part::Text(text.as_bytes()));
    }
    if let Some(text) = word.strip_prefix('^') {
        return Some(Part::Starts(text.as_bytes()));
    }
    if let Some(text) = word.strip_prefix('+') {
        return Some(Part::Contains(text.as_bytes()));
    }
    if let Some(text) = word.strip_prefix('!') {
        return Some(Part::Lacks(text.as_bytes()));
    }
    if let Some(word) = word.strip_prefix('<') {
        return run(word).map(|(class, least, most)| Part::Before(class, least, most));
    }
    run(word).map(|(class, least, most)| Part::Run(class, least, most))
}

#[cfg(test)]
mod tests {
    use super::{ASSET, shape_of};

    #[test]
    fn every_line_fits_the_code() {
        for line in ASSET.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&'static str> = line.split(" |").map(str::trim).collect();
            match *columns {
                [first] => assert!(first.is_empty(), "{line}"),
                ["bigram", first, _] => assert_eq!(first.len(), 1, "{line}"),
                [_, shape, _, parameters] => {
                    assert!(shape_of(shape, parameters).is_some(), "{line}");
                }
                _ => panic!("{line}"),
            }
        }
    }
}
