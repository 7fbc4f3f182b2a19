//! Planning: one shared document for several tasks, the best possible within its token budget.

pub mod choose;
pub mod fields;
pub mod request;
