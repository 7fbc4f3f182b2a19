"""Every message of a session, in every revision, against the official message models of that revision."""
import json
import subprocess
import sys

from mcp_types import jsonrpc, methods

MODERN = "2026-07-28"
LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


class Session:
    def __init__(self, version, *command):
        self.version = version
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.n_judged = 0

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def request(self, method, **params):
        if self.version == MODERN:
            params["_meta"] = {**META, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        while True:
            message = json.loads(self.child.stdout.readline())
            if "method" not in message:
                break
            self.notification(message)
        self.n_judged += 1
        if "error" in message:
            jsonrpc.JSONRPCError.model_validate(message)
            return message["error"]
        jsonrpc.JSONRPCResponse.model_validate(message)
        methods.serialize_server_result(method, self.version, message["result"])
        return message["result"]

    def notification(self, message):
        self.n_judged += 1
        jsonrpc.JSONRPCNotification.model_validate(message)
        methods.parse_server_notification(message["method"], self.version, message["params"])

    def close(self):
        self.child.stdin.close()
        assert self.child.stdout.read() == b"", "something after the last answer"
        assert self.child.wait(timeout=2) == 0, "exit code"


def session(version, binary, root):
    s = Session(version, binary, root + "/small", "--mcp")
    if version == MODERN:
        s.request("server/discover")
    else:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "judge", "version": "1"}}
        assert s.request("initialize", **params)["protocolVersion"] == version
        s.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        s.request("ping")
    s.request("tools/list")
    s.request("resources/list")
    s.request("resources/templates/list")
    token = {"_meta": {"progressToken": "p"}}
    packed = s.request("tools/call", name="pack_repository", arguments={}, **token)
    value = json.loads(packed["content"][0]["text"])
    assert packed["structuredContent"] == value, version
    s.request("resources/list")
    uri = value["resources"][0]["uri"]
    s.request("resources/read", uri=uri)
    calls = [
        ("read_context", {"uri": uri}),
        ("explain_selection", {"paths": ["README.md", "gone"]}),
        ("plan_task_context", {"maxTokens": 900, "tasks": [{"id": "t", "required": [{"path": "README.md", "mode": "full"}]}]}),
        ("plan_task_context", {"maxTokens": 900, "tasks": [{"id": "t", "required": [{"path": "gone", "mode": "full"}]}]}),
        ("read_code_context", {"items": [{"path": "twice.py", "kind": "outline"}]}),
        ("read_code_context", {"items": [{"path": "twice.py", "kind": "symbol", "symbol": "same"}]}),
        ("release_context", {}),
        ("read_context", {"uri": uri}),
        ("pack_repository", {"style": "html"}),
        ("no_such_tool", {}),
    ]
    for name, arguments in calls:
        s.request("tools/call", name=name, arguments=arguments, **token)
    s.request("resources/read", uri=uri)
    s.request("no/such/method")
    s.close()
    print(f"judge, {version}: {s.n_judged} messages valid")


for revision in [MODERN, *LEGACY]:
    session(revision, *sys.argv[1:])
