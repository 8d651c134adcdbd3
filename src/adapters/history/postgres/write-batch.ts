import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { CaptureBatch } from '../../../core/evidence/observation.ts';
import type { Prefix } from '../../../core/ip/address.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { Catalogue, Series, SourceEntry } from '../catalogue.ts';
import type { JudgedBatch } from '../judge-batch.ts';
import type { ReceivedBatch, WrittenBatch } from '../receive-captures.ts';
import { byteaArray, int4Array, int8Array } from './binary-array.ts';
import { bytesOfPrefix, hexOfPrefix, type PrefixHex } from './prefix-hex.ts';
import { INSERT_APPEARED, INSERT_CAPTURES, INSERT_EVENTS, recordPresence } from './record-run.ts';

/** Captures of a batch up to this many go with the statement that stores them; more go by COPY, and the planner gets their number. */
const DIRECT_ROWS = 20_000;
const COPY_CHUNK_ROWS = 2000;

/**
 * The rows of a batch on their way in, one connection's own: `at` is the time of an event, or null for an entry of the run itself.
 * `evidence_appeared` collects the entries of an appearance listing that the run before did not hold.
 */
const STAGE = [
  'create temp table if not exists evidence_stage (prefix bytea not null, track integer not null, at bigint) on commit delete rows',
  'create temp table if not exists evidence_appeared (prefix bytea not null, track integer not null) on commit delete rows',
] as const;

/** After another batch of the same transaction. */
const CLEAR_STAGE = 'truncate evidence_stage, evidence_appeared';

/**
 * Writes the rows of one batch that were accepted: entries of a run into presence intervals, rows with times of their own into events; and its journal.
 * Inside a write
 * transaction; the run must not be among the source's runs yet unless it is read a second time.
 */
export async function writeBatch(
  { client, catalogue }: { readonly client: PoolClient; readonly catalogue: Catalogue },
  to: { readonly entry: SourceEntry; readonly sequence: number },
  { batch, source, runAt }: ReceivedBatch,
  judged: JudgedBatch,
  ids: ReadonlyMap<number, Series>,
): Promise<WrittenBatch> {
  const rows = judged.rows.length;
  if (runAt === undefined && rows <= DIRECT_ROWS) {
    const { n, newest } = await insertCaptures(client, to.sequence, batch, judged, ids);
    return { rows, added: Number(n), ended: 0, newest: newestOf(newest) };
  }
  await stage(client, batch, judged, ids);
  const events = (await client.query<EventCounts>(INSERT_EVENTS, [to.sequence])).rows[0]!;
  if (runAt === undefined) return { rows, added: Number(events.n), ended: 0, newest: newestOf(events.newest) };
  const appearance = source.mode === 'appearance';
  const tracks = catalogue.seriesOf(to.entry, appearance).map(({ id }) => id);
  const spells = await recordPresence(client, to.entry.runs, tracks, {
    at: runAt,
    sequence: to.sequence,
    appearance,
  });
  const appeared = appearance
    ? (await client.query<EventCounts>(INSERT_APPEARED, [to.sequence, runAt])).rows[0]!
    : undefined;
  const added = appeared === undefined ? spells.added : Number(events.n) + Number(appeared.n);
  return { rows, added, ended: spells.ended, newest: newestOf(runAt, events.newest) };
}

interface EventCounts {
  readonly n: number;
  readonly newest: number | null;
}

function newestOf(...all: readonly (number | null)[]): UnixMs | undefined {
  const times = all.filter((at) => at !== null);
  return times.length === 0 ? undefined : unixMs(Math.max(...times));
}

async function insertCaptures(
  client: PoolClient,
  sequence: number,
  batch: CaptureBatch,
  { rows, times, codes }: JudgedBatch,
  ids: ReadonlyMap<number, Series>,
): Promise<EventCounts> {
  const all = Array.from(rows);
  const values = [
    sequence,
    byteaArray(all.map((row) => bytesOfRow(batch, row))),
    int4Array(all.map((row) => ids.get(codes[row]!)!.id)),
    int8Array(all.map((row) => times[row]!)),
  ];
  return (await client.query<EventCounts>(INSERT_CAPTURES, values)).rows[0]!;
}

/** Puts the accepted rows into `evidence_stage`. */
async function stage(
  client: PoolClient,
  batch: CaptureBatch,
  { rows, times, codes }: JudgedBatch,
  ids: ReadonlyMap<number, Series>,
): Promise<void> {
  for (const sql of [...STAGE, CLEAR_STAGE]) await client.query(sql);
  const of = (row: number): StagedRow => [
    hexOfRow(batch, row),
    ids.get(codes[row]!)!.id,
    Number.isNaN(times[row]!) ? null : times[row]!,
  ];
  const stream = client.query(copyFrom('copy evidence_stage (prefix, track, at) from stdin'));
  await pipeline(Readable.from(copyText(rows, of)), stream);
  await client.query('analyze evidence_stage');
}

type StagedRow = readonly [prefix: PrefixHex, track: number, at: number | null];

function* copyText(rows: Uint32Array, of: (row: number) => StagedRow): Generator<string> {
  for (let start = 0; start < rows.length; start += COPY_CHUNK_ROWS) {
    let text = '';
    for (const row of rows.subarray(start, start + COPY_CHUNK_ROWS)) {
      const [prefix, track, at] = of(row);
      text += `\\\\x${prefix}\t${track}\t${at ?? '\\N'}\n`;
    }
    yield text;
  }
}

const hexOfRow = (batch: CaptureBatch, row: number): PrefixHex => hexOfPrefix(prefixOfRow(batch, row));
const bytesOfRow = (batch: CaptureBatch, row: number): Uint8Array => bytesOfPrefix(prefixOfRow(batch, row));

function prefixOfRow({ family, words, bits }: CaptureBatch, row: number): Prefix {
  const at = 4 * row;
  return {
    family: family[row] === 4 ? 4 : 6,
    w0: words[at]!,
    w1: words[at + 1]!,
    w2: words[at + 2]!,
    w3: words[at + 3]!,
    bits: bits[row]!,
  };
}
