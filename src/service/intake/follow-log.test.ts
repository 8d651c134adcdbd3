import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { LogReader } from '../../core/collection/logs/log-event.ts';
import type { FoldedCapture } from '../../core/collection/tally/collection-tally.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { HOUR_MS, unixMs } from '../../core/units.ts';
import { type FollowCounts, type FollowLogOptions, followLog } from './follow-log.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
/** Reads lines of the form "minute address connection". */
const reader: LogReader = {
  isOfFormat: (line) => /^\d+ \d/.test(line),
  read(line) {
    const [minute, ip, connection] = line.split(' ');
    if (ip === undefined) return undefined;
    return {
      ip,
      riskType: 'honeypot_scan',
      protocol: 'http',
      at: unixMs(NOW - HOUR_MS + Number(minute) * 60_000),
      ...(connection === undefined ? {} : { connection }),
    };
  },
};

/** Follows these chunks to their end. @returns the rows of each call of `keep` */
async function run(chunks: readonly string[], more: Partial<FollowLogOptions> = {}) {
  const kept: (readonly FoldedCapture[])[] = [];
  const silent = (): void => {};
  const options: FollowLogOptions = {
    chunks: Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1'))),
    reader,
    ignored: [],
    keep: async (rows) => void kept.push(rows),
    now: () => NOW,
    intervalMs: 10_000,
    signal: new AbortController().signal,
    log: { info: silent, warn: silent, error: silent },
    ...more,
  };
  counts = await followLog(options);
  return kept;
}
let counts: FollowCounts;
const brief = (rows: readonly FoldedCapture[] | undefined) =>
  rows?.map(({ ip, firstAt, lastAt, count }) => [ip, (firstAt - NOW) / 60_000, (lastAt - NOW) / 60_000, count]);

test('lines of one client within an hour are one row with its first and last time; several lines of a connection are one', async () => {
  const kept = await run(['1 1.2.3.4 a\n5 1.2.3.4 a\n9 1.2.3.4 b\nnoise\n2 5.6.7.8\n']);
  assert.deepEqual(brief(kept[0]), [
    ['1.2.3.4', -59, -51, 2],
    ['5.6.7.8', -58, -58, 1],
  ]);
});

test('hours are kept apart, so that a backlog of days does not shrink to two times', async () => {
  const kept = await run(['1 1.2.3.4\n59 1.2.3.4\n61 1.2.3.4\n200 1.2.3.4\n']);
  assert.deepEqual(
    kept.map((rows) => brief(rows)),
    [[['1.2.3.4', -59, -1, 2]], [['1.2.3.4', 1, 1, 1]], [['1.2.3.4', 140, 140, 1]]],
  );
});

test('own monitors are not evidence', async () => {
  const kept = await run(['1 1.2.3.4\n1 1.2.4.4\n'], { ignored: [parsePrefix('1.2.3.0/24')!] });
  assert.deepEqual(brief(kept[0]), [['1.2.4.4', -59, -59, 1]]);
});

test('lines come whole from chunks cut anywhere; one that is far too long is passed over, and one without its end', async () => {
  const seen: string[] = [];
  const noting: LogReader = { isOfFormat: () => true, read: (line) => void seen.push(line) };
  for (const [size, long] of [
    [1, 10],
    [7, 65_537],
    [65_536, 200_000],
    [400_000, 200_000],
  ] as const) {
    const text = `one\r\nz\xc3\xbcrich\n${'x'.repeat(long)}\ntwo\n1.2.3.1`;
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    await run(chunks, { reader: noting });
    const kept = long > 65_536 ? [] : ['x'.repeat(long)];
    assert.deepEqual(seen.splice(0), ['one', 'zürich', ...kept, 'two'], `${size} bytes a chunk`);
  }
});

test('a fault of the log ends the work, after the lines before are kept; a log that breaks off at a stop does not', async () => {
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('1 1.2.3.4\n');
    throw new Error('EIO');
  };
  const kept: (readonly FoldedCapture[])[] = [];
  const keep = async (rows: readonly FoldedCapture[]): Promise<void> => void kept.push(rows);
  await assert.rejects(run([], { chunks: broken(), keep }), /EIO/);
  await run([], { chunks: broken(), keep, signal: AbortSignal.abort() });
  assert.deepEqual(kept.map(brief), [[['1.2.3.4', -59, -59, 1]], [['1.2.3.4', -59, -59, 1]]]);
});

test('a log of another format is known as one: after a thousand lines while it grows, and at its end', async () => {
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message), error: () => {} };
  await run(['{"a":1}\n'.repeat(1500)], { log });
  assert.deepEqual(
    [counts.isOfFormat, counts.lines, warnings],
    [false, 1500, ['no line so far has the form of this format']],
  );
  await run(['{"a":1}\n1 1.2.3.4\n'], { log });
  assert.deepEqual([counts.isOfFormat, warnings.length], [true, 1]);
});
