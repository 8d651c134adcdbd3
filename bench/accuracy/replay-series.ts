import { LEVELS, type Level } from '../../src/contract/risk.ts';
import type { CaptureBatch, EvidenceSource } from '../../src/core/evidence/observation.ts';
import type { Prefix } from '../../src/core/ip/address.ts';
import { formatPrefix } from '../../src/core/ip/format-address.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { type Verdict, verdict } from '../../src/core/risk/verdict.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import { openEvidence } from '../../src/engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';
import { compileEvidence } from '../../src/service/compile/compile-evidence.ts';
import type { HistoryStore } from '../../src/service/ports.ts';
import { FIXED_SEED } from '../../test/support/fixed-seed.ts';
import { prefixesOf } from './judge.ts';

export interface ReplayRun {
  readonly at: UnixMs;
  readonly batch: CaptureBatch;
}

/** One list's dated versions, oldest first. */
export interface ReplaySeries {
  readonly source: EvidenceSource;
  readonly runs: Iterator<ReplayRun>;
}

const HORIZONS = { '1d': DAY_MS, '7d': 7 * DAY_MS } as const;
type Horizon = keyof typeof HORIZONS;

/** Ways to say that an address is bad today: by its score, or without decay. */
export const RULES = ['score 30 or more', 'listed at this moment', 'ever listed'] as const;
type Rule = (typeof RULES)[number];

export interface BandSurvival {
  /** Prefixes with a score in the band, summed over samples. */
  count: number;
  /** How many of them were captured again within the horizon. */
  again: number;
}

export interface ReplayReport {
  readonly parameters: string;
  readonly runs: number;
  readonly from: UnixMs;
  readonly to: UnixMs;
  readonly samples: number;
  readonly survival: Readonly<Record<Horizon, Readonly<Record<Level, BandSurvival>>>>;
  /** Addresses each rule would have flagged, and how many of those were captured again within seven days. */
  readonly rules: Readonly<Record<Rule, BandSurvival>>;
}

export interface ReplayOptions {
  readonly series: readonly ReplaySeries[];
  /** Time between samples. */
  readonly stepMs: number;
  /** History that must lie before the first sample. */
  readonly warmUpMs: number;
}

const NETWORK = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false };

/**
 * Runs the shipped scoring over dated lists as if live: every version is recorded through the store at its own time. At each sample the evidence image is compiled
 * as a node compiles it, and the first address of every prefix ever listed gets the verdict of that instant. Network data is left out.
 */
export async function replaySeries(store: HistoryStore, options: ReplayOptions): Promise<ReplayReport> {
  const pending = options.series.map(({ source, runs }) => ({ source, runs, next: runs.next() }));
  const tally = new Tally();
  const listed = new ListedPrefixes();
  let runs = 0;
  let first: UnixMs | undefined;
  let last = unixMs(0);
  let sampleAt = Number.POSITIVE_INFINITY;
  const newestRuns = new Map<string, UnixMs>();
  for (;;) {
    let soonest: (typeof pending)[number] | undefined;
    for (const one of pending)
      if (one.next.done !== true && (soonest === undefined || one.next.value.at < soonest.next.value.at)) soonest = one;
    if (soonest === undefined || soonest.next.done === true) break;
    const run = soonest.next.value;
    for (; sampleAt < run.at; sampleAt = tally.nextAt(sampleAt, options.stepMs))
      tally.sample(await verdictsAt(store, listed, newestRuns, unixMs(sampleAt)), unixMs(sampleAt));
    await store.recordRun(soonest.source, run.at, run.batch, run.at);
    newestRuns.set(soonest.source.id, run.at);
    listed.add(run.batch);
    if (first === undefined) {
      first = run.at;
      sampleAt = first + options.warmUpMs;
      tally.begin(sampleAt);
    }
    last = run.at;
    soonest.next = soonest.runs.next();
    runs++;
  }
  tally.sample(await verdictsAt(store, listed, newestRuns, last), last);
  return { parameters: SCORE_PARAMETERS.version, runs, from: first ?? unixMs(0), to: last, ...tally.report() };
}

interface Judged {
  readonly score: number;
  readonly level: Level;
  readonly state: Verdict['state'];
  readonly capturedAt: number;
  /** On a list in the newest run of its source. */
  readonly listed: boolean;
}

/** Prefixes that were ever listed. Runs of an unchanged list share their batch, which is read once. */
class ListedPrefixes {
  readonly #prefixes = new Map<string, Prefix>();
  #last: CaptureBatch | undefined;

  add(batch: CaptureBatch): void {
    if (batch === this.#last) return;
    this.#last = batch;
    for (const prefix of prefixesOf(batch)) {
      const key = formatPrefix(prefix);
      if (!this.#prefixes.has(key)) this.#prefixes.set(key, prefix);
    }
  }

  [Symbol.iterator](): Iterator<readonly [string, Prefix]> {
    return this.#prefixes.entries();
  }
}

/** Answers of a node at `at` for the first address of every prefix ever listed: everything recorded so far is dated at or before it. */
async function verdictsAt(
  store: HistoryStore,
  listed: ListedPrefixes,
  newestRuns: ReadonlyMap<string, UnixMs>,
  at: UnixMs,
): Promise<Map<string, Judged>> {
  const { bytes } = await compileEvidence(store, at, FIXED_SEED);
  const live = new LiveEvidence(openEvidence(bytes.buffer), FIXED_SEED);
  const judged = new Map<string, Judged>();
  for (const [key, prefix] of listed) {
    const observations = live.observations(prefix);
    const { score, level, state } = verdict(observations, NETWORK, prefix.family, at, SCORE_PARAMETERS);
    const capturedAt = observations.reduce((newest, row) => Math.max(newest, row.capturedAt), 0);
    judged.set(key, {
      score,
      level,
      state,
      capturedAt,
      listed: observations.some((row) => row.capturedAt === newestRuns.get(row.source)),
    });
  }
  return judged;
}

/** Whether a rule flags an address that was seen before. */
const flags: Readonly<Record<Rule, (judged: Judged) => boolean>> = {
  'score 30 or more': ({ score }) => score >= 30,
  'listed at this moment': ({ listed }) => listed,
  'ever listed': () => true,
};

const emptyBands = (): Record<Level, BandSurvival> =>
  Object.fromEntries(LEVELS.map((level) => [level, { count: 0, again: 0 }])) as Record<Level, BandSurvival>;

interface Waiting {
  readonly at: number;
  readonly judged: ReadonlyMap<string, Judged>;
}

/** Counts as samples come. A sample at t is also asked for the later prefixes of the samples one horizon before it. */
class Tally {
  samples = 0;
  readonly #survival: Record<Horizon, Record<Level, BandSurvival>> = {
    '1d': emptyBands(),
    '7d': emptyBands(),
  };
  readonly #rules = Object.fromEntries(RULES.map((rule) => [rule, { count: 0, again: 0 }])) as Record<
    Rule,
    BandSurvival
  >;
  #kept: Waiting[] = [];
  #due: number[] = [];
  #stepFrom = 0;

  begin(at: number): void {
    this.#stepFrom = at;
  }

  /** Instants of samples: every step, and one horizon after each step. */
  nextAt(at: number, stepMs: number): number {
    if ((at - this.#stepFrom) % stepMs === 0) {
      for (const horizon of Object.values(HORIZONS)) this.#due.push(at + horizon);
      this.#due.push(at + stepMs);
    }
    this.#due = [...new Set(this.#due)].filter((due) => due > at).sort((a, b) => a - b);
    return this.#due[0] ?? at + stepMs;
  }

  sample(judged: ReadonlyMap<string, Judged>, at: UnixMs): void {
    for (const [name, horizon] of Object.entries(HORIZONS) as [Horizon, number][]) {
      const before = this.#kept.find((kept) => kept.at === at - horizon);
      if (before !== undefined) this.#survive(name, before, judged);
    }
    this.samples++;
    this.#kept = [...this.#kept, { at, judged }].filter(
      (kept) => kept.at > at - 8 * DAY_MS && ((kept.at - this.#stepFrom) % DAY_MS === 0 || kept.at === at),
    );
  }

  #survive(name: Horizon, before: Waiting, after: ReadonlyMap<string, Judged>): void {
    for (const [key, judged] of before.judged) {
      if (judged.state === 'none') continue;
      const again = (after.get(key)?.capturedAt ?? 0) > before.at;
      const counted = [
        this.#survival[name][judged.level],
        ...(name === '7d' ? RULES.filter((rule) => flags[rule](judged)).map((rule) => this.#rules[rule]) : []),
      ];
      for (const one of counted) {
        one.count++;
        if (again) one.again++;
      }
    }
  }

  report() {
    return { samples: this.samples, survival: this.#survival, rules: this.#rules };
  }
}
