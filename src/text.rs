//! Bytes to text, lines, and slicing that cannot panic.
