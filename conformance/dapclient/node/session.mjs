// Reads {adapter, program, source, lines, core} in JSON and prints the failures, likewise.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
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

// word returns the little-endian number in 8 bytes of memory.
async function word(client, memoryReference) {
  const { body } = await client.customRequest('readMemory', { memoryReference, count: 8 });
  return Buffer.from(body.data, 'base64').readBigInt64LE();
}

// agent starts triptych stdio, as agents do, and returns a function that calls a tool.
async function agent() {
  const server = spawn(adapter, ['stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method, params) => {
    id += 1;
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, 'the server has ended');
      const message = JSON.parse(value);
      if (message.id === id) {
        assert.ok(message.result && !message.result.isError, value);
        return message.result;
      }
    }
  };
  await ask('initialize', {
    protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' },
  });
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const call = (name, args) => ask('tools/call', { name: `debugger/${name}`, arguments: args });
  return { call, server };
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

  async 'memory and instructions'() {
    await session(async (client) => {
      const [frame] = await begin(client, {}, [{ line: lines.total }], 'breakpoint', lines.total);
      const total = (await client.evaluateRequest({ expression: 'total', frameId: frame.id })).body;
      assert.equal(await word(client, total.memoryReference), 0n);
      const data = Buffer.alloc(8);
      data.writeBigInt64LE(1000n);
      await client.customRequest('writeMemory', { memoryReference: total.memoryReference, data: data.toString('base64') });
      assert.equal(await evaluate(client, 'total'), '1000');
      await client.customRequest('setExpression', { expression: 'total', value: '2000' });
      assert.equal(await word(client, total.memoryReference), 2000n);

      const at = frame.instructionPointerReference;
      const { instructions } = (await client.disassembleRequest({ memoryReference: at, instructionOffset: -2, instructionCount: 6 })).body;
      assert.equal(instructions.length, 6);
      assert.equal(BigInt(instructions[2].address), BigInt(at));
      const [set] = (await client.customRequest('setInstructionBreakpoints', {
        breakpoints: [{ instructionReference: instructions[4].address }],
      })).body.breakpoints;
      assert.ok(set.verified, set.message);
      const pc = async () => BigInt((await client.stackTraceRequest({ threadId: await threadOf(client) })).body.stackFrames[0].instructionPointerReference);
      await stop(client, () => client.continueRequest({}), 'instruction breakpoint');
      assert.equal(await pc(), BigInt(instructions[4].address));
      const step = { threadId: await threadOf(client), granularity: 'instruction' };
      await stop(client, () => client.nextRequest(step), 'step');
      assert.equal(await pc(), BigInt(instructions[5].address));
      await stop(client, () => client.stepBackRequest(step), 'step');
      assert.equal(await pc(), BigInt(instructions[4].address));
    });
  },

  async 'exception filters'() {
    await session(async (client) => {
      const { body } = await client.initializeRequest();
      const filters = body.exceptionBreakpointFilters.map((f) => f.filter);
      assert.deepEqual(filters, ['fault', 'signal', 'panic', 'throw', 'syscall']);
      const configured = client.waitForEvent('initialized').then(async () => {
        await client.setExceptionBreakpointsRequest({ filters: [], filterOptions: [{ filterId: 'syscall', condition: 'write' }] });
        await client.configurationDoneRequest();
      });
      const [stopped] = await Promise.all([client.waitForEvent('stopped'), configured, client.launchRequest({ program })]);
      assert.equal(stopped.body.reason, 'exception');
      const info = (await client.exceptionInfoRequest({ threadId: stopped.body.threadId })).body;
      assert.match(JSON.stringify(info), /write/);
      await client.setExceptionBreakpointsRequest({ filters: [] });
      assert.equal(await ended(client, () => client.continueRequest({})), 5);
    });
  },

  async 'what was recorded'() {
    await session(async (client) => {
      await begin(client, { record: true }, [{ line: lines.print }], 'breakpoint', lines.print);
      const trace = (await client.customRequest('callTrace', { function: 'add', nth: 2 })).body;
      assert.match(trace.text, /n=2/);
      assert.match(trace.text, /total.*2.*8/); // 1*2, and 2*3
      const write = (await client.customRequest('lastWrite', { expression: 'total' })).body;
      assert.match(write.text, new RegExp(`orders.c:${lines.total}`));
      const { position } = write.result;
      assert.ok(position > 0, JSON.stringify(write.result));
      await stop(client, () => client.customRequest('seek', { position }), 'goto', lines.total);
      assert.equal(await evaluate(client, 'n'), '6');
      assert.equal(await evaluate(client, 'total'), '34'); // without 6*3
      await assert.rejects(client.customRequest('seek', { position: 1e12 }));
      await assert.rejects(client.setVariableRequest({ variablesReference: 1, name: 'n', value: '1' }));
    });
  },

  async 'progress, and its cancellation'() {
    await session(async (client) => {
      await client.initializeRequest({ adapterID: 'triptych', linesStartAt1: true, columnsStartAt1: true, supportsProgressReporting: true });
      await Promise.all([
        client.waitForEvent('initialized').then(() => client.configurationDoneRequest()),
        client.waitForEvent('stopped'),
        client.launchRequest({ program, args: ['wait'], record: true, stopOnEntry: true }),
      ]);
      const [progress] = await Promise.all([client.waitForEvent('progressStart'), client.continueRequest({})]);
      assert.ok(progress.body.cancellable);
      const [end, stopped] = await Promise.all([
        client.waitForEvent('progressEnd'), client.waitForEvent('stopped'),
        client.customRequest('cancel', { progressId: progress.body.progressId }),
      ]);
      assert.equal(end.body.progressId, progress.body.progressId);
      assert.equal(stopped.body.reason, 'pause');
      await client.disconnectRequest({ terminateDebuggee: true });
    });
  },

  async 'a mirror of an agent, which changes nothing'() {
    const { call, server } = await agent();
    try {
      await call('launch', { path: program });
      await call('set_breakpoint', { file: source, line: lines.total });
      await call('continue', {});
      const { socket } = (await call('expose', { protocol: 'dap' })).structuredContent;
      const client = new support.DebugClient(adapter, 'dap', 'triptych');
      client.defaultTimeout = patience;
      await client.start(Number(socket.split(':').pop()));
      await client.initializeRequest();
      const [first] = await Promise.all([
        client.assertStoppedLocation('breakpoint', { path: source, line: lines.total }),
        client.waitForEvent('initialized').then(() => client.configurationDoneRequest()),
        client.attachRequest({}),
      ]);
      const [frame] = first.body.stackFrames;
      const threadId = await threadOf(client);
      for (const request of [
        () => client.continueRequest({ threadId }), () => client.nextRequest({ threadId }), () => client.stepBackRequest({ threadId }),
        () => client.reverseContinueRequest({ threadId }), () => client.pauseRequest({ threadId }), () => client.terminateRequest(),
        () => client.restartRequest(), () => client.customRequest('seek'),
        () => client.customRequest('setExpression', { expression: 'total', value: '1', frameId: frame.id }),
        () => client.customRequest('writeMemory', { memoryReference: frame.instructionPointerReference, data: 'kJA=' }),
      ]) {
        await assert.rejects(request(), /mirror|belongs to its agent|that was launched/);
      }
      const set = await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: lines.return }] });
      assert.equal(set.body.breakpoints[0].verified, false);
      assert.match((await client.evaluateRequest({ expression: ':breakpoints', context: 'repl' })).body.result, /add/);
      await Promise.all([
        client.assertStoppedLocation('step', { path: source, line: lines.return }), call('step_over', {}),
      ]);
      assert.equal(await evaluate(client, 'total'), '2');
      await client.disconnectRequest();
      const { structuredContent } = await call('evaluate', { expression: 'total' });
      assert.match(JSON.stringify(structuredContent), /"2"/); // and the session is there
      await call('detach', { kill: true });
    } finally {
      server.stdin.end();
      await once(server, 'exit');
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
