import { RISK_TYPES } from '../../../contract/risk.ts';
import { unixMs } from '../../../core/units.ts';
import { ROW_OP } from '../../../engine/evidence/evidence-delta.ts';
import { RowNames } from '../../../engine/evidence/evidence-row.ts';
import { EvidenceRowBuffer } from '../../../engine/evidence/evidence-row-buffer.ts';
import type { EvidenceRows, SourceChange } from '../../../service/ports.ts';
import { compareKeys, keyText, type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import type { Catalogue, Series, SourceEntry } from '../read/catalogue.ts';
import { CHANGE, type Change, type ChangeLog, JOURNAL_MS, readChanges } from '../read/change-log.ts';
import { type OpenBatch, type Steps, type Transaction, wait } from '../sql.ts';

export function* writeJournal(tx: Transaction, { sequence, acceptedAt }: OpenBatch, changes: ChangeLog): Steps<void> {
  yield* wait(tx.query('delete from evidence_journal where accepted_at < $1', [acceptedAt - JOURNAL_MS]));
  yield* wait(
    tx.query('insert into evidence_journal (sequence, accepted_at, log) values ($1, $2, $3)', [
      sequence,
      acceptedAt,
      changes.pack(),
    ]),
  );
}

/**
 * Returns the logs of later batches. Undefined when the journal does not reach back, or certainly holds more
 * than the limits allow.
 */
export function* journalAfter(tx: Transaction, sequence: number, limits: JournalLimits): Steps<Journal | undefined> {
  if (sequence > tx.catalogue.head.sequence) return undefined;
  const [row] = yield* wait(
    tx.query<[missing: number, bytes: number | null]>(
      `select count(case when j.log is null then 1 end), cast(sum(length(j.log)) as float)
       from evidence_batches b left join evidence_journal j using (sequence) where b.sequence > $1`,
      [sequence],
    ),
  );
  const [missing, bytes] = row!;
  if (missing > 0 || (bytes ?? 0) > bytesOfLimit(limits)) return undefined;
  return yield* wait(
    tx.query<[number, Uint8Array]>(
      'select b.source, j.log from evidence_journal j join evidence_batches b using (sequence) where sequence > $1 order by sequence',
      [sequence],
    ),
  );
}

export interface JournalLimits {
  readonly rows: number;
  /** Late runs or retractions touched so many entries at most, which must be read again. */
  readonly touched: number;
}

/**
 * Limits for merging, which runs off the threads that answer. With more entries, reading everything is
 * quicker.
 */
export const MERGE_LIMITS: JournalLimits = { rows: Number.POSITIVE_INFINITY, touched: 50_000 };

/**
 * Reading one entry again takes the asking thread about 15 µs; a row from the journal takes a fraction of
 * one.
 */
const TOUCHED_MAX = 20_000;

export const deltaLimits = (rows: number): JournalLimits => ({ rows, touched: Math.min(rows, TOUCHED_MAX) });

const CHANGE_MAX_BYTES = 34;

/** Larger logs must hold more changes than the limit. */
const bytesOfLimit = ({ rows }: JournalLimits): number => rows * CHANGE_MAX_BYTES;

type Journal = readonly (readonly [source: number, log: Uint8Array])[];

export type ChangedEntry = readonly [PrefixKey, SourceEntry];

/**
 * Turns a journal into rows for `mergeEvidence` and for deltas, without asking the store except for touched
 * entries. Pass the present rows of those to `finish`: they come last, so that they replace earlier rows.
 */
export class JournalRows {
  readonly #buffer = new EvidenceRowBuffer(64);
  readonly #catalogue: Catalogue;
  readonly #names: RowNames;
  readonly #touched = new Map<string, ChangedEntry>();
  /**
   * Key and series of the newest row if it is a capture. A batch often brings many captures of one address in
   * a row, which are united.
   */
  #newest: { readonly key: PrefixKey; readonly track: Series } | undefined;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#names = new RowNames(catalogue.liveSources());
  }

  /**
   * Adds the rows of a journal. @returns the touched entries in key order; undefined when there is more than
   * the limits allow
   */
  read(journal: Journal, limits: JournalLimits): readonly ChangedEntry[] | undefined {
    const touched = this.#touched;
    const isWithin = (): boolean => touched.size <= limits.touched && this.#buffer.length + touched.size <= limits.rows;
    for (const [id, log] of journal) {
      const source = this.#catalogue.sources.get(id)!;
      readChanges(log, (change, key, track, at, lastAt) => {
        if (change === CHANGE.touched) touched.set(`${id} ${keyText(key)}`, [key, source]);
        else this.#change(change, key, this.#catalogue.tracks.get(track)!, at, lastAt);
        return isWithin();
      });
      if (!isWithin()) return undefined;
    }
    return [...touched.values()].sort(([a], [b]) => compareKeys(a, b));
  }

  finish(touched: readonly SourceChange[]): EvidenceRows {
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
    if (change === CHANGE.captured) {
      this.#captured(key, track, at);
      return;
    }
    this.#newest = undefined;
    if (change === CHANGE.began) this.#row(key, track, ROW_OP.following, at, 0);
    else
      this.#row(
        key,
        track,
        ROW_OP.ended,
        lastAt,
        this.#catalogue.countingRuns(track.source, Number.MAX_SAFE_INTEGER).daysBetween(unixMs(at), unixMs(lastAt)),
      );
  }

  #captured(key: PrefixKey, track: Series, at: number): void {
    const before = this.#buffer.length;
    if (this.#newest?.track === track && compareKeys(this.#newest.key, key) === 0) {
      this.#buffer.unite(before - 1, at, 1);
      return;
    }
    this.#row(key, track, ROW_OP.fixed, at, 1);
    this.#newest = this.#buffer.length > before ? { key, track } : undefined;
  }

  #row(key: PrefixKey, { source, riskType, pool }: Series, op: number, at: number, days: number): void {
    const number = this.#names.source(source.name);
    if (number !== undefined)
      this.#buffer.row(
        appendKey(this.#buffer, key),
        op,
        number,
        RISK_TYPES.indexOf(riskType),
        this.#names.pool(pool),
        at,
        days,
      );
  }
}

export function appendKey(buffer: EvidenceRowBuffer, key: PrefixKey): number {
  if (typeof key === 'number') return buffer.prefix(4, Math.floor(key / 64), 0, 0, 0, key % 64);
  const { w0, w1, w2, w3, bits } = prefixOfKey(key);
  return buffer.prefix(6, w0, w1, w2, w3, bits);
}
