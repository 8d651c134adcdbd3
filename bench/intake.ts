/**
 * Intake: batches of sensors through the reader and the store in one thread (processor time a capture), then
 * over HTTP into a served process while lookups are asked: without intake, with as much as goes through, and
 * with a fixed rate, in one run.
 *
 *   node bench/intake.ts [--rows 500000] [--batch 5000] [--seconds 10] [--rate 50000] [--postgres]
 *
 * The rows are skewed as attacks are: of 20 sensors, each sees few addresses often and very many once or
 * twice. A machine that does other work at the time makes wall times and percentiles worse, the processor
 * time hardly; the ratio of the two runs is the cost of intake to lookups.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { openHistory } from '../src/adapters/evidence/open-history.ts';
import { loadIntakeRefusals, ownAddresses } from '../src/adapters/layers/load-intake-refusals.ts';
import { systemClock } from '../src/adapters/system/own-process.ts';
import { unixMs } from '../src/core/units.ts';
import { acceptCaptures } from '../src/service/intake/accept-captures.ts';
import { createKey, pulseJson } from '../test/support/cli.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { randomWords } from '../test/support/random.ts';
import { serveProcess } from '../test/support/serve-process.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '500000' },
    batch: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '50000' },
    postgres: { type: 'boolean', default: false },
  },
});
const [ROWS, BATCH, SECONDS, RATE] = [
  Number(values.rows),
  Number(values.batch),
  Number(values.seconds),
  Number(values.rate),
];
const started = values.postgres ? await startPostgres() : undefined;
if (started !== undefined && 'skip' in started) throw new Error(started.skip);
const postgres = started;
const SENSORS = 20;
const PROTOCOLS = [
  ['ssh', 22],
  ['telnet', 23],
  ['smtp', 25],
  ['http', 80],
  ['smb', 445],
  ['rdp', 3389],
  ['redis', 6379],
  ['tcp', 8728],
] as const;

const words = randomWords(88_172_645);
const random = (): number => words() / 2 ** 32;

/** An address of one of 400,000, the first of them far more often than the last. */
function attacker(): string {
  const rank = Math.floor(400_000 * random() ** 4);
  const word = (Math.imul(rank + 1, 0x9e37_79b1) >>> 0) % 0x5000_0000;
  return `${60 + (word >>> 24)}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
}

function rowAt(at: number): string {
  const [protocol, port] = PROTOCOLS[Math.floor(PROTOCOLS.length * random() ** 2)]!;
  const credential = protocol !== 'smb' && protocol !== 'tcp' && random() < 0.4;
  const count = 1 + Math.floor(6 * random() ** 3);
  const row = {
    ip: attacker(),
    risk_type: credential ? 'honeypot_credential' : 'honeypot_scan',
    captured_at: new Date(at).toISOString(),
    ...(count > 1 && { first_captured_at: new Date(at - Math.floor(9000 * random()) - 1).toISOString(), count }),
    port,
    protocol,
    ...(credential && { actor: Math.floor(random() * 2 ** 48).toString(36) }),
  };
  return `${JSON.stringify(row)}\n`;
}

interface Batch {
  readonly source: string;
  readonly id: string;
  readonly text: Buffer;
  readonly captures: number;
}

/** Batches whose rows were captured within the last minutes, each millisecond later than the one before. */
function batchesOf(rows: number, run: string): Batch[] {
  const begin = Date.now() - 60_000;
  return Array.from({ length: Math.ceil(rows / BATCH) }, (_, n) => {
    const lines = Array.from({ length: BATCH }, (_, i) => rowAt(begin + Math.floor((n * BATCH + i) / (rows / 55_000))));
    const captures = lines.filter((line) => line.includes('first_captured_at')).length + BATCH;
    return { source: `sensor-${n % SENSORS}`, id: `${run}-${n}`, text: Buffer.from(lines.join('')), captures };
  });
}

const perSecond = (count: number, seconds: number): string => `${Math.round(count / seconds).toLocaleString('en')}/s`;
const show = (what: string, figure: string): void => console.log(`${what.padEnd(44)} ${figure}`);

/** The reader and the store alone, in this thread. */
async function inThread(databaseUrl: string | undefined): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-bench-intake-'));
  const store = await openHistory({ dataDir, databaseUrl });
  const refuse = loadIntakeRefusals(ownAddresses({ trustedProxies: [], host: '127.0.0.1', baseUrl: undefined }));
  const batches = batchesOf(ROWS, 'thread');
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  let captures = 0;
  for (const { source, id, text } of batches) {
    const taken = await acceptCaptures(
      store,
      systemClock,
      text,
      { source, format: 'ndjson', at: unixMs(Date.now()), account: 'acc', id },
      { refuse },
    );
    if (taken.status !== 'taken') throw new Error(taken.status);
    captures += taken.outcome.accepted;
  }
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - begin) / 1000;
  const each = (used.user + used.system) / captures;
  show(
    `${captures.toLocaleString('en')} captures, one thread`,
    `${perSecond(captures, seconds)} wall, ${each.toFixed(1)} µs of processor each: ${perSecond(1e6, each)} a core`,
  );
  await store.close();
  rmSync(dataDir, { recursive: true });
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

/** Milliseconds each of some lookups took that were asked one after another over a few connections, until `until`. */
async function lookUp(base: string, until: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const took: number[] = [];
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const begin = performance.now();
      await new Promise<void>((done, failed) => {
        request(`${base}/v1/ip/${attacker()}`, { agent }, (response) => response.on('end', done).resume())
          .on('error', failed)
          .end();
      });
      took.push(performance.now() - begin);
      await setTimeout(2);
    }
  };
  await Promise.all([one(), one(), one(), one()]);
  agent.destroy();
  return took.sort((a, b) => a - b);
}

/** Processor seconds of a process so far. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A service that takes bodies and answers lookups. */
interface Service {
  readonly base: string;
  readonly pid: number;
  /** One of each sensor: lines are counted a key. */
  readonly keys: ReadonlyMap<string, string>;
}

async function send({ base, keys }: Service, { source, id, text }: Batch): Promise<number> {
  for (;;) {
    const response = await fetch(`${base}/v1/evidence?source=${source}`, {
      method: 'POST',
      headers: {
        'X-API-Key': keys.get(source)!,
        'Content-Type': 'application/x-ndjson',
        'Content-Encoding': 'gzip',
        'Idempotency-Key': id,
      },
      body: new Uint8Array(text),
    });
    if (response.status === 202) return ((await response.json()) as { accepted: number }).accepted;
    if (response.status !== 429) throw new Error(`${response.status} ${await response.text()}`);
    await setTimeout(1000 * Number(response.headers.get('retry-after')));
  }
}

/**
 * Sends batches over three connections.
 * @param rate captures a second that are offered; as many as go through where it is infinite
 */
async function sendAll(service: Service, batches: readonly Batch[], rate: number): Promise<number> {
  const begin = performance.now();
  const next = batches.values();
  let [offered, accepted] = [0, 0];
  const lane = async (): Promise<void> => {
    for (const batch of next) {
      const early = (1000 * offered) / rate - (performance.now() - begin);
      offered += batch.captures;
      if (early > 0) await setTimeout(early);
      // Not in one expression: three lanes wait at once, and each would add to the sum from before its wait.
      const taken = await send(service, batch);
      accepted += taken;
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return accepted;
}

interface Quiet {
  readonly took: readonly number[];
  /** Processor time of the service a second. */
  readonly cpu: number;
}

async function quietly({ base, pid }: Service): Promise<Quiet> {
  await lookUp(base, performance.now() + 2000);
  const before = processorSeconds(pid);
  const took = await lookUp(base, performance.now() + 1000 * SECONDS);
  return { took, cpu: (processorSeconds(pid) - before) / SECONDS };
}

async function busily(
  what: string,
  service: Service,
  quiet: Quiet,
  batches: readonly Batch[],
  rate = Number.POSITIVE_INFINITY,
): Promise<void> {
  const [begin, before] = [performance.now(), processorSeconds(service.pid)];
  let sending = true;
  const intake = sendAll(service, batches, rate).finally(() => {
    sending = false;
  });
  const took: number[] = [];
  while (sending) took.push(...(await lookUp(service.base, performance.now() + 250)));
  const accepted = await intake;
  const seconds = (performance.now() - begin) / 1000;
  const each = (1e6 * (processorSeconds(service.pid) - before - quiet.cpu * seconds)) / accepted;
  took.sort((a, b) => a - b);
  show(
    `${what}: captures`,
    `${perSecond(accepted, seconds)} wall, ${each.toFixed(1)} µs of its processor time each: ${perSecond(1e6, each)} a core`,
  );
  for (const share of [0.5, 0.99]) {
    const [without, during] = [percentile(quiet.took, share), percentile(took, share)];
    show(
      `${what}: lookups, ${100 * share} %`,
      `${without.toFixed(2)} ms without, ${during.toFixed(2)} ms with intake: ${(during / without).toFixed(2)} times`,
    );
  }
}

const zipped = (rows: number, run: string): Batch[] =>
  batchesOf(rows, run).map((batch) => ({ ...batch, text: gzipSync(batch.text) }));

async function served(databaseUrl: string | undefined): Promise<void> {
  const database = databaseUrl === undefined ? {} : { PULSE_DATABASE_URL: databaseUrl };
  const server = await serveProcess({
    env: { ...database, PULSE_WORKERS: '1', PULSE_ANON_PER_MIN: '10000000', PULSE_ANON_PER_DAY: '10000000' },
  });
  try {
    const { accountId } = createKey(server.dataDir, 'sensors', ['--operator'], ['--evidence', '--networks'], database);
    const keys = new Map(
      Array.from({ length: SENSORS }, (_, n) => [
        `sensor-${n}`,
        pulseJson(server.dataDir, ['key', 'create', '--account', accountId], database)['key']!,
      ]),
    );
    const service = { base: server.base, pid: server.child.pid!, keys };
    const [most, some] = [zipped(ROWS, 'most'), zipped(ROWS, 'some')];
    const quiet = await quietly(service);
    await busily('served', service, quiet, most);
    await busily(`served, ${RATE.toLocaleString('en')} a second`, service, quiet, some, RATE);
  } finally {
    await server.dispose();
  }
}

const database = await postgres?.createDatabase();
await inThread(database);
if (SECONDS > 0) await served(await postgres?.createDatabase());
await postgres?.dispose();
