// Version 1 of the TypeScript SDK. It offers its newest revision and takes
// every older one; here its first message is made to offer the one that the run
// asks for, which is what an older version of the SDK would send.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  McpError, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

import { road, run } from './road.mjs';
import { play } from './scenario.mjs';

const offering = Transport => class extends Transport {
  send(message, options) {
    if (message.method === 'initialize') message.params.protocolVersion = run.revision;
    return super.send(message, options);
  }

  // The client tells HTTP transports the revision; this one remembers it.
  setProtocolVersion(revision) {
    this.revision = revision;
    super.setProtocolVersion?.(revision);
  }
};

const validator = new AjvJsonSchemaValidator();

await play(key => {
  const client = new Client({ name: 'interop', version: '1.0.0' });
  const way = road(offering(StdioClientTransport), offering(StreamableHTTPClientTransport), key);
  return {
    client,
    road: way,
    ProtocolError: McpError,
    compile: schema => {
      const check = validator.getValidator(schema);
      return value => check(value).errorMessage;
    },
    revision: () => way.transport.revision,
    listen: () => {}, // lists are told of unasked
    subscribe: uri => client.subscribeResource({ uri }),
    unsubscribe: uri => client.unsubscribeResource({ uri }),
    hear: heard => {
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => heard('resources'));
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, n => heard(n.params.uri));
    },
  };
});
