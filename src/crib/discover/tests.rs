//! Tests of `discover`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use super::*;
use crate::crib::wire::{KEY_FILE, STATUS_FILE};

/// Sound discovery files that name this process.
struct Place {
    directory: tempfile::TempDir,
    status: String,
}

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let api = directory.path().join("api");
        fs::create_dir(&api).unwrap();
        fs::set_permissions(&api, fs::Permissions::from_mode(0o700)).unwrap();
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let process = process::look_up(u32::try_from(pid).unwrap()).unwrap();
        let status = json!({
            "schema": 1, "app_version": "1", "instance_id": "0123456789abcdef".repeat(2),
            "pid": pid, "process_start": process.start, "host": HOST, "port": 50_000,
            "key_id": Key::read(KEY.as_bytes()).unwrap().id(),
        });
        let place = Self {
            directory,
            status: status.to_string(),
        };
        place.replace(STATUS_FILE, &place.status);
        place.replace(KEY_FILE, KEY);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("api").join(name)
    }

    fn replace(&self, name: &str, content: &str) {
        let aside = self.path("aside");
        fs::write(&aside, content).unwrap();
        fs::set_permissions(&aside, fs::Permissions::from_mode(0o600)).unwrap();
        fs::rename(aside, self.path(name)).unwrap();
    }

    /// Discovers while `meddle` gets each role between opening and reading.
    fn discover(&self, meddle: &mut dyn FnMut(&'static str)) -> Option<Fault> {
        discover_watched(self.directory.path(), meddle).err()
    }
}

#[test]
fn a_file_replaced_during_the_read_is_read_once_more() {
    for (role, name) in [(STATUS_ROLE, STATUS_FILE), (KEY_ROLE, KEY_FILE)] {
        for times in 0..3 {
            let place = Place::new();
            let content = fs::read_to_string(place.path(name)).unwrap();
            let mut left = times;
            let fault = place.discover(&mut |opened| {
                if opened == role && left > 0 {
                    left -= 1;
                    place.replace(name, &content);
                }
            });
            let refused = fault.as_ref().map(|fault| fault.code);
            let wanted = (times == 2).then_some(Code::DiscoveryUnsafe);
            assert_eq!((refused, left), (wanted, 0), "{role} {times}");
        }
    }
}

#[test]
fn a_file_changed_during_the_read_is_refused() {
    type Change = fn(&Place, &str);
    let changes: [(&str, Change); 3] = [
        ("cut", |place, name| {
            fs::write(place.path(name), "x").unwrap()
        }),
        ("longer", |place, name| {
            let longer = fs::read_to_string(place.path(name)).unwrap() + " ";
            fs::write(place.path(name), longer).unwrap();
        }),
        ("linked", |place, name| {
            fs::hard_link(place.path(name), place.path("other")).unwrap();
        }),
    ];
    for (role, name) in [(STATUS_ROLE, STATUS_FILE), (KEY_ROLE, KEY_FILE)] {
        for (what, change) in changes {
            let place = Place::new();
            let fault = place.discover(&mut |opened| {
                if opened == role {
                    change(&place, name);
                }
            });
            let fault = fault.unwrap();
            assert_eq!(fault.code, Code::DiscoveryUnsafe, "{role} {what}");
            assert!(fault.message.contains(role), "{}", fault.message);
        }
    }
}

#[test]
fn status_fields_are_read() {
    let place = Place::new();
    let status = Status::read(place.status.as_bytes()).unwrap();
    assert_eq!(status.peer.port, 50_000);
    assert!(place.discover(&mut |_| ()).is_none());
}
