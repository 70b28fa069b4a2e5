// Reads {adapter, program, source, lines, core} in JSON and prints the failures, likewise.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import support from '@vscode/debugadapter-testsupport';

const { adapter, program, source, lines, core } = JSON.parse(readFileSync(0));
const patience = Number(process.env.PATIENCE ?? 120_000);

// session runs a conversation with an adapter of its own.
async function session(talk) {
  const client = new support.DebugClient(adapter, 'dap', 'triptych');
  client.defaultTimeout = patience;
  const output = { stdout: '', console: '' };
  client.on('output', (e) => { output[e.body.category] += e.body.output; });
  await client.start();
  const gone = once(client._adapterProcess, 'exit'); // stop waits for an answer, also of one that is gone
  try {
    await talk(client, output);
  } finally {
    await Promise.race([client.stop(), gone]);
  }
}

// stop sends a request that moves the process and returns where it stops.
async function stop(client, request, reason, line) {
  const [stack] = await Promise.all([
    client.assertStoppedLocation(reason, line ? { path: source, line } : {}),
    request(),
  ]);
  return stack.body.stackFrames;
}

// begin launches the program with breakpoints, and returns its first stop.
function begin(client, launch, breakpoints, reason, line) {
  return stop(client, () => Promise.all([
    client.waitForEvent('initialized').then(async () => {
      const set = await client.setBreakpointsRequest({ source: { path: source }, breakpoints });
      for (const [i, b] of set.body.breakpoints.entries()) {
        assert.ok(b.verified, b.message);
        assert.equal(b.line, breakpoints[i].line);
      }
      await client.configurationDoneRequest();
    }),
    client.launch({ program, ...launch }),
  ]), reason, line);
}

// variables returns the values of a scope, by name.
async function variables(client, frame, scope) {
  const all = (await client.scopesRequest({ frameId: frame.id })).body.scopes;
  const { variablesReference } = all.find((s) => s.name === scope);
  const list = (await client.variablesRequest({ variablesReference })).body.variables;
  return Object.fromEntries(list.map((v) => [v.name, v]));
}

const evaluate = async (client, expression, frame) =>
  (await client.evaluateRequest({ expression, frameId: frame?.id })).body.result;

const threadOf = async (client) => (await client.threadsRequest()).body.threads[0].id;

// written waits for what the program has written, which may come after a stop.
async function written(output, text) {
  for (const end = Date.now() + patience; output.stdout !== text && Date.now() < end;) {
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
  assert.equal(output.stdout, text);
}

// ended waits for the end of the session and returns the exit code.
async function ended(client, request) {
  const [exited] = await Promise.all([client.waitForEvent('exited'), client.waitForEvent('terminated'), request()]);
  return exited.body.exitCode;
}

const scenarios = {
  async 'a breakpoint, and what is there'() {
    await session(async (client, output) => {
      const frames = await begin(client, {}, [{ line: lines.total }], 'breakpoint', lines.total);
      assert.deepEqual(frames.slice(0, 2).map((f) => f.name), ['add', 'main']);
      assert.equal(frames[1].line, lines.call);
      const args = await variables(client, frames[0], 'Arguments');
      assert.equal(args.n.value, '1');
      const local = await variables(client, frames[0], 'Locals');
      assert.equal(local.sum.value, '2');
      const { o } = await variables(client, frames[1], 'Locals');
      const parts = (await client.variablesRequest({ variablesReference: o.variablesReference })).body.variables;
      const items = parts.find((p) => p.name === 'items');
      assert.equal(items.indexedVariables, 4);
      const page = (await client.variablesRequest({
        variablesReference: items.variablesReference, filter: 'indexed', start: 2, count: 2,
      })).body.variables;
      assert.deepEqual(page.map((v) => [v.name, v.value]), [['[2]', '3'], ['[3]', '4']]);
      assert.equal(await evaluate(client, 'o->items[3] * 2 + sum', frames[0]), '10');
      await client.setVariableRequest({
        variablesReference: items.variablesReference, name: '[2]', value: '30',
      });
      assert.equal(await evaluate(client, 'o.items[2]', frames[1]), '30');
      await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
      const code = await ended(client, () => client.continueRequest({ threadId: 1 }));
      // 1*2 + 2*30 + 3*4 + 4*1 + 5*2 + 6*30.
      assert.equal(output.stdout, 'begins\ntotal 268\n');
      assert.equal(code, 5);
    });
  },

  async 'breakpoints of each kind'() {
    await session(async (client, output) => {
      await begin(client, {}, [
        { line: lines.sum, logMessage: 'n is {n}' },
        { line: lines.total, condition: 'n == 3' },
        { line: lines.return, hitCondition: '5' },
      ], 'breakpoint', lines.total);
      assert.equal(await evaluate(client, 'n'), '3');
      assert.equal(output.console, 'n is 1\nn is 2\nn is 3\n');
      await stop(client, () => client.continueRequest({}), 'breakpoint', lines.return);
      assert.equal(await evaluate(client, 'n'), '5');
      await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
      await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'add' }] });
      await stop(client, () => client.continueRequest({}), 'function breakpoint', lines.sum);
      assert.equal(await evaluate(client, 'n'), '6');
      await client.setFunctionBreakpointsRequest({ breakpoints: [] });
      const info = (await client.dataBreakpointInfoRequest({ name: 'total' })).body;
      await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId, accessType: 'write' }] });
      await stop(client, () => client.continueRequest({}), 'data breakpoint');
      assert.equal(await evaluate(client, 'total'), '52'); // 1*2 + 2*3 + 3*4 + 4*1 + 5*2 + 6*3
    });
  },

  async 'steps, both ways'() {
    await session(async (client) => {
      const threadId = async () => ({ threadId: await threadOf(client) });
      await begin(client, { record: true }, [{ line: lines.call, hitCondition: '3' }], 'breakpoint', lines.call);
      const id = await threadId();
      await stop(client, () => client.stepInRequest(id), 'step', lines.sum);
      await stop(client, () => client.nextRequest(id), 'step', lines.total);
      await stop(client, () => client.nextRequest(id), 'step', lines.return);
      assert.equal(await evaluate(client, 'total'), '20'); // 2 + 6 + 12
      await stop(client, () => client.stepBackRequest(id), 'step', lines.total);
      assert.equal(await evaluate(client, 'total'), '8');
      const write = (await client.customRequest('lastWrite', { expression: 'total' })).body;
      assert.match(write.text, new RegExp(`orders.c:${lines.total}`));
      await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: lines.sum }] });
      await stop(client, () => client.reverseContinueRequest(id), 'breakpoint', lines.sum);
      assert.equal(await evaluate(client, 'n'), '3');
      await stop(client, () => client.reverseContinueRequest(id), 'breakpoint', lines.sum);
      assert.equal(await evaluate(client, 'n'), '2');
      await assert.rejects(client.customRequest('setExpression', { expression: 'total', value: '1' }));
      await stop(client, () => client.customRequest('seek'), 'goto');
      await stop(client, () => client.stepOutRequest(id), 'step');
    });
  },

  async 'a restart has the same breakpoints'() {
    await session(async (client, output) => {
      await begin(client, {}, [{ line: lines.total, condition: 'n == 2' }], 'breakpoint', lines.total);
      assert.equal(await evaluate(client, 'total'), '2');
      const [first] = (await client.threadsRequest()).body.threads;
      await stop(client, () => client.restartRequest(), 'breakpoint', lines.total);
      const [second] = (await client.threadsRequest()).body.threads;
      assert.notEqual(first.id, second.id);
      assert.equal(await evaluate(client, 'n * 100 + total'), '202');
      await written(output, 'begins\nbegins\n');
      await Promise.all([client.waitForEvent('terminated'), client.terminateRequest()]);
    });
  },

  async 'an exception, and its signal'() {
    await session(async (client) => {
      await begin(client, { args: ['abort'] }, [], 'exception');
      const info = (await client.exceptionInfoRequest({ threadId: await threadOf(client) })).body;
      assert.match(info.exceptionId, /SIGABRT/);
      assert.equal(await ended(client, () => client.continueRequest({})), 128 + 6);
    });
  },

  async 'a process, which runs on'() {
    const child = spawn(program, ['wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      await session(async (client) => {
        await client.initializeRequest();
        await Promise.all([
          client.waitForEvent('initialized').then(() => client.configurationDoneRequest()),
          client.attachRequest({ pid: child.pid }),
        ]);
        await stop(client, () => client.pauseRequest({ threadId: child.pid }), 'pause', undefined);
        const before = Number(await evaluate(client, 'rounds'));
        await client.continueRequest({ threadId: child.pid });
        await stop(client, () => client.pauseRequest({ threadId: child.pid }), 'pause', undefined);
        assert.ok(Number(await evaluate(client, 'rounds')) >= before);
        await client.disconnectRequest();
      });
      assert.equal(child.exitCode, null);
      assert.equal(child.signalCode, null);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  },

  async 'a core file'() {
    await session(async (client) => {
      await client.initializeRequest();
      const [frames] = await Promise.all([
        stop(client, () => client.waitForEvent('initialized').then(() => client.configurationDoneRequest()), 'exception'),
        client.launchRequest({ core, program }),
      ]);
      const main = frames.find((f) => f.name === 'main');
      assert.equal(main.source.path, source);
      assert.equal(await evaluate(client, 'o.items[2]', main), '3');
      assert.equal(await evaluate(client, 'total', main), '52');
      await assert.rejects(client.nextRequest({ threadId: 1 }));
      await Promise.all([client.waitForEvent('terminated'), client.terminateRequest()]);
    });
  },
};

const failures = [];
for (const [name, run] of Object.entries(scenarios)) {
  try {
    await run();
  } catch (e) {
    failures.push(`${name}: ${e.stack}`);
  }
}
console.log(JSON.stringify(failures));
