// Version 2 of the TypeScript SDK. The run's mode says how it finds the
// revision: "legacy" offers the run's, "auto" asks another server process first
// which revisions there are, or the one server over HTTPS, "pin" takes the
// run's or none.
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

import { road, run } from './road.mjs';
import { play } from './scenario.mjs';

const options = { versionNegotiation: { mode: run.mode === 'pin' ? { pin: run.revision } : run.mode } };
if (run.mode === 'legacy') options.supportedProtocolVersions = [run.revision];

const validator = new AjvJsonSchemaValidator();

await play(key => {
  const client = new Client({ name: 'interop', version: '1.0.0' }, options);
  const subscriptions = new Map(); // of the modern era, by URI
  const modern = () => client.getProtocolEra() === 'modern';
  return {
    client,
    road: road(StdioClientTransport, StreamableHTTPClientTransport, key),
    ProtocolError,
    compile: schema => {
      const check = validator.getValidator(schema);
      return value => check(value).errorMessage;
    },
    revision: () => client.getNegotiatedProtocolVersion(),
    listen: () => modern() && client.listen({ resourcesListChanged: true }),
    subscribe: async uri => {
      if (!modern()) return client.subscribeResource({ uri });
      subscriptions.set(uri, await client.listen({ resourceSubscriptions: [uri] }));
    },
    unsubscribe: uri => (modern() ? subscriptions.get(uri).close() : client.unsubscribeResource({ uri })),
    hear: heard => {
      client.setNotificationHandler('notifications/resources/list_changed', () => heard('resources'));
      client.setNotificationHandler('notifications/resources/updated', n => heard(n.params.uri));
    },
  };
});
