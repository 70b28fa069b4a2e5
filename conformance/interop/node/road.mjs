// How a client comes to its server: it starts one and speaks over standard
// input and output, or it finds one that serves the run's url over HTTPS.

export const run = JSON.parse(process.argv[2]);

// A Witness is the fetch of one client. It keeps what went back and forth, by
// verb, message, status and type, and the session that the server gave.
class Witness {
  exchanges = [];
  session = '';

  fetch = async (url, init) => {
    const response = await fetch(url, init);
    const [type] = (response.headers.get('content-type') ?? '').split(';');
    const message = init.body ? JSON.parse(init.body).method : '';
    this.exchanges.push({ verb: init.method, message, status: response.status, type });
    this.session = response.headers.get('mcp-session-id') ?? this.session;
    return response;
  };
}

// road makes the transport that the run asks for, of the SDK's two classes,
// with what is to be known of it afterwards. The key goes in by the SDK's
// option for headers, or by the one for tokens where the run says so.
export function road(Stdio, Http, key) {
  if (!run.url) {
    return { transport: new Stdio({ command: run.command, args: run.args }), exchanges: [], session: () => '', leave: () => {} };
  }
  const witness = new Witness();
  const shown = run.provider
    ? { authProvider: { token: async () => key } }
    : { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  const transport = new Http(new URL(run.url), { fetch: witness.fetch, ...shown });
  return {
    transport,
    exchanges: witness.exchanges,
    session: () => witness.session,
    leave: () => transport.terminateSession(),
  };
}
