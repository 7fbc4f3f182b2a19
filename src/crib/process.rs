//! Whether the process that a status file names is the one that wrote it.
//!
//! A process id alone may have been given to another program since. The system's own start mark
//! of the process, compared byte for byte, tells them apart; a wall-clock time would drift.

#[cfg(target_os = "linux")]
use rustix::fs::{Mode, OFlags};

/// What the system says about a running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// The start mark as a status file would have it.
    pub(super) start: String,
    /// Real user id.
    pub(super) uid: u32,
    /// Ended, but not yet collected by its parent.
    pub(super) zombie: bool,
}

/// The running process `pid`, or `None` when there is none or the system does not say.
#[cfg(target_os = "linux")]
pub(super) fn look_up(pid: u32) -> Option<Process> {
    let stat = read(&format!("/proc/{pid}/stat"))?;
    let status = read(&format!("/proc/{pid}/status"))?;
    let boot_id = read("/proc/sys/kernel/random/boot_id")?;
    // The command name stands in parentheses and may hold anything, parentheses included.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let state = *fields.first()?;
    let ticks: u64 = fields.get(19)?.parse().ok()?;
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    Some(Process {
        start: format!("linux:{}:{ticks}", boot_id.trim_end()),
        uid: uids.split_ascii_whitespace().next()?.parse().ok()?,
        zombie: matches!(state, "Z" | "X" | "x"),
    })
}

/// A file of the process table as text, at most 64 KiB.
#[cfg(target_os = "linux")]
fn read(path: &str) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let mut text = vec![0; 64 * 1024];
    let mut filled = 0;
    loop {
        let n = rustix::io::read(&file, text.get_mut(filled..)?).ok()?;
        filled += n;
        if n == 0 {
            text.truncate(filled);
            return Some(String::from_utf8_lossy(&text).into_owned());
        }
    }
}

/// The running process `pid`, or `None` when there is none or the system does not say.
#[cfg(target_os = "macos")]
pub(super) fn look_up(pid: u32) -> Option<Process> {
    use proc_pidinfo::{Pid, ProcBSDInfo};

    const ZOMBIE: u32 = 5;
    let info: ProcBSDInfo = proc_pidinfo::proc_pidinfo(Pid(pid)).ok()??;
    Some(Process {
        start: format!(
            "darwin:{}.{:06}",
            info.pbi_start_tvsec, info.pbi_start_tvusec
        ),
        uid: info.pbi_ruid,
        zombie: info.pbi_status == ZOMBIE,
    })
}

/// Processes of this system cannot be told apart by this program, so none is trusted.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn look_up(_: u32) -> Option<Process> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::look_up;

    #[test]
    fn this_process_and_none() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let pid = u32::try_from(pid).unwrap();
        let own = look_up(pid).unwrap();
        assert_eq!(own.uid, rustix::process::getuid().as_raw());
        assert!(own.start.starts_with("linux:") && !own.zombie, "{own:?}");
        assert_eq!(look_up(pid).unwrap(), own);
        assert_eq!(look_up(0x7fff_ffff), None);
    }
}
