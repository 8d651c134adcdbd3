import type { ServerResponse } from 'node:http';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { ACTIONS, type Action } from '../../../core/policy/policy.ts';
import { ENDPOINTS, type Endpoint } from '../step.ts';

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
/** A request of this thread on its way, kept at its response. */
interface Begun {
  readonly id: string;
  readonly startedAt: number;
  counted: number;
  status: number;
  code: ErrorCode | undefined;
}
const BEGUN = Symbol('begun');
type Timed = ServerResponse & { [BEGUN]?: Begun };

export interface AnsweredRequest {
  readonly id: string;
  readonly endpoint: Counted;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly ms: number;
}

const THREAD_GAUGES = [
  'loop_delay_p50_sec',
  'loop_delay_p99_sec',
  'loop_delay_max_sec',
  'loop_utilization',
  'ledger_refusing',
  'ledger_waiting_charges',
  'ledger_refused_charges',
  'redis_up',
  'redis_fault',
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
const DEATHS = 3;
const CLIENTLESS = 4;
const LATENCIES = 5;
/** An endpoint has its buckets, one more above the last bound, and the sum. */
const LATENCY_SPAN = LATENCY_BOUNDS_SEC.length + 2;
const GAUGES = LATENCIES + COUNTED.length * LATENCY_SPAN;
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
  readonly #report: ((answered: AnsweredRequest) => void) | undefined;

  /**
   * @param slot whose former thread, if any, left requests that will never end
   * @param report is told every answer of this thread
   */
  constructor(buffer: SharedArrayBuffer = countsBuffer(1), slot = 0, report?: (answered: AnsweredRequest) => void) {
    this.#buffer = buffer;
    this.#report = report;
    this.#slot = slotOf(buffer, slot);
    this.#slot[ENDED] = this.#slot[STARTED]!;
  }

  /** @param startedAt of `performance.now` */
  begin(response: ServerResponse, id: string, startedAt = performance.now()): void {
    this.#slot[STARTED]! += 1;
    (response as Timed)[BEGUN] = { id, startedAt, counted: 0, status: 0, code: undefined };
  }

  /** Times an answer that was handed over. Answers of one turn share a reading of the clock. */
  timed(response: ServerResponse, now: number): void {
    const begun = (response as Timed)[BEGUN];
    if (begun === undefined) return;
    const { id, startedAt, counted, status, code } = begun;
    const seconds = (now - startedAt) / 1000;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_SEC.length && seconds > LATENCY_BOUNDS_SEC[bucket]!) bucket++;
    const at = LATENCIES + counted * LATENCY_SPAN;
    this.#slot[at + bucket]! += 1;
    this.#slot[at + LATENCY_SPAN - 1]! += seconds;
    this.#report?.({ id, endpoint: COUNTED[counted]!, status, code, ms: seconds * 1000 });
  }

  end(response: ServerResponse, counted: number, status: number): void {
    const slot = this.#slot;
    slot[ENDED]! += 1;
    slot[STATUSES + counted * STATUS_SPAN + status - 100]! += 1;
    const begun = (response as Timed)[BEGUN];
    if (begun === undefined) return;
    begun.counted = counted;
    begun.status = status;
  }

  failed(response: ServerResponse, code: ErrorCode): void {
    this.#slot[CODES + ERROR_CODES.indexOf(code)]! += 1;
    const begun = (response as Timed)[BEGUN];
    if (begun !== undefined) begun.code = code;
  }

  decided(action: Action, observed: boolean): void {
    this.#slot[DECIDED + 2 * ACTIONS.indexOf(action) + (observed ? 1 : 0)]! += 1;
  }

  clientless(): void {
    this.#slot[CLIENTLESS]! += 1;
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
  readonly clientless: number;
  readonly latencies: readonly {
    readonly endpoint: Counted;
    readonly buckets: readonly number[];
    readonly sum: number;
  }[];
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
    clientless: total(CLIENTLESS),
    latencies: COUNTED.map((endpoint, counted) => {
      const [sum = 0, ...buckets] = Array.from({ length: LATENCY_SPAN }, (_, back) =>
        total(LATENCIES + (counted + 1) * LATENCY_SPAN - 1 - back),
      );
      return { endpoint, buckets: buckets.toReversed(), sum };
    }).filter(({ buckets }) => buckets.some((count) => count > 0)),
    threads: slots.map(
      (slot) =>
        Object.fromEntries(THREAD_GAUGES.map((name, at) => [name, slot[GAUGES + at]!])) as Record<ThreadGauge, number>,
    ),
  };
}
