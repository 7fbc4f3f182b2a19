//! Turns the ranks asset into table blobs at build time.

fn main() {}
