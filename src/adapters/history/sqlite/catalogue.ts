import { RISK_TYPES } from '../../../contract/risk.ts';
import type { EvidenceSource, SourceMode } from '../../../core/evidence/observation.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { continues, type EvidencePosition, NOWHERE } from '../../../engine/evidence/evidence-delta.ts';
import type { EvidenceHead } from '../../../service/ports.ts';
import { Catalogue, type Series, type SourceEntry } from '../catalogue.ts';
import type { SeriesKind } from '../judge-batch.ts';
import { numbers, type Statements } from './statements.ts';

type SourceRow = [id: number, name: string, family: string, mode: SourceMode, sharedBy: 'tor' | 'relay' | null];

/**
 * The catalogue of one connection. `refresh` brings it up to what the current transaction sees; inside a write transaction the writer keeps it up to date
 * itself, and a roll-back drops it.
 */
export class SqliteCatalogue extends Catalogue {
  readonly #statements: Statements;
  #version = -1;
  #runsUntil = -1;

  constructor(statements: Statements) {
    super();
    this.#statements = statements;
  }

  /** Call inside a transaction. Cheap when no other connection has written since. */
  refresh(): void {
    const version = numbers(this.#statements.get('pragma data_version').get())[0]!;
    if (version === this.#version) return;
    this.#load();
    this.#version = version;
  }

  /** Forget everything: after a roll-back what was added in memory is not in the tables. */
  reset(): void {
    this.sources.clear();
    this.tracks.clear();
    this.retractions.clear();
    this.#version = -1;
    this.#runsUntil = -1;
  }

  /** Where the store stood at a batch; undefined where it has none of this number. Call inside a transaction, after `refresh`. */
  positionAt(sequence: number): EvidencePosition | undefined {
    const { store } = this.head;
    if (sequence === 0) return { ...NOWHERE, store };
    const row = this.#statements.get('select mark from batches where sequence = ?').get(sequence) as unknown as
      | [string]
      | undefined;
    return row && { store, sequence, mark: row[0] };
  }

  /** Notes the batch that this connection has just written. Inside the write transaction. */
  noteBatch(): void {
    this.head = this.#newest();
  }

  #newest(): EvidenceHead {
    const [store] = this.#statements.get('select store from identity').get() as unknown as [string];
    const newest = this.#statements.get('select sequence, mark from batches order by sequence desc limit 1').get();
    const [sequence, mark] = (newest as unknown as [number, string] | undefined) ?? [0, ''];
    const [latest] = this.#statements.get('select max(last_run_at) from sources').get() as unknown as [number | null];
    return { store, sequence, mark, ...(latest === null ? {} : { latestAt: unixMs(latest) }) };
  }

  #load(): void {
    const before = this.head;
    this.head = this.#newest();
    // Another state was restored into the file: what is in memory is not of this one.
    if (!continues(before, this.positionAt(before.sequence))) this.reset();
    const of = <Row>(sql: string, ...values: number[]): Row[] =>
      this.#statements.get(sql).all(...values) as unknown as Row[];
    for (const [id, name, family, mode, sharedBy] of of<SourceRow>(
      'select id, name, family, mode, shared_by from sources',
    ))
      this.putSource({ id, name, family, mode, sharedBy: sharedBy ?? undefined });
    for (const [id, source, type, pool, presence] of of<[number, number, number, string, number]>(
      'select id, source, risk_type, pool, presence from tracks',
    ))
      this.putSeries({ id, source, riskType: RISK_TYPES[type]!, pool, presence: presence === 1 });
    for (const [source, at] of of<[number, UnixMs]>('select source, at from runs where sequence > ?', this.#runsUntil))
      this.sources.get(source)!.runs.add(at);
    this.retractions.clear();
    for (const [source, from, to, madeAt] of of<[number, UnixMs, UnixMs, UnixMs]>(
      'select source, from_at, to_at, made_at from retractions order by id',
    ))
      this.retractions.add(source, { from, to, madeAt });
    const lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };
    for (const [family, bits] of of<[4 | 6, number]>('select family, bits from lengths order by family, bits'))
      lengths[family].push(bits);
    this.lengths = lengths;
    this.#runsUntil = this.head.sequence;
  }

  /** The source's row, made or brought up to date. Single captures sent in under a listing's name do not redefine it. Inside a write transaction. */
  sourceOf(source: EvidenceSource): SourceEntry {
    const values = [source.family, source.mode, source.riskType ?? null, source.sharedBy ?? null] as const;
    this.#statements
      .get(
        `insert into sources (name, family, mode, risk_type, shared_by) values (?, ?, ?, ?, ?)
         on conflict (name) do update set family = excluded.family, mode = excluded.mode, risk_type = excluded.risk_type, shared_by = excluded.shared_by
         where mode = 'events' or excluded.mode <> 'events'`,
      )
      .run(source.id, ...values);
    const row = this.#statements
      .get('select id, name, family, mode, shared_by from sources where name = ?')
      .get(source.id);
    const [id, name, family, mode, sharedBy] = row as unknown as SourceRow;
    return this.putSource({ id, name, family, mode, sharedBy: sharedBy ?? undefined });
  }

  /** The series's row, made when it is new. Inside a write transaction. */
  seriesFor(source: SourceEntry, { type, pool, presence }: SeriesKind): Series {
    const key = [source.id, type, pool, presence ? 1 : 0] as const;
    this.#statements
      .get('insert or ignore into tracks (source, risk_type, pool, presence) values (?, ?, ?, ?)')
      .run(...key);
    const id = numbers(
      this.#statements
        .get('select id from tracks where source = ? and risk_type = ? and pool = ? and presence = ?')
        .get(...key),
    )[0]!;
    return this.putSeries({ id, source: source.id, riskType: RISK_TYPES[type]!, pool, presence });
  }

  addLengths(used: Readonly<Record<4 | 6, ReadonlySet<number>>>): void {
    for (const family of [4, 6] as const) {
      for (const bits of used[family]) {
        if (this.lengths[family].includes(bits)) continue;
        this.#statements.get('insert or ignore into lengths (family, bits) values (?, ?)').run(family, bits);
        this.lengths = { ...this.lengths, [family]: [...this.lengths[family], bits].sort((a, b) => a - b) };
      }
    }
  }
}
