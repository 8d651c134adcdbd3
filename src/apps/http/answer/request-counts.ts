import type { ServerResponse } from 'node:http';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { ACTIONS, type Action } from '../../../core/policy/policy.ts';
import { ENDPOINTS, type Endpoint } from '../endpoint.ts';

export const COUNTED = [...ENDPOINTS, 'other'] as const;
export type Counted = Endpoint | 'other';

/** Returns the place in COUNTED. The console's chains, and routes without one, are counted together. */
export function countedAs(chain: string | undefined): number {
  const known = COUNTED.indexOf(chain as Counted);
  return known < 0 ? COUNTED.indexOf('other') : known;
}

export const LATENCY_BOUNDS_SEC = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;
/** When a request began, by its response. */
const STARTED_AT = Symbol('started at');
type Timed = ServerResponse & { [STARTED_AT]?: number };

const THREAD_GAUGES = [
  'loop_delay_p50_sec',
  'loop_delay_p99_sec',
  'loop_delay_max_sec',
  'loop_utilization',
  'ledger_refusing',
  'ledger_waiting_charges',
  'ledger_refused_charges',
  'redis_up',
  'redis_local_charges',
  'redis_refused_charges',
  'redis_waiting_refunds',
  'evidence_sequence',
  'evidence_overlay_prefixes',
  'heap_used_bytes',
  'heap_total_bytes',
  'external_bytes',
  'array_buffers_bytes',
] as const;
export type ThreadGauge = (typeof THREAD_GAUGES)[number];

const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

const STARTED = 0;
const ENDED = 1;
const UNWRITTEN = 2;
const LATENCY_SUM = 3;
const DEATHS = 4;
const BUCKETS = 5;
const GAUGES = BUCKETS + LATENCY_BOUNDS_SEC.length + 1;
const DECIDED = GAUGES + THREAD_GAUGES.length;
const CODES = DECIDED + 2 * ACTIONS.length;
const STATUSES = CODES + ERROR_CODES.length;
const STATUS_SPAN = 500;
const SLOT_NUMBERS = STATUSES + COUNTED.length * STATUS_SPAN;

/**
 * Only its own thread writes to a slot and any thread reads, so there is no lock and no message, and one
 * scrape covers the whole process.
 */
export const countsBuffer = (threads: number): SharedArrayBuffer =>
  new SharedArrayBuffer(threads * SLOT_NUMBERS * Float64Array.BYTES_PER_ELEMENT);

export class RequestCounts {
  readonly #slot: Float64Array;
  readonly #buffer: SharedArrayBuffer;

  /** @param slot whose former thread, if any, left requests that will never end */
  constructor(buffer: SharedArrayBuffer = countsBuffer(1), slot = 0) {
    this.#buffer = buffer;
    this.#slot = slotOf(buffer, slot);
    this.#slot[ENDED] = this.#slot[STARTED]!;
  }

  /** @param startedAt of `performance.now` */
  begin(response: ServerResponse, startedAt = performance.now()): void {
    this.#slot[STARTED]! += 1;
    (response as Timed)[STARTED_AT] = startedAt;
  }

  /** Times an answer that was handed over. Answers of one turn share a reading of the clock. */
  timed(response: ServerResponse, now: number): void {
    const startedAt = (response as Timed)[STARTED_AT];
    if (startedAt === undefined) return;
    const seconds = (now - startedAt) / 1000;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_SEC.length && seconds > LATENCY_BOUNDS_SEC[bucket]!) bucket++;
    this.#slot[BUCKETS + bucket]! += 1;
    this.#slot[LATENCY_SUM]! += seconds;
  }

  end(counted: number, status: number): void {
    const slot = this.#slot;
    slot[ENDED]! += 1;
    slot[STATUSES + counted * STATUS_SPAN + status - 100]! += 1;
  }

  /** Counts an answer with an error body by its code. */
  failed(code: ErrorCode): void {
    this.#slot[CODES + ERROR_CODES.indexOf(code)]! += 1;
  }

  /** Counts an answer of GET /v1/decide by its action, apart where the policy only observes. */
  decided(action: Action, observed: boolean): void {
    this.#slot[DECIDED + 2 * ACTIONS.indexOf(action) + (observed ? 1 : 0)]! += 1;
  }

  abandon(): void {
    this.#slot[ENDED]! += 1;
  }

  /** Counts answers that left although their charges could not be written to the log. */
  unwritten(answers: number): void {
    this.#slot[UNWRITTEN]! += answers;
  }

  set(gauge: ThreadGauge, value: number): void {
    this.#slot[GAUGES + THREAD_GAUGES.indexOf(gauge)] = value;
  }

  /** Counters of all threads. */
  seen(): CountsSeen {
    return readCounts(this.#buffer);
  }

  greatest(gauge: ThreadGauge): number {
    const slots = this.#buffer.byteLength / 8 / SLOT_NUMBERS;
    return Math.max(
      ...Array.from({ length: slots }, (_, slot) => slotOf(this.#buffer, slot)[GAUGES + THREAD_GAUGES.indexOf(gauge)]!),
    );
  }
}

export function countThreadExit(buffer: SharedArrayBuffer, slot: number): void {
  slotOf(buffer, slot)[DEATHS]! += 1;
}

const slotOf = (buffer: SharedArrayBuffer, slot: number): Float64Array =>
  new Float64Array(buffer, slot * SLOT_NUMBERS * Float64Array.BYTES_PER_ELEMENT, SLOT_NUMBERS);

export interface CountsSeen {
  readonly requests: readonly { readonly endpoint: Counted; readonly status: number; readonly count: number }[];
  readonly decisions: readonly { readonly action: Action; readonly observed: boolean; readonly count: number }[];
  readonly errors: readonly { readonly code: ErrorCode; readonly count: number }[];
  readonly inFlight: number;
  readonly unwritten: number;
  readonly deaths: number;
  readonly latency: { readonly buckets: readonly number[]; readonly sum: number };
  readonly threads: readonly Readonly<Record<ThreadGauge, number>>[];
}

/** Each number is whole, but numbers of one moment may be a request apart. */
export function readCounts(buffer: SharedArrayBuffer): CountsSeen {
  const slots = Array.from({ length: buffer.byteLength / 8 / SLOT_NUMBERS }, (_, slot) => slotOf(buffer, slot));
  const total = (at: number): number => slots.reduce((sum, slot) => sum + slot[at]!, 0);
  const requests = COUNTED.flatMap((endpoint, counted) =>
    Array.from({ length: STATUS_SPAN }, (_, status) => ({
      endpoint,
      status: 100 + status,
      count: total(STATUSES + counted * STATUS_SPAN + status),
    })),
  ).filter(({ count }) => count > 0);
  return {
    requests,
    decisions: ACTIONS.flatMap((action, row) =>
      [false, true].map((observed) => ({ action, observed, count: total(DECIDED + 2 * row + (observed ? 1 : 0)) })),
    ),
    errors: ERROR_CODES.map((code, at) => ({ code, count: total(CODES + at) })),
    inFlight: Math.max(0, total(STARTED) - total(ENDED)),
    unwritten: total(UNWRITTEN),
    deaths: total(DEATHS),
    latency: {
      buckets: Array.from({ length: LATENCY_BOUNDS_SEC.length + 1 }, (_, bucket) => total(BUCKETS + bucket)),
      sum: total(LATENCY_SUM),
    },
    threads: slots.map(
      (slot) =>
        Object.fromEntries(THREAD_GAUGES.map((name, at) => [name, slot[GAUGES + at]!])) as Record<ThreadGauge, number>,
    ),
  };
}
