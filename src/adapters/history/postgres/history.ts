import type { Pool, PoolClient } from 'pg';
import { foldObservations } from '../../../core/evidence/fold-observations.ts';
import type { Observation } from '../../../core/evidence/observation.ts';
import type { Address } from '../../../core/ip/address.ts';
import type { UnixMs } from '../../../core/units.ts';
import { type EvidenceColumns, type EvidencePosition, positionOf } from '../../../engine/evidence/evidence-delta.ts';
import { RowNames } from '../../../engine/evidence/evidence-row.ts';
import type { EvidenceChanges, EvidenceScan } from '../../../service/ports.ts';
import { BULK_DEADLINE, type DatabaseDeadline, setDeadline } from '../../database/keep-deadline.ts';
import { openPool } from '../../database/open-pool.ts';
import { type DeriveBy, WITHOUT_FACTS } from '../derive/derive-batch.ts';
import { keyOfNetwork, type PrefixKey } from '../prefix-key.ts';
import { Catalogue } from '../read/catalogue.ts';
import { loadCatalogue } from '../read/load-catalogue.ts';
import { type ScanCursor, type ScanRecord, scanColumns } from '../read/scan-columns.ts';
import { RECORD } from '../read/series-fold.ts';
import { runAsync, type Sql, type Steps, type Transaction } from '../sql.ts';
import { SqlHistory } from '../sql-history.ts';
import { JournalRows } from '../write/journal.ts';
import { byteaOf, keyOfHex, type PrefixHex } from './prefix-hex.ts';
import { type EvidenceRecord, HEAD, observationsOf, RECORDS_AT, RECORDS_AT_EACH } from './read-prefixes.ts';
import { migrateEvidence, WRITER_LOCK } from './schema.ts';
import { PostgresSql, PostgresTransaction } from './transaction.ts';

interface PostgresHistoryOptions {
  readonly connections?: number;
  readonly work?: DatabaseDeadline;
  readonly onLost?: () => void;
  readonly deriveBy?: DeriveBy;
}

/**
 * HistoryStore over PostgreSQL, for several nodes. Writers take turns under one advisory lock, so batch
 * numbers are gapless and become visible in order; readers never wait for them. The first call opens the
 * database, and later calls reconnect after an outage.
 */
export class PostgresHistory extends SqlHistory<'later'> {
  readonly #pool: Pool;
  #ready: Promise<void> | undefined;
  /**
   * Shared by reads, which never change it. Rows of a query are always interpreted with the catalogue of the
   * state they were read in.
   */
  #catalogue = new Catalogue();
  #closed = false;
  readonly #work: DatabaseDeadline;

  /**
   * @param options.connections the most connections at a time
   * @param options.work deadline of transactions; single statements use the caller's deadline
   * @param options.deriveBy rules of derivation, if not the shipped ones
   * @param options.onLost called when an idle connection breaks, as it does when the server goes down
   */
  constructor(url: string, options: PostgresHistoryOptions = {}) {
    const { connections = 4, work = BULK_DEADLINE, onLost, deriveBy = WITHOUT_FACTS } = options;
    super(deriveBy);
    this.#work = work;
    this.#pool = openPool(url, { max: connections });
    if (onLost !== undefined) this.#pool.on('error', onLost);
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

  async #observationsAt(
    address: Address,
    statement: string,
    times: UnixMs | readonly UnixMs[],
    instants: readonly UnixMs[],
  ): Promise<readonly (readonly Observation[])[]> {
    await this.#open();
    const ask = async (
      client: Pool | PoolClient,
      catalogue: Catalogue,
    ): Promise<readonly (readonly Observation[])[] | undefined> => {
      const keys = catalogue.lengths[address.family].map((bits) => byteaOf(keyOfNetwork(address, bits)));
      const { rows } = await client.query({ text: statement, values: [keys, times], rowMode: 'array' });
      const records = rows as unknown as EvidenceRecord[];
      if (!isOf(catalogue, records.find(([kind]) => kind === HEAD)!)) return undefined;
      const found = records.filter(([kind]) => kind !== HEAD).sort((a, b) => a[3] - b[3]);
      return instants.map((at) => foldObservations(observationsOf(found, catalogue, at)));
    };
    // Usually nothing was accepted since the catalogue was loaded, and one statement suffices. Otherwise the
    // catalogue and the records are read in one transaction.
    return (
      (await ask(this.#pool, this.#catalogue)) ??
      (await this.#reading(async ({ client, catalogue }) => (await ask(client, catalogue))!))
    );
  }

  override async changesSince(sequence: number, limit: number): Promise<EvidenceChanges> {
    const head = await this.head();
    const known = this.#catalogue;
    if (head.sequence === sequence && isSame(known.head, head))
      return { head, since: positionOf(head), changed: new JournalRows(known).finish([]) };
    return super.changesSince(sequence, limit);
  }

  scan<T>(read: (scan: EvidenceScan) => T | Promise<T>, at?: UnixMs): Promise<T> {
    return this.#reading(async ({ client, catalogue }) => {
      const names = new RowNames(catalogue.liveSources());
      return read({ head: catalogue.head, names, columns: scanTables(client, catalogue, names, at) });
    });
  }

  protected get isOpen(): boolean {
    return !this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }

  protected read<T>(work: (tx: Transaction) => Steps<T>): Promise<T> {
    return this.#reading((tx) => runAsync(work(tx)));
  }

  protected write<T>(work: (tx: Transaction) => Steps<T>): Promise<T> {
    return this.#writing((tx) => runAsync(work(tx)));
  }

  protected async ask<T>(work: (sql: Sql) => Steps<T>): Promise<T> {
    await this.#open();
    return runAsync(work(new PostgresSql(this.#pool)));
  }

  protected async note(work: (sql: Sql) => Steps<void>): Promise<void> {
    await this.#open();
    await this.#withClient(async (client) => {
      await client.query('begin');
      await runAsync(work(new PostgresSql(client)));
      await client.query('commit');
    });
  }

  #open(): Promise<void> {
    this.#ready ??= this.#withClient((client) => migrateEvidence(client)).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    setDeadline(client, this.#work);
    let broken = true;
    try {
      const outcome = await work(client);
      broken = false;
      return outcome;
    } finally {
      // A connection on which something failed may be in any state and is closed.
      client.release(broken);
    }
  }

  async #reading<T>(work: (tx: PostgresTransaction) => Promise<T>): Promise<T> {
    await this.#open();
    const client = await this.#pool.connect();
    setDeadline(client, this.#work);
    try {
      await client.query('begin isolation level repeatable read; set local statement_timeout = 0; set local jit = off');
      const catalogue = await runAsync(loadCatalogue(new PostgresSql(client), this.#catalogue));
      if (!isSame(this.#catalogue.head, catalogue.head)) this.#catalogue = catalogue;
      return await work(new PostgresTransaction(client, catalogue));
    } finally {
      const closed = await client.query('rollback').catch((error: Error) => error);
      client.release(closed instanceof Error);
    }
  }

  /**
   * Runs one transaction under the writers' lock. The database ends a writer that is idle for a minute, which
   * frees the lock.
   */
  async #writing<T>(work: (tx: PostgresTransaction) => Promise<T>): Promise<T> {
    await this.#open();
    return this.#withClient(async (client) => {
      await client.query(
        `begin; set local statement_timeout = 0; set local jit = off; set local idle_in_transaction_session_timeout = '60s'; set local work_mem = '64MB'`,
      );
      try {
        await client.query('select pg_advisory_xact_lock($1)', [WRITER_LOCK]);
        const catalogue = await runAsync(loadCatalogue(new PostgresSql(client), this.#catalogue));
        const outcome = await work(new PostgresTransaction(client, catalogue));
        await client.query('commit');
        return outcome;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    });
  }
}

const isSame = (a: EvidencePosition, b: EvidencePosition): boolean =>
  a.store === b.store && a.sequence === b.sequence && a.mark === b.mark;

/**
 * Returns whether the records belong to the state that the catalogue was loaded from. Marks are random, so
 * equal ones identify one batch of one store.
 */
const isOf = ({ head }: Catalogue, [, mark, , sequence]: EvidenceRecord): boolean =>
  head.sequence === sequence && head.mark === (mark ?? '');

const PAGE_ROWS = 20_000;

type Table = readonly [kind: number, name: string, sql: string];

const TABLES: readonly Table[] = [
  [
    RECORD.presence,
    'evidence_scan_spells',
    `select encode(prefix, 'hex'), track, first_at, last_at from evidence_spells order by prefix, track, first_at`,
  ],
  [
    RECORD.event,
    'evidence_scan_events',
    `select encode(prefix, 'hex'), track, at, null from evidence_events order by prefix, track, at`,
  ],
  [
    RECORD.firstLast,
    'evidence_scan_memory',
    `select encode(prefix, 'hex'), track, first_at, last_at from evidence_memory order by prefix, track`,
  ],
];

const WITHDRAWN: Table = [
  RECORD.withdrawn,
  'evidence_scan_withdrawn',
  `select encode(prefix, 'hex'), track, at, made_at from evidence_withdrawn order by prefix, track, at`,
];

class Cursor implements ScanCursor {
  readonly kind: number;
  readonly #client: PoolClient;
  readonly #fetch: string;
  page: readonly ScanRecord[] = [];
  at = 0;

  constructor(client: PoolClient, kind: number, name: string) {
    this.kind = kind;
    this.#client = client;
    this.#fetch = `fetch ${PAGE_ROWS} from ${name}`;
  }

  async turn(): Promise<void> {
    const { rows } = await this.#client.query({ text: this.#fetch, rowMode: 'array' });
    let [hex, key]: [PrefixHex, PrefixKey] = ['', 0];
    this.page = (rows as unknown as [PrefixHex, number, number, number | null][]).map(([prefix, track, at, lastAt]) => {
      if (prefix !== hex) [hex, key] = [prefix, keyOfHex(prefix)];
      return [key, track, at, lastAt];
    });
    this.at = 0;
  }
}

/** Yields all rows of now or of `at` in chunks. Must run in a repeatable-read transaction. */
export async function* scanTables(
  client: PoolClient,
  catalogue: Catalogue,
  names: RowNames,
  at?: UnixMs,
): AsyncGenerator<EvidenceColumns> {
  // Everything is read, so the planner should optimise for the last row and not for the first.
  await client.query(`set local cursor_tuple_fraction = 1; set local work_mem = '128MB'`);
  const cursors: Cursor[] = [];
  for (const [kind, name, sql] of at === undefined ? TABLES : [...TABLES, WITHDRAWN]) {
    await client.query(`declare ${name} no scroll cursor for ${sql}`);
    cursors.push(new Cursor(client, kind, name));
  }
  for (const cursor of cursors) await cursor.turn();
  for (const step of scanColumns(cursors, catalogue, names, at)) {
    if (step instanceof Cursor) await step.turn();
    else yield step;
  }
}
