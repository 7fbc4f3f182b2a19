//! A client of the server over in-process pipes, and a table of small tools to serve.
//!
//! The client numbers requests, waits with a time limit, and on drop ends the session and fails
//! when a line was left unread or an id was answered twice.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use moon_repomix::arguments::Fields;
use moon_repomix::cancel::Cancel;
use moon_repomix::error::ErrorCode;
use moon_repomix::mcp::message::Fault;
use moon_repomix::mcp::profile::Profile;
use moon_repomix::mcp::resources::{Bundle, BundleKind, Document, RunId};
use moon_repomix::mcp::serve::{Ending, Server, serve};
use moon_repomix::mcp::tools::{
    Call, Count, Handler, Outcome, Prepared, Reply, Tool, failure, read_context, release_context,
};
use serde_json::{Value, json};

/// Longest wait for anything that must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The revision of requests that carry their version.
pub(crate) const MODERN: &str = "2026-07-28";

/// The metadata of a modern request.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

/// One session.
pub(crate) struct Client {
    input: Option<PipeWriter>,
    output: Option<PipeReader>,
    lines: Option<Receiver<Vec<u8>>>,
    ending: Receiver<Ending>,
    waiting: Vec<Value>,
    answered: BTreeMap<String, usize>,
    next_id: i64,
    modern: bool,
}

impl Client {
    /// Serves `server` to a client that sends modern requests and reads what comes.
    pub(crate) fn new(server: Server) -> Self {
        let mut client = Self::unread(server);
        client.read();
        client
    }

    /// The same after a handshake at `revision`.
    pub(crate) fn at(revision: &str, server: Server) -> Self {
        let mut client = Self::new(server);
        client.handshake(revision);
        client
    }

    /// A client that does not read before it is told to.
    pub(crate) fn unread(server: Server) -> Self {
        let (server_in, input) = std::io::pipe().unwrap();
        let (output, server_out) = std::io::pipe().unwrap();
        let (ended, ending) = bounded(1);
        thread::spawn(move || ended.send(serve(server_in, server_out, server)));
        Self {
            input: Some(input),
            output: Some(output),
            lines: None,
            ending,
            waiting: Vec::new(),
            answered: BTreeMap::new(),
            next_id: 0,
            modern: true,
        }
    }

    /// Begins to read.
    pub(crate) fn read(&mut self) {
        let output = self.output.take().unwrap();
        let (line_in, lines) = unbounded();
        self.lines = Some(lines);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                if output.read_until(b'\n', &mut line).unwrap_or(0) == 0
                    || line_in.send(line).is_err()
                {
                    return;
                }
            }
        });
    }

    /// Closes the reading end.
    pub(crate) fn stop_reading(&mut self) {
        self.output = None;
    }

    /// Shakes hands and sends legacy requests from then on.
    pub(crate) fn handshake(&mut self, revision: &str) -> Value {
        self.modern = false;
        let id = self.request(
            "initialize",
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        let answer = self.answer(id);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends modern requests from now on.
    pub(crate) fn be_modern(&mut self) {
        self.modern = true;
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    /// Sends one message.
    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// A request with the next id, not sent.
    pub(crate) fn build(&mut self, method: &str, params: Value) -> (i64, Value) {
        self.next_id += 1;
        (
            self.next_id,
            self.build_as(&json!(self.next_id), method, params),
        )
    }

    /// A request with a given id, not sent.
    pub(crate) fn build_as(&self, id: &Value, method: &str, mut params: Value) -> Value {
        if self.modern {
            for (key, value) in meta().as_object().unwrap() {
                params["_meta"][key] = value.clone();
            }
        }
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    /// Sends a request and gives its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        let (id, message) = self.build(method, params);
        self.send(&message);
        id
    }

    /// Sends a tool call and gives its id.
    pub(crate) fn post(&mut self, tool: &str, arguments: Value) -> i64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool and waits for the answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.post(tool, arguments);
        self.answer(id)
    }

    /// Cancels a request.
    pub(crate) fn cancel(&mut self, id: impl Into<Value>) {
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into()}}));
    }

    /// The answer to a request.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.wait(|message| message.get("id") == Some(&id) && message.get("method").is_none())
    }

    /// The next message that is an error without id.
    pub(crate) fn orphan(&mut self) -> Value {
        self.wait(|message| message.get("error").is_some() && message.get("id").is_none())
    }

    /// The next message of any kind.
    pub(crate) fn next(&mut self) -> Value {
        self.wait(|_| true)
    }

    /// The next message that `wanted` accepts; others are kept.
    pub(crate) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&wanted) {
            return self.waiting.remove(at);
        }
        loop {
            let lines = self.lines.as_ref().expect("the client reads");
            let line = lines
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("no answer; unread: {:?}", self.waiting));
            let message = self.take(&line);
            if wanted(&message) {
                return message;
            }
            self.waiting.push(message);
        }
    }

    /// Everything that arrived and nobody asked for. Reads until a fresh `ping`-like request is
    /// answered, so that what was written before it is in.
    pub(crate) fn unasked(&mut self) -> Vec<Value> {
        let answer = self.ask("tools/list", json!({}));
        assert!(answer.get("result").is_some(), "{answer}");
        std::mem::take(&mut self.waiting)
    }

    fn take(&mut self, line: &[u8]) -> Value {
        assert_eq!(line.last(), Some(&b'\n'), "a line without its end");
        assert!(!line.contains(&b'\r'), "a CR was written");
        assert!(line.len() <= 9 << 20, "a line of {} bytes", line.len());
        let message: Value = serde_json::from_slice(line).unwrap();
        let all = message.as_array().cloned();
        for one in all.unwrap_or_else(|| vec![message.clone()]) {
            assert_eq!(one["jsonrpc"], "2.0");
            let is_answer = one.get("method").is_none();
            assert!(is_answer || one.get("id").is_none(), "the server asked");
            if is_answer && let Some(id) = one.get("id") {
                *self.answered.entry(id.to_string()).or_default() += 1;
            }
        }
        message
    }

    /// Waits until a request is answered, alone or in an array, and keeps the answer.
    pub(crate) fn wait_answered(&mut self, id: i64) {
        let id = json!(id);
        while self.answers(&id) == 0 {
            let lines = self.lines.as_ref().expect("the client reads");
            let line = lines.recv_timeout(PATIENCE).expect("an answer");
            let message = self.take(&line);
            self.waiting.push(message);
        }
    }

    /// How often an id was answered.
    pub(crate) fn answers(&self, id: &Value) -> usize {
        self.answered.get(&id.to_string()).copied().unwrap_or(0)
    }

    /// Forgets how often an id was answered, for tests that use it twice.
    pub(crate) fn forget(&mut self, id: &Value) {
        self.answered.remove(&id.to_string());
    }

    /// Closes the input, waits for the end, and gives all that was not asked for.
    pub(crate) fn close(&mut self) -> (Ending, Vec<Value>, Duration) {
        let started = Instant::now();
        self.input = None;
        let ending = self.ending.recv_timeout(PATIENCE).expect("the server ends");
        let took = started.elapsed();
        while let Some(lines) = &self.lines {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let message = self.take(&line);
                    self.waiting.push(message);
                }
                Err(_) => self.lines = None,
            }
        }
        (ending, std::mem::take(&mut self.waiting), took)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        if self.input.is_some() {
            if self.lines.is_none() {
                self.output = None;
            }
            let (_, rest, _) = self.close();
            assert!(rest.is_empty(), "unread: {rest:?}");
        }
        for (id, times) in &self.answered {
            assert_eq!(*times, 1, "{id} was answered {times} times");
        }
    }
}

/// The test's side of the tools that wait.
#[derive(Clone)]
pub(crate) struct Stage {
    started: Receiver<()>,
    go: Sender<()>,
}

impl Stage {
    /// Waits until one more piece of work runs.
    pub(crate) fn started(&self) {
        self.started.recv_timeout(PATIENCE).expect("work starts");
    }

    /// Lets one piece of work make a step: finish, or the next file.
    pub(crate) fn go(&self) {
        // Work that is already over no longer listens.
        let _ = self.go.send(());
    }
}

/// Work's side of a stage.
#[derive(Clone)]
struct Backstage {
    started: Sender<()>,
    go: Receiver<()>,
    /// Gives a step back that was meant for other work.
    back: Sender<()>,
}

impl Backstage {
    /// Waits to be let go; `false` when cancelled first.
    fn wait(&self, cancel: &Cancel) -> bool {
        loop {
            if cancel.is_set() {
                return false;
            }
            if self.go.recv_timeout(Duration::from_millis(2)).is_ok() {
                if cancel.is_set() {
                    self.back.send(()).unwrap();
                    return false;
                }
                return true;
            }
        }
    }
}

/// A bundle with one document of this text, and the reply that describes it.
pub(crate) fn bundle(run: RunId, text: &str) -> Outcome {
    let document = Document::new("note.txt", "text/plain", text, text.len() as u64).unwrap();
    let bundle = Bundle::new(run, BundleKind::Pack, vec![document], 16 << 20).unwrap();
    let reply = Reply::success(&json!({
        "schemaVersion": 1, "status": "complete", "runId": run.to_string(),
        "resources": bundle.describe().collect::<Vec<_>>()
    }));
    Outcome {
        reply,
        bundle: Some(bundle),
    }
}

/// The URI of the document that [`bundle`] makes.
pub(crate) fn uri(run: u64, text: &str) -> String {
    let bundle = bundle(RunId::new(run), text).bundle.unwrap();
    bundle.uri(&bundle.documents()[0])
}

fn entry(name: &'static str, handler: Handler) -> Tool {
    Tool {
        name,
        title: "A tool",
        description: "Does something small.".to_owned(),
        schema: json!({"type": "object", "properties": {"text": {"type": "string"}, "files": {"type": "integer"}}, "additionalProperties": false}),
        idempotent: true,
        handler,
        failure,
    }
}

fn arguments(call: &Call<'_>) -> Result<(String, u64), Fault> {
    let fields = Fields::of(call.arguments, &["text", "files"])?;
    let text = fields.optional("text").map(|field| field.text());
    let files = fields
        .optional("files")
        .map(|field| field.integer(0, 1_000));
    Ok((
        text.transpose()?.unwrap_or_default().to_owned(),
        files.transpose()?.unwrap_or(0),
    ))
}

/// Work that waits: announces itself, needs one step a file and one to finish.
fn hold(call: &Call<'_>, stage: Backstage, with_bundle: bool) -> Result<Prepared, Fault> {
    let (text, files) = arguments(call)?;
    let run = call.run;
    Ok(Prepared::work(move |cancel, progress| {
        progress.find(files);
        stage.started.send(()).unwrap();
        for _ in 0..files {
            if !stage.wait(cancel) {
                return failure(ErrorCode::InternalError).into();
            }
            progress.finish_one();
        }
        if !stage.wait(cancel) {
            return failure(ErrorCode::InternalError).into();
        }
        match with_bundle {
            true => bundle(run, &text),
            false => Reply::success(&json!({"text": text})).into(),
        }
    }))
}

/// Counts bytes.
pub(crate) fn count() -> Count {
    Arc::new(|text| Ok(text.len() as u64))
}

/// A server with the small tools:
///
/// - `make` computes a bundle with `text`; `hold` does so when let go; `aside` waits the same way
///   beside computations and without a bundle; `deaf` does not hear of being cancelled;
/// - `fail` and `panic` do what they say; `huge` replies with more than a line;
/// - `release_context` and `read_context` are the real ones, a token being a byte.
pub(crate) fn toys(profile: Profile) -> (Server, Stage) {
    let (started_in, started) = unbounded();
    let (go, go_end) = unbounded();
    let back = Backstage {
        started: started_in,
        go: go_end,
        back: go.clone(),
    };
    let (one, two, deaf) = (back.clone(), back.clone(), back);
    let tools = vec![
        entry(
            "make",
            Handler::Compute(Box::new(|call| {
                let (text, _) = arguments(call)?;
                let run = call.run;
                Ok(Prepared::work(move |_, _| bundle(run, &text)))
            })),
        ),
        entry(
            "hold",
            Handler::Compute(Box::new(move |call| hold(call, one.clone(), true))),
        ),
        entry(
            "aside",
            Handler::Beside(Box::new(move |call| hold(call, two.clone(), false))),
        ),
        entry(
            "deaf",
            Handler::Compute(Box::new(move |call| {
                let (stage, run) = (deaf.clone(), call.run);
                Ok(Prepared::work(move |_, _| {
                    stage.started.send(()).unwrap();
                    stage.wait(&Cancel::never());
                    bundle(run, "late")
                }))
            })),
        ),
        entry(
            "fail",
            Handler::Compute(Box::new(|call| {
                let run = call.run;
                Ok(Prepared::work(move |_, _| Outcome {
                    reply: failure(ErrorCode::IoFailure),
                    ..bundle(run, "failed")
                }))
            })),
        ),
        entry(
            "panic",
            Handler::Compute(Box::new(|_| {
                Ok(Prepared::work(|_, _| panic!("quoted source text")))
            })),
        ),
        entry(
            "huge",
            Handler::Compute(Box::new(|call| {
                let run = call.run;
                Ok(Prepared::work(move |_, _| Outcome {
                    reply: Reply::success(&json!({"text": "x".repeat(5 << 20)})),
                    ..bundle(run, "huge")
                }))
            })),
        ),
        release_context::tool(Arc::default()),
        read_context::tool(16_000, count()),
    ];
    let stage = Stage { started, go };
    (Server::new(profile, tools).with_threads(2), stage)
}

/// The small tools with the limits of the repository server.
pub(crate) fn repository() -> (Server, Stage) {
    toys(Profile::repository())
}

/// The error code of an answer.
pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {answer}"))
}

/// The code of a tool call that failed.
pub(crate) fn tool_code(answer: &Value) -> String {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    text["error"]["code"].as_str().unwrap().to_owned()
}
