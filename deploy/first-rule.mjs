// Reads a rule as an editor does whose configuration file this is:
//
//	node first-rule.mjs .mcp.json NAME
//
// with the official TypeScript SDK, and prints the answer of get_ruleset.
import { readFileSync } from 'node:fs';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [file, name] = process.argv.slice(2);
const server = JSON.parse(readFileSync(file, 'utf8')).mcpServers.triptych;
const expand = text => text.replace(/\$\{(\w+)\}/g, (_, variable) => process.env[variable]);
const headers = Object.fromEntries(Object.entries(server.headers).map(([header, value]) => [header, expand(value)]));

const client = new Client({ name: 'stranger', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
const answer = await client.callTool({ name: 'get_ruleset', arguments: { name } });
console.log(answer.content[0].text);
await client.close();
