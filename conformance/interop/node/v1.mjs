// Version 1 of the TypeScript SDK. It offers its newest revision and takes
// every older one; here its first message is made to offer the one that the run
// asks for, which is what an older version of the SDK would send.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  McpError, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

import { play, run } from './scenario.mjs';

class Transport extends StdioClientTransport {
  send(message) {
    if (message.method === 'initialize') message.params.protocolVersion = run.revision;
    return super.send(message);
  }

  // The client tells HTTP transports the revision; this one remembers it.
  setProtocolVersion(revision) {
    this.revision = revision;
  }
}

const client = new Client({ name: 'interop', version: '1.0.0' });
const transport = new Transport({ command: run.command, args: run.args });
const validator = new AjvJsonSchemaValidator();

await play({
  client,
  transport,
  ProtocolError: McpError,
  compile: schema => {
    const check = validator.getValidator(schema);
    return value => check(value).errorMessage;
  },
  revision: () => transport.revision,
  listen: () => {}, // lists are told of unasked
  subscribe: uri => client.subscribeResource({ uri }),
  unsubscribe: uri => client.unsubscribeResource({ uri }),
  hear: heard => {
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => heard('resources'));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, n => heard(n.params.uri));
  },
});
