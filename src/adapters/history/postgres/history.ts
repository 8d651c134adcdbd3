import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { foldObservations } from '../../../core/evidence/fold-observations.ts';
import type { CaptureBatch, EvidenceSource, Observation } from '../../../core/evidence/observation.ts';
import { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import type { Address } from '../../../core/ip/address.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { type EvidencePosition, positionOf } from '../../../engine/evidence/evidence-delta.ts';
import { RowNames } from '../../../engine/evidence/row-names.ts';
import {
  type Budget,
  type CompactionOutcome,
  DELIVERY_KEPT_MS,
  type Delivery,
  type DeliveryOutcome,
  type DeliveryTerms,
  type DerivationNote,
  type EvidenceChanges,
  type EvidenceHead,
  type EvidenceLog,
  type EvidenceRows,
  type EvidenceScan,
  HISTORY_DAYS,
  type HistoryStore,
  type LeftOut,
  type Retraction,
  type RetractionOutcome,
  type RunOutcome,
  type SentDelivery,
  type SourceCaptures,
  type SourceHealth,
  type SourcesNote,
  type SourceTrust,
  type TrustChange,
} from '../../../service/ports.ts';
import { BULK_WORK, type Patience, setPatience } from '../../database/keep-deadline.ts';
import { openPool } from '../../database/open-pool.ts';
import { Catalogue } from '../catalogue.ts';
import { CHANGES_MAX, EVERYTHING, JOURNAL_MS } from '../change-log.ts';
import { type BudgetWindow, COUNTED_AGAIN_MS, chargeWindow, linesOf, namedPrefixes } from '../charge-window.ts';
import {
  type DeriveBy,
  deriveBatch,
  planDerivation,
  receiveDerived,
  WITHOUT_FACTS,
  withListedKinds,
} from '../derive-batch.ts';
import {
  bytesOfLimit,
  deltaLimits,
  type Journal,
  type JournalLimits,
  JournalRows,
  MERGE_LIMITS,
} from '../journal-rows.ts';
import { type JudgedBatch, judgeBatch, refusedStranger } from '../judge-batch.ts';
import { type LeftOutRow, leftOutOf, noteText, rowsOfNote } from '../left-out.ts';
import { prefixOfKey } from '../prefix-key.ts';
import { namesTooMany, type PreparedDelivery, prepareDelivery } from '../prepare-delivery.ts';
import {
  acceptedOutcome,
  hashBatch,
  type ReceivedBatch,
  Refusals,
  receiveCaptures,
  receiveRun,
  refusedOutcome,
  unchangedOutcome,
  type WrittenBatch,
} from '../receive-captures.ts';
import { NOTHING_RETRACTED } from '../retractions.ts';
import { type HealthRow, healthOf } from '../source-health.ts';
import { catalogueAfterBatch, loadCatalogue, positionAt, readHead, upsertSource } from './catalogue.ts';
import { Compactor } from './compactor.ts';
import { derivationsOf, readDerivationState, writeDerivation } from './derivation-tables.ts';
import { byteaOf, hexOfNetwork, hexOfPrefix } from './prefix-hex.ts';
import {
  type EvidenceRecord,
  HEAD,
  observationsOf,
  RECORDS_AT,
  RECORDS_AT_EACH,
  readChanged,
} from './read-prefixes.ts';
import { putTrust, retractCaptures } from './retract.ts';
import { scanTables } from './scan.ts';
import { migrateEvidence, WRITERS_LOCK } from './schema.ts';
import { writeBatch } from './write-batch.ts';

const PAUSE_MS = 5;

interface PostgresHistoryOptions {
  readonly connections?: number;
  readonly work?: Patience;
  readonly onLost?: () => void;
  readonly deriveBy?: DeriveBy;
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
  readonly #deriveBy: DeriveBy;

  /**
   * @param options.connections at most this many at a time
   * @param options.work how long transactions may take: all but the questions of one statement, which a caller waits for
   * @param options.deriveBy what captures are derived by when others are accepted
   * @param options.onLost heard when a connection without a question breaks: a server that goes down says so at once
   */
  constructor(url: string, options: PostgresHistoryOptions = {}) {
    const { connections = 4, work = BULK_WORK, onLost, deriveBy = WITHOUT_FACTS } = options;
    this.#work = work;
    this.#deriveBy = deriveBy;
    // Look-ups take a millisecond: compiling one costs a hundred, and planning one again over sixteen partitions several.
    this.#pool = openPool(url, {
      max: connections,
      settings: 'set jit = off; set plan_cache_mode = force_generic_plan',
    });
    if (onLost !== undefined) this.#pool.on('error', onLost);
  }

  async recordRun(source: EvidenceSource, runAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): Promise<RunOutcome> {
    const received = receiveRun(source, runAt, batch, acceptedAt);
    if (received === undefined) return refusedOutcome((await this.head()).sequence, batch.length, 'ahead_of_clock');
    const hash = hashBatch(received);
    return this.#write(async (client, catalogue) => {
      const { sequence } = catalogue.head;
      if (await isUntrusted(client, [source.id])) return refusedOutcome(sequence, batch.length, 'untrusted');
      if (catalogue.isRetractedRun(source.id, received.runAt))
        return refusedOutcome(sequence, batch.length, 'retracted');
      return this.#take(client, catalogue, sequence, received, hash);
    });
  }

  recordCaptures(
    source: EvidenceSource,
    defaultAt: UnixMs,
    batch: CaptureBatch,
    acceptedAt: UnixMs,
  ): Promise<RunOutcome> {
    const received = receiveCaptures(source, defaultAt, batch, acceptedAt);
    const hash = hashBatch(received);
    return this.#write((client, catalogue) => this.#take(client, catalogue, catalogue.head.sequence, received, hash));
  }

  async recordDelivery(
    captures: readonly SourceCaptures[],
    acceptedAt: UnixMs,
    terms: DeliveryTerms = {},
  ): Promise<DeliveryOutcome> {
    return (await this.recordDeliveries([{ captures, ...terms }], acceptedAt))[0]!;
  }

  recordDeliveries(deliveries: readonly SentDelivery[], acceptedAt: UnixMs): Promise<readonly DeliveryOutcome[]> {
    const prepared = deliveries.map((sent) => prepareDelivery(sent, acceptedAt));
    return this.#write(async (client, catalogue) => {
      const outcomes: DeliveryOutcome[] = [];
      let before = catalogue;
      for (const [i, one] of prepared.entries()) {
        // What an earlier delivery brought counts for this one, also a source or a series that is new with it.
        if (i > 0) before = await catalogueAfterBatch(client, before);
        outcomes.push(await this.#takeDelivery(client, before, one, acceptedAt));
      }
      return outcomes;
    });
  }

  async #takeDelivery(
    client: PoolClient,
    catalogue: Catalogue,
    { sent, batches }: PreparedDelivery,
    acceptedAt: UnixMs,
  ): Promise<DeliveryOutcome> {
    const { captures, delivery, sourcesMax } = sent;
    const before = delivery && (await deliveredBefore(client, delivery));
    if (before !== undefined) return before;
    const names = captures.map(({ source }) => source.id);
    if (await isUntrusted(client, names)) return { status: 'untrusted' };
    const budgets = Map.groupBy(sent.budgets ?? [], ({ of }) => of);
    for (const unit of ['lines', 'addresses'] as const) {
      const charged = budgets.get(unit);
      if (charged === undefined) continue;
      const more = unit === 'lines' ? linesOf(sent) : await newAddresses(client, catalogue, captures, acceptedAt);
      const until = await chargeBudgets(client, charged, more, acceptedAt);
      if (until !== undefined) return { status: 'over_budget', of: unit, until };
    }
    const tooMany = namesTooMany(captures, catalogue, sourcesMax);
    if (tooMany > 0 && (await emptied(client)) < tooMany) return { status: 'no_room' };
    const outcomes: RunOutcome[] = [];
    let { sequence } = catalogue.head;
    for (const { received, hash } of batches) {
      const outcome = await this.#take(client, catalogue, sequence, received, hash);
      outcomes.push(outcome);
      sequence = outcome.sequence;
    }
    if (delivery !== undefined) await noteDelivery(client, delivery, delivery.answer(outcomes), acceptedAt);
    return { status: 'taken', outcomes };
  }

  async observationsAt(address: Address, at: UnixMs): Promise<readonly Observation[]> {
    return (await this.#observationsAt(address, RECORDS_AT, at, [at]))[0]!;
  }

  async observationsAtEach(
    address: Address,
    instants: readonly UnixMs[],
  ): Promise<readonly (readonly Observation[])[]> {
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
    const ask = async (
      client: Pool | PoolClient,
      catalogue: Catalogue,
    ): Promise<readonly (readonly Observation[])[] | undefined> => {
      const keys = catalogue.lengths[address.family].map((bits) => byteaOf(hexOfNetwork(address, bits)));
      const { rows } = await client.query({ ...statement, values: [keys, times], rowMode: 'array' });
      const records = rows as unknown as EvidenceRecord[];
      if (!isOf(catalogue, records.find(([kind]) => kind === HEAD)!)) return undefined;
      const found = records.filter(([kind]) => kind !== HEAD).sort((a, b) => a[3] - b[3]);
      return instants.map((at) => foldObservations(observationsOf(found, catalogue, at)));
    };
    // Usually nothing was accepted since the last look, and one statement does. Otherwise the small tables and the records are read of one state.
    return (
      (await ask(this.#pool, this.#catalogue)) ??
      (await this.#read(async (client, catalogue) => (await ask(client, catalogue))!))
    );
  }

  derivationsAt(address: Address, at: UnixMs): Promise<readonly DerivationNote[]> {
    return this.#read((client, catalogue) =>
      derivationsOf(
        client,
        catalogue.lengths[address.family].map((bits) => hexOfNetwork(address, bits)),
        at,
      ),
    );
  }

  async follow(since: UnixMs): Promise<void> {
    await this.#write((client) => noteFollowed(client, since));
  }

  async earliest(): Promise<UnixMs | undefined> {
    await this.#open();
    const { rows } = await this.#pool.query(
      `select max(value) as value from evidence_facts where name in ('followed', 'answerable')`,
    );
    return typeof rows[0]?.value === 'number' ? unixMs(rows[0].value) : undefined;
  }

  async head(): Promise<EvidenceHead> {
    await this.#open();
    return readHead(this.#pool);
  }

  async changesSince(sequence: number, limit: number): Promise<EvidenceChanges> {
    const head = await this.head();
    const known = this.#catalogue;
    if (head.sequence === sequence && isSame(known.head, head))
      return { head, since: positionOf(head), changed: new JournalRows(known).finish([]) };
    return this.#read(async (client, catalogue) => ({
      ...(await movedFrom(client, catalogue, sequence)),
      changed: (await rowsSince(client, catalogue, sequence, deltaLimits(limit))) ?? 'all',
    }));
  }

  logSince(sequence: number): Promise<EvidenceLog | undefined> {
    return this.#read(async (client, catalogue) => {
      const rows = await rowsSince(client, catalogue, sequence, MERGE_LIMITS);
      return rows && { ...(await movedFrom(client, catalogue, sequence)), ...rows };
    });
  }

  scan<T>(read: (scan: EvidenceScan) => T | Promise<T>): Promise<T> {
    return this.#read(async (client, catalogue) => {
      const names = new RowNames(catalogue.liveSources());
      return read({ head: catalogue.head, names, columns: scanTables(client, catalogue, names) });
    });
  }

  async sources(): Promise<readonly SourceHealth[]> {
    await this.#open();
    return (
      await this.#pool.query<HealthRow>(
        'select name, risk_type, last_run_at, last_error_at, rows from evidence_sources order by name',
      )
    ).rows.map(healthOf);
  }

  retract(retraction: Retraction): Promise<RetractionOutcome> {
    return this.#write((client, catalogue) => retractJournalled(client, catalogue, retraction));
  }

  setTrust({ retracted, ...said }: TrustChange): Promise<RetractionOutcome> {
    return this.#write(async (client, catalogue) => {
      const refusal = await putTrust(client, catalogue, said);
      if (refusal !== undefined) return refusal;
      return retracted === undefined
        ? NOTHING_RETRACTED
        : retractJournalled(client, catalogue, { source: said.source, ...retracted, madeAt: said.madeAt });
    });
  }

  async trusts(): Promise<readonly SourceTrust[]> {
    await this.#open();
    const { rows } = await this.#pool.query<SourceTrust>(
      `select s.name as source, t.trust, t.made_at as "madeAt", t.actor, t.reason from evidence_trust t join evidence_sources s on s.id = t.source order by s.name`,
    );
    return rows;
  }

  async retractions(): Promise<readonly Retraction[]> {
    await this.#open();
    const { rows } = await this.#pool.query<Retraction>(
      `select s.name as source, r.from_at as "from", r.to_at as "to", r.made_at as "madeAt" from evidence_retractions r join evidence_sources s on s.id = r.source order by r.id`,
    );
    return rows;
  }

  async recordFailure(source: EvidenceSource, at: UnixMs): Promise<void> {
    await this.#write(async (client) => {
      const id = await upsertSource(client, source);
      await client.query('update evidence_sources set last_error_at = $1 where id = $2', [at, id]);
    });
  }

  async noteLeftOut(note: SourcesNote | undefined, at: UnixMs): Promise<void> {
    await this.#open();
    await this.#withClient(async (client) => {
      await client.query('begin');
      const { newest, heardAt } = await this.#leftOut(client, at);
      if (note !== undefined || newest !== undefined) {
        const insert =
          'insert into evidence_left_out (at, sources) values ($1, $2) on conflict (at) do update set sources = excluded.sources';
        for (const row of rowsOfNote({ newest, heardAt }, noteText(note), at))
          await client.query(insert, [row.at, row.sources]);
        if (note === undefined) await client.query(`delete from evidence_facts where name = 'heard'`);
        else
          await client.query(
            `insert into evidence_facts (name, value) values ('heard', $1) on conflict (name) do update set value = excluded.value`,
            [at],
          );
        await client.query(
          `delete from evidence_left_out where at < (select max(at) from evidence_left_out where at <= (select value from evidence_facts where name = 'answerable'))`,
        );
      }
      await client.query('commit');
    });
  }

  async leftOutAt(at: UnixMs): Promise<LeftOut | undefined> {
    await this.#open();
    const { row, newest, heardAt } = await this.#leftOut(this.#pool, at);
    return leftOutOf(row, newest !== undefined, heardAt, at);
  }

  /** The row of a moment, the newest row, and the time of the newest note. */
  async #leftOut(
    client: Pool | PoolClient,
    at: UnixMs,
  ): Promise<{
    readonly row: LeftOutRow | undefined;
    readonly newest: LeftOutRow | undefined;
    readonly heardAt: number | undefined;
  }> {
    const { rows } = await client.query(
      `select (select row_to_json(o) from (select at, sources from evidence_left_out where at <= $1 order by at desc limit 1) o) as row,
         (select row_to_json(o) from (select at, sources from evidence_left_out order by at desc limit 1) o) as newest,
         (select value from evidence_facts where name = 'heard') as heard`,
      [at],
    );
    const { row, newest, heard } = rows[0] as {
      row: LeftOutRow | null;
      newest: LeftOutRow | null;
      heard: number | null;
    };
    return { row: row ?? undefined, newest: newest ?? undefined, heardAt: heard ?? undefined };
  }

  /** In short transactions with pauses between them, so that other writers get their turn. @param sliceRows rows a transaction */
  async compact(now: UnixMs, historyDays = HISTORY_DAYS, sliceRows?: number): Promise<CompactionOutcome> {
    const compactor = await this.#read((client, catalogue) =>
      Compactor.open(client, catalogue, now, historyDays, sliceRows),
    );
    let [spells, events] = [0, 0];
    while (!this.#closed) {
      const slice = await this.#write((client, catalogue) => compactor.slice(client, catalogue));
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
  async #begin(): Promise<{
    readonly client: PoolClient;
    readonly catalogue: Catalogue;
    readonly end: () => Promise<void>;
  }> {
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
      const catalogue = await loadCatalogue(client, this.#catalogue);
      if (!isSame(this.#catalogue.head, catalogue.head)) this.#catalogue = catalogue;
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
      await client.query(
        `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '60s'; set local work_mem = '64MB'`,
      );
      try {
        await client.query('select pg_advisory_xact_lock($1)', [WRITERS_LOCK]);
        const outcome = await work(client, await loadCatalogue(client, this.#catalogue));
        await client.query('commit');
        return outcome;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    });
  }

  /** Takes one batch in, and what follows from it. Inside a write transaction. @param head number of the newest batch @param before the catalogue before the transaction */
  async #take(
    client: PoolClient,
    before: Catalogue,
    head: number,
    given: ReceivedBatch,
    hash: Uint8Array,
  ): Promise<RunOutcome> {
    const named = refusedStranger(given, before);
    if (named !== undefined) return unchangedOutcome(head, named);
    const sequence = head + 1;
    const source = await upsertSource(client, given.source);
    await client.query('update evidence_sources set last_error_at = null where id = $1 and last_error_at is not null', [
      source,
    ]);
    if (!(await beginBatch(client, { source, sequence }, given, hash))) return unchangedOutcome(head);
    const received = withListedKinds(given, this.#deriveBy);
    const refusals = new Refusals();
    const judged = judgeBatch(received, refusals, before.retractions.of(source));
    const known = before.sources.get(source);
    const runs = known?.runs ?? new RunCalendar();
    const revives = known !== undefined && before.revives(known, received.runAt);
    const written = await takeBatch(client, { source, sequence, runs, revives }, received, judged);
    const derived = await this.#derive(client, before, received, judged, sequence + 1);
    return acceptedOutcome(derived ? sequence + 1 : sequence, written, refusals);
  }

  /** Writes what follows from a batch, as a batch of its own in the same transaction: after a crash both are there or neither. @returns whether there was any */
  async #derive(
    client: PoolClient,
    before: Catalogue,
    received: ReceivedBatch,
    judged: JudgedBatch,
    sequence: number,
  ): Promise<boolean> {
    const plan = planDerivation(received, judged, this.#deriveBy);
    if (plan === undefined) return false;
    const derivation = deriveBatch(
      plan,
      await readDerivationState(client, before, plan, this.#deriveBy.rules),
      this.#deriveBy,
    );
    await writeDerivation(client, derivation);
    if (derivation.captures.length === 0) return false;
    const derived = receiveDerived(derivation, received.acceptedAt);
    const source = await upsertSource(client, derived.source);
    if (!(await beginBatch(client, { source, sequence }, derived, hashBatch(derived)))) return false;
    await takeBatch(
      client,
      { source, sequence, runs: new RunCalendar(), revives: false },
      derived,
      judgeBatch(derived, new Refusals(), before.retractions.of(source)),
    );
    return true;
  }
}

/** @returns false: this very batch is there already */
async function beginBatch(
  client: PoolClient,
  { source, sequence }: { readonly source: number; readonly sequence: number },
  { kind, at, acceptedAt, batch }: ReceivedBatch,
  hash: Uint8Array,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into evidence_batches (sequence, source, kind, at, hash, accepted_at, rows) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (source, kind, at, hash) do nothing`,
    [sequence, source, kind, at, hash, acceptedAt, batch.length],
  );
  return rowCount !== 0;
}

/** Writes a batch that was begun, and what followers and later questions need to know of it. */
async function takeBatch(
  client: PoolClient,
  to: { readonly source: number; readonly sequence: number; readonly runs: RunCalendar; readonly revives: boolean },
  received: ReceivedBatch,
  judged: JudgedBatch,
): Promise<WrittenBatch> {
  const { acceptedAt, runAt } = received;
  const { source, sequence, runs, revives } = to;
  const written = await writeBatch(client, to, received, judged);
  if (runAt !== undefined)
    await client.query('insert into evidence_runs (source, at, sequence) values ($1, $2, $3) on conflict do nothing', [
      source,
      runAt,
      sequence,
    ]);
  const changes = revives ? EVERYTHING : written.added + written.ended + (isLate(runs, runAt) ? written.rows : 0);
  await pruneJournal(client, { sequence, acceptedAt, changes });
  await noteFollowed(client, acceptedAt);
  await noteTimes(client, source, written);
  return written;
}

async function retractJournalled(
  client: PoolClient,
  catalogue: Catalogue,
  retraction: Retraction,
): Promise<RetractionOutcome> {
  const { batches, outcome } = await retractCaptures(client, catalogue, retraction);
  for (const { sequence, touched } of batches)
    await pruneJournal(client, { sequence, acceptedAt: retraction.madeAt, changes: touched });
  return outcome;
}

async function isUntrusted(client: PoolClient, names: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from evidence_trust t join evidence_sources s on s.id = t.source where t.trust = 'none' and s.name = any($1::text[])`,
    [names],
  );
  return rows.length > 0;
}

async function deliveredBefore(
  client: PoolClient,
  { account, id, digest }: Delivery,
): Promise<DeliveryOutcome | undefined> {
  const found = await client.query<{ digest: Buffer; answer: string }>(
    'select digest, answer from evidence_deliveries where account = $1 and id = $2',
    [account, id],
  );
  const [known] = found.rows;
  if (known === undefined) return undefined;
  return Buffer.compare(known.digest, digest) === 0
    ? { status: 'replayed', answer: known.answer }
    : { status: 'differs' };
}

/** Addresses that the sources of these captures did not name in the last day. */
async function newAddresses(
  client: PoolClient,
  catalogue: Catalogue,
  captures: readonly SourceCaptures[],
  at: UnixMs,
): Promise<number> {
  let sum = 0;
  for (const one of captures) {
    const source = catalogue.named(one.source.id);
    const named = namedPrefixes(one);
    const tracks = source === undefined ? [] : catalogue.seriesOf(source, false).map(({ id }) => id);
    const { rows } = await client.query<{ n: number }>(
      `select n::integer from unnest($1::bytea[]) with ordinality p(prefix, n)
       where exists (select 1 from evidence_events e where e.prefix = p.prefix and e.track = any($2::integer[]) and e.at > $3)`,
      [
        tracks.length === 0 ? [] : named.map(([key]) => byteaOf(hexOfPrefix(prefixOfKey(key)))),
        tracks,
        at - COUNTED_AGAIN_MS,
      ],
    );
    const known = new Set(rows.map(({ n }) => n));
    for (const [i, [, addresses]] of named.entries()) if (!known.has(i + 1)) sum += addresses;
  }
  return sum;
}

/** Sources of which everything was taken back: they take no room. */
async function emptied(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::integer as n from evidence_sources s
     where exists (select 1 from evidence_retractions r where r.source = s.id and r.from_at <= 0 and r.to_at > s.last_run_at)`,
  );
  return rows[0]!.n;
}

/** @returns when a budget without room for the rows begins again; then none of them is changed */
async function chargeBudgets(
  client: PoolClient,
  budgets: readonly Budget[],
  rows: number,
  at: UnixMs,
): Promise<UnixMs | undefined> {
  const charged: (readonly [Budget, BudgetWindow | UnixMs])[] = [];
  for (const budget of budgets) {
    const held = await client.query<{ begun_at: number; rows: number }>(
      'select begun_at, rows from evidence_budgets where name = $1 and window_ms = $2',
      [budget.name, budget.windowMs],
    );
    const [found] = held.rows;
    charged.push([budget, chargeWindow(budget, found && { begunAt: found.begun_at, rows: found.rows }, rows, at)]);
  }
  const full = charged.flatMap(([, window]) => (typeof window === 'number' ? [window] : []));
  if (full.length > 0) return unixMs(Math.max(...full));
  const put = `insert into evidence_budgets (name, window_ms, begun_at, rows) values ($1, $2, $3, $4)
    on conflict (name, window_ms) do update set begun_at = excluded.begun_at, rows = excluded.rows`;
  for (const [{ name, windowMs }, window] of charged)
    if (typeof window === 'object') await client.query(put, [name, windowMs, window.begunAt, window.rows]);
  return undefined;
}

async function noteDelivery(
  client: PoolClient,
  { account, id, digest }: Delivery,
  answer: string,
  acceptedAt: UnixMs,
): Promise<void> {
  await client.query('delete from evidence_deliveries where accepted_at < $1', [acceptedAt - DELIVERY_KEPT_MS]);
  await client.query(
    'insert into evidence_deliveries (account, id, digest, accepted_at, answer) values ($1, $2, $3, $4, $5)',
    [account, id, digest, acceptedAt, answer],
  );
}

const isSame = (a: EvidencePosition, b: EvidencePosition): boolean =>
  a.store === b.store && a.sequence === b.sequence && a.mark === b.mark;

/** Whether records are of the state that a catalogue was loaded from. Marks are random, so equal ones are of one batch of one store. */
const isOf = ({ head }: Catalogue, [, mark, , sequence]: EvidenceRecord): boolean =>
  head.sequence === sequence && head.mark === (mark ?? '');

/** A run that is not newer than all others touches every entry it holds. */
const isLate = (runs: RunCalendar, at: UnixMs | undefined): boolean =>
  at !== undefined && runs.newest !== undefined && at <= runs.newest;

async function movedFrom(
  client: PoolClient,
  { head }: Catalogue,
  sequence: number,
): Promise<Pick<EvidenceChanges, 'head' | 'since'>> {
  return { head, since: await positionAt(client, sequence) };
}

/** @returns undefined when there is more than the limits allow, or the journal does not reach back */
async function rowsSince(
  client: PoolClient,
  catalogue: Catalogue,
  sequence: number,
  limits: JournalLimits,
): Promise<EvidenceRows | undefined> {
  const rows = new JournalRows(catalogue);
  const journal = sequence === catalogue.head.sequence ? [] : await readJournal(client, catalogue, sequence, limits);
  const touched = journal && rows.read(journal, limits);
  return touched && rows.finish(await readChanged(client, catalogue, touched));
}

/** Logs of the batches after this one; undefined when the journal does not reach back, or is sure to hold more than the limits allow. */
async function readJournal(
  client: PoolClient,
  catalogue: Catalogue,
  sequence: number,
  limits: JournalLimits,
): Promise<Journal | undefined> {
  const missing = await client.query('select 1 from evidence_batches where sequence > $1 and not logged limit 1', [
    sequence,
  ]);
  if (sequence > catalogue.head.sequence || missing.rows.length > 0) return undefined;
  if (Number.isFinite(limits.rows)) {
    const { rows } = await client.query<{ bytes: number }>(
      'select coalesce(sum(length(log)), 0)::float8 as bytes from evidence_changes where sequence > $1',
      [sequence],
    );
    if (rows[0]!.bytes > bytesOfLimit(limits)) return undefined;
  }
  const text =
    'select b.source, c.log from evidence_changes c join evidence_batches b using (sequence) where c.sequence > $1 order by c.sequence';
  return (await client.query({ text, values: [sequence], rowMode: 'array' })).rows as unknown as [number, Buffer][];
}

/** Drops what followers no longer need, and the log of this very batch when it changed too much. */
async function pruneJournal(
  client: PoolClient,
  batch: { readonly sequence: number; readonly acceptedAt: UnixMs; readonly changes: number },
): Promise<void> {
  const { sequence, acceptedAt, changes } = batch;
  await client.query(
    `with old as (
       update evidence_batches set logged = false where logged and (accepted_at < $1 and sequence < $2 or $3 and sequence = $2) returning sequence
     ) delete from evidence_changes c using old where c.sequence = old.sequence`,
    [acceptedAt - JOURNAL_MS, sequence, changes > CHANGES_MAX],
  );
}

async function noteTimes(client: PoolClient, source: number, { rows, newest }: WrittenBatch): Promise<void> {
  if (newest === undefined) return;
  await client.query(
    'update evidence_sources set last_run_at = greatest(coalesce(last_run_at, 0), $1), rows = $2 where id = $3',
    [newest, rows, source],
  );
}

async function noteFollowed(client: PoolClient, since: UnixMs): Promise<void> {
  await client.query(
    `insert into evidence_facts (name, value) values ('followed', $1)
     on conflict (name) do update set value = excluded.value where excluded.value < evidence_facts.value`,
    [since],
  );
}
