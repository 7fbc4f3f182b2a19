// The official TypeScript client: lists, packs, reads every volume both ways, cancels, is refused properly.
import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const TOOLS = ['pack_repository', 'plan_task_context', 'read_code_context', 'explain_selection', 'read_context', 'release_context'];
const [era, binary, root] = process.argv.slice(2);

async function connect(directory) {
    const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
    const client = new Client({ name: 'moon-repomix-test', version: '1.0.0' }, { versionNegotiation: { mode } });
    client.onerror = error => { throw error; };
    await client.connect(new StdioClientTransport({ command: binary, args: [path.join(root, directory), '--mcp'], stderr: 'inherit' }));
    return client;
}

async function call(client, name, args = {}, options) {
    const result = await client.callTool({ name, arguments: args }, options);
    assert.equal(result.content.length, 1);
    const text = result.content[0].text;
    if (result.structuredContent !== undefined) assert.deepEqual(JSON.parse(text), result.structuredContent);
    return { failed: result.isError === true, value: result.structuredContent, text };
}

async function readByTool(client, uri) {
    let text = '';
    for (let offset = 0; ;) {
        const page = (await call(client, 'read_context', { uri, offset, maxTokens: 700 })).text;
        const end = page.indexOf('\n');
        text += page.slice(end + 1);
        if (page.slice(0, end).endsWith(', end')) return text;
        offset = Number(page.slice(0, end).split(' ').at(-1));
    }
}

async function small() {
    const client = await connect('small');
    assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? '2026-07-28' : '2025-11-25');
    assert.deepEqual((await client.listTools()).tools.map(tool => tool.name), TOOLS);
    const packed = (await call(client, 'pack_repository', { maxTokens: 2000 })).value;
    assert.equal(packed.status, 'complete');
    assert.equal(packed.files.accepted, 42);
    const { resources } = await client.listResources();
    assert.deepEqual(resources.map(r => r.uri), packed.resources.map(r => r.uri));
    for (const resource of packed.resources) {
        const { contents } = await client.readResource({ uri: resource.uri });
        assert.equal(Buffer.byteLength(contents[0].text), Number(resource.bytes));
        assert.equal(await readByTool(client, resource.uri), contents[0].text);
    }
    const plan = await call(client, 'plan_task_context', { maxTokens: 4000, tasks: [{ id: 't', required: [{ path: 'README.md', mode: 'full' }] }] });
    assert.equal(plan.value.status, 'complete');
    assert.match((await client.readResource({ uri: plan.value.context.resource.uri })).contents[0].text, /# Small/);
    const code = await call(client, 'read_code_context', { items: [{ path: 'src/part0/module00.py', kind: 'symbol', symbol: 'Store0.get' }] });
    assert.equal(code.failed, false, code.text);
    const refused = promise => assert.rejects(promise, error => error.code === -32602);
    await refused(client.callTool({ name: 'pack_repository', arguments: { style: 'html' } }));
    await refused(client.callTool({ name: 'explain_selection', arguments: {} }));
    await assert.rejects(client.readResource({ uri: packed.resources[0].uri }), error => error.data?.uri === packed.resources[0].uri);
    assert.equal((await call(client, 'release_context')).value.status, 'released');
    await client.close();
}

async function slow() {
    const client = await connect('slow');
    const abort = new AbortController();
    const running = client.callTool({ name: 'pack_repository', arguments: {} }, { signal: abort.signal });
    setTimeout(() => abort.abort(), 300);
    await assert.rejects(running);
    const start = performance.now();
    for (;;) {
        const { failed, text } = await call(client, 'pack_repository', { filePaths: ['short.txt'] });
        if (!failed) break;
        assert.ok(text.includes('Busy') && performance.now() - start < 1000, `slot taken: ${text}`);
    }
    console.log(`  slot free ${Math.round(performance.now() - start)} ms after the cancel`);
    await client.close();
}

await small();
await slow();
console.log(`typescript client, ${era}: passed`);
