import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readOptionalFile } from '../../adapters/system/files.ts';
import { systemClock, threadCostMs } from '../../adapters/system/own-process.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { type DecisionFilter, decisionsJson, inRange } from '../../core/lists/decision-json.ts';
import { DecisionTable, decisionChanges } from '../../core/lists/decision-table.ts';
import { isCurrent, isFresh, type KeptList } from '../../core/lists/kept-list.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { readPolicy } from '../../core/policy/read-policy.ts';
import type { UnixMs } from '../../core/units.ts';
import type { DecisionQuery } from '../../service/lists/decision-lists.ts';
import { decisionsOf, decisionsWithin } from '../../service/lists/decisions-of.ts';
import { encoded, exportSources } from '../bulk/export-formats.ts';
import type { ExportImages } from '../bulk/export-images.ts';

/**
 * - `path`: the caller sends this file, which is JSON, and removes it.
 * - `told`: rename `next` to `told` once the client has the answer.
 */
export interface DecisionReply {
  readonly path: string;
  readonly told?: { readonly next: string; readonly path: string };
  readonly leftOut: number;
}

interface MadeDecisions extends KeptList {
  readonly table: DecisionTable;
  readonly leftOut: number;
}

/** One list is made for all keys with the same least score, policy and exceptions, and cut to the bounds of each. */
export class DecisionAnswers {
  readonly #folder: string;
  readonly #images: ExportImages;
  readonly #made = new Map<string, MadeDecisions>();
  #answers = 0;

  constructor(folder: string, images: ExportImages) {
    this.#folder = folder;
    this.#images = images;
  }

  async answer(query: DecisionQuery): Promise<DecisionReply> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const { table, leftOut } = await this.#decisionsNow(query);
    const at = systemClock.now();
    const now = decisionsWithin(table, query.bounds).where(({ until }) => until > at);
    const path = join(this.#folder, `${query.keyId}.${this.#answers++}.json`);
    if (query.ask === 'all') {
      const range = query.range === undefined ? undefined : parsePrefix(query.range);
      writeChunks(path, decisionsJson(range === undefined ? now : inRange(now, range), query.filter, at));
      return { path, leftOut };
    }
    const told = join(this.#folder, `${query.keyId}.told`);
    const before = query.ask === 'startup' ? new DecisionTable() : toldTo(told);
    const changes = decisionChanges(before, now, at);
    writeChunks(path, streamJson(changes.added, changes.deleted, query.filter, at));
    const next = `${path}.next`;
    const { words } = changes.told;
    const file = openSync(next, 'w', 0o600);
    writeSync(file, new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
    closeSync(file);
    return { path, told: { next, path: told }, leftOut };
  }

  async #decisionsNow({ bounds, policy: document, isOwn, exclude }: DecisionQuery): Promise<MadeDecisions> {
    const { minScore } = bounds;
    const name = JSON.stringify([minScore, document, isOwn, exclude]);
    const known = this.#made.get(name);
    const at = systemClock.now();
    if (known !== undefined && isFresh(known, at, await this.#images.overridesVersion())) return known;
    const { data, version, overridesVersion: overrides } = await this.#images.current();
    if (known !== undefined && isCurrent(known, at, version)) return known;
    const { counts, leftOut } = exportSources(data.evidence.image.sourcesOfRows(), isOwn);
    const started = threadCostMs();
    const policy = readPolicy(document ?? {}) as Policy;
    const table = decisionsOf(data, {
      at,
      minScore,
      policy,
      counts,
      exclude: exclude.map((text) => parsePrefix(text)!),
    });
    const fresh = { table, leftOut: leftOut.length, version, overrides, madeAt: at, costMs: threadCostMs() - started };
    for (const [other, made] of this.#made)
      if (!isFresh(made, at, overrides) && !isCurrent(made, at, version)) this.#made.delete(other);
    this.#made.set(name, fresh);
    return fresh;
  }
}

function writeChunks(path: string, texts: Iterable<string>): void {
  const file = openSync(path, 'w', 0o600);
  try {
    for (const piece of encoded(texts)) writeSync(file, piece);
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
  const bytes = readOptionalFile(path);
  if (bytes === undefined) return new DecisionTable();
  return new DecisionTable(new Uint32Array(new Uint8Array(bytes).buffer));
}
