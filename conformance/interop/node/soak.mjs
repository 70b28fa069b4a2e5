// Creates and reads rulesets with the client of an SDK until its input ends, and prints
// a line for each change that was acknowledged and each call that failed:
//
//   node soak.mjs '{"sdk":1,"url":"http://127.0.0.1:8443/mcp","key":"kdb_…","prefix":"a"}'
//
//   {"ok":"a_1"}
//   {"began":1700000000000,"at":1700000000100,"error":"…"}
//
// sdk is 1 or 2, mode how version 2 finds the revision; see v2.mjs.
const run = JSON.parse(process.argv[2]);

const { Client } = await import(run.sdk === 1 ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
const { StreamableHTTPClientTransport } = await import(
  run.sdk === 1 ? '@modelcontextprotocol/sdk/client/streamableHttp.js' : '@modelcontextprotocol/client');

let going = true;
process.stdin.on('end', () => { going = false; });
process.stdin.resume();

const pause = ms => new Promise(resolve => { setTimeout(resolve, ms); });

async function connect() {
  const options = run.sdk === 1 ? {} : { versionNegotiation: { mode: run.mode } };
  const client = new Client({ name: 'soak', version: '1.0.0' }, options);
  client.onerror = () => {}; // streams break and are opened again
  await client.connect(new StreamableHTTPClientTransport(new URL(run.url), {
    requestInit: { headers: { Authorization: `Bearer ${run.key}` } },
  }));
  return client;
}

// attempt reports how a call ended. An error of a tool is a failure, too.
async function attempt(call) {
  const began = Date.now();
  try {
    const result = await call();
    if (!result?.isError) return result;
    throw new Error(JSON.stringify(result.content));
  } catch (error) {
    console.log(JSON.stringify({ began, at: Date.now(), error: String(error?.stack ?? error).slice(0, 500) }));
    await pause(50);
    return undefined;
  }
}

let client;
let failed = 0; // calls of this client, one after the other
for (let n = 0; going; n++) {
  client ??= await attempt(connect);
  if (!client) continue;
  const name = `${run.prefix}_${n}`;
  const made = await attempt(() => client.callTool({ name: 'create_ruleset', arguments: { name, description: 'd', markdown: 'c' } }));
  if (made) {
    console.log(JSON.stringify({ ok: name }));
    failed = 0;
  } else if (++failed === 3) { // as a host that starts anew
    await client.close().catch(() => {});
    client = undefined;
    failed = 0;
    continue;
  }
  if (made) await attempt(() => client.callTool({ name: 'get_ruleset', arguments: { name } }));
  await pause(30);
}
process.exit(0); // a stream may be waiting to be opened again
