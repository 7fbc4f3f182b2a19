"""The official Python client: lists, packs, reads every volume both ways, cancels, is refused properly."""
import asyncio
import json
import os
import sys
import time

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

TOOLS = ["pack_repository", "plan_task_context", "read_code_context", "explain_selection", "read_context", "release_context"]


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def connect(era, binary, root, *options):
    parameters = StdioServerParameters(command=binary, args=[root, "--mcp", *options])
    return Client(stdio_client(parameters), mode="auto" if era == "modern" else "legacy", read_timeout_seconds=60)


async def call(client, name, arguments=None, **options):
    result = await client.call_tool(name, arguments or {}, **options)
    check(len(result.content) == 1, "one text block")
    text = result.content[0].text
    if result.structured_content is not None:
        check(json.loads(text) == result.structured_content, "text and structured content are the same value")
    return result, text


async def refused(awaitable, code):
    try:
        await awaitable
    except Exception as error:
        found = getattr(getattr(error, "error", error), "code", None)
        check(found == code, f"refused with {found}, expected {code}: {error}")
        return
    raise AssertionError(f"not refused with {code}")


async def read_by_tool(client, uri):
    text, offset = "", 0
    while True:
        _, page = await call(client, "read_context", {"uri": uri, "offset": offset, "maxTokens": 700})
        first, _, rest = page.partition("\n")
        text += rest
        if first.endswith(", end"):
            return text
        offset = int(first.rsplit(" ", 1)[1])


async def small(era, binary, root):
    async with connect(era, binary, root) as client:
        newest = {"modern": "2026-07-28", "legacy": "2025-11-25"}[era]
        check(client.protocol_version == newest, f"negotiated {client.protocol_version}")
        tools = (await client.list_tools()).tools
        check([tool.name for tool in tools] == TOOLS, [tool.name for tool in tools])
        check((await client.list_resources()).resources == [], "nothing before the first pack")

        result, _ = await call(client, "pack_repository", {"maxTokens": 2000, "style": "markdown"})
        packed = result.structured_content
        check(packed["status"] == "complete" and packed["files"]["accepted"] == 42, packed["files"])
        check(packed["files"]["skippedByReason"] == {"Binary": 1}, packed["files"])
        listed = (await client.list_resources()).resources
        check([str(r.uri) for r in listed] == [r["uri"] for r in packed["resources"]], "listed = returned")
        check(packed["volumes"]["count"] > 2, packed["volumes"])
        for resource in packed["resources"]:
            contents = (await client.read_resource(resource["uri"])).contents
            check(len(contents) == 1 and str(contents[0].uri) == resource["uri"], resource)
            text = contents[0].text
            check(len(text.encode()) == int(resource["bytes"]), resource)
            check(resource["name"] == "index.json" or int(resource["tokens"]) <= 2000, resource)
            check(await read_by_tool(client, resource["uri"]) == text, "the pages join to the resource")

        result, _ = await call(client, "explain_selection", {"paths": ["logo.bin", "README.md", "gone"]})
        reasons = [decision["reason"] for decision in result.structured_content["decisions"]]
        check(reasons == ["Binary", "Full", "NotFound"], reasons)

        await planning(client)
        await reading(client)

        await refused(client.call_tool("pack_repository", {"maxTokens": 16001}), -32602)
        await refused(client.call_tool("pack_repository", {"filePaths": ["../x"]}), -32602)
        await refused(client.call_tool("pack_repository", {"filePaths": "[\"a\"]"}), -32602)
        await refused(client.call_tool("no_such_tool", {}), -32602)
        old = packed["resources"][0]["uri"]
        await refused(client.read_resource(old), -32602 if era == "modern" else -32002)
        result, text = await call(client, "read_context", {"uri": old})
        check(result.is_error and "ResourceGone" in text, text)
        result, _ = await call(client, "release_context")
        check(result.structured_content["status"] == "released", "released")
        check((await client.list_resources()).resources == [], "nothing after the release")


async def planning(client):
    def plan(tokens, required, optional=()):
        return {"maxTokens": tokens, "tasks": [{"id": "t", "required": required, "optional": list(optional)}]}

    module = "src/part4/module04.py"
    optional = [{"path": "README.md", "mode": "either", "priority": 5}, {"path": "gone.py", "mode": "full"}]
    result, _ = await call(client, "plan_task_context", plan(4000, [{"path": module, "mode": "full"}], optional))
    planned = result.structured_content
    check(not result.is_error and planned["status"] == "with_omissions", planned)
    context = (await client.read_resource(planned["context"]["resource"]["uri"])).contents[0].text
    check("class Store4:" in context and "# Small" in context, "both files")
    check(int(planned["context"]["tokens"]) <= 4000, planned)
    audit = json.loads((await client.read_resource(planned["audit"]["resource"]["uri"])).contents[0].text)
    check(audit["kind"] == "task_audit" and len(audit["files"]) == 3, audit)
    result, _ = await call(client, "plan_task_context", plan(4000, [{"path": "gone.py", "mode": "full"}]))
    check(result.is_error and result.structured_content["status"] == "required_unavailable", result)
    result, _ = await call(client, "plan_task_context", plan(20, [{"path": module, "mode": "full"}]))
    check(result.is_error and result.structured_content["status"] == "required_over_budget", result)
    await refused(client.call_tool("plan_task_context", plan(100, [{"path": "a", "mode": "either"}])), -32602)
    # Failures leave the last result readable.
    await client.read_resource(planned["context"]["resource"]["uri"])


async def without_bodies(era, binary, root):
    async with connect(era, binary, root, "--no-files") as client:
        plan = {"maxTokens": 900, "tasks": [{"id": "t", "required": [{"path": "README.md", "mode": "full"}]}]}
        result, text = await call(client, "plan_task_context", plan)
        check(result.is_error and "ConfigurationError" in text, text)
        check((await client.list_resources()).resources == [], "a failure leaves no resource")


async def reading(client):
    module = "src/part4/module04.py"

    async def read(**arguments):
        result, _ = await call(client, "read_code_context", arguments)
        return result.is_error, result.structured_content

    failed, first = await read(maxTokens=3000, items=[{"path": module, "kind": "outline"}])
    check(not failed and first["round"] == 1, first)
    body = json.loads((await client.read_resource(first["resource"]["uri"])).contents[0].text)
    check("Store4.get" in json.dumps(body["items"][0]["symbols"]), body)
    item = {"path": module, "kind": "symbol", "symbol": "Store4.get"}
    failed, second = await read(continueFrom=first["runId"], items=[item])
    check(not failed and second["round"] == 2, second)
    body = json.loads((await client.read_resource(second["resource"]["uri"])).contents[0].text)
    check(body["items"][0]["text"].startswith("    def get(self, key):"), body)
    failed, ambiguous = await read(continueFrom=second["runId"], items=[{"path": "twice.py", "kind": "symbol", "symbol": "same"}])
    check(failed and ambiguous["problems"][0]["reason"] == "SymbolAmbiguous", ambiguous)
    failed, third = await read(continueFrom=second["runId"], items=[{"path": "twice.py", "kind": "lines", "start": 1, "end": 2}])
    check(not failed and third["round"] == 3 and third["sequence"]["remainingRounds"] == 0, third)
    failed, over = await read(continueFrom=third["runId"], items=[item])
    check(failed and over["status"] == "continuation_unavailable" and over["reason"] == "RoundsExhausted", over)
    failed, over = await read(maxTokens=30, items=[item])
    check(failed and over["status"] == "over_budget", over)
    await call(client, "release_context")
    failed, gone = await read(continueFrom=third["runId"], items=[item])
    check(failed and gone["reason"] == "Released", gone)
    failed, again = await read(items=[item])
    check(not failed, again)
    await call(client, "pack_repository", {"filePaths": []})
    failed, gone = await read(continueFrom=again["runId"], items=[item])
    check(failed and gone["reason"] == "Superseded", gone)


async def slow(era, binary, root):
    async with connect(era, binary, root) as client:
        try:
            await client.call_tool("pack_repository", {}, read_timeout_seconds=0.4)
            raise AssertionError("the slow call was not slow")
        except AssertionError:
            raise
        except Exception:
            pass
        # The client has cancelled the call; the slot must be free at once.
        start = time.monotonic()
        while True:
            result, text = await call(client, "pack_repository", {"filePaths": ["short.txt"]})
            if not result.is_error:
                break
            check("Busy" in text and time.monotonic() - start < 1, f"slot taken: {text}")
        print(f"  slot free {1000 * (time.monotonic() - start):.0f} ms after the cancel")


async def main(era, binary, root):
    await small(era, binary, os.path.join(root, "small"))
    await without_bodies(era, binary, os.path.join(root, "small"))
    await slow(era, binary, os.path.join(root, "slow"))
    print(f"python client, {era}: passed")


asyncio.run(main(*sys.argv[1:]))
