/**
 * Drawn conversations over raw sockets with a server of one thread: pipelined requests with Expect, CONNECT,
 * Upgrade, TRACE, HTTP/0.9, 1.0 and 2, broken bodies, half closes, closes and resets at every byte. Not a
 * measure of speed: every answer must come whole, in order, and no thread may die of it.
 *
 *   node bench/fuzz-sockets.ts [--conversations 50000] [--seed N] [--parallel 32]
 */
import { parseArgs } from 'node:util';
import { serveProcess } from '../test/support/serve-process.ts';
import { fuzzSockets } from '../test/support/socket-fuzz.ts';

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    parallel: { type: 'string', default: '32' },
  },
});

const server = await serveProcess({
  env: { PULSE_WORKERS: '1', PULSE_ANON_PER_MIN: '100000000', PULSE_ANON_PER_DAY: '100000000' },
});
try {
  const since = performance.now();
  const seed = Number(values.seed);
  const { conversations, answers, faults } = await fuzzSockets({
    port: server.port,
    seed,
    conversations: Number(values.conversations),
    parallel: Number(values.parallel),
    resetEvery: 1,
    manyClients: true,
  });
  const metrics = await server.metrics();
  const metric = (name: string): string => new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 'not reported';
  const deaths = metric('pulse_thread_deaths_total');
  process.stdout.write(
    [
      '| seed | conversations | answers checked | wrong | thread deaths | requests left in flight | seconds |',
      '|---|---|---|---|---|---|---|',
      `| ${[seed, conversations, answers, faults.length, deaths, metric('pulse_requests_in_flight'), Math.round((performance.now() - since) / 1000)].join(' | ')} |`,
      '',
    ].join('\n'),
  );
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0 || deaths !== '0') {
    process.stderr.write(server.output().slice(-4000));
    process.exitCode = 1;
  }
} finally {
  await server.dispose();
}
