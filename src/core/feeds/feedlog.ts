import type { CaptureBatch } from '../evidence/observation.ts';
import { type CheckedRow, checkRow, type RowSchema } from '../kit/check-row.ts';
import { isRecord, parseJson } from '../kit/json.ts';
import { fault } from '../texts/said.ts';
import type { UnixMs } from '../units.ts';
import { parseLines } from './parse-lines.ts';
import { readTime } from './read-time.ts';
import { RowBuilder, type RowOptions } from './row-builder.ts';

export interface FeedlogHeader {
  readonly repo: string;
  readonly path: string;
  readonly versions: number;
}

export interface FeedlogRun {
  readonly at: UnixMs;
  readonly batch: CaptureBatch;
}

const VERSION = {
  t: ['scalar', 't is not a time'],
  full: ['list', 'full is not a list'],
  add: ['list', 'add is not a list'],
  del: ['list', 'del is not a list'],
} as const satisfies RowSchema;

export function feedlogHeader(firstLine: string): FeedlogHeader {
  const header = parseJson(firstLine);
  if (!isRecord(header) || header['format'] !== 'feedlog/1') throw fault('not a feedlog/1 header');
  const { repo, path, versions } = header;
  if (typeof repo !== 'string' || typeof path !== 'string') throw fault('not a feedlog/1 header');
  return { repo, path, versions: typeof versions === 'number' ? versions : 0 };
}

/** @throws Error that names the line: text after an unreadable version would be replayed on the wrong list */
function versionOf(line: string, number: number): CheckedRow<typeof VERSION> & { readonly at: UnixMs } {
  const version = checkRow(parseJson(line), VERSION) ?? 'not a JSON object';
  if (typeof version === 'string') throw fault('line {number}: {why}', { number, why: version });
  const at = readTime(version.t ?? '');
  if (at === undefined) throw fault('line {number}: {time} is not a time', { number, time: JSON.stringify(version.t) });
  return { ...version, at };
}

/**
 * Replays a change log of one list: a header line, then one line a version, `{t, full}` first and `{t, add?,
 * del?}` after; a line with neither is "seen again unchanged", which is a run too. Entries are read once and
 * versions copy their columns.
 * @throws Error on a broken log, naming the line
 */
export function* readFeedlog(text: string, options: RowOptions): Generator<FeedlogRun> {
  const lines = text.split('\n').filter((line) => line !== '');
  feedlogHeader(lines[0] ?? '{}');
  const entries = new EntryTable(options);
  let batch: CaptureBatch | undefined;
  for (const [index, line] of lines.slice(1).entries()) {
    const { at, ...version } = versionOf(line, index + 2);
    if (version.full !== undefined) entries.replace(version.full);
    for (const entry of version.del ?? []) entries.remove(entry);
    for (const entry of version.add ?? []) entries.add(entry);
    const changed = version.full !== undefined || version.add !== undefined || version.del !== undefined;
    if (changed || batch === undefined) batch = entries.batch();
    yield { at, batch };
  }
}

class EntryTable {
  readonly #options: RowOptions;
  readonly #prefixOf = new Map<string, number>();
  readonly #prefixes = new Map<string, number>();
  readonly #rows: CaptureBatch[] = [];
  readonly #present = new Map<number, Set<string>>();

  constructor(options: RowOptions) {
    this.#options = options;
  }

  replace(entries: readonly unknown[]): void {
    this.#present.clear();
    for (const entry of entries) this.add(entry);
  }

  add(entry: unknown): void {
    if (typeof entry !== 'string') return;
    const prefix = this.#parse(entry);
    if (prefix < 0) return;
    const present = this.#present.get(prefix);
    if (present === undefined) this.#present.set(prefix, new Set([entry]));
    else present.add(entry);
  }

  remove(entry: unknown): void {
    if (typeof entry !== 'string') return;
    const prefix = this.#parse(entry);
    const present = this.#present.get(prefix);
    present?.delete(entry);
    if (present?.size === 0) this.#present.delete(prefix);
  }

  #parse(entry: string): number {
    const known = this.#prefixOf.get(entry);
    if (known !== undefined) return known;
    const rows = new RowBuilder({ ...this.#options, capacity: 1 });
    parseLines(new TextEncoder().encode(entry), { kind: 'lines', ports: true }, rows);
    const { batch } = rows.finish();
    const index = batch.length === 0 ? -1 : this.#intern(batch);
    this.#prefixOf.set(entry, index);
    return index;
  }

  #intern(batch: CaptureBatch): number {
    const key = `${batch.family[0]}/${batch.words.join()}/${batch.bits[0]}`;
    const known = this.#prefixes.get(key);
    if (known !== undefined) return known;
    this.#prefixes.set(key, this.#rows.length);
    return this.#rows.push(batch) - 1;
  }

  batch(): CaptureBatch {
    const length = this.#present.size;
    const words = new Uint32Array(4 * length);
    const family = new Uint8Array(length);
    const bits = new Uint8Array(length);
    const type = new Uint8Array(length);
    let row = 0;
    for (const index of this.#present.keys()) {
      const one = this.#rows[index]!;
      words.set(one.words, 4 * row);
      family[row] = one.family[0]!;
      bits[row] = one.bits[0]!;
      type[row] = one.type[0]!;
      row++;
    }
    return {
      length,
      family,
      words,
      bits,
      type,
      capturedAt: new Float64Array(length).fill(Number.NaN),
      pool: new Uint16Array(length),
      pools: [''],
    };
  }
}
