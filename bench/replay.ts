/**
 * The shipped scoring over dated public lists as if live, and what became of the addresses (docs/accuracy.md says what is needed and how to read the report).
 *
 *   node bench/replay.ts --data FOLDER [--step-days 3] [--json]
 *   node bench/replay.ts --clone FOLDER --repo https://github.com/OWNER/NAME --path LIST [--since T] [--until T] > NAME.feedlog.jsonl
 *
 * The first form replays every `*.feedlog.jsonl` in the folder; the second makes such a file from a clone of a publisher's repository.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SqliteHistory } from '../src/adapters/history/sqlite/history.ts';
import { DAY_MS } from '../src/core/units.ts';
import { feedlogOfClone } from './replay/feedlog-of-clone.ts';
import { readKnownGood, readSeries } from './replay/read-series.ts';
import { type ReplayReport, replaySeries } from './replay/replay-series.ts';
import { replayText } from './replay/replay-text.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    data: text,
    'step-days': { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    clone: text,
    repo: text,
    path: text,
    since: text,
    until: text,
  },
});
const { data, clone, repo, path, since, until } = values;
const stepDays = Number(values['step-days']);

async function replayFolder(folder: string): Promise<ReplayReport> {
  const options = { series: await readSeries(folder), knownGood: readKnownGood(folder), stepMs: stepDays * DAY_MS, warmUpMs: 14 * DAY_MS };
  const temporary = mkdtempSync(join(tmpdir(), 'pulse-replay-'));
  const store = new SqliteHistory(join(temporary, 'evidence.db'));
  try {
    return await replaySeries(store, { ...options, ...(process.stderr.isTTY ? { progress: showProgress } : {}) });
  } finally {
    store.close();
    rmSync(temporary, { recursive: true });
  }
}

const showProgress = (at: number, runs: number): void => void process.stderr.write(`\r\x1b[2Kreplaying ${new Date(at).toISOString()}, ${runs} runs`);

if (data !== undefined && Number.isInteger(stepDays) && stepDays > 0) {
  const report = await replayFolder(data);
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K');
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : replayText(report));
} else if (clone !== undefined && repo !== undefined && path !== undefined) {
  const bounds = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  for (const line of feedlogOfClone({ clone, repo, path, ...bounds })) process.stdout.write(`${line}\n`);
} else {
  process.stderr.write('usage: node bench/replay.ts --data FOLDER [--step-days N] [--json] | --clone FOLDER --repo URL --path LIST [--since T] [--until T]\n');
  process.exitCode = 2;
}
