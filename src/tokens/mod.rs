//! Exact `o200k_base` token counts.
//!
//! - [`count::Counter`] counts, with or without a cap, and gives the running counts at which a
//!   text can be parted ([`count::Profile`]); [`count::with_counter`] keeps one per thread, and
//!   [`count::count_in_parallel`] uses many for one large text.
//! - [`vocab::check_ranks_file`] accepts the one ranks file the tables were made from.
//! - [`verify::recount`] and [`verify::check`] compare with the reference tokenizer.
//!
//! ```
//! use moon_repomix::tokens::count::with_counter;
//!
//! assert_eq!(with_counter(|counter| counter.count("fn main() {}\n")), 4);
//! assert_eq!(with_counter(|counter| counter.count_limited("fn main() {}\n", 3)), None);
//! ```
//!
//! The vocabulary is embedded as tables that are used in place. From the bottom: `layout` (what
//! the tables look like, shared with the build script), [`vocab`] (look-ups), `split` (text to
//! pieces, exact for everything), `masks` and `window` (the same for ASCII, 64 bytes at a time), `bpe` (pieces to tokens), `cache` (pieces seen before), [`count`], `seam` (where counts
//! add), [`verify`].

mod bpe;
mod cache;
pub mod count;
#[expect(dead_code, reason = "the build script uses the rest")]
mod layout;
mod masks;
mod seam;
mod split;
pub mod verify;
pub mod vocab;
mod window;
