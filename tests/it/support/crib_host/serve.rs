//! The sockets of the stub: HTTP by hand, so that everything can be got wrong on purpose.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Connection, Fault, Parts, Role, Shared, State, base64url, documents, hex, random};

const MIB: usize = 1024 * 1024;

/// Serves every connection of `listener` until the stub is over.
pub(crate) fn listen(shared: Arc<Shared>, role: Role, listener: TcpListener) {
    thread::spawn(move || {
        let port = listener.local_addr().unwrap().port();
        for stream in listener.incoming() {
            if shared.over.load(Ordering::Relaxed) {
                return;
            }
            let shared = Arc::clone(&shared);
            let mut state = shared.state.lock().unwrap();
            let id = state.connections.len();
            state.connections.push(Connection {
                role,
                bytes: Vec::new(),
                allowed: Vec::new(),
                closed: false,
            });
            drop(state);
            shared.changed.notify_all();
            let socket = Socket {
                stream: stream.unwrap(),
                shared,
                role,
                port,
                id,
                parsed: 0,
                proved: false,
            };
            thread::spawn(move || socket.run());
        }
    });
}

/// One request.
struct Request {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    /// Where the `Authorization` header stands among the received bytes.
    key_at: Option<std::ops::Range<usize>>,
    body: Vec<u8>,
}

/// Whether the connection stays open.
#[derive(PartialEq)]
enum After {
    Stay,
    Close,
}

struct Socket {
    stream: TcpStream,
    shared: Arc<Shared>,
    role: Role,
    port: u16,
    id: usize,
    parsed: usize,
    proved: bool,
}

impl Socket {
    fn run(mut self) {
        while let Some(request) = self.receive() {
            if self.serve(&request) == After::Close {
                break;
            }
        }
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
        while self.fill() {}
        let on_its_way = self.late_key();
        let mut state = self.shared.state.lock().unwrap();
        state.connections[self.id].allowed.extend(on_its_way);
        state.connections[self.id].closed = true;
        self.shared.changed.notify_all();
    }

    /// Where the key stands in a request that was on its way, rightly, when this side closed
    /// after its proof.
    fn late_key(&self) -> Option<std::ops::Range<usize>> {
        let rest = self.bytes().split_off(self.parsed);
        let find = |from: usize, needle: &[u8]| {
            let at = rest
                .get(from..)?
                .windows(needle.len())
                .position(|w| w == needle)?;
            Some(from + at)
        };
        let start = find(0, b"\r\nauthorization: ")? + 2;
        let end = find(start, b"\r\n")?;
        self.proved
            .then_some(self.parsed + start..self.parsed + end)
    }

    /// Keeps what the peer sends next; false at its end.
    fn fill(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let n = self.stream.read(&mut bytes).unwrap_or(0);
        let mut state = self.shared.state.lock().unwrap();
        state.connections[self.id].bytes.extend(&bytes[..n]);
        n > 0
    }

    fn bytes(&self) -> Vec<u8> {
        self.shared.state.lock().unwrap().connections[self.id]
            .bytes
            .clone()
    }

    fn wrong(&self, what: String) {
        self.shared.state.lock().unwrap().wrongs.push(what);
    }

    fn receive(&mut self) -> Option<Request> {
        let head_end = loop {
            let bytes = self.bytes();
            let at = bytes[self.parsed..]
                .windows(4)
                .position(|w| w == b"\r\n\r\n");
            match at {
                Some(at) => break self.parsed + at + 4,
                None if self.fill() => {}
                None => return None,
            }
        };
        let bytes = self.bytes();
        let head = String::from_utf8(bytes[self.parsed..head_end].to_vec()).unwrap();
        let mut at = self.parsed;
        let mut lines = head.split("\r\n");
        let first = lines.next().unwrap();
        at += first.len() + 2;
        let (mut headers, mut key_at) = (BTreeMap::new(), None);
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap();
            let name = name.to_ascii_lowercase();
            if name == "authorization" {
                key_at = Some(at..at + line.len());
            }
            at += line.len() + 2;
            if headers
                .insert(name.clone(), value.trim().to_owned())
                .is_some()
            {
                self.wrong(format!("header {name} twice"));
            }
        }
        let length: usize = headers
            .get("content-length")
            .map_or(0, |n| n.parse().unwrap());
        while self.bytes().len() < head_end + length {
            if !self.fill() {
                return None;
            }
        }
        self.parsed = head_end + length;
        let mut words = first.split(' ');
        let method = words.next().unwrap().to_owned();
        let target = words.next().unwrap().to_owned();
        if words.next() != Some("HTTP/1.1") {
            self.wrong("not HTTP/1.1".into());
        }
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        Some(Request {
            method,
            path: path.to_owned(),
            query: query.split('&').filter_map(pair).collect(),
            headers,
            key_at,
            body: self.bytes()[head_end..self.parsed].to_vec(),
        })
    }

    fn send(&mut self, status: u16, more: &str, body: &[u8]) -> After {
        let kind = if more.contains("Content-Type") {
            ""
        } else {
            "Content-Type: application/json\r\n"
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\n{kind}{more}Cache-Control: no-store\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.raw(&[head.as_bytes(), body].concat());
        if more.contains("Connection: close") {
            After::Close
        } else {
            After::Stay
        }
    }

    /// Sends bytes; false when the peer is gone.
    fn raw(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    fn json(&mut self, status: u16, body: &Value) -> After {
        self.send(status, "", body.to_string().as_bytes())
    }

    fn report(&mut self, status: u16, code: &str, message: &str) -> After {
        self.json(
            status,
            &json!({"error": {"code": code, "message": message}}),
        )
    }

    fn redirect(&mut self) -> After {
        let to = format!("Location: http://127.0.0.1:{}/stolen\r\n", self.shared.trap);
        self.send(307, &to, b"")
    }

    fn serve(&mut self, request: &Request) -> After {
        let header = |name: &str| request.headers.get(name).map(String::as_str);
        if header("host") != Some(&format!("127.0.0.1:{}", self.port)) {
            self.wrong(format!("host {:?}", header("host")));
        }
        if self.role == Role::Main {
            for name in ["cookie", "origin", "sec-fetch-site", "user-agent"] {
                if header(name).is_some() {
                    self.wrong(format!("sent {name}"));
                }
            }
            if header("accept-encoding") != Some("identity") {
                self.wrong("does not ask for plain bodies".into());
            }
        }
        if request.path == "/auth/challenge" {
            return self.challenge(request);
        }
        match request.key_at.clone() {
            Some(range) if self.proved => {
                let mut state = self.shared.state.lock().unwrap();
                state.connections[self.id].allowed.push(range);
            }
            _ => self.wrong("a data request on a connection that had not proved itself".into()),
        }
        if !std::mem::take(&mut self.proved) || request.method != "GET" {
            self.wrong("more than one data request for a proof, or not a GET".into());
        }
        let key = base64url(&self.shared.state.lock().unwrap().key());
        if header("authorization") != Some(&format!("Bearer {key}")) {
            return self.report(401, "unauthorized", "key");
        }
        self.document(request)
    }

    fn challenge(&mut self, request: &Request) -> After {
        if request.headers.contains_key("authorization") {
            self.wrong("key in the challenge".into());
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let text = body["client_nonce"].as_str().unwrap().to_owned();
        let nonce = super::from_base64url(&text).unwrap();
        if request.method != "POST"
            || nonce.len() != 32
            || body != json!({"schema": 1, "client_nonce": text})
            || request.headers.get("content-type").map(String::as_str) != Some("application/json")
        {
            self.wrong("malformed challenge".into());
        }
        let (fault, first, mut answer) = {
            let mut state = self.shared.state.lock().unwrap();
            if self.role == Role::Main && !state.nonces.insert(text.clone()) {
                state.wrongs.push("nonce used twice".into());
            }
            state.challenges += 1;
            let answer = self.sound(&state, &nonce);
            (state.fault, state.challenges == 1, answer)
        };
        if self.role == Role::Other {
            return self.json(200, &answer);
        }
        let mut more = "";
        match fault {
            Fault::RandomProof => answer["proof"] = json!(base64url(&random())),
            Fault::CloseThenSquatter if !first => answer["proof"] = json!(base64url(&random())),
            Fault::RelayedProof => answer = self.relay(&request.body),
            Fault::ReplayedProof => {
                let state = self.shared.state.lock().unwrap();
                answer = state.recorded.clone().expect("a proof was recorded before");
            }
            Fault::OtherInstance
            | Fault::OtherPid
            | Fault::OtherKey
            | Fault::UnframedProof
            | Fault::ShortProof => answer = self.unsound(fault, &nonce),
            Fault::MisnamedInstance => answer["instance_id"] = json!(hex(&random()[..16])),
            Fault::ChallengeSchema => answer["schema"] = json!(2),
            Fault::NoChallenge => return self.report(404, "section_not_found", "no such path"),
            Fault::ChallengeRedirect => return self.redirect(),
            Fault::ChallengeClosed => return After::Close,
            Fault::ChallengeSilent => {
                while self.fill() {}
                return After::Close;
            }
            Fault::SlowBoth => thread::sleep(self.shared.pause),
            Fault::CloseAnnounced if first => more = "Connection: close\r\n",
            _ => {}
        }
        if matches!(fault, Fault::None) {
            self.shared.state.lock().unwrap().recorded = Some(answer.clone());
        }
        let closes = match fault {
            Fault::CloseAlways => true,
            Fault::CloseSilent | Fault::CloseThenSquatter => first,
            _ => false,
        };
        self.proved = is_sound(fault, first) && more.is_empty();
        let after = self.send(200, more, answer.to_string().as_bytes());
        if closes { After::Close } else { after }
    }

    fn sound(&self, state: &State, nonce: &[u8]) -> Value {
        let server_nonce = random();
        let parts = Parts {
            client_nonce: nonce,
            server_nonce: &server_nonce,
            instance: &state.instance,
            port: self.port,
            pid: std::process::id(),
        };
        answer(&parts, &parts.prove(&state.key(), true))
    }

    /// A proof that differs in one part.
    fn unsound(&self, fault: Fault, nonce: &[u8]) -> Value {
        let state = self.shared.state.lock().unwrap();
        let (server_nonce, instance) = (random(), hex(&random()[..16]));
        let parts = Parts {
            client_nonce: nonce,
            server_nonce: &server_nonce,
            instance: match fault {
                Fault::OtherInstance => &instance,
                _ => &state.instance,
            },
            port: self.port,
            pid: std::process::id() + u32::from(fault == Fault::OtherPid),
        };
        let key = match fault {
            Fault::OtherKey => random(),
            _ => state.key(),
        };
        let mut proof = parts.prove(&key, fault != Fault::UnframedProof);
        if fault == Fault::ShortProof {
            proof.pop();
        }
        answer(&parts, &proof)
    }

    /// The real service's answer to the same challenge, on its own port.
    fn relay(&self, body: &[u8]) -> Value {
        let port = self.shared.other;
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let head = format!(
            "POST /auth/challenge HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn document(&mut self, request: &Request) -> After {
        let (fault, generation) = {
            let state = self.shared.state.lock().unwrap();
            (state.fault, state.generation())
        };
        let sound = documents::list(&generation).to_string().into_bytes();
        let with = |more: &str| {
            let text = String::from_utf8(sound.clone()).unwrap();
            format!("{}{more}}}", &text[..text.len() - 1]).into_bytes()
        };
        let kind = "HTTP/1.1 200 X\r\nContent-Type: application/json\r\n";
        let padded = |size: usize| {
            let mut body = sound.clone();
            body.resize(size, b' ');
            body
        };
        match fault {
            Fault::Report(code, status) => self.report(status, code, "host text"),
            Fault::Redirect => self.redirect(),
            Fault::RedirectHome => self.send(302, "Location: /v1/docsets\r\n", b""),
            Fault::Oversize => self.send(200, "", &padded(4 * MIB + 1)),
            Fault::AtLimit => self.send(200, "", &padded(4 * MIB)),
            Fault::OversizeChunked => {
                self.raw(format!("{kind}Transfer-Encoding: chunked\r\n\r\n").as_bytes());
                let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
                while self.raw(&chunk) {}
                After::Close
            }
            Fault::Chunked => {
                let head = format!("{kind}Transfer-Encoding: chunked\r\n\r\n");
                let (a, b) = sound.split_at(100);
                let mut all = head.into_bytes();
                for part in [a, b, b""] {
                    all.extend(format!("{:x}\r\n", part.len()).bytes());
                    all.extend(part);
                    all.extend(b"\r\n");
                }
                self.raw(&all);
                After::Stay
            }
            Fault::Drip => self.drip(&format!("{kind}Content-Length: 100000\r\n\r\n")),
            Fault::DripHead => self.drip(&format!("{kind}X-Pad: ")),
            Fault::Gzip => self.send(200, "Content-Encoding: gzip\r\n", &sound),
            Fault::TextPlain => self.send(200, "Content-Type: text/plain\r\n", &sound),
            Fault::SetCookie => self.send(200, "Set-Cookie: sid=1; Path=/\r\n", &sound),
            Fault::HeadTooLarge => {
                let pad: String = (0..17)
                    .map(|i| format!("X-{i}: {}\r\n", "x".repeat(1000)))
                    .collect();
                self.send(200, &pad, &sound)
            }
            Fault::Deep => {
                let deep = format!(",\"x\":{}{}", "[".repeat(40), "]".repeat(40));
                self.send(200, "", &with(&deep))
            }
            Fault::BadUtf8 => self.send(200, "", b"{\"generation\":\"g\xff\",\"docsets\":[]}"),
            Fault::BadShape => self.send(200, "", b"{\"generation\":\"g1\",\"docsets\":{}}"),
            Fault::RepeatedKey => self.send(200, "", &with(",\"x\":1,\"x\":1")),
            Fault::UnknownMember => self.send(200, "", &with(",\"x\":{\"y\":[1]}")),
            Fault::Truncated => {
                self.raw(format!("{kind}Content-Length: 5000\r\n\r\n{{").as_bytes());
                After::Close
            }
            Fault::NotHttp => {
                self.raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n");
                After::Close
            }
            Fault::OldHttp => {
                let head = kind.replace("1.1", "1.0");
                self.raw(format!("{head}Content-Length: {}\r\n\r\n", sound.len()).as_bytes());
                self.raw(&sound);
                After::Close
            }
            Fault::Hold => {
                self.hold(1);
                while self.fill() {}
                self.hold(-1);
                After::Close
            }
            Fault::SlowBoth => {
                thread::sleep(self.shared.pause);
                self.look_up(request, &generation)
            }
            _ => self.look_up(request, &generation),
        }
    }

    fn hold(&self, change: isize) {
        let mut state = self.shared.state.lock().unwrap();
        state.held = state.held.saturating_add_signed(change);
        self.shared.changed.notify_all();
    }

    /// Sends blanks one by one until the client leaves.
    fn drip(&mut self, head: &str) -> After {
        let mut more = self.raw(head.as_bytes());
        while more {
            thread::sleep(Duration::from_millis(5));
            more = self.raw(b" ");
        }
        After::Close
    }

    /// Key was checked; now arguments, generation, lookup, in that order.
    fn look_up(&mut self, request: &Request, generation: &str) -> After {
        let value = |name: &str| request.query.get(name).cloned();
        let number = |name: &str| value(name).unwrap().parse::<usize>().unwrap();
        let stale = value("generation").is_some_and(|wanted| wanted != generation);
        let changed = json!({"error": {
            "code": "generation_changed", "message": "host text", "current_generation": generation,
        }});
        match request.path.as_str() {
            "/v1/docsets" if stale => self.json(409, &changed),
            "/v1/docsets" => self.json(200, &documents::list(generation)),
            "/v1/search" => {
                let wanted = documents::Wanted {
                    text: value("text").unwrap(),
                    project: value("project").unwrap(),
                    branch: value("branch").unwrap(),
                    locale: value("locale").unwrap(),
                    domain: value("domain"),
                    collection: value("collection"),
                };
                match wanted.resolve() {
                    None => self.report(400, "invalid_argument", "text: nothing to search for"),
                    Some(_) if stale => self.json(409, &changed),
                    Some(wanted) => {
                        let (offset, limit) = (number("offset"), number("limit"));
                        self.json(200, &documents::search(generation, &wanted, offset, limit))
                    }
                }
            }
            "/v1/section" if stale => self.json(409, &changed),
            "/v1/section" => {
                let key = value("section_key").unwrap();
                let Some(page) = documents::pages().into_iter().find(|page| page.key == key) else {
                    return self.report(404, "section_not_found", "host text");
                };
                match documents::load(generation, &page, number("offset"), number("limit")) {
                    Some(piece) => self.json(200, &piece),
                    None => self.report(400, "invalid_argument", "offset: beyond the end"),
                }
            }
            _ => self.report(404, "section_not_found", "no such path"),
        }
    }
}

/// Whether a challenge was answered with a proof that entitles to the key.
fn is_sound(fault: Fault, first: bool) -> bool {
    match fault {
        Fault::RandomProof
        | Fault::RelayedProof
        | Fault::ReplayedProof
        | Fault::OtherInstance
        | Fault::MisnamedInstance
        | Fault::OtherPid
        | Fault::OtherKey
        | Fault::UnframedProof
        | Fault::ShortProof
        | Fault::ChallengeSchema => false,
        Fault::CloseThenSquatter => first,
        _ => true,
    }
}

fn answer(parts: &Parts<'_>, proof: &[u8]) -> Value {
    json!({
        "schema": 1, "instance_id": parts.instance,
        "server_nonce": base64url(parts.server_nonce), "proof": base64url(proof),
    })
}

fn pair(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let mut bytes = Vec::new();
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        });
    }
    Some((name.to_owned(), String::from_utf8(bytes).ok()?))
}
