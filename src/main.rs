//! `moon-repomix`: arguments in, exit code out.

fn main() {}
