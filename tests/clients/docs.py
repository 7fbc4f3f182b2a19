"""The official Python client against the documentation server: lists, searches, loads, is refused properly."""
import asyncio
import json
import subprocess
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

TOOLS = ["list_installed_docsets", "search_documentation", "load_documentation_page"]


async def call(client, name, arguments=None):
    result = await client.call_tool(name, arguments or {})
    assert len(result.content) == 1, result
    assert json.loads(result.content[0].text) == result.structured_content, result
    return result.is_error, result.structured_content


async def session(era, binary, user_data):
    parameters = StdioServerParameters(command=binary, args=["--user-data", user_data])
    mode = "auto" if era == "modern" else "legacy"
    async with Client(stdio_client(parameters), mode=mode, read_timeout_seconds=30) as client:
        newest = {"modern": "2026-07-28", "legacy": "2025-11-25"}[era]
        assert client.protocol_version == newest, client.protocol_version
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        failed, sets = await call(client, TOOLS[0])
        assert not failed and sets["docsets"], sets
        keys, offset = [], 0
        while offset is not None:
            query = {"text": "note", "branch": "*", "locale": "*", "limit": 7, "offset": offset}
            failed, page = await call(client, TOOLS[1], query)
            assert not failed and page["generation"] == sets["generation"], page
            keys += [hit["section_key"] for hit in page["results"]]
            offset = page["next_offset"]
        assert len(keys) == len(set(keys)) > 7, keys
        text, offset = "", 0
        while offset is not None:
            where = {"section_key": "postgresql-18-en:long", "generation": sets["generation"], "offset": offset}
            failed, piece = await call(client, TOOLS[2], where)
            assert not failed, piece
            text += piece["text"]
            offset = piece["next_offset"]
        assert len(text) == piece["total"], (len(text), piece["total"])
        for name, arguments, code in [
            (TOOLS[1], {"text": ""}, "invalid_argument"),
            (TOOLS[2], {"section_key": keys[0], "generation": "old"}, "generation_changed"),
        ]:
            failed, value = await call(client, name, arguments)
            assert failed and value["error"]["code"] == code, value


era, binary, host = sys.argv[1:]
stub = subprocess.Popen([host], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
try:
    asyncio.run(session(era, binary, stub.stdout.readline().rstrip("\n")))
finally:
    stub.stdin.close()
    stub.wait(timeout=10)
print(f"python client, documentation, {era}: passed")
