//! One thread that looks, twenty times a second, at what the work cannot wait for: whether the
//! process was interrupted, and how far the work has come.
//!
//! Signals only set a flag (crate `signal-hook`, which wraps the unsafe part). The first one asks
//! the work to stop, so that nothing half-written stays behind; the second one ends the process.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::Exit;
use crate::cancel::Cancel;
use crate::progress::Progress;

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(50);
/// Looks before a bar appears: short runs show none.
const LOOKS_BEFORE_BAR: u32 = 8;

/// The thread. It ends when this is dropped.
pub(super) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Whether a progress bar is wanted. It is drawn only on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    /// Yes.
    Wanted,
    /// No.
    Unwanted,
}

impl Watch {
    /// Begins to watch. From now on a signal sets `cancel`.
    pub(super) fn start(bar: Bar, progress: &Progress, cancel: &Cancel) -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Without a handler the signal ends the process at once, which is all right, too.
            let code = i32::from(Exit::Interrupted.code());
            let _ = flag::register_conditional_shutdown(signal, code, Arc::clone(&interrupted));
            let _ = flag::register(signal, Arc::clone(&interrupted));
        }
        let (stop, stopped) = bounded(0);
        let (progress, cancel) = (progress.clone(), cancel.clone());
        let can_move = env::var_os("TERM").is_some_and(|term| term != "dumb");
        let shown = bar == Bar::Wanted && can_move && io::stderr().is_terminal();
        let watch = move || {
            let mut bar = None;
            let mut n_looks = 0;
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if interrupted.load(Ordering::Relaxed) {
                    cancel.set();
                }
                n_looks += 1;
                let (done, found) = progress.read();
                if shown && n_looks >= LOOKS_BEFORE_BAR && found > 0 {
                    let bar = bar.get_or_insert_with(new_bar);
                    bar.set_length(found);
                    bar.set_position(done);
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        };
        Self {
            stop: Some(stop),
            thread: thread::Builder::new()
                .name("watch".to_owned())
                .spawn(watch)
                .ok(),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:30} {pos}/{len} files") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
