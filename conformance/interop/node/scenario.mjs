// Takes the steps of a run one after another and prints what came of them.
// What differs between the SDKs is in the adapter, which is made with a key:
//
//   client               of the SDK
//   road                 the way to the server; see road.mjs
//   ProtocolError        the class of errors that the server sent
//   compile(schema)      a function that returns why a value is invalid, or nothing
//   listen()             asks for changes of lists, where one has to ask
//   subscribe(uri)       asks for changes of a resource
//   unsubscribe(uri)
//   hear(heard)          has heard called with 'resources' or the URI that changed

import { run } from './road.mjs';

const patience = 5000; // milliseconds that a notification may take

// Changes are kept until somebody waits for them.
class Changes {
  heard = new Map();
  wake = () => {};

  note(change) {
    this.heard.set(change, (this.heard.get(change) ?? 0) + 1);
    this.wake();
  }

  forget(change) {
    this.heard.delete(change);
  }

  async wait(change) {
    const deadline = setTimeout(() => this.wake(), patience);
    const end = Date.now() + patience;
    while (!this.heard.has(change) && Date.now() < end) {
      await new Promise(resolve => { this.wake = resolve; });
    }
    clearTimeout(deadline);
    if (!this.heard.delete(change)) throw new Error(`nothing was heard of ${change}`);
  }
}

const text = items => {
  if (items.length !== 1 || typeof items[0].text !== 'string') {
    throw new Error(`want one text, not ${JSON.stringify(items)}`);
  }
  return items[0].text;
};

// joined returns the texts of an answer, of which there must be one at least.
const joined = items => {
  if (items.length === 0 || items.some(item => typeof item.text !== 'string')) {
    throw new Error(`want texts, not ${JSON.stringify(items)}`);
  }
  return items.map(item => item.text).join('\n');
};

const reference = uri => ({ type: 'ref/resource', uri });

// Each function takes a step and returns its outcome.
function steps(adapter, changes, complain) {
  const { client } = adapter;
  const schemas = new Map();
  return {
    async tools() {
      const { tools } = await client.listTools();
      for (const tool of tools) {
        schemas.set(tool.name, adapter.compile(tool.inputSchema));
        if (tool.outputSchema) adapter.compile(tool.outputSchema);
      }
      return { names: tools.map(t => t.name) };
    },
    async resources() {
      return { names: (await client.listResources()).resources.map(r => r.uri) };
    },
    async templates() {
      return { names: (await client.listResourceTemplates()).resourceTemplates.map(t => t.uriTemplate) };
    },
    async prompts() {
      if (!client.getServerCapabilities().prompts) return {};
      return { names: (await client.listPrompts()).prompts.map(p => p.name) };
    },
    async call({ name, args, invalid }) {
      const why = schemas.get(name)?.(args);
      if (!!why !== !!invalid) complain(`${name} ${JSON.stringify(args)}: ${why ?? 'fits its schema'}`);
      const result = await client.callTool({ name, arguments: args });
      return {
        text: joined(result.content),
        isError: result.isError ?? false,
        structured: result.structuredContent !== undefined,
      };
    },
    async read({ uri }) {
      const { contents } = await client.readResource({ uri });
      if (contents[0].uri !== uri) complain(`asked for ${uri}, read ${contents[0].uri}`);
      return { text: text(contents) };
    },
    async complete({ uri, name, value }) {
      const { completion } = await client.complete({ ref: reference(uri), argument: { name, value } });
      return { names: completion.values };
    },
    async listen() {
      await adapter.listen();
      return {};
    },
    async subscribe({ uri }) {
      changes.forget(uri);
      await adapter.subscribe(uri);
      return {};
    },
    async unsubscribe({ uri }) {
      await adapter.unsubscribe(uri);
      return {};
    },
    async hear({ uri }) {
      await changes.wait(uri);
      return {};
    },
  };
}

// outcome is what came of a step, an error of the server included.
async function outcome(step, take, adapter, complain) {
  try {
    return await take[step.do](step);
  } catch (error) {
    if (!(error instanceof adapter.ProtocolError)) complain(`${JSON.stringify(step)}: ${error?.stack ?? error}`);
    return { code: error.code, message: error.message.replace(/^MCP error -?\d+: /, '') };
  }
}

// refusal is the error that a client with the run's wrong key gets.
async function refusal({ client, road }) {
  try {
    await client.connect(road.transport);
  } catch (error) {
    return { error: error.constructor.name, status: road.exchanges.at(-1)?.status, message: error.message };
  } finally {
    await client.close();
  }
}

export async function play(adapt) {
  const refused = run.wrong ? await refusal(adapt(run.wrong)) : undefined;
  const adapter = adapt(run.key);
  const { client, road } = adapter;
  const complaints = [];
  const complain = what => complaints.push(String(what));
  const changes = new Changes();
  let closing = false;
  // A stream that closing aborts is an error to version 1.
  client.onerror = error => { if (!closing || !/AbortError/.test(error)) complain(error); };
  client.onclose = () => { if (!closing) complain('the connection ended'); };
  adapter.hear(change => changes.note(change));

  await client.connect(road.transport);
  const take = steps(adapter, changes, complain);
  const outcomes = [];
  for (const step of run.steps) outcomes.push(await outcome(step, take, adapter, complain));
  const server = client.getServerVersion()?.name;
  const capabilities = Object.keys(client.getServerCapabilities()).sort();
  const revision = adapter.revision();
  closing = true;
  await road.leave();
  await client.close();
  const { exchanges } = road;
  console.log(JSON.stringify({
    revision, server, capabilities, outcomes, complaints, refused, exchanges, session: road.session(),
  }));
}
