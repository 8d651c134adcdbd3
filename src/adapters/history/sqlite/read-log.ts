import { RISK_TYPES } from '../../../contract/risk.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { ROW_OP } from '../../../engine/evidence/evidence-delta.ts';
import { EvidenceRowBuffer } from '../../../engine/evidence/evidence-row-buffer.ts';
import type { EvidenceLog } from '../../../service/ports.ts';
import { CHANGE, type Change, readChanges } from '../change-log.ts';
import { type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import type { Catalogue, SourceEntry, Track } from './catalogue.ts';
import { readLive } from './read-prefix.ts';
import type { Statements } from './statements.ts';

/** Entries that must be read anew (late runs touch them) beyond which reading everything is quicker. */
const TOUCHED_MAX = 50_000;

/**
 * Journalled logs as rows. Entries that were touched come last, as they stand now, so that they replace whatever rows before them say.
 * Inside a read transaction, after `catalogue.refresh()`.
 * @returns undefined when too much was touched
 */
export function readLog(
  statements: Statements,
  catalogue: Catalogue,
  journal: Iterable<readonly [source: number, log: Uint8Array]>,
): Pick<EvidenceLog, 'pools' | 'rows'> | undefined {
  const rows = new LogRows(catalogue);
  const touched = new Map<string, readonly [PrefixKey, SourceEntry]>();
  for (const [id, packed] of journal) {
    const source = catalogue.sources.get(id)!;
    readChanges(packed, (change, key, track, at, lastAt) => {
      if (change === CHANGE.touched) touched.set(`${id} ${typeof key === 'number' ? key : Buffer.from(key).toString('latin1')}`, [key, source]);
      else rows.add(change, key, catalogue.tracks.get(track)!, unixMs(at), unixMs(lastAt));
      return touched.size <= TOUCHED_MAX;
    });
    if (touched.size > TOUCHED_MAX) return undefined;
  }
  for (const [key, source] of touched.values()) rows.replace(key, source, readLive(statements, catalogue, key, source));
  return rows.finish();
}

class LogRows {
  readonly #buffer = new EvidenceRowBuffer();
  readonly #sources: ReadonlyMap<string, number>;
  readonly #pools = new Map([['', 0]]);

  constructor(catalogue: Catalogue) {
    this.#sources = new Map(catalogue.liveSources().map(({ id }, number) => [id, number]));
  }

  add(change: Change, key: PrefixKey, track: Track, at: UnixMs, lastAt: UnixMs): void {
    if (change === CHANGE.captured) this.#row(key, track, ROW_OP.fixed, at, 1);
    else if (change === CHANGE.began) this.#row(key, track, ROW_OP.following, at, 0);
    else this.#row(key, track, ROW_OP.ended, lastAt, track.source.runs.daysBetween(at, lastAt));
  }

  replace(key: PrefixKey, source: SourceEntry, rows: ReturnType<typeof readLive>): void {
    this.#buffer.row(this.#prefix(key), ROW_OP.clear, this.#sources.get(source.name)!, 0, 0, 0, 0);
    for (const { riskType, pool, following, capturedAt, days } of rows) {
      const op = following ? ROW_OP.following : ROW_OP.fixed;
      this.#buffer.row(this.#prefix(key), op, this.#sources.get(source.name)!, RISK_TYPES.indexOf(riskType), this.#pool(pool), capturedAt, days);
    }
  }

  finish(): Pick<EvidenceLog, 'pools' | 'rows'> {
    return { pools: [...this.#pools.keys()], rows: this.#buffer.columns() };
  }

  #row(key: PrefixKey, { source, riskType, pool }: Track, op: number, at: UnixMs, days: number): void {
    this.#buffer.row(this.#prefix(key), op, this.#sources.get(source.name)!, RISK_TYPES.indexOf(riskType), this.#pool(pool), at, days);
  }

  #prefix(key: PrefixKey): number {
    if (typeof key === 'number') return this.#buffer.prefix(4, Math.floor(key / 64), 0, 0, 0, key % 64);
    const { w0, w1, w2, w3, bits } = prefixOfKey(key);
    return this.#buffer.prefix(6, w0, w1, w2, w3, bits);
  }

  #pool(name: string): number {
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    this.#pools.set(name, this.#pools.size);
    return this.#pools.size - 1;
  }
}
