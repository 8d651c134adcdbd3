/** Entry of the thread that makes the decisions of bouncers, so that no request waits for a million verdicts. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { openHistory } from '../../adapters/evidence/open-history.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { lowerPriority } from '../../adapters/system/lower-priority.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import type { Config } from '../../config.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { type DecisionFilter, decisionsJson, inRange } from '../../core/lists/decision-json.ts';
import { DecisionTable, decisionChanges } from '../../core/lists/decision-table.ts';
import type { UnixMs } from '../../core/units.ts';
import type { DecisionQuery } from '../../service/lists/decision-lists.ts';
import { decisionsOf } from '../../service/lists/decisions-of.ts';
import { ExportImages } from '../bulk/export-images.ts';
import { exportSources } from '../bulk/export-sources.ts';

export interface DecisionReply {
  /** The file with the answer as JSON, which the caller sends and removes. */
  readonly path: string;
  /** Rename `next` to `told` once the client has the answer. */
  readonly told?: { readonly next: string; readonly path: string };
  readonly leftOut: number;
}

interface Made {
  readonly table: DecisionTable;
  readonly leftOut: number;
  readonly version: string;
  readonly at: UnixMs;
  readonly tookMs: number;
}

/** Decisions are rebuilt at the latest after this time, so that riskier ones replace those that ended. */
const REMADE_MS = 600_000;
/** The making may take a twentieth of the time. */
const REST = 20;
const CHUNK = 1 << 18;

lowerPriority();
const config = workerData as Pick<Config, 'dataDir' | 'databaseUrl'>;
const folder = join(config.dataDir, 'bouncers');
const store = await openHistory(config);
const images = new ExportImages(config, store);
const made = new Map<string, Made>();
let answers = 0;

async function decisionsNow({ bounds, isOwn, exclude }: DecisionQuery): Promise<Made> {
  const name = JSON.stringify([bounds, isOwn, exclude]);
  const known = made.get(name);
  const at = systemClock.now();
  if (known !== undefined && Math.abs(at - known.at) < REST * known.tookMs) return known;
  const { data, overridesVersion } = await images.current();
  const version = `${data.evidence.sequence} ${data.geo.meta.builtAt} ${overridesVersion}`;
  if (known?.version === version && at >= known.at && at - known.at < REMADE_MS) return known;
  const { counts, leftOut } = exportSources(data.evidence.image.sourcesOfRows(), isOwn);
  const started = performance.now();
  const table = decisionsOf(data, { at, bounds, counts, exclude: exclude.map((text) => parsePrefix(text)!) });
  const fresh = { table, leftOut: leftOut.length, version, at, tookMs: performance.now() - started };
  made.set(name, fresh);
  return fresh;
}

/** Decisions that still hold: the others ended by decay. */
function inForce(table: DecisionTable, at: UnixMs): DecisionTable {
  const held = new DecisionTable();
  for (const decision of table) if (decision.until > at) held.add(decision);
  return held;
}

function writeChunks(path: string, texts: Iterable<string>): void {
  const file = openSync(path, 'w', 0o600);
  try {
    let held = '';
    for (const text of texts) {
      held += text;
      if (held.length < CHUNK) continue;
      writeSync(file, held);
      held = '';
    }
    writeSync(file, held);
  } finally {
    closeSync(file);
  }
}

function* streamJson(
  added: DecisionTable,
  deleted: DecisionTable,
  filter: DecisionFilter,
  at: UnixMs,
): Generator<string> {
  yield '{"new":';
  yield* decisionsJson(added, filter, at);
  yield ',"deleted":';
  yield* decisionsJson(deleted, filter, at);
  yield '}';
}

function toldTo(path: string): DecisionTable {
  if (!existsSync(path)) return new DecisionTable();
  const bytes = readFileSync(path);
  return new DecisionTable(new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
}

answerCalls<DecisionQuery, DecisionReply>(async (call) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { table, leftOut } = await decisionsNow(call);
  const at = systemClock.now();
  const now = inForce(table, at);
  const path = join(folder, `${call.key}.${answers++}.json`);
  if (call.ask === 'all') {
    const range = call.range === undefined ? undefined : parsePrefix(call.range);
    writeChunks(path, decisionsJson(range === undefined ? now : inRange(now, range), call.filter, at));
    return { path, leftOut };
  }
  const told = join(folder, `${call.key}.told`);
  const before = call.ask === 'startup' ? new DecisionTable() : toldTo(told);
  const changes = decisionChanges(before, now, at);
  writeChunks(path, streamJson(changes.added, changes.deleted, call.filter, at));
  const next = `${path}.next`;
  const { words } = changes.told;
  const file = openSync(next, 'w', 0o600);
  writeSync(file, new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  closeSync(file);
  return { path, told: { next, path: told }, leftOut };
});
