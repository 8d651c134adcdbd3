import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isCurrentDay, type QuotaId, quotaDayIn, type Receipt } from '../../../core/quota/quota.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { allow, NOON } from './ledger.fixture.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { openSharedLedger, tidyLedger } from './shared-ledger.ts';

const ZONE = 'Asia/Shanghai';
const SHAPE = { firstSegment: 64, segments: 2 };

let writers = 0;
/** Opens two threads' ledgers over one memory. */
function threads(dir: string, at: UnixMs): readonly MemoryLedger[] {
  const shared = openSharedLedger({ dir, zone: ZONE, clientShape: SHAPE, accountShape: SHAPE }, at);
  return [0, 1].map(
    () => new MemoryLedger(shared, { owner: 2 + writers, writer: `w${writers++}`, log: { reserveBytes: 4096 } }),
  );
}

/** A simple model of the rule: one count per day and counter, which is never reset, and the day in force. */
class Model {
  readonly #dayOf = quotaDayIn(ZONE);
  readonly #counts = new Map<string, { used: number; refunded: number }>();
  readonly #charged = new Set<number>();
  #latest: number;

  constructor(at: UnixMs) {
    this.#latest = this.#dayOf(at).number;
  }

  /** @param begins a charge begins a day; so does any reading that does not continue from the latest day */
  dayAt(at: UnixMs, begins: boolean): number {
    const clockDay = this.#dayOf(at).number;
    if (isCurrentDay(this.#latest, clockDay)) return this.#latest;
    if (begins || clockDay < this.#latest || clockDay > this.#latest + 2) this.#latest = clockDay;
    return clockDay;
  }

  on(id: QuotaId, day: number): { used: number; refunded: number } {
    const key = `${id} ${day}`;
    const known = this.#counts.get(key) ?? { used: 0, refunded: 0 };
    this.#counts.set(key, known);
    return known;
  }

  charge(id: QuotaId, day: number, units: number): void {
    this.on(id, day).used += units;
    this.#charged.add(day);
  }

  /** A start knows the charges. */
  restart(at: UnixMs): void {
    const clockDay = this.#dayOf(at).number;
    this.#latest = Math.max(clockDay, ...[...this.#charged].filter((day) => isCurrentDay(day, clockDay)));
  }
}

type Step =
  | { readonly do: 'charge'; readonly id: QuotaId; readonly units: number; readonly thread: number }
  | { readonly do: 'look'; readonly id: QuotaId; readonly thread: number }
  | { readonly do: 'clock'; readonly ms: number }
  | { readonly do: 'refund' | 'restart' | 'tidy' };

const id = fc.constantFrom<QuotaId>('account:a', 'account:b', 'phone:a', 'key:a/k');
const thread = fc.nat(1);
const jump = fc
  .constantFrom(HOUR_MS, DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 5 * DAY_MS, 3653 * DAY_MS)
  .chain((ms) => fc.constantFrom(ms, -ms));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('charge' as const), id, units: fc.integer({ min: 1, max: 5 }), thread }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('look' as const), id, thread }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('clock' as const), ms: jump }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('refund' as const, 'restart' as const, 'tidy' as const) }) },
);

/**
 * A start with the clock three days behind a charged day; the clock then reaches that day in steps that are
 * not jumps.
 */
const STARTED_BEHIND: Step[] = [
  { do: 'charge', id: 'account:a', units: 1, thread: 0 },
  { do: 'clock', ms: -3 * DAY_MS },
  { do: 'restart' },
  { do: 'clock', ms: DAY_MS },
  { do: 'charge', id: 'account:a', units: 1, thread: 0 },
  { do: 'clock', ms: 2 * DAY_MS },
  { do: 'charge', id: 'account:a', units: 1, thread: 0 },
  { do: 'look', id: 'account:a', thread: 1 },
];

describe('a clock that goes forth and back', () => {
  test('every day keeps its one count, whatever the clock does, on both threads and over restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const dir = mkdtempSync(join(tmpdir(), 'pulse-clock-'));
        let at = NOON;
        let ledgers = threads(dir, at);
        const model = new Model(at);
        let last: { readonly receipt: Receipt; readonly id: QuotaId } | undefined;
        for (const one of steps) {
          if (one.do === 'charge') {
            const limit = 12;
            const day = model.dayAt(at, true);
            const fits = model.on(one.id, day).used + one.units <= limit;
            const result = ledgers[one.thread]!.charge({
              at,
              units: one.units,
              minute: [],
              day: [allow(one.id, limit)],
            });
            ledgers[one.thread]!.flushed();
            assert.equal(result.ok, fits);
            assert.ok(result.day!.resetsAt > at, 'the reset lies ahead');
            if (!result.ok) continue;
            assert.equal(result.receipt.dayNumber, day);
            model.charge(one.id, day, one.units);
            last = { receipt: result.receipt, id: one.id };
          } else if (one.do === 'look') {
            const day = model.dayAt(at, false);
            const { dayNumber, used, refunded } = ledgers[one.thread]!.usage(one.id, at);
            assert.deepEqual({ dayNumber, used, refunded }, { dayNumber: day, ...model.on(one.id, day) });
          } else if (one.do === 'clock') {
            at = unixMs(at + one.ms);
            last = undefined;
          } else if (one.do === 'refund' && last !== undefined) {
            ledgers[0]!.refund(last.receipt, at);
            ledgers[0]!.flushed();
            const count = model.on(last.id, last.receipt.dayNumber);
            count.used -= last.receipt.units;
            count.refunded += last.receipt.units;
            last = undefined;
          } else if (one.do === 'tidy') tidyLedger(dir, quotaDayIn(ZONE)(at).number, (_name, newest) => newest);
          else if (one.do === 'restart') {
            for (const ledger of ledgers) await ledger.close();
            model.restart(at);
            ledgers = threads(dir, at);
            last = undefined;
          }
        }
        for (const ledger of ledgers) await ledger.close();
        rmSync(dir, { recursive: true, force: true });
      }),
      { numRuns: 80, examples: [[STARTED_BEHIND]] },
    );
  });

  test('a step back of any length gives nothing in the minute that was used up, and no refusal lasts past the next one', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pulse-clock-'));
    const [ledger] = threads(dir, NOON);
    const may = (name: QuotaId, at: number): boolean =>
      ledger!.charge({ at: unixMs(at), units: 1, minute: [allow(name, 2)], day: [] }).ok;
    for (const back of [1, MINUTE_MS, 2 * MINUTE_MS, HOUR_MS, DAY_MS, 400 * DAY_MS]) {
      const name: QuotaId = `ip:${back}`;
      assert.deepEqual([may(name, NOON), may(name, NOON), may(name, NOON)], [true, true, false]);
      assert.equal(may(name, NOON - back), false, `${back} ms back`);
      assert.equal(may(name, NOON - back + 2 * MINUTE_MS), true, `two minutes after ${back} ms back`);
    }
    await ledger!.close();
    rmSync(dir, { recursive: true, force: true });
  });
});
