/** For anything a client sends, in any pieces, and however it leaves: answers come whole and in order, and no thread dies of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { ENDING, fuzzSockets, STAYING } from '../support/socket-fuzz.ts';

let server: ServeProcess;
before(async () => {
  server = await serveProcess({
    env: { PULSE_WORKERS: '1', ...MANY_ANONYMOUS },
  });
});
after(() => server.dispose());

test('drawn conversations over raw sockets, and a reset at every byte', async () => {
  const { faults, conversations, answers } = await fuzzSockets({
    port: server.port,
    seed: 20_261_122,
    conversations: 800,
    everyByte: true,
  });
  assert.deepEqual(faults, []);
  assert.ok(conversations > 50 * (STAYING.length + ENDING.length), `${conversations} conversations`);
  assert.ok(answers > 800, `${answers} answers`);
  assert.match(await server.metrics(), /^pulse_thread_deaths_total 0$/m);
  // Of clients that broke off too.
  await eventually(async () => /^pulse_requests_in_flight 0$/m.test(await server.metrics()));
  assert.doesNotMatch(server.output(), /fault/);
});
