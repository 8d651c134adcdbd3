import type { Pool, PoolClient } from 'pg';
import type { DerivationRules } from '../../../core/collection/derive/derivation-rules.ts';
import type { Address } from '../../../core/ip/address.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { DerivationNote, SourceCaptures, SourceChange } from '../../../service/ports.ts';
import type { Catalogue, Series, SourceEntry } from '../catalogue.ts';
import { CHANGES_MAX, EVERYTHING, JOURNAL_MS } from '../change-log.ts';
import { namedPrefixes } from '../charge-window.ts';
import type { Derivation, DerivationPlan, DerivationState } from '../derive-batch.ts';
import { bytesOfLimit, type ChangedEntry, type Journal, type JournalLimits } from '../journal-rows.ts';
import type { JudgedBatch } from '../judge-batch.ts';
import { prefixOfKey } from '../prefix-key.ts';
import type { ReceivedBatch, WrittenBatch } from '../receive-captures.ts';
import type { RetractedTime } from '../retractions.ts';
import type { BegunBatch, DerivationRow, Sql, SqlValue, Transaction } from '../sql.ts';
import { derivationsOf, readDerivationState, writeDerivation } from './derivation-tables.ts';
import { byteaOf, hexOfNetwork, hexOfPrefix } from './prefix-hex.ts';
import { readChanged } from './read-prefixes.ts';
import { journal, TOUCHED } from './record-run.ts';
import { writeBatch } from './write-batch.ts';

/** The prefixes that look different since: of captures between $2 and $3 of the source $1, and where detail is gone, of a first or last one. $4 sequence. */
const NOTE_TOUCHED = `
with series as materialized (select id, presence from evidence_tracks where source = $1),
touched as materialized (
  select prefix from evidence_events where at >= $2 and at < $3 and track in (select id from series)
  union
  select prefix from evidence_memory where track in (select id from series) and (first_at >= $2 and first_at < $3 or last_at >= $2 and last_at < $3)
), logs as (select ${TOUCHED} as log from touched), noted as (${journal('logs', '$4')})
select (select count(*) from touched) as touched,
  (select count(*) from evidence_events where at >= $2 and at < $3 and track in (select id from series))
  + (select count(*) from evidence_spells where track in (select id from series where not presence) and first_at < $3 and (last_at is null or last_at >= $2)) as captures`;

/** Derived captures of the times $3 (prefixes $1, risk types $2) of the source $4 leave the events. $5 moment, $6 sequence. */
const WITHDRAW = `
with named as materialized (select * from unnest($1::bytea[], $2::integer[], $3::bigint[]) n(prefix, risk_type, at)),
old as materialized (
  select e.prefix, e.track, e.at from named n
  join lateral (select * from evidence_events e where e.prefix = n.prefix and e.at = n.at offset 0) e on true
  join evidence_tracks t on t.id = e.track and t.source = $4 and t.risk_type = n.risk_type
), noted_derivations as (
  update evidence_derivations d set retracted_at = $5 from named n where d.prefix = n.prefix and d.risk_type = n.risk_type and d.at = n.at
), gone as (
  delete from evidence_events e using old where e.prefix = old.prefix and e.track = old.track and e.at = old.at returning e.prefix, e.track, e.at
), kept as (
  insert into evidence_withdrawn (prefix, track, at, made_at) select prefix, track, at, $5 from gone
  on conflict (prefix, track, at) do update set made_at = excluded.made_at
), logs as (select ${TOUCHED} as log from gone), noted as (${journal('logs', '$6')})
select count(distinct (prefix, at)) as n from gone`;

/** Derived captures withdrawn at once. */
const PAGE_ROWS = 5000;

/** Statements over one connection, or over any of them. */
export class PostgresSql implements Sql {
  readonly #client: Pick<Pool | PoolClient, 'query'>;

  constructor(client: Pick<Pool | PoolClient, 'query'>) {
    this.#client = client;
  }

  async query<Row extends readonly unknown[]>(text: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
    const { rows } = await this.#client.query({ text, values: [...values], rowMode: 'array' });
    return rows as unknown as readonly Row[];
  }
}

export class PostgresTransaction extends PostgresSql implements Transaction {
  readonly client: PoolClient;
  readonly catalogue: Catalogue;

  constructor(client: PoolClient, catalogue: Catalogue) {
    super(client);
    this.client = client;
    this.catalogue = catalogue;
  }

  async writeRows(
    entry: SourceEntry,
    sequence: number,
    received: ReceivedBatch,
    judged: JudgedBatch,
    tracks: ReadonlyMap<number, Series>,
    revives: boolean,
  ): Promise<WrittenBatch> {
    const { runAt, acceptedAt } = received;
    const written = await writeBatch(this, { entry, sequence }, received, judged, tracks);
    const { newest } = entry.runs;
    // A run that is not newer than all others touches every entry it holds.
    const isLate = runAt !== undefined && newest !== undefined && runAt <= newest;
    const changes = revives ? EVERYTHING : written.added + written.ended + (isLate ? written.rows : 0);
    await this.#pruneJournal({ sequence, acceptedAt }, changes);
    return written;
  }

  /** Drops what followers no longer need, and the log of this very batch when it changed too much. */
  async #pruneJournal({ sequence, acceptedAt }: BegunBatch, changes: number): Promise<void> {
    await this.query(
      `with old as (
         update evidence_batches set logged = false where logged and (accepted_at < $1 and sequence < $2 or $3 and sequence = $2) returning sequence
       ) delete from evidence_changes c using old where c.sequence = old.sequence`,
      [acceptedAt - JOURNAL_MS, sequence, changes > CHANGES_MAX],
    );
  }

  readDerivationState(plan: DerivationPlan, rules: DerivationRules): Promise<DerivationState> {
    return readDerivationState(this.client, this.catalogue, plan, rules);
  }

  writeDerivation(derivation: Derivation): Promise<void> {
    return writeDerivation(this.client, derivation);
  }

  async countNew(captures: readonly SourceCaptures[], since: number): Promise<number> {
    let sum = 0;
    for (const one of captures) {
      const source = this.catalogue.named(one.source.id);
      const named = namedPrefixes(one);
      const tracks = source === undefined ? [] : this.catalogue.seriesOf(source, false).map(({ id }) => id);
      const { rows } = await this.client.query<{ n: number }>(
        `select n::integer from unnest($1::bytea[]) with ordinality p(prefix, n)
         where exists (select 1 from evidence_events e where e.prefix = p.prefix and e.track = any($2::integer[]) and e.at > $3)`,
        [tracks.length === 0 ? [] : named.map(([key]) => byteaOf(hexOfPrefix(prefixOfKey(key)))), tracks, since],
      );
      const known = new Set(rows.map(({ n }) => n));
      for (const [i, [, addresses]] of named.entries()) if (!known.has(i + 1)) sum += addresses;
    }
    return sum;
  }

  async noteRetracted({ id, runs }: SourceEntry, time: RetractedTime, sequence: number): Promise<number> {
    const { from, to, madeAt } = time;
    const [row] = await this.query<[touched: number, captures: number]>(NOTE_TOUCHED, [id, from, to, sequence]);
    // Rows of open presence intervals follow from the runs, all at once.
    await this.#pruneJournal({ sequence, acceptedAt: madeAt }, runs.length > 0 ? EVERYTHING : Number(row![0]));
    return Number(row![1]);
  }

  async withdraw(derived: SourceEntry, rows: readonly DerivationRow[], batch: BegunBatch): Promise<number> {
    let withdrawn = 0;
    for (let first = 0; first < rows.length; first += PAGE_ROWS) {
      const page = rows.slice(first, first + PAGE_ROWS);
      const columns = [page.map(({ prefix }) => prefix), page.map(({ type }) => type), page.map(({ at }) => at)];
      const values = [...columns, derived.id, batch.acceptedAt, batch.sequence];
      withdrawn += Number((await this.client.query(WITHDRAW, values)).rows[0].n);
    }
    await this.#pruneJournal(batch, withdrawn);
    return withdrawn;
  }

  async journalAfter(sequence: number, limits: JournalLimits): Promise<Journal | undefined> {
    const missing = await this.query('select 1 from evidence_batches where sequence > $1 and not logged limit 1', [
      sequence,
    ]);
    if (sequence > this.catalogue.head.sequence || missing.length > 0) return undefined;
    if (Number.isFinite(limits.rows)) {
      const [bytes] = await this.query<[number]>(
        'select coalesce(sum(length(log)), 0)::float8 from evidence_changes where sequence > $1',
        [sequence],
      );
      if (bytes![0] > bytesOfLimit(limits)) return undefined;
    }
    return this.query<[number, Buffer]>(
      'select b.source, c.log from evidence_changes c join evidence_batches b using (sequence) where c.sequence > $1 order by c.sequence',
      [sequence],
    );
  }

  readChanged(entries: readonly ChangedEntry[]): Promise<readonly SourceChange[]> {
    return readChanged(this.client, this.catalogue, entries);
  }

  derivationsAt(address: Address, at: UnixMs): Promise<readonly DerivationNote[]> {
    const lengths = this.catalogue.lengths[address.family];
    return derivationsOf(
      this.client,
      lengths.map((bits) => hexOfNetwork(address, bits)),
      at,
    );
  }
}
