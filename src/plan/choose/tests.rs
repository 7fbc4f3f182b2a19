//! The choice against every possible choice.

use std::time::{Duration, Instant};

use super::{Form, Item, Scale, Way, choose, ways};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::plan::request::Mode;

/// Numbers that look random and are the same in every run (xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const MODES: [Mode; 3] = [Mode::Full, Mode::Skeleton, Mode::Either];

/// Satisfied demands and `either` demands in full by priority, tokens, forms.
type Worth = (Vec<usize>, Vec<usize>, std::cmp::Reverse<u64>, Vec<Form>);

/// What a choice achieves and costs; the larger is better. Written from the rules, not the table.
fn worth(items: &[Item], forms: &[Form], room: u64) -> Option<Worth> {
    let mut tokens = 0;
    for (item, &form) in items.iter().zip(forms) {
        let exists = match form {
            Form::None => true,
            Form::Skeleton => item.skeleton.is_some(),
            Form::Full => item.full.is_some(),
        };
        if form < item.least || !exists {
            return None;
        }
        tokens += item.tokens(form);
    }
    let count = |wanted: &dyn Fn(Form, Mode) -> bool| -> Vec<usize> {
        let at = |priority: u8| {
            let pairs = items.iter().zip(forms);
            pairs
                .flat_map(|(item, &form)| item.optional.iter().map(move |&demand| (form, demand)))
                .filter(|&(form, (own, mode))| own == priority && wanted(form, mode))
                .count()
        };
        let mut priorities: Vec<u8> = items
            .iter()
            .flat_map(|item| item.optional.iter().map(|&(priority, _)| priority))
            .collect();
        priorities.sort_unstable();
        priorities.dedup();
        priorities.into_iter().rev().map(at).collect()
    };
    let satisfied = count(&|form, mode| match form {
        Form::None => false,
        Form::Skeleton => mode == Mode::Skeleton || mode == Mode::Either,
        Form::Full => true,
    });
    let in_full = count(&|form, mode| form == Form::Full && mode == Mode::Either);
    (tokens <= room).then(|| {
        (
            satisfied,
            in_full,
            std::cmp::Reverse(tokens),
            forms.to_vec(),
        )
    })
}

fn exhaustive(items: &[Item], room: u64) -> Option<Vec<Form>> {
    let all = [Form::None, Form::Skeleton, Form::Full];
    let n_choices = 3_usize.pow(items.len() as u32);
    (0..n_choices)
        .filter_map(|number| {
            let forms: Vec<Form> = (0..items.len())
                .map(|path| all[number / 3_usize.pow(path as u32) % 3])
                .collect();
            worth(items, &forms, room)
        })
        .max()
        .map(|best| best.3)
}

fn instance(numbers: &mut Numbers, n_paths: u64) -> (Vec<Item>, u64) {
    // Few different sizes and priorities make ties; many make long vectors.
    let size = numbers.pick(&[1, 3, 10, 100]);
    let n_priorities = numbers.pick(&[1, 2, 3, 101]);
    let items: Vec<Item> = (0..n_paths)
        .map(|_| {
            let full = 1 + numbers.below(size);
            // Also skeletons that cost as much as the full text, or more.
            let skeleton = (numbers.below(3) > 0).then(|| 1 + numbers.below(full + 2));
            let n_demands = numbers.pick(&[0, 1, 1, 2, 4]);
            let optional = (0..n_demands)
                .map(|_| (numbers.below(n_priorities) as u8, numbers.pick(&MODES)))
                .collect();
            let least = numbers.pick(&[
                Form::None,
                Form::None,
                Form::None,
                Form::Skeleton,
                Form::Full,
            ]);
            Item {
                least,
                skeleton,
                full: (numbers.below(16) > 0).then_some(full),
                optional,
            }
        })
        .collect();
    let most: u64 = items.iter().filter_map(|item| item.full).sum();
    (items, numbers.below(most + 4))
}

/// How many words the counts of an instance take.
fn n_words(items: &[Item], room: u64) -> usize {
    let paths: Vec<Vec<Way>> = items.iter().map(|item| ways(item, room)).collect();
    Scale::new(&paths).words.len()
}

#[test]
fn equals_exhaustive_search() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut n_none, mut n_partial) = (0, 0);
    for round in 0..4_000 {
        let n_paths = numbers.below(if round % 8 == 0 { 9 } else { 7 });
        let (items, room) = instance(&mut numbers, n_paths);
        let chosen = choose(&items, room, &Cancel::never()).unwrap();
        assert_eq!(chosen, exhaustive(&items, room), "{room} tokens, {items:?}");
        n_none += u32::from(chosen.is_none());
        n_partial += u32::from(chosen.is_some_and(|forms| forms.contains(&Form::None)));
    }
    assert!(n_none > 100 && n_partial > 1_000, "{n_none} {n_partial}");
}

/// Counts in one word, in two and in more, with ties that only a later word, the tokens or the
/// order of paths can break.
#[test]
fn equals_exhaustive_search_whatever_the_number_of_words() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let mut n_with = [0; 6];
    for round in 0..2_400 {
        let (n_demands, n_priorities) = [(2, 2), (10, 8), (24, 101), (80, 101)][round % 4];
        let size = numbers.pick(&[2, 6, 40]);
        let items: Vec<Item> = (0..2 + numbers.below(4))
            .map(|_| {
                // The same priorities at many paths, so that words are often equal.
                let shift = numbers.pick(&[0, 0, 1]);
                let optional = (0..n_demands)
                    .map(|i| (((i + shift) % n_priorities) as u8, numbers.pick(&MODES)))
                    .collect();
                let full = 2 + numbers.below(size);
                Item {
                    least: Form::None,
                    skeleton: Some(1 + numbers.below(full)),
                    full: Some(full),
                    optional,
                }
            })
            .collect();
        let most: u64 = items.iter().filter_map(|item| item.full).sum();
        let room = numbers.below(most + 2);
        let chosen = choose(&items, room, &Cancel::never()).unwrap();
        assert_eq!(chosen, exhaustive(&items, room), "{room} tokens, {items:?}");
        n_with[n_words(&items, room).min(5)] += 1;
    }
    assert!(
        n_with[1] > 500 && n_with[2] > 300 && n_with[3] > 50,
        "{n_with:?}"
    );
}

fn optional(full: u64, skeleton: Option<u64>, wanted: &[(u8, Mode)]) -> Item {
    Item {
        least: Form::None,
        skeleton,
        full: Some(full),
        optional: wanted.to_vec(),
    }
}

#[test]
fn rules_in_their_order() {
    use Form::{Full, None, Skeleton};
    use Mode::{Either, Full as InFull, Skeleton as InShort};
    let one = Some(1);
    for (items, room, expected) in [
        // One demand of a higher priority is worth more than any number below.
        (
            vec![
                optional(9, one, &[(1, InFull)]),
                optional(5, one, &[(0, InFull)]),
                optional(4, one, &[(0, InFull)]),
            ],
            9,
            vec![Full, None, None],
        ),
        // More satisfied demands come before any of them in full.
        (
            vec![
                optional(9, Some(4), &[(5, Either)]),
                optional(5, one, &[(0, InShort)]),
            ],
            9,
            vec![Skeleton, Skeleton],
        ),
        // In full where that costs no other demand.
        (
            vec![
                optional(9, Some(4), &[(5, Either)]),
                optional(5, one, &[(0, InShort)]),
            ],
            10,
            vec![Full, Skeleton],
        ),
        // No tokens for what nobody asked for.
        (
            vec![optional(9, Some(4), &[(5, InShort)])],
            100,
            vec![Skeleton],
        ),
        // Fewer tokens among equals, then the first path.
        (
            vec![
                optional(5, one, &[(0, InFull)]),
                optional(4, one, &[(0, InFull)]),
            ],
            8,
            vec![None, Full],
        ),
        (
            vec![
                optional(4, one, &[(0, InFull)]),
                optional(4, one, &[(0, InFull)]),
            ],
            7,
            vec![Full, None],
        ),
        // A full text that costs no more than the skeleton.
        (vec![optional(4, Some(4), &[(0, InShort)])], 4, vec![Full]),
        (vec![optional(3, Some(4), &[(0, InShort)])], 3, vec![Full]),
    ] {
        let chosen = choose(&items, room, &Cancel::never()).unwrap();
        assert_eq!(chosen, Some(expected), "{room} tokens, {items:?}");
        assert_eq!(chosen, exhaustive(&items, room));
    }
}

#[test]
fn required_paths_are_never_lost() {
    let items = [
        Item {
            least: Form::Skeleton,
            skeleton: Some(3),
            full: Some(10),
            optional: vec![(0, Mode::Full)],
        },
        optional(6, None, &[(9, Mode::Full)]),
    ];
    let choose = |room| choose(&items, room, &Cancel::never()).unwrap();
    assert_eq!(choose(2), None);
    assert_eq!(choose(3), Some(vec![Form::Skeleton, Form::None]));
    assert_eq!(choose(9), Some(vec![Form::Skeleton, Form::Full]));
    assert_eq!(choose(15), Some(vec![Form::Skeleton, Form::Full]));
    assert_eq!(choose(16), Some(vec![Form::Full, Form::Full]));
}

/// 128 paths, each wanted by 16 tasks, at all priorities: the longest vectors there are.
fn largest(numbers: &mut Numbers) -> Vec<Item> {
    (0..128)
        .map(|_| {
            let full = 1 + numbers.below(1_500);
            Item {
                least: Form::None,
                skeleton: Some(1 + numbers.below(full)),
                full: Some(full),
                optional: (0..16)
                    .map(|_| (numbers.below(101) as u8, numbers.pick(&MODES)))
                    .collect(),
            }
        })
        .collect()
}

#[test]
fn more_room_is_never_worse() {
    let mut numbers = Numbers(7);
    let items = largest(&mut numbers);
    let mut before = None;
    for room in (0..16_001).step_by(2_000) {
        let forms = choose(&items, room, &Cancel::never()).unwrap().unwrap();
        let worth = worth(&items, &forms, room).unwrap();
        let counts = (worth.0, worth.1);
        if let Some(before) = before.replace(counts.clone()) {
            assert!(counts >= before);
        }
    }
}

#[test]
fn cancelled() {
    let cancel = Cancel::new();
    cancel.set();
    let items = [optional(1, None, &[(0, Mode::Full)])];
    assert!(matches!(choose(&items, 1, &cancel), Err(Error::Cancelled)));
}

/// The flag is set by another thread while choices are being made, one after the other. What is
/// left to do then is a small part of a choice; which part of it is under way is left to chance.
#[test]
fn cancelled_on_the_way() {
    let items = largest(&mut Numbers(13));
    let room = 16_000;
    let start = Instant::now();
    choose(&items, room, &Cancel::never()).unwrap();
    let whole = start.elapsed();
    let late = |n: u32| {
        let cancel = Cancel::new();
        std::thread::scope(|scope| {
            let (started, begin) = std::sync::mpsc::channel();
            let choosing = scope.spawn({
                let (items, cancel) = (&items, &cancel);
                move || {
                    started.send(()).unwrap();
                    while choose(items, room, cancel).is_ok() {}
                    Instant::now()
                }
            });
            begin.recv().unwrap();
            std::thread::sleep(whole * n / 16);
            let set = Instant::now();
            cancel.set();
            choosing.join().unwrap().saturating_duration_since(set)
        })
    };
    let mut times: Vec<Duration> = (1..16).map(late).collect();
    times.sort();
    assert!(times[7] < whole / 4, "{times:?} of {whole:?}");
}
