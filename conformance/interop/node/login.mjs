// A client that has no key: it logs in by the pages of the server, as a browser would for a
// person with the key, lists the tools, and lists them again for each line on standard input.
// It prints the number of tools or the error, and how often it had to ask the person.
import { createInterface } from 'node:readline';

const run = JSON.parse(process.argv[2]);
const callback = 'http://127.0.0.1:33418/callback';

const sdk = run.mode === 'v1'
  ? {
      ...await import('@modelcontextprotocol/sdk/client/index.js'),
      ...await import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      ...await import('@modelcontextprotocol/sdk/client/auth.js'),
    }
  : await import('@modelcontextprotocol/client');

// What the SDK has the program keep.
class Provider {
  asked = 0;
  get redirectUrl() { return callback; }
  get clientMetadata() {
    return { client_name: 'interop', redirect_uris: [callback], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.saved; }
  saveTokens(tokens) { this.saved = tokens; }
  invalidateCredentials() { this.saved = undefined; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  redirectToAuthorization(url) { this.page = url; this.asked++; }
}

const field = (page, name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)[1];

// allow is the browser and the person: it returns the parameters of the redirect.
async function allow(url) {
  const opened = await fetch(url);
  const cookie = opened.headers.get('set-cookie').split(';')[0];
  const action = new URL('/oauth/authorize', url);
  const send = form => fetch(action, { method: 'POST', headers: { cookie }, body: new URLSearchParams(form), redirect: 'manual' });
  const asked = await send({ request: field(await opened.text(), 'request'), key: run.key });
  const allowed = await send({ choice: field(await asked.text(), 'choice'), do: 'allow' });
  return new URL(allowed.headers.get('location')).searchParams;
}

const provider = new Provider();

async function connect() {
  for (;;) {
    const options = run.mode === 'v1' ? undefined : { versionNegotiation: { mode: run.mode } };
    const client = new sdk.Client({ name: 'login', version: '1.0.0' }, options);
    const transport = new sdk.StreamableHTTPClientTransport(new URL(run.url), { authProvider: provider });
    try {
      await client.connect(transport);
      return client;
    } catch (error) {
      if (provider.asked > 1 || !provider.page) throw error;
      const answer = await allow(provider.page);
      await (run.mode === 'v1' ? transport.finishAuth(answer.get('code')) : transport.finishAuth(answer));
    }
  }
}

async function attempt() {
  try {
    const client = await connect();
    const { tools } = await client.listTools();
    await client.close();
    return { tools: tools.length, asked: provider.asked };
  } catch (error) {
    return { error: String(error.message), asked: provider.asked };
  }
}

console.log(JSON.stringify([await attempt()]));
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'refresh') provider.saved = { ...provider.saved, access_token: 'stale' };
  if (line === 'last') provider.page = undefined;
  console.log(JSON.stringify([await attempt()]));
}
process.exit(0);
