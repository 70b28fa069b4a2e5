// A client that lists the tools, waits for a line on standard input, and lists them again in
// the same session, with as many attempts as a person would make. It prints what came of it.
import { createInterface } from 'node:readline';

const run = JSON.parse(process.argv[2]);

async function connect() {
  const shown = { requestInit: { headers: { Authorization: `Bearer ${run.key}` } } };
  if (run.mode === 'gateway') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const client = new Client({ name: 'restart', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: 'node', args: run.gateway, env: process.env, stderr: 'ignore' }));
    return client;
  }
  if (run.mode === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const client = new Client({ name: 'restart', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(run.url), shown));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'restart', version: '1.0.0' }, { versionNegotiation: { mode: run.mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(run.url), shown));
  return client;
}

async function attempt(client) {
  try {
    return { tools: (await client.listTools(undefined, { timeout: 20000 })).tools.length };
  } catch (error) {
    return { error: String(error.message) };
  }
}

const client = await connect();
console.log(JSON.stringify([await attempt(client)]));
for await (const _ of createInterface({ input: process.stdin })) {
  const attempts = [await attempt(client)];
  if (attempts[0].error) attempts.push(await attempt(client));
  console.log(JSON.stringify(attempts));
  break;
}
process.exit(0);
