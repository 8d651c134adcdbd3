import { RISK_TYPES } from '../../contract/risk.ts';
import { unixMs } from '../../core/units.ts';
import { ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { EvidenceRowBuffer } from '../../engine/evidence/evidence-row-buffer.ts';
import { RowNames } from '../../engine/evidence/row-names.ts';
import type { EvidenceLog, SourceChange } from '../../service/ports.ts';
import type { Catalogue, Series, SourceEntry } from './catalogue.ts';
import { CHANGE, type Change, readChanges } from './change-log.ts';
import { compareKeys, keyText, type PrefixKey, prefixOfKey } from './prefix-key.ts';

/** Entries that must be read again (late runs touch them) beyond which reading everything is quicker. */
const TOUCHED_MAX = 50_000;

/** Packed logs of batches, oldest first, each with the number of its source. */
export type Journal = Iterable<readonly [source: number, log: Uint8Array]>;

/** One prefix, and the source that changed what it says of it. */
export type ChangedEntry = readonly [PrefixKey, SourceEntry];

/** (prefix, source) pairs that a journal names, distinct and in key order; undefined when there are more than `limit`. */
export function changedEntries(catalogue: Catalogue, journal: Journal, limit: number): readonly ChangedEntry[] | undefined {
  const entries = new Map<string, ChangedEntry>();
  for (const [id, log] of journal) {
    const source = catalogue.sources.get(id)!;
    readChanges(log, (_change, key) => {
      entries.set(`${id} ${keyText(key)}`, [key, source]);
      return entries.size <= limit;
    });
    if (entries.size > limit) return undefined;
  }
  return [...entries.values()].sort(([a], [b]) => compareKeys(a, b));
}

/**
 * What a journal says, as rows for `mergeEvidence`. Entries that were touched are read from the store as they stand now, and given to `finish`: their rows come
 * last, so that they replace whatever rows before them say.
 */
export class JournalRows {
  readonly #buffer = new EvidenceRowBuffer();
  readonly #catalogue: Catalogue;
  readonly #names: RowNames;
  readonly #touched = new Map<string, ChangedEntry>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#names = new RowNames(catalogue.liveSources());
  }

  /** Takes a journal in. @returns the entries that were touched; undefined when they are too many */
  read(journal: Journal): readonly ChangedEntry[] | undefined {
    const touched = this.#touched;
    for (const [id, log] of journal) {
      const source = this.#catalogue.sources.get(id)!;
      readChanges(log, (change, key, track, at, lastAt) => {
        if (change === CHANGE.touched) touched.set(`${id} ${keyText(key)}`, [key, source]);
        else this.#change(change, key, this.#catalogue.tracks.get(track)!, at, lastAt);
        return touched.size <= TOUCHED_MAX;
      });
      if (touched.size > TOUCHED_MAX) return undefined;
    }
    return [...touched.values()];
  }

  finish(touched: readonly SourceChange[]): Pick<EvidenceLog, 'names' | 'rows'> {
    for (const { prefix, source, rows } of touched) {
      const number = this.#names.source(source);
      if (number === undefined) continue;
      const { family, w0, w1, w2, w3, bits } = prefix;
      const next = (): number => this.#buffer.prefix(family, w0, w1, w2, w3, bits);
      this.#buffer.row(next(), ROW_OP.clear, number, 0, 0, 0, 0);
      for (const { riskType, pool, following, capturedAt, days } of rows) {
        const op = following ? ROW_OP.following : ROW_OP.fixed;
        this.#buffer.row(next(), op, number, RISK_TYPES.indexOf(riskType), this.#names.pool(pool), capturedAt, days);
      }
    }
    return { names: this.#names, rows: this.#buffer.columns() };
  }

  #change(change: Change, key: PrefixKey, track: Series, at: number, lastAt: number): void {
    if (change === CHANGE.captured) this.#row(key, track, ROW_OP.fixed, at, 1);
    else if (change === CHANGE.began) this.#row(key, track, ROW_OP.following, at, 0);
    else this.#row(key, track, ROW_OP.ended, lastAt, track.source.runs.daysBetween(unixMs(at), unixMs(lastAt)));
  }

  #row(key: PrefixKey, { source, riskType, pool }: Series, op: number, at: number, days: number): void {
    const number = this.#names.source(source.name);
    if (number !== undefined) this.#buffer.row(appendKey(this.#buffer, key), op, number, RISK_TYPES.indexOf(riskType), this.#names.pool(pool), at, days);
  }
}

/** Begins a row of this prefix. @returns its number */
export function appendKey(buffer: EvidenceRowBuffer, key: PrefixKey): number {
  if (typeof key === 'number') return buffer.prefix(4, Math.floor(key / 64), 0, 0, 0, key % 64);
  const { w0, w1, w2, w3, bits } = prefixOfKey(key);
  return buffer.prefix(6, w0, w1, w2, w3, bits);
}
