import { RISK_TYPES } from '../../../contract/risk.ts';
import { SOURCE_TYPE } from '../../../core/evidence/capture-batch-builder.ts';
import type { CaptureBatch, EvidenceSource } from '../../../core/evidence/observation.ts';
import { wordMask } from '../../../core/ip/prefix.ts';
import type { Catalogue } from '../read/catalogue.ts';
import type { RetractedTime } from '../write/retraction-table.ts';
import { acceptTime, type ReceivedBatch, Refusals } from './receive-captures.ts';

export interface SeriesKind {
  readonly type: number;
  readonly pool: string;
  readonly presence: boolean;
  readonly sender: string;
}

/**
 * - `rows`: accepted rows in key order, so that neighbours are written to the same page.
 * - `times`: NaN for an entry of the run itself.
 * - `tracks`: kinds of series by code. An appearance listing has two series: one of its events, and one of its
 *   entries, whose code is one more.
 */
export interface BatchJudgement {
  readonly rows: Uint32Array;
  readonly times: Float64Array;
  readonly codes: Int32Array;
  readonly tracks: ReadonlyMap<number, SeriesKind>;
  readonly lengths: Readonly<Record<4 | 6, ReadonlySet<number>>>;
}

/**
 * Decides whether each row of a batch is an event, an entry of the run, or refused. Rows of events and
 * appearances may carry their own times; those of a listing have the run's.
 * @param retracted retracted times of the source: captures inside them are refused even if they arrive later
 * @throws RangeError when the batch has fewer addresses than rows
 */
export function judgeBatch(
  received: ReceivedBatch,
  refusals: Refusals,
  retracted: readonly RetractedTime[] = [],
): BatchJudgement {
  const { batch, source, acceptedAt, runAt } = received;
  if (batch.words.length < 4 * batch.length) throw new RangeError('a batch with fewer addresses than rows');
  const codes = new Int32Array(batch.length);
  const times = new Float64Array(batch.length).fill(Number.NaN);
  const tracks = new Map<number, SeriesKind>();
  const lengths = { 4: new Set<number>(), 6: new Set<number>() };
  const rows = sortByPrefix(batch).filter((row) => {
    const type = typeOfRow(batch, row, source);
    if (type === undefined) return refusals.refuse('no_risk_type');
    if (!isPrefixRow(batch, row)) return refusals.refuse('not_a_prefix');
    if (RISK_TYPES[type] === 'ipv6_range' && batch.family[row] === 4) return refusals.refuse('ipv6_only');
    lengths[batch.family[row] === 4 ? 4 : 6].add(batch.bits[row]!);
    const own = batch.capturedAt[row]!;
    const isEntry = runAt !== undefined && (source.mode === 'listing' || Number.isNaN(own));
    const at = isEntry ? Number.NaN : acceptTime(Number.isNaN(own) ? received.at : own, acceptedAt);
    if (at === undefined) return refusals.refuse('ahead_of_clock');
    if (retracted.some(({ from, to }) => from <= at && at < to)) return refusals.refuse('retracted');
    times[row] = at;
    const event = (batch.pool[row]! * RISK_TYPES.length + type) * 2;
    const presence = isEntry && source.mode === 'appearance';
    codes[row] = presence ? event + 1 : event;
    if (!tracks.has(codes[row]!)) {
      const pool = batch.pools[batch.pool[row]!] || source.pool || '';
      const kind = { type, pool, sender: source.sender ?? '' };
      tracks.set(event, { ...kind, presence: false });
      if (presence) tracks.set(event + 1, { ...kind, presence: true });
    }
    return true;
  });
  return { rows, times, codes, tracks, lengths };
}

/**
 * Returns the refusals if the source is unknown and every row is refused, so that the store does not learn
 * its name. Undefined if a row is accepted or the name is known.
 */
export function refuseUnknownSource(
  received: ReceivedBatch,
  catalogue: Pick<Catalogue, 'named'>,
): Refusals | undefined {
  if (received.runAt !== undefined || catalogue.named(received.source.id) !== undefined) return undefined;
  const refusals = new Refusals();
  return judgeBatch(received, refusals).rows.length === 0 ? refusals : undefined;
}

function typeOfRow(batch: CaptureBatch, row: number, source: EvidenceSource): number | undefined {
  const type = batch.type[row]!;
  if (type < RISK_TYPES.length) return type;
  return type === SOURCE_TYPE && source.riskType !== undefined ? RISK_TYPES.indexOf(source.riskType) : undefined;
}

function isPrefixRow({ family, words, bits }: CaptureBatch, row: number): boolean {
  const length = bits[row]!;
  const at = 4 * row;
  if (family[row] === 4) return length <= 32 && (words[at]! & ~wordMask(length)) === 0;
  if (family[row] !== 6 || length > 128) return false;
  for (let word = 0; word < 4; word++) if ((words[at + word]! & ~wordMask(length - 32 * word)) !== 0) return false;
  return true;
}

function sortByPrefix(batch: CaptureBatch): Uint32Array {
  const { length, family, words, bits } = batch;
  let ipv4 = 0;
  for (let row = 0; row < length; row++) if (family[row] === 4) ipv4++;
  const order = new Uint32Array(length);
  let four = 0;
  let six = ipv4;
  for (let row = 0; row < length; row++) order[family[row] === 4 ? four++ : six++] = row;
  const sorted4 = radixByWord(order.subarray(0, ipv4), words);
  order.set(sorted4);
  sortEqualWords(order, ipv4, words, bits);
  order.subarray(ipv4).sort((a, b) => compareRows(a, b, words, bits));
  return order;
}

const RADIX_BITS = 11;
const BUCKETS = 1 << RADIX_BITS;

function radixByWord(rows: Uint32Array, words: Uint32Array): Uint32Array {
  let from = rows.slice();
  let to = new Uint32Array(rows.length);
  const starts = new Uint32Array(BUCKETS);
  for (let shift = 0; shift < 32; shift += RADIX_BITS) {
    starts.fill(0);
    for (const row of from) starts[(words[4 * row]! >>> shift) & (BUCKETS - 1)]!++;
    let sum = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const count = starts[bucket]!;
      starts[bucket] = sum;
      sum += count;
    }
    for (const row of from) to[starts[(words[4 * row]! >>> shift) & (BUCKETS - 1)]!++] = row;
    [from, to] = [to, from];
  }
  return from;
}

function sortEqualWords(order: Uint32Array, end: number, words: Uint32Array, bits: Uint8Array): void {
  for (let start = 0; start < end; ) {
    let stop = start + 1;
    let sorted = true;
    while (stop < end && words[4 * order[stop]!] === words[4 * order[start]!]) {
      if (bits[order[stop]!]! < bits[order[stop - 1]!]!) sorted = false;
      stop++;
    }
    if (!sorted) order.subarray(start, stop).sort((a, b) => bits[a]! - bits[b]!);
    start = stop;
  }
}

function compareRows(a: number, b: number, words: Uint32Array, bits: Uint8Array): number {
  for (let word = 0; word < 4; word++) {
    const difference = words[4 * a + word]! - words[4 * b + word]!;
    if (difference !== 0) return difference;
  }
  return bits[a]! - bits[b]!;
}
