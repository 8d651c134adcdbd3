import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaptureBatchBuilder } from '../evidence/capture-batch-builder.ts';
import type { CaptureBatch } from '../evidence/observation.ts';
import { DAY_MS, unixMs } from '../units.ts';
import { foldHosts } from './fold-hosts.ts';

const HOSTS_MAX = 1024;
const NETWORK = 0x2a00_1234;
const NOON = unixMs(20_000 * DAY_MS + DAY_MS / 2);

interface Row {
  readonly network?: number;
  readonly host: number;
  readonly bits?: number;
  readonly at?: number;
  readonly pool?: string;
}

function batchOf(rows: readonly Row[]): CaptureBatch {
  const builder = new CaptureBatchBuilder();
  for (const { network = NETWORK, host, bits = 128, at, pool } of rows)
    builder.add(
      { family: 6, w0: network, w1: 7, w2: 0, w3: host, bits },
      { ...(at === undefined ? {} : { capturedAt: unixMs(at) }), ...(pool === undefined ? {} : { pool }) },
    );
  return builder.build();
}

const hosts = (count: number, more: Omit<Row, 'host'> = {}): readonly Row[] =>
  Array.from({ length: count }, (_, host) => ({ ...more, host: host + 1 }));
const textsOf = ({ length, words, bits, capturedAt, pool, pools }: CaptureBatch): readonly string[] =>
  Array.from(
    { length },
    (_, row) =>
      `${words[4 * row]!.toString(16)}:${words[4 * row + 1]}::${words[4 * row + 3]}/${bits[row]} ${capturedAt[row]} ${pools[pool[row]!]}`,
  );

test('as many hosts of one /64 as allowed stay as they are, and one more folds them all', () => {
  const allowed = batchOf(hosts(HOSTS_MAX));
  assert.deepEqual(foldHosts(allowed), { batch: allowed, hosts: 0 });
  const folded = foldHosts(batchOf(hosts(HOSTS_MAX + 1)));
  assert.deepEqual([folded.hosts, textsOf(folded.batch)], [HOSTS_MAX + 1, ['2a001234:7::0/64 NaN ']]);
});

test('other networks, IPv4, and prefixes of /64 and wider are not folded', () => {
  const others: readonly Row[] = [
    { network: 0x2a00_9999, host: 5 },
    { host: 0, bits: 64 },
    { host: 0, bits: 48 },
  ];
  const { batch } = foldHosts(batchOf([...others, ...hosts(HOSTS_MAX + 1)]));
  assert.deepEqual(textsOf(batch).slice(0, 3), [
    '2a009999:7::5/128 NaN ',
    '2a001234:7::0/64 NaN ',
    '2a001234:7::0/48 NaN ',
  ]);
  const plain = new CaptureBatchBuilder();
  for (let n = 0; n < 2 * HOSTS_MAX; n++) plain.addIpv4(0x2d00_0000 + n, 32);
  assert.equal(foldHosts(plain.build()).hosts, 0);
});

test('captures of one host at many times are one host', () => {
  const rows = Array.from({ length: 3 * HOSTS_MAX }, (_, n) => ({ host: 1, at: NOON + n }));
  assert.equal(foldHosts(batchOf(rows)).hosts, 0);
});

test('the newest capture of each day stays, per pool', () => {
  const crowd = hosts(HOSTS_MAX + 1, { at: NOON, pool: 'a' });
  const more: readonly Row[] = [
    { host: 2, at: NOON + 5, pool: 'a' },
    { host: 3, at: NOON + 1, pool: 'b' },
    { host: 4, at: NOON - DAY_MS, pool: 'a' },
  ];
  assert.deepEqual(textsOf(foldHosts(batchOf([...crowd, ...more])).batch), [
    `2a001234:7::0/64 ${NOON + 5} a`,
    `2a001234:7::0/64 ${NOON + 1} b`,
    `2a001234:7::0/64 ${NOON - DAY_MS} a`,
  ]);
});
