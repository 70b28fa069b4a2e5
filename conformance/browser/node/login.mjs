// Goes the way of a person who was invited: a client of the TypeScript SDK without a key sends
// them to the login page, where they paste the link that they got, allow the client, and are sent
// back to it on loopback; it calls a tool. Another link shows a key. Takes a run as JSON on
// standard input:
//
//   chromium     the program
//   url          the endpoint of the server
//   links        two links of invitations: for the login, and to be shown
//   pictures     a folder for screenshots, or ''
//
// and prints what is wrong as a list of texts.

import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { begin } from './look.mjs';

const { run, browser, wrong, opened, submitted, expectText, inspect } = await begin(run => new URL(run.url).origin);

// everywhere looks at a page as it is on each screen, without opening it again.
async function everywhere(page, name) {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    for (const scheme of ['light', 'dark']) {
      await page.setViewport({ width, height });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await inspect(page, name, `${width}-${scheme}`);
    }
  }
}

// A listener of a program on the person's machine, whose first request is the answer. It closes
// at once, so its page has an icon of its own: the browser would ask for one.
function listener() {
  let answered;
  const answer = new Promise(resolve => { answered = resolve; });
  const server = createServer((request, response) => {
    server.close();
    response.writeHead(200, { 'Content-Type': 'text/html', Connection: 'close' });
    response.end('<link rel="icon" href="data:,">You can close this page.');
    answered(new URL(request.url, 'http://127.0.0.1').searchParams);
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve({ answer, redirect: `http://127.0.0.1:${server.address().port}/callback` })));
}

// login has the SDK log in by the pages, and returns the client.
async function login() {
  const program = await listener();
  const kept = {};
  const provider = {
    redirectUrl: program.redirect,
    clientMetadata: { client_name: 'A client of the SDK', redirect_uris: [program.redirect], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept.client,
    saveClientInformation: client => { kept.client = client; },
    tokens: () => kept.tokens,
    saveTokens: tokens => { kept.tokens = tokens; },
    saveCodeVerifier: verifier => { kept.verifier = verifier; },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: state => { kept.discovery = state; },
    discoveryState: () => kept.discovery,
    redirectToAuthorization: url => { kept.page = url; },
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(run.url), { authProvider: provider });
  const first = transport();
  await new Client({ name: 'browser', version: '1.0.0' }).connect(first).catch(() => {});
  const page = await opened('the login', program.redirect);
  await page.goto(kept.page.href);
  await expectText(page, 'A client of the SDK');
  await everywhere(page, 'login');
  await page.type('#key', 'kdb_live_wrong');
  await submitted(page, () => page.click('button'));
  await everywhere(page, 'login-refused');
  await page.type('#key', run.links[0]);
  await submitted(page, () => page.click('button'));
  await expectText(page, 'rulesets:read');
  await everywhere(page, 'login-allow');
  await submitted(page, () => page.click('button[value=allow]'));
  await expectText(page, 'You can close this page.');
  await first.finishAuth(await program.answer);
  const client = new Client({ name: 'browser', version: '1.0.0' });
  await client.connect(transport());
  return client;
}

try {
  const client = await login();
  const { content, isError } = await client.callTool({ name: 'list_rulesets', arguments: {} });
  if (isError || content.length === 0) wrong.push(`list_rulesets: ${JSON.stringify(content)}`);
  await client.close();

  const page = await opened('the invitation');
  await page.goto(run.links[1]);
  await expectText(page, 'Show the key');
  await everywhere(page, 'invitation');
  await submitted(page, () => page.click('button'));
  await expectText(page, 'kdb_live_');
  await everywhere(page, 'key');
  await page.click('summary');
  await everywhere(page, 'key-open');
  await page.goto(run.links[1]).catch(() => {});
  await expectText(page, 'does not work any more');
  await everywhere(page, 'invitation-used');
} catch (error) {
  wrong.push(error.stack);
} finally {
  await browser.close();
}
console.log(JSON.stringify(wrong, null, 1));
process.exit(0);
