import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { CaptureBatch, EvidenceSource, Observation } from '../../../core/evidence/capture.ts';
import { foldObservations } from '../../../core/evidence/fold.ts';
import { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import type { Address } from '../../../core/ip/address.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { type EvidencePosition, positionOf } from '../../../engine/evidence/evidence-delta.ts';
import {
  type CondenseOutcome,
  type EvidenceChanges,
  type EvidenceHead,
  type EvidenceScan,
  HISTORY_DAYS,
  type HistoryStore,
  type LiveRow,
  type RunOutcome,
  type SourceHealth,
} from '../../../service/ports.ts';
import { BULK_WORK, type Patience, setPatience } from '../../database/answer-deadline.ts';
import { openPool } from '../../database/open-pool.ts';
import { acceptTime, hashBatch, Refusals } from '../accept-captures.ts';
import { Catalogue, HEALTH, type HealthRow, healthOf, positionAt, readHead, upsertSource } from './catalogue.ts';
import { Condenser } from './condense.ts';
import { byteaOf, hexOfNetwork } from './prefix-hex.ts';
import { type EvidenceRecord, HEAD, observationsOf, RECORDS_AT, RECORDS_AT_EACH } from './read-prefixes.ts';
import { INSERT_APPEARED, INSERT_EVENTS, JOURNAL_TOUCHED, recordSpells } from './record-run.ts';
import { changesAfter, scanRows } from './scan.ts';
import { migrateEvidence, WRITERS_LOCK } from './schema.ts';
import { STAGE, stageBatch } from './write-batch.ts';

/** How long the journal of changed prefixes is kept: a follower that was away longer reads everything anew. */
const JOURNAL_MS = HOUR_MS;
/** A batch of more rows is not journalled: followers read everything anew. */
const JOURNAL_ROWS = 1_000_000;
const PAUSE_MS = 5;

/** Times of the oldest and newest capture a batch brought. */
interface Written {
  readonly rows: number;
  readonly added: number;
  readonly ended: number;
  readonly oldest: number | null;
  readonly newest: number | null;
}

interface Accepting {
  readonly kind: 'run' | 'captures';
  readonly source: EvidenceSource;
  /** As the source says; part of what makes two batches the same. */
  readonly at: UnixMs;
  readonly batch: CaptureBatch;
  readonly acceptedAt: UnixMs;
  readonly refusals: Refusals;
}

/**
 * HistoryStore over PostgreSQL, for several nodes at once. Writers take turns under one advisory lock, so batch numbers are gapless and become visible in
 * their order; readers never wait for them. Nothing is asked of the database before the first call, and a database that was away is simply asked again.
 */
export class PostgresHistory implements HistoryStore {
  readonly #pool: Pool;
  #ready: Promise<void> | undefined;
  #catalogue = new Catalogue();
  #closed = false;
  readonly #work: Patience;

  /**
   * @param options.connections at most this many at a time
   * @param options.work how long transactions may take: all but the questions of one statement, which a caller waits for
   * @param options.onLost heard when a connection without a question breaks: a server that goes down says so at once
   */
  constructor(url: string, options: { readonly connections?: number; readonly work?: Patience; readonly onLost?: () => void } = {}) {
    const { connections = 4, work = BULK_WORK, onLost } = options;
    this.#work = work;
    // Look-ups take a millisecond: compiling one costs a hundred, and planning one anew over sixteen partitions several.
    this.#pool = openPool(url, { max: connections, settings: 'set jit = off; set plan_cache_mode = force_generic_plan' });
    if (onLost !== undefined) this.#pool.on('error', onLost);
  }

  async recordRun(source: EvidenceSource, runAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): Promise<RunOutcome> {
    if (source.mode === 'events') return this.recordCaptures(source, runAt, batch, acceptedAt);
    const at = acceptTime(runAt, acceptedAt);
    const refusals = new Refusals();
    if (at === undefined) {
      refusals.add('ahead_of_clock', batch.length);
      return unchanged((await this.head()).sequence, refusals);
    }
    return this.#accept({ kind: 'run', source, at: runAt, batch, acceptedAt, refusals }, at);
  }

  recordCaptures(source: EvidenceSource, defaultAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): Promise<RunOutcome> {
    return this.#accept({ kind: 'captures', source, at: defaultAt, batch, acceptedAt, refusals: new Refusals() }, undefined);
  }

  async observationsAt(address: Address, at: UnixMs): Promise<readonly Observation[]> {
    return (await this.#observationsAt(address, RECORDS_AT, at, [at]))[0]!;
  }

  async observationsAtEach(address: Address, instants: readonly UnixMs[]): Promise<readonly (readonly Observation[])[]> {
    return this.#observationsAt(address, RECORDS_AT_EACH, instants, instants);
  }

  /** @param times the statement's own parameter: one instant, or all of them */
  async #observationsAt(
    address: Address,
    statement: typeof RECORDS_AT,
    times: UnixMs | readonly UnixMs[],
    instants: readonly UnixMs[],
  ): Promise<readonly (readonly Observation[])[]> {
    await this.#open();
    const ask = async (client: Pool | PoolClient, catalogue: Catalogue): Promise<readonly (readonly Observation[])[] | undefined> => {
      const keys = catalogue.lengths[address.family].map((bits) => byteaOf(hexOfNetwork(address, bits)));
      const { rows } = await client.query({ ...statement, values: [keys, times], rowMode: 'array' });
      const records = rows as unknown as EvidenceRecord[];
      if (!isOf(catalogue, records.find(([kind]) => kind === HEAD)!)) return undefined;
      const found = records.filter(([kind]) => kind !== HEAD).sort((a, b) => a[3] - b[3]);
      return instants.map((at) => foldObservations(observationsOf(found, catalogue, at)));
    };
    // Usually nothing was accepted since the last look, and one statement does. Otherwise the small tables and the records are read of one state.
    return (await ask(this.#pool, this.#catalogue)) ?? (await this.#read(async (client, catalogue) => (await ask(client, catalogue))!));
  }

  async earliest(): Promise<UnixMs | undefined> {
    await this.#open();
    const { rows } = await this.#pool.query(`select max(value) as value from evidence_facts where name in ('earliest', 'answerable')`);
    return typeof rows[0]?.value === 'number' ? unixMs(rows[0].value) : undefined;
  }

  async head(): Promise<EvidenceHead> {
    await this.#open();
    return readHead(this.#pool);
  }

  async changesSince(sequence: number, limit: number): Promise<EvidenceChanges> {
    const head = await this.head();
    const known = this.#catalogue;
    if (head.sequence === sequence && isSame(known.position, head)) return { head, since: positionOf(head), sources: known.liveSources(), changed: [] };
    return this.#read(async (client, catalogue) => {
      const state = { head: headOf(catalogue), since: await positionAt(client, sequence), sources: catalogue.liveSources() };
      if (state.head.sequence === sequence) return { ...state, changed: [] };
      return { ...state, changed: (await changesAfter(client, catalogue, sequence, limit)) ?? 'all' };
    });
  }

  async scan(): Promise<EvidenceScan> {
    const { client, catalogue, end } = await this.#begin();
    async function* rows(): AsyncGenerator<LiveRow> {
      try {
        yield* scanRows(client, catalogue);
      } finally {
        await end();
      }
    }
    return { head: headOf(catalogue), sources: catalogue.liveSources(), rows: rows() };
  }

  async sources(): Promise<readonly SourceHealth[]> {
    await this.#open();
    return (await this.#pool.query<HealthRow>(HEALTH)).rows.map(healthOf);
  }

  async recordFailure(source: EvidenceSource, at: UnixMs): Promise<void> {
    await this.#write(async (client) => {
      const id = await upsertSource(client, source);
      await client.query('update evidence_sources set last_error_at = $1 where id = $2', [at, id]);
    });
  }

  /** In short transactions with pauses between them, so that other writers get their turn. @param sliceRows rows a transaction */
  async condense(now: UnixMs, historyDays = HISTORY_DAYS, sliceRows?: number): Promise<CondenseOutcome> {
    const condenser = await this.#read((client, catalogue) => Condenser.open(client, catalogue, now, historyDays, sliceRows));
    let [spells, events] = [0, 0];
    while (!this.#closed) {
      const slice = await this.#write((client, catalogue) => condenser.slice(client, catalogue));
      spells += slice.spells;
      events += slice.events;
      if (slice.done) break;
      await setTimeout(PAUSE_MS);
    }
    return { spells, events };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }

  /** Makes the tables on first use. A failure is not remembered: the next call tries again. */
  #open(): Promise<void> {
    this.#ready ??= this.#withClient((client) => migrateEvidence(client)).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    setPatience(client, this.#work);
    let broken = true;
    try {
      const outcome = await work(client);
      broken = false;
      return outcome;
    } finally {
      // A connection on which something failed may be in any state: it is not used again.
      client.release(broken);
    }
  }

  /** Opens a transaction that sees one state, with the catalogue of that state, which becomes the one that reads share. */
  async #begin(): Promise<{ readonly client: PoolClient; readonly catalogue: Catalogue; readonly end: () => Promise<void> }> {
    await this.#open();
    const client = await this.#pool.connect();
    setPatience(client, this.#work);
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      const closed = await client.query('rollback').catch((error: Error) => error);
      client.release(closed instanceof Error);
    };
    try {
      await client.query('begin isolation level repeatable read; set local statement_timeout = 0');
      const catalogue = await Catalogue.load(client, this.#catalogue);
      if (!isSame(this.#catalogue.position, catalogue.position!)) this.#catalogue = catalogue;
      return { client, catalogue, end };
    } catch (error) {
      await end();
      throw error;
    }
  }

  async #read<T>(work: (client: PoolClient, catalogue: Catalogue) => Promise<T>): Promise<T> {
    const { client, catalogue, end } = await this.#begin();
    try {
      return await work(client, catalogue);
    } finally {
      await end();
    }
  }

  /** One transaction under the writers' lock. A writer that falls silent in the middle is cut off after a minute, so that its lock does not outlive it. */
  async #write<T>(work: (client: PoolClient, catalogue: Catalogue) => Promise<T>): Promise<T> {
    await this.#open();
    return this.#withClient(async (client) => {
      for (const sql of STAGE) await client.query(sql);
      await client.query(`begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '60s'; set local work_mem = '64MB'`);
      try {
        await client.query('select pg_advisory_xact_lock($1)', [WRITERS_LOCK]);
        const outcome = await work(client, await Catalogue.load(client, this.#catalogue));
        await client.query('commit');
        return outcome;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    });
  }

  /** @param runAt time of the run; undefined: captures with times of their own */
  #accept(what: Accepting, runAt: UnixMs | undefined): Promise<RunOutcome> {
    const hash = hashBatch(what.source, what.batch);
    return this.#write(async (client, before) => {
      const id = await upsertSource(client, what.source);
      const sequence = before.position!.sequence + 1;
      const journalled = what.batch.length <= JOURNAL_ROWS;
      const { rowCount } = await client.query(
        `insert into evidence_batches (sequence, source, kind, at, hash, accepted_at, rows, journalled) values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (source, kind, at, hash) do nothing`,
        [sequence, id, what.kind, what.at, hash, what.acceptedAt, what.batch.length, journalled],
      );
      if (rowCount === 0) return unchanged(sequence - 1, what.refusals);
      const written = await this.#store(client, before, { what, id, sequence, journalled, runAt });
      await finish(client, id, sequence, what.acceptedAt, written);
      return { sequence, rows: written.rows, added: written.added, ended: written.ended, changed: true, refused: what.refusals.counts };
    });
  }

  async #store(
    client: PoolClient,
    before: Catalogue,
    batch: { readonly what: Accepting; readonly id: number; readonly sequence: number; readonly journalled: boolean; readonly runAt: UnixMs | undefined },
  ): Promise<Written> {
    const { what, id, sequence, journalled, runAt } = batch;
    const rows = await stageBatch(client, { ...what, sourceId: id, defaultAt: runAt === undefined ? what.at : undefined });
    const events = (await client.query(INSERT_EVENTS, [sequence, journalled])).rows[0];
    if (runAt === undefined) return { rows, added: Number(events.n), ended: 0, oldest: events.oldest, newest: events.newest };
    const appearance = what.source.mode === 'appearance';
    // The tracks of this very run may be new: they are asked for, not taken from the catalogue.
    const tracks = await client.query<{ id: number }>('select id from evidence_tracks where source = $1 and presence = $2', [id, appearance]);
    const runs = before.sources.get(id)?.runs ?? new RunCalendar();
    const spells = await recordSpells(
      client,
      runs,
      tracks.rows.map((track) => track.id),
      runAt,
    );
    await client.query('insert into evidence_runs (source, at, sequence) values ($1, $2, $3) on conflict do nothing', [id, runAt, sequence]);
    if (!appearance) {
      if (journalled) await client.query(JOURNAL_TOUCHED, [sequence]);
      return { rows, added: spells.added, ended: spells.ended, oldest: runAt, newest: runAt };
    }
    const appeared = (await client.query(INSERT_APPEARED, [sequence, journalled, runAt])).rows[0];
    const times = [runAt, events.oldest, events.newest].filter((time): time is number => time !== null);
    return { rows, added: Number(events.n) + Number(appeared.n), ended: spells.ended, oldest: Math.min(...times), newest: Math.max(...times) };
  }
}

const headOf = ({ position, latestAt }: Catalogue): EvidenceHead => ({ ...position!, ...(latestAt === undefined ? {} : { latestAt }) });

const isSame = (a: EvidencePosition | undefined, b: EvidencePosition): boolean => a?.store === b.store && a.sequence === b.sequence && a.mark === b.mark;

/** Whether records are of the state that a catalogue was loaded from. Marks are random, so equal ones are of one batch of one store. */
const isOf = ({ position }: Catalogue, [, mark, , sequence]: EvidenceRecord): boolean => position?.sequence === sequence && position.mark === (mark ?? '');

const unchanged = (sequence: number, refusals: Refusals): RunOutcome => ({ sequence, rows: 0, added: 0, ended: 0, changed: false, refused: refusals.counts });

async function finish(client: PoolClient, source: number, sequence: number, acceptedAt: UnixMs, written: Written): Promise<void> {
  await client.query(
    `with old as (update evidence_batches set journalled = false where journalled and accepted_at < $1 and sequence < $2 returning sequence)
     delete from evidence_journal j using old where j.sequence = old.sequence`,
    [acceptedAt - JOURNAL_MS, sequence],
  );
  if (written.oldest === null || written.newest === null) return;
  await client.query('update evidence_sources set last_run_at = greatest(coalesce(last_run_at, 0), $1), rows = $2 where id = $3', [
    written.newest,
    written.rows,
    source,
  ]);
  await client.query(
    `insert into evidence_facts (name, value) values ('earliest', $1) on conflict (name) do update set value = least(evidence_facts.value, excluded.value)`,
    [written.oldest],
  );
}
