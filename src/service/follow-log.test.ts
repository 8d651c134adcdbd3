import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoldedCapture } from '../core/collection/capture-fold.ts';
import type { LogReader } from '../core/collection/logs/log-event.ts';
import { parsePrefix } from '../core/ip/prefix.ts';
import { HOUR_MS, unixMs } from '../core/units.ts';
import { type FollowLogOptions, followLog } from './follow-log.ts';
import type { LogChunk, LogPosition } from './log-source.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
/** Lines of the form "minute address connection". */
const reader: LogReader = {
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
const at = (offset: number): LogPosition => ({ inode: 1, offset, head: '', headBytes: 0, modifiedAt: 0 });

interface Run {
  readonly kept: (readonly FoldedCapture[])[];
  readonly saved: number[];
  /** What happened, in its order. */
  readonly order: string[];
}

/** Follows these chunks to their end, and stops. */
async function run(chunks: readonly (LogChunk | Error)[], more: Partial<FollowLogOptions> = {}): Promise<Run> {
  const stopping = new AbortController();
  const left = [...chunks];
  const seen: Run = { kept: [], saved: [], order: [] };
  const read = async (): Promise<LogChunk | undefined> => {
    const next = left.shift();
    if (next === undefined) stopping.abort();
    if (next instanceof Error) throw next;
    return next;
  };
  const options: FollowLogOptions = {
    source: { read, close: async () => {} },
    reader,
    positions: {
      save: async ({ offset }) => {
        seen.saved.push(offset);
        seen.order.push(`position ${offset}`);
      },
    },
    ignored: [],
    keep: async (rows) => {
      seen.kept.push(rows);
      seen.order.push(`rows ${rows.length}`);
    },
    now: () => NOW,
    intervalMs: 10_000,
    pause: async () => {},
    signal: stopping.signal,
    log: { warn() {} },
    ...more,
  };
  await followLog(options, { lines: 0, events: 0 });
  return seen;
}
const brief = (rows: readonly FoldedCapture[] | undefined) =>
  rows?.map(({ ip, firstAt, lastAt, count }) => [ip, (firstAt - NOW) / 60_000, (lastAt - NOW) / 60_000, count]);

test('lines of one client within an hour are one row with its first and last time; several lines of a connection are one', async () => {
  const { kept, order } = await run([
    { lines: ['1 1.2.3.4 a', '5 1.2.3.4 a', '9 1.2.3.4 b', 'noise', '2 5.6.7.8'], position: at(50) },
  ]);
  assert.deepEqual(brief(kept[0]), [
    ['1.2.3.4', -59, -51, 2],
    ['5.6.7.8', -58, -58, 1],
  ]);
  assert.deepEqual(order, ['rows 2', 'position 50'], 'the position is saved after what was read before it');
});

test('hours are kept apart, so that a backlog of days does not shrink to two times', async () => {
  const { kept, order } = await run([
    { lines: ['1 1.2.3.4', '59 1.2.3.4', '61 1.2.3.4', '200 1.2.3.4'], position: at(9) },
  ]);
  assert.deepEqual(
    kept.map((rows) => brief(rows)),
    [[['1.2.3.4', -59, -1, 2]], [['1.2.3.4', 1, 1, 1]], [['1.2.3.4', 140, 140, 1]]],
  );
  assert.deepEqual(order.at(-1), 'position 9');
});

test('own monitors are not evidence', async () => {
  const { kept, saved } = await run([{ lines: ['1 1.2.3.4', '1 1.2.4.4'], position: at(9) }], {
    ignored: [parsePrefix('1.2.3.0/24')!],
  });
  assert.deepEqual(brief(kept[0]), [['1.2.4.4', -59, -59, 1]]);
  assert.deepEqual(saved, [9]);
});

test('where captures cannot be kept, no position behind them is saved', async () => {
  const { saved } = await run([{ lines: ['1 1.2.3.4'], position: at(9) }], {
    keep: async () => {
      throw new Error('full');
    },
  });
  assert.deepEqual(saved, []);
});

test('a log that cannot be read for a while is read again', async () => {
  const { kept } = await run([new Error('EIO'), { lines: ['1 1.2.3.4'], position: at(9) }]);
  assert.equal(kept.length, 1);
});
