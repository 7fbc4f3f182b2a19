// The official TypeScript client against the documentation server: lists, searches, loads, is refused properly.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import readline from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [LIST, SEARCH, LOAD] = ['list_installed_docsets', 'search_documentation', 'load_documentation_page'];
const [era, binary, host] = process.argv.slice(2);

const stub = spawn(host, { stdio: ['pipe', 'pipe', 'inherit'] });
const [userData] = await once(readline.createInterface(stub.stdout), 'line');
const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
const client = new Client({ name: 'crib-mcp-test', version: '1.0.0' }, { versionNegotiation: { mode } });
client.onerror = error => { throw error; };
await client.connect(new StdioClientTransport({ command: binary, args: ['--user-data', userData], stderr: 'inherit' }));

async function call(name, args = {}) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.content.length, 1);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return { failed: result.isError === true, value: result.structuredContent };
}

async function good(name, args) {
    const { failed, value } = await call(name, args);
    assert.equal(failed, false, JSON.stringify(value));
    return value;
}

assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? '2026-07-28' : '2025-11-25');
assert.deepEqual((await client.listTools()).tools.map(tool => tool.name), [LIST, SEARCH, LOAD]);
const { generation } = await good(LIST);
const keys = [];
for (let offset = 0; offset !== null;) {
    const page = await good(SEARCH, { text: 'note', branch: '*', locale: '*', limit: 7, offset });
    keys.push(...page.results.map(hit => hit.section_key));
    offset = page.next_offset;
}
assert.ok(keys.length > 7 && new Set(keys).size === keys.length);
let text = '', total;
for (let offset = 0; offset !== null;) {
    const piece = await good(LOAD, { section_key: 'postgresql-18-en:long', generation, offset });
    text += piece.text;
    ({ total, next_offset: offset } = piece);
}
assert.equal([...text].length, total);
for (const [name, args, code] of [
    [SEARCH, { text: '' }, 'invalid_argument'],
    [LOAD, { section_key: keys[0], generation: 'old' }, 'generation_changed'],
]) {
    const { failed, value } = await call(name, args);
    assert.ok(failed && value.error.code === code, JSON.stringify(value));
}
await client.close();
stub.stdin.end();
await once(stub, 'exit');
console.log(`typescript client, documentation, ${era}: passed`);
