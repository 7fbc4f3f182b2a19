//! The demands of all tasks, gathered by path.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::choose::Form;
use super::request::{Mode, Request};
use crate::path::RelPath;

/// Which list of a task a demand stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum List {
    Required,
    Optional,
}

/// One item of one task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// Position of the task in the request.
    pub(super) task: usize,
    pub(super) list: List,
    pub(super) mode: Mode,
    /// Only for an optional item.
    pub(super) priority: Option<u8>,
}

/// One path and everything that is asked of it, in the order of the tasks.
#[derive(Clone, Debug)]
pub(super) struct Want {
    pub(super) path: RelPath,
    pub(super) demands: Vec<Demand>,
}

/// The wanted paths in byte order.
pub(super) fn merge(request: &Request) -> Vec<Want> {
    let mut wants: BTreeMap<&RelPath, Vec<Demand>> = BTreeMap::new();
    for (task, asked) in request.tasks.iter().enumerate() {
        let required = asked.required.iter().map(|wish| (List::Required, wish));
        let optional = asked.optional.iter().map(|wish| (List::Optional, wish));
        for (list, wish) in required.chain(optional) {
            wants.entry(&wish.path).or_default().push(Demand {
                task,
                list,
                mode: wish.mode,
                priority: wish.priority,
            });
        }
    }
    let want = |(path, demands): (&RelPath, _)| Want {
        path: path.clone(),
        demands,
    };
    wants.into_iter().map(want).collect()
}

impl Want {
    /// Whether some task cannot do without the path.
    pub(super) fn is_required(&self) -> bool {
        self.least() > Form::None
    }

    /// The smallest form that is enough for the required demands.
    pub(super) fn least(&self) -> Form {
        let least = |demand: &Demand| match (demand.list, demand.mode) {
            (List::Optional, _) => Form::None,
            (List::Required, Mode::Full) => Form::Full,
            (List::Required, Mode::Skeleton | Mode::Either) => Form::Skeleton,
        };
        self.demands.iter().map(least).max().unwrap_or(Form::None)
    }

    /// Priority and mode of each optional demand.
    pub(super) fn optional(&self) -> Vec<(u8, Mode)> {
        let demands = self.demands.iter();
        demands
            .filter_map(|demand| Some((demand.priority?, demand.mode)))
            .collect()
    }

    /// Whether a skeleton may stand for the path.
    pub(super) fn takes_skeleton(&self) -> bool {
        self.least() < Form::Full && self.demands.iter().any(|demand| demand.mode != Mode::Full)
    }

    /// Whether some task asks for the complete text and nothing less.
    pub(super) fn asks_full(&self) -> bool {
        self.demands.iter().any(|demand| demand.mode == Mode::Full)
    }

    /// The most wanted paths are the first by this key: highest priority, then most demands.
    pub(super) fn urgency(&self) -> Reverse<(Option<u8>, usize)> {
        let optional = self.optional();
        let highest = optional.iter().map(|&(priority, _)| priority).max();
        Reverse((highest, optional.len()))
    }
}
