//! One call: discover, let the service prove itself, send the key, read the answer.
//!
//! 1. The discovery files are read again; any doubt ends the call before a socket is opened.
//! 2. A challenge goes out without the key. What does not prove itself gets nothing more, and the
//!    call ends.
//! 3. The data request carries the key, over the connection that was proved and no other. When
//!    that connection is gone, a new one is proved first, a few times in a call.
//!
//! One deadline spans challenge and data. The key stands in one header of one request; the copy
//! that ureq keeps of that header is freed with the request, but cannot be cleared from here.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use ureq::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Response, Version};
use ureq::{Agent, Body};

use crate::cancel::Cancel;
use crate::crib::answer::{Docsets, Hits, Section};
use crate::crib::connection::{Line, Patience, Stop};
use crate::crib::discover::{self, Found};
use crate::crib::fault::{Code, Failure, Fault};
use crate::crib::json;
use crate::crib::proof::{self, Key};
use crate::crib::wire::{
    self, Argument, CHALLENGE_ANSWER_BYTES, CHALLENGE_PATH, GENERATION_CHARS, HOST, LIST_ARGUMENTS,
    LOAD_ARGUMENTS, ListArgs, LoadArgs, NONCE_BYTES, PROOFS, SEARCH_ARGUMENTS, SearchArgs,
};
use crate::limits::{CRIB_BYTES, CRIB_TIME};

/// Where the application keeps its data unless it was told otherwise.
#[must_use]
pub fn default_user_data(home: &Path) -> PathBuf {
    home.join("Library/Application Support/Crib")
}

/// The documentation service of one user-data directory. Holds no connection and no key.
#[derive(Clone, Debug)]
pub struct Service {
    user_data: PathBuf,
    time: Duration,
}

impl Service {
    /// The service whose application keeps its data in `user_data`. Nothing is read yet.
    #[must_use]
    pub fn new(user_data: PathBuf) -> Self {
        Self {
            user_data,
            time: CRIB_TIME,
        }
    }

    /// The same service with less time for each call than [`CRIB_TIME`].
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self {
            time: time.min(CRIB_TIME),
            ..self
        }
    }

    /// The enabled document sets and the current generation.
    ///
    /// # Errors
    /// [`Failure::Cancelled`] soon after `cancel` was set, else the [`Fault`] to be reported.
    pub fn list(&self, args: &ListArgs, cancel: &Cancel) -> Result<Docsets, Failure> {
        let answer: Docsets = self.call(&args.target, LIST_ARGUMENTS, cancel)?;
        require(answer.answers(args))?;
        Ok(answer)
    }

    /// One page of hits.
    ///
    /// # Errors
    /// [`Failure::Cancelled`] soon after `cancel` was set, else the [`Fault`] to be reported.
    pub fn search(&self, args: &SearchArgs, cancel: &Cancel) -> Result<Hits, Failure> {
        let answer: Hits = self.call(&args.target, SEARCH_ARGUMENTS, cancel)?;
        require(answer.answers(args))?;
        Ok(answer)
    }

    /// One piece of a section's text.
    ///
    /// # Errors
    /// [`Failure::Cancelled`] soon after `cancel` was set, else the [`Fault`] to be reported.
    pub fn load(&self, args: &LoadArgs, cancel: &Cancel) -> Result<Section, Failure> {
        let answer: Section = self.call(&args.target, LOAD_ARGUMENTS, cancel)?;
        require(answer.answers(args))?;
        Ok(answer)
    }

    fn call<T: DeserializeOwned>(
        &self,
        target: &str,
        arguments: &[Argument],
        cancel: &Cancel,
    ) -> Result<T, Failure> {
        if cancel.is_set() {
            return Err(Failure::Cancelled);
        }
        let found = discover::discover(&self.user_data)?;
        let patience = Patience::new(self.time, cancel);
        for _ in 0..PROOFS {
            let exchange = Exchange::new(&found, patience.clone());
            exchange.prove(&found)?;
            match exchange.fetch(target, &found.key) {
                Ok(answer) => return read_answer(&answer, arguments),
                Err(Broken::Gone) => {}
                Err(broken) => return Err(broken.into()),
            }
        }
        Err(Broken::Gone.into())
    }
}

/// How an exchange over one connection ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    Stopped(Stop),
    /// Nobody took the connection.
    Refused,
    /// The connection ended before a byte of the answer came.
    Gone,
    TooLarge,
    Bad,
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        let code = match broken {
            Broken::Stopped(Stop::Cancelled) => return Self::Cancelled,
            Broken::Stopped(Stop::Deadline) => Code::DeadlineExceeded,
            Broken::Refused => Code::LocalApiUnavailable,
            Broken::Gone => {
                let sentence = "Crib closed the connection each time. Call again.";
                return Fault::saying(Code::LocalApiUnavailable, sentence).into();
            }
            Broken::TooLarge => Code::ResponseTooLarge,
            Broken::Bad => Code::BadResponse,
        };
        Fault::new(code).into()
    }
}

/// The answer to one request.
struct Answer {
    status: u16,
    body: Vec<u8>,
}

/// One connection: a challenge, and then at most one request with the key.
struct Exchange {
    line: Arc<Line>,
    agent: Agent,
    origin: String,
}

impl Exchange {
    fn new(found: &Found, patience: Patience) -> Self {
        let line = Line::new(found.peer.port, patience);
        Self {
            agent: line.agent(),
            line,
            origin: format!("http://{HOST}:{}", found.peer.port),
        }
    }

    /// Lets the service prove that it knows the key.
    fn prove(&self, found: &Found) -> Result<(), Failure> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| {
            let sentence = "The system gave no random numbers; nothing was sent.";
            Fault::saying(Code::InternalError, sentence)
        })?;
        let request = self
            .agent
            .post(format!("{}{CHALLENGE_PATH}", self.origin))
            .header(CONTENT_TYPE, wire::CONTENT_TYPE);
        let sent = request.send(proof::challenge(&nonce));
        match self.receive(sent, 0, CHALLENGE_ANSWER_BYTES) {
            Ok(answer)
                if answer.status == 200
                    && proof::proves(&found.key, &nonce, &found.peer, &answer.body) =>
            {
                Ok(())
            }
            Err(broken @ (Broken::Stopped(_) | Broken::Refused)) => Err(broken.into()),
            Ok(_) | Err(_) => Err(Fault::new(Code::ServerProofFailed).into()),
        }
    }

    /// Sends the data request with the key, over the proved connection.
    fn fetch(&self, target: &str, key: &Key) -> Result<Answer, Broken> {
        let mut value = zeroize::Zeroizing::new(b"Bearer ".to_vec());
        value.extend_from_slice(key.text());
        let mut value = HeaderValue::from_bytes(&value).map_err(|_| Broken::Bad)?;
        value.set_sensitive(true);
        let request = self
            .agent
            .get(format!("{}{target}", self.origin))
            .header(AUTHORIZATION, value);
        let before = self.line.received();
        self.receive(request.call(), before, CRIB_BYTES)
    }

    /// Reads the answer to the end, its head checked. `before` is what had been received before
    /// the request went out.
    fn receive(
        &self,
        sent: Result<Response<Body>, ureq::Error>,
        before: u64,
        most: usize,
    ) -> Result<Answer, Broken> {
        let mut response = sent.map_err(|error| self.broken(&error, before))?;
        if let Some(stop) = self.line.stop() {
            return Err(Broken::Stopped(stop));
        }
        let headers = response.headers();
        if response.version() != Version::HTTP_11 || !is_plain_json(headers) {
            return Err(Broken::Bad);
        }
        let declared = text(headers, &CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        if declared.is_some_and(|length| length > most as u64) {
            return Err(Broken::TooLarge);
        }
        let status = response.status().as_u16();
        let mut body = Vec::new();
        let mut reader = response.body_mut().as_reader().take(most as u64 + 1);
        let read = reader.read_to_end(&mut body);
        if let Some(stop) = self.line.stop() {
            return Err(Broken::Stopped(stop));
        }
        if body.len() > most {
            return Err(Broken::TooLarge);
        }
        match read {
            Ok(_) => Ok(Answer { status, body }),
            Err(_) => Err(Broken::Bad),
        }
    }

    fn broken(&self, error: &ureq::Error, before: u64) -> Broken {
        match (self.line.stop(), error) {
            (Some(stop), _) => Broken::Stopped(stop),
            (None, ureq::Error::Timeout(_)) => Broken::Stopped(Stop::Deadline),
            _ if !self.line.was_open() => Broken::Refused,
            (None, ureq::Error::Io(_)) if self.line.received() == before => Broken::Gone,
            _ => Broken::Bad,
        }
    }
}

/// The one value of a header, when it is text.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

/// Whether the head announces JSON that is not coded.
fn is_plain_json(headers: &HeaderMap) -> bool {
    let media_type = text(headers, &CONTENT_TYPE).map(|value| {
        let (media_type, _) = value.split_once(';').unwrap_or((value, ""));
        media_type.trim().eq_ignore_ascii_case(wire::CONTENT_TYPE)
    });
    let coded = headers.contains_key(CONTENT_ENCODING)
        && text(headers, &CONTENT_ENCODING)
            .is_none_or(|coding| !coding.eq_ignore_ascii_case("identity"));
    media_type == Some(true) && !coded
}

fn require(holds: bool) -> Result<(), Failure> {
    if holds {
        Ok(())
    } else {
        Err(Broken::Bad.into())
    }
}

/// The document of a success, or the fault that the service reports.
fn read_answer<T: DeserializeOwned>(answer: &Answer, arguments: &[Argument]) -> Result<T, Failure> {
    if answer.status == 200 {
        return json::parse(&answer.body).ok_or_else(|| Broken::Bad.into());
    }
    let fault = read_fault(answer, arguments).unwrap_or_else(|| Fault::new(Code::BadResponse));
    Err(fault.into())
}

/// What the service sends instead of a document.
#[derive(Deserialize)]
struct Report {
    error: Reported,
}

#[derive(Deserialize)]
struct Reported {
    code: String,
    message: String,
    current_generation: Option<String>,
}

/// A reported fault in this program's words. Of the service's message only one thing is used:
/// whether it begins with the name of an argument.
fn read_fault(answer: &Answer, arguments: &[Argument]) -> Option<Fault> {
    let reported = json::parse::<Report>(&answer.body)?.error;
    let code = Code::ALL
        .into_iter()
        .find(|code| code.as_str() == reported.code)
        .filter(|code| wire::http_status(*code) == Some(answer.status))?;
    Some(match code {
        Code::GenerationChanged => Fault {
            current_generation: reported
                .current_generation
                .filter(|generation| wire::is_coordinate(generation, GENERATION_CHARS)),
            ..Fault::new(code)
        },
        Code::InvalidArgument => {
            let mut words = reported
                .message
                .split(|c: char| !c.is_ascii_lowercase() && c != '_');
            let named = words.next().unwrap_or_default();
            arguments
                .iter()
                .find(|argument| argument.name == named)
                .map_or_else(
                    || Fault::new(code),
                    |argument| Fault::argument(argument.name, argument.refusal),
                )
        }
        _ => Fault::new(code),
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use ureq::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Service, default_user_data, is_plain_json};
    use crate::limits::CRIB_TIME;

    #[test]
    fn only_plain_json_is_read() {
        let kind = "content-type";
        let coding = "content-encoding";
        for (headers, good) in [
            (vec![(kind, "application/json")], true),
            (vec![(kind, "Application/JSON; charset=utf-8")], true),
            (vec![(kind, "application/json"), (coding, "identity")], true),
            (vec![(kind, "application/json"), (coding, "gzip")], false),
            (
                vec![
                    (kind, "application/json"),
                    (coding, "identity"),
                    (coding, "br"),
                ],
                false,
            ),
            (vec![(kind, "application/json"), (kind, "text/html")], false),
            (vec![(kind, "application/jsonx")], false),
            (vec![(kind, "text/plain")], false),
            (vec![], false),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in &headers {
                map.append(
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                );
            }
            assert_eq!(is_plain_json(&map), good, "{headers:?}");
        }
    }

    #[test]
    fn the_time_can_only_be_lowered() {
        let path = default_user_data(Path::new("/home/u"));
        assert_eq!(
            path,
            PathBuf::from("/home/u/Library/Application Support/Crib")
        );
        let service = Service::new(path);
        assert_eq!(service.clone().with_time(CRIB_TIME * 2).time, CRIB_TIME);
        assert_eq!(service.with_time(CRIB_TIME / 2).time, CRIB_TIME / 2);
    }
}
