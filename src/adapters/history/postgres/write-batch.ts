import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { RISK_TYPES } from '../../../contract/risk.ts';
import type { CaptureBatch, EvidenceSource } from '../../../core/evidence/capture.ts';
import type { Prefix } from '../../../core/ip/address.ts';
import type { UnixMs } from '../../../core/units.ts';
import { acceptTime, isPrefixRow, poolOfRow, type Refusals, typeOfRow } from '../accept-captures.ts';
import { sortByPrefix } from '../sort-captures.ts';
import { upsertTrack } from './catalogue.ts';
import { byteaOf, hexOfPrefix } from './prefix-hex.ts';

/** From this many rows on they go by COPY and the planner is told how many there are. */
const COPY_ROWS = 500;
const COPY_CHUNK_ROWS = 2000;

/**
 * The rows of a batch on their way in, one connection's own: `at` is the time of an event, or null for an entry of the run itself.
 * `evidence_touched` collects the entries whose spells a run changed.
 */
export const STAGE = [
  'create temp table if not exists evidence_stage (prefix bytea not null, track integer not null, at bigint) on commit delete rows',
  'create temp table if not exists evidence_touched (prefix bytea not null, track integer not null, appeared boolean not null) on commit delete rows',
] as const;

export interface BatchToStage {
  readonly source: EvidenceSource;
  readonly sourceId: number;
  readonly batch: CaptureBatch;
  readonly acceptedAt: UnixMs;
  readonly refusals: Refusals;
  /** Time of events that carry none; undefined: the batch is a run. */
  readonly defaultAt: UnixMs | undefined;
}

/**
 * Checks the rows of a batch and puts the accepted ones into `evidence_stage`; makes their tracks and notes their lengths.
 * @returns rows accepted
 */
export async function stageBatch(client: PoolClient, what: BatchToStage): Promise<number> {
  const { batch } = what;
  if (batch.words.length < 4 * batch.length) throw new RangeError('a batch with fewer addresses than rows');
  const order = sortByPrefix(batch);
  const plan = new StagePlan(what);
  for (const row of order) plan.judge(row);
  await plan.makeTracks(client);
  const kept = order.filter((row) => plan.isKept(row));
  if (kept.length < COPY_ROWS) await insertRows(client, plan, kept);
  else {
    const stream = client.query(copyFrom('copy evidence_stage (prefix, track, at) from stdin'));
    await pipeline(Readable.from(copyText(plan, kept)), stream);
    await client.query('analyze evidence_stage');
  }
  return kept.length;
}

async function insertRows(client: PoolClient, plan: StagePlan, rows: Uint32Array): Promise<void> {
  if (rows.length === 0) return;
  const [prefixes, tracks, times]: [string[], number[], (number | null)[]] = [[], [], []];
  for (const row of rows) {
    prefixes.push(byteaOf(plan.hex(row)));
    tracks.push(plan.track(row));
    times.push(plan.time(row));
  }
  await client.query('insert into evidence_stage select * from unnest($1::bytea[], $2::integer[], $3::bigint[])', [prefixes, tracks, times]);
}

function* copyText(plan: StagePlan, rows: Uint32Array): Generator<string> {
  for (let start = 0; start < rows.length; start += COPY_CHUNK_ROWS) {
    let text = '';
    for (const row of rows.subarray(start, start + COPY_CHUNK_ROWS)) text += `\\\\x${plan.hex(row)}\t${plan.track(row)}\t${plan.time(row) ?? '\\N'}\n`;
    yield text;
  }
}

const REFUSED = -1;

/** What becomes of each row: its track and its time. */
class StagePlan {
  readonly #what: BatchToStage;
  /** Code of (pool, type, presence) a row, or REFUSED. */
  readonly #codes: Int32Array;
  /** NaN: the run's own entry. */
  readonly #times: Float64Array;
  readonly #tracks = new Map<number, number>();
  readonly #lengths = new Set<number>();

  constructor(what: BatchToStage) {
    this.#what = what;
    this.#codes = new Int32Array(what.batch.length).fill(REFUSED);
    this.#times = new Float64Array(what.batch.length).fill(Number.NaN);
  }

  judge(row: number): void {
    const refusal = this.#refusal(row);
    if (refusal !== undefined) this.#what.refusals.add(refusal);
  }

  /** Rows of events and appearances may carry times of their own; those of a listing are the run's. */
  #refusal(row: number): string | undefined {
    const { source, batch, acceptedAt, defaultAt } = this.#what;
    const type = typeOfRow(batch, row, source);
    if (type === undefined) return 'no_risk_type';
    if (!isPrefixRow(batch, row)) return 'not_a_prefix';
    const own = batch.capturedAt[row]!;
    this.#lengths.add(batch.family[row]! * 1000 + batch.bits[row]!);
    if (defaultAt === undefined && (source.mode === 'listing' || Number.isNaN(own))) {
      this.#keep(row, type, source.mode === 'appearance');
      return undefined;
    }
    const at = acceptTime(Number.isNaN(own) ? defaultAt! : own, acceptedAt);
    if (at === undefined) return 'ahead_of_clock';
    this.#times[row] = at;
    this.#keep(row, type, false);
    return undefined;
  }

  #keep(row: number, type: number, presence: boolean): void {
    const code = (this.#what.batch.pool[row]! * RISK_TYPES.length + type) * 2 + (presence ? 1 : 0);
    this.#codes[row] = code;
    this.#tracks.set(code, 0);
    // An entry that appears becomes an event of the track beside it.
    if (presence) this.#tracks.set(code - 1, 0);
  }

  async makeTracks(client: PoolClient): Promise<void> {
    const { source, sourceId, batch } = this.#what;
    const sample = new Map<number, number>();
    for (let row = 0; row < batch.length; row++) if (this.#codes[row] !== REFUSED) sample.set(this.#codes[row]! >>> 1, row);
    for (const code of this.#tracks.keys()) {
      const pool = poolOfRow(batch, sample.get(code >>> 1)!, source);
      this.#tracks.set(code, await upsertTrack(client, sourceId, (code >>> 1) % RISK_TYPES.length, pool, code % 2 === 1));
    }
    const lengths = [...this.#lengths];
    if (lengths.length === 0) return;
    await client.query('insert into evidence_lengths (family, bits) select l / 1000, l % 1000 from unnest($1::integer[]) l on conflict do nothing', [lengths]);
  }

  isKept(row: number): boolean {
    return this.#codes[row] !== REFUSED;
  }

  track(row: number): number {
    return this.#tracks.get(this.#codes[row]!)!;
  }

  time(row: number): number | null {
    const at = this.#times[row]!;
    return Number.isNaN(at) ? null : at;
  }

  hex(row: number): string {
    const { family, words, bits } = this.#what.batch;
    const at = 4 * row;
    const prefix = { family: family[row], w0: words[at], w1: words[at + 1], w2: words[at + 2], w3: words[at + 3], bits: bits[row] };
    return hexOfPrefix(prefix as Prefix);
  }
}
