import type { PoolClient } from 'pg';
import type { UnixMs } from '../../../core/units.ts';
import type { EvidenceColumns } from '../../../engine/evidence/evidence-delta.ts';
import type { RowNames } from '../../../engine/evidence/row-names.ts';
import type { PrefixKey } from '../prefix-key.ts';
import type { Catalogue } from '../read/catalogue.ts';
import { type ScanCursor, type ScanRecord, scanColumns } from '../read/scan-columns.ts';
import { RECORD } from '../read/series-fold.ts';
import { keyOfHex, type PrefixHex } from './prefix-hex.ts';

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

/** These captures counted before they were withdrawn. */
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
