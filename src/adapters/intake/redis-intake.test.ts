import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Redis } from 'iovalkey';
import { eventually } from '../../../test/support/eventually.ts';
import { type RedisServer, startRedis } from '../../../test/support/redis.ts';
import { MINUTE_MS, unixMs } from '../../core/units.ts';
import type { AppendTerms, StreamEntry, WaitingBatch } from '../../service/waiting-batch.ts';
import type { Keeping } from './keeping-of.ts';
import { RedisIntake, WAITING_BYTES_MAX } from './redis-intake.ts';
import { RedisIntakeReader } from './redis-intake-reader.ts';
import { FORGET } from './scripts.ts';
import { StreamGauge } from './stream-gauge.ts';
import { GROUP, STREAM_KEYS } from './stream-keys.ts';

const keys = { current: new Uint8Array(32).fill(1), former: [new Uint8Array(32).fill(2)] };
let server: RedisServer;
let why: string | undefined;
let admin: Redis;
const open: { close(): void }[] = [];
before(async () => {
  const started = await startRedis();
  if ('skip' in started) {
    why = started.skip;
    return;
  }
  server = started;
  admin = new Redis(server.url);
});
after(async () => {
  for (const one of open) one.close();
  admin?.disconnect();
  await server?.dispose();
});

/** A case on an empty server. */
function check(title: string, body: () => Promise<void>): void {
  test(title, async (t) => {
    if (why !== undefined) return t.skip(why);
    await admin.flushall();
    await body();
  });
}

const opened = <T extends { close(): void }>(one: T): T => {
  open.push(one);
  return one;
};
const appender = (options: Partial<ConstructorParameters<typeof RedisIntake>[0]> = {}) => opened(new RedisIntake({ url: server.url, keys, ...options }));
const readerOf = (consumer: string, claimAfterMs = 60_000) => opened(new RedisIntakeReader({ url: server.url, keys, consumer, claimAfterMs }));
const batch = (id: string, body = Uint8Array.of(0, 255, 10, 13)): WaitingBatch => ({ source: 's', format: 'csv', at: unixMs(5), account: 'acc_1', id, body });
const terms = (rows = 1, named?: AppendTerms['named']): AppendTerms => ({ rows, budgets: [{ most: 10, windowMs: MINUTE_MS }], named });
const append = (to: RedisIntake, id: string, how = terms()) => eventually(() => to.append(batch(id), how));
const nextOf = (reader: RedisIntakeReader): Promise<StreamEntry> => eventually(async () => (await reader.next()) ?? false);
const states = async () => ({
  entries: await admin.xlen(STREAM_KEYS.stream),
  bytes: Number(await admin.get(STREAM_KEYS.bytes)),
  aside: await admin.xlen(STREAM_KEYS.aside),
});

check('a batch comes out as it went in, to one of the readers, and leaves no trace when it is settled', async () => {
  const [a, b] = [readerOf('a'), readerOf('b')];
  const intake = appender();
  assert.deepEqual(await append(intake, '1'), { status: 'queued' });
  assert.deepEqual(await intake.append(batch('2'), terms()), { status: 'queued' });
  const [first, second] = [await nextOf(a), await nextOf(b)];
  assert.deepEqual([first, second].map(({ batch: held, attempts }) => ({ ...held, body: [...held!.body], attempts })), ['1', '2'].map((id) => ({ ...batch(id), body: [0, 255, 10, 13], attempts: 1 }))); // biome-ignore format: one row
  const gauge = opened(new StreamGauge(server.url));
  const state = await eventually(() => gauge.read());
  assert.deepEqual([state.entries, state.bytes, state.setAside], [2, 8, 0]);
  assert.ok(Math.abs(Date.now() - state.oldestAt!) < 60_000);
  await a.settle(first.id);
  await a.settle(first.id);
  assert.deepEqual(await states(), { entries: 1, bytes: 4, aside: 0 });
  await b.settle(second.id);
  assert.deepEqual(await gauge.read(), { entries: 0, bytes: 0, setAside: 0, oldestAt: undefined });
});

check('under one name one batch is appended, with the answer of the first time', async () => {
  const intake = appender();
  const named = { digest: 'd', answer: '{"queued":1}' };
  assert.deepEqual(await append(intake, '1', terms(1, named)), { status: 'queued' });
  assert.deepEqual(await intake.append(batch('1'), terms(1, { ...named, answer: 'other' })), { status: 'replayed', answer: named.answer });
  assert.deepEqual(await intake.append(batch('1'), terms(1, { ...named, digest: 'e' })), { status: 'differs' });
  assert.deepEqual(await intake.append({ ...batch('1'), account: 'acc_2' }, terms(1, { ...named, digest: 'e' })), { status: 'queued' });
  assert.deepEqual(await states(), { entries: 2, bytes: 8, aside: 0 });
});

check('a budget holds so many rows a window, and what is refused takes neither rows nor the name', async () => {
  const intake = appender();
  assert.deepEqual(await append(intake, '1', terms(8)), { status: 'queued' });
  const refused = await intake.append(batch('2'), terms(3, { digest: 'd', answer: '' }));
  assert.ok(refused.status === 'over_budget' && refused.waitMs > 0 && refused.waitMs <= MINUTE_MS);
  assert.deepEqual(await intake.append(batch('2'), terms(2, { digest: 'd', answer: '' })), { status: 'queued' });
  assert.deepEqual(await intake.append({ ...batch('3'), source: 'other' }, terms(10)), { status: 'queued' });
});

check('a stream that is as long as it may be refuses more', async () => {
  const intake = appender();
  await append(intake, '1');
  await admin.set(STREAM_KEYS.bytes, WAITING_BYTES_MAX - 3);
  assert.deepEqual(await intake.append(batch('2'), terms()), { status: 'full' });
  await admin.set(STREAM_KEYS.bytes, WAITING_BYTES_MAX - 4);
  assert.deepEqual(await intake.append(batch('2'), terms()), { status: 'queued' });
});

check('entries of a reader that went silent are taken over; those of one that says it is at work are not', async () => {
  const intake = appender();
  await append(intake, '1');
  await append(intake, '2');
  const [dead, busy, living] = [readerOf('dead'), readerOf('busy'), readerOf('living', 300)];
  const [lost, held] = [await nextOf(dead), await nextOf(busy)];
  const taken = await eventually(async () => {
    await busy.keep(held.id);
    return (await living.next()) ?? false;
  });
  assert.deepEqual([taken.id, taken.batch?.id, taken.attempts], [lost.id, '1', 2]);
  await living.settle(taken.id);
  await busy.keep(held.id);
  assert.equal(await living.next(), undefined);
  const second = await nextOf(living);
  assert.deepEqual([second.id, second.attempts], [held.id, 2], 'signs of life are not counted as attempts');
});

check('what no node of the deployment appended is not read as a batch; with the secret of before it is', async () => {
  await append(appender(), '1');
  await append(appender({ keys: { current: keys.former[0]!, former: [] } }), '2');
  await append(appender({ keys: { current: new Uint8Array(32), former: [] } }), '3');
  await admin.xadd(STREAM_KEYS.stream, '*', 'meta', '{}');
  const reader = readerOf('a');
  const found = [await nextOf(reader), await nextOf(reader), await nextOf(reader), await nextOf(reader)];
  assert.deepEqual(found.map(({ batch: held }) => held?.id), ['1', '2', undefined, undefined]); // biome-ignore format: one row
  for (const { id } of found.slice(2)) await reader.setAside(id, 'not_sealed');
  assert.deepEqual(await states(), { entries: 2, bytes: 8, aside: 2 });
  const [[, fields]] = (await admin.xrange(STREAM_KEYS.aside, '-', '+', 'COUNT', 1)) as [[string, string[]]];
  assert.deepEqual(fields.slice(0, 4), ['entry', found[2]!.id, 'reason', 'not_sealed']);
});

check('a reader that left stays in the list as long as it holds something', async () => {
  await append(appender(), '1');
  const held = await nextOf(readerOf('holding'));
  await admin.xgroup('CREATECONSUMER', STREAM_KEYS.stream, GROUP, 'idle');
  const names = async () => ((await admin.xinfo('CONSUMERS', STREAM_KEYS.stream, GROUP)) as string[][]).map((row) => row[1]);
  assert.deepEqual(await names(), ['holding', 'idle']);
  assert.equal(await admin.eval(FORGET, 1, STREAM_KEYS.stream, GROUP, 0), 1);
  assert.deepEqual([await names(), held.batch?.id], [['holding'], '1']);
});

check('a server that keeps nothing, or may throw it away, is given nothing, and one that does again is', async () => {
  const seen: Keeping[] = [];
  const intake = appender({ onKeeping: (keeping) => seen.push(keeping) });
  await append(intake, '1');
  assert.deepEqual(seen, ['system']);
  for (const [name, wrong, right, keeping] of [
    ['appendonly', 'no', 'yes', 'memory'],
    ['maxmemory-policy', 'allkeys-lru', 'noeviction', 'evicting'],
  ] as const) {
    await admin.config('SET', 'maxmemory', '1000000000');
    await admin.config('SET', name, wrong);
    const refused = appender();
    await refused.ready(2000);
    await assert.rejects(refused.append(batch('2'), terms()), new RegExp(keeping));
    await admin.config('SET', name, right);
  }
  for (const [appendfsync, keeping] of [
    ['always', 'always'],
    ['everysec', 'second'],
  ] as const) {
    await admin.config('SET', 'appendfsync', appendfsync);
    await append(appender({ onKeeping: (found) => seen.push(found) }), keeping);
    assert.equal(seen.at(-1), keeping);
  }
  assert.equal((await states()).entries, 3);
});

check('while the server is away nothing is accepted, and what was kept is there when it is back', async () => {
  const intake = appender();
  const reader = readerOf('a');
  await append(intake, '1');
  await server.stop();
  await assert.rejects(intake.append(batch('2'), terms()));
  await assert.rejects(reader.next());
  await server.start();
  assert.deepEqual(await append(intake, '3'), { status: 'queued' });
  assert.deepEqual([(await nextOf(reader)).batch?.id, (await nextOf(reader)).batch?.id], ['1', '3']);
});
