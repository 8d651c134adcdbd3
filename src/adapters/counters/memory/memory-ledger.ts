import { setImmediate } from 'node:timers/promises';
import { poolOf } from '../../../core/quota/allowances.ts';
import { minuteNumber, type QuotaDay, type QuotaDayOf, quotaDayIn } from '../../../core/quota/day.ts';
import type { Allowance, ChargeRequest, ChargeResult, DayUsage, QuotaId, Receipt, WindowState } from '../../../core/quota/quota.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import type { Ledger } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import { ChargeLog, type ChargeLogOptions } from './charge-log.ts';
import { ClosedDays } from './closed-days.ts';
import { IdHash } from './hash-id.ts';
import { poolNumberOf } from './record.ts';
import type { SharedLedger } from './shared-ledger.ts';
import { CounterTable } from './table.ts';

export interface MemoryLedgerOptions {
  /** Positive, at least 2, unique among the threads that share the memory. */
  readonly owner: number;
  /** Unique for this thread and run: lower-case letters and digits. */
  readonly writer: string;
  /** How the log of this thread is written; see there. */
  readonly log?: Omit<ChargeLogOptions, 'dir' | 'writer'>;
}

/** For metrics. */
export interface MemoryLedgerState {
  /** False while charges are refused because they could not be written. */
  readonly accepts: boolean;
  /** Charges and refunds that wait to be written, those of this turn included. */
  readonly waiting: number;
  /** Charges refused because they could not be written, since the start. */
  readonly refused: number;
}

/** Where one id is counted. */
interface Counter {
  readonly h1: number;
  readonly h2: number;
  readonly table: CounterTable;
}

/**
 * The ledger of one process (decisions 9): counters in memory that all threads share, exact across them, and one log a thread. `charge` answers at
 * once; a charge must not be answered for before `flushed()`, which writes everything charged since the last call in one system call. A charge that could
 * not be written is refused before it is made.
 */
export class MemoryLedger implements Ledger {
  readonly #clients: CounterTable;
  readonly #accounts: CounterTable;
  readonly #hash: IdHash;
  readonly #dayOf: QuotaDayOf;
  readonly #closedDays: ClosedDays;
  readonly #log: ChargeLog;
  #latestDay: number;
  #refused = 0;

  constructor(shared: SharedLedger, options: MemoryLedgerOptions) {
    this.#clients = new CounterTable(shared.clients, shared.clientShape, options.owner);
    this.#accounts = new CounterTable(shared.accounts, shared.accountShape, options.owner);
    this.#hash = new IdHash(shared.seed);
    this.#dayOf = quotaDayIn(shared.zone);
    this.#closedDays = new ClosedDays(shared.dir);
    this.#latestDay = shared.openedOn;
    this.#log = new ChargeLog({ dir: shared.dir, writer: options.writer, ...options.log });
  }

  /** @throws Problem not_ready (phone: quota_unavailable) when a charge of the day could not be written now: nothing is counted */
  charge({ at, units, minute, day }: ChargeRequest): ChargeResult {
    const today = this.#dayOf(at);
    if (today.number > this.#latestDay) this.#latestDay = today.number;
    if (units > 0 && day.length > 0 && !this.#log.hasRoom(today.number, day.length)) throw this.#noRoom(day[0]!.id);
    const minuteAt = minuteNumber(at);
    let minuteState: WindowState | undefined;
    for (let i = 0; i < minute.length; i++) {
      const allowance = minute[i]!;
      const taken = this.#take(allowance, today.number, minuteAt, units);
      minuteState = binding(minuteState, allowance, taken, (minuteAt + 1) * MINUTE_MS);
      if (taken >= 0) continue;
      for (let j = i - 1; j >= 0; j--) this.#giveBackMinute(minute[j]!.id, minuteAt, units);
      return { ok: false, window: 'minute', refusedBy: allowance.id, minute: minuteState };
    }
    let dayState: WindowState | undefined;
    for (let i = 0; i < day.length; i++) {
      const allowance = day[i]!;
      const taken = this.#take(allowance, today.number, 0, units);
      dayState = binding(dayState, allowance, taken, today.resetsAt);
      if (taken >= 0) continue;
      for (let j = i - 1; j >= 0; j--) this.#giveBackDay(day[j]!.id, today.number, units, false);
      return { ok: false, window: 'day', refusedBy: allowance.id, day: dayState, ...(minuteState && { minute: minuteState }) };
    }
    const ids: QuotaId[] = [];
    for (let i = 0; i < day.length; i++) {
      const { id } = day[i]!;
      ids.push(id);
      if (units > 0) this.#record(id, today.number, units, names(minute, id) ? minuteAt : 0);
    }
    const receipt: Receipt = { units, dayNumber: today.number, ids };
    return minuteState === undefined
      ? { ok: true, receipt, ...(dayState && { day: dayState }) }
      : dayState === undefined
        ? { ok: true, receipt, minute: minuteState }
        : { ok: true, receipt, minute: minuteState, day: dayState };
  }

  /** Gives the day's units back. The minute stays counted; a day that has closed stays as it was. */
  refund(receipt: Receipt, _at: UnixMs): void {
    for (const id of receipt.ids) {
      if (this.#giveBackDay(id, receipt.dayNumber, receipt.units, true)) this.#record(id, receipt.dayNumber, -receipt.units, 0);
    }
  }

  usage(id: QuotaId, at: UnixMs): DayUsage {
    return this.#usageOn(this.#counterOf(id), this.#dayOf(at));
  }

  /** Look-ups are answered between two days: the totals of one may have to be parsed. */
  async usageOf(ids: readonly QuotaId[], instants: readonly UnixMs[]): Promise<readonly (readonly DayUsage[])[]> {
    const counters = ids.map((id) => this.#counterOf(id));
    const rows: (readonly DayUsage[])[] = [];
    for (const at of instants) {
      if (rows.length > 0) await setImmediate();
      const day = this.#dayOf(at);
      rows.push(counters.map((counter) => this.#usageOn(counter, day)));
    }
    return rows;
  }

  #counterOf(id: QuotaId): Counter {
    this.#hash.update(id);
    return { h1: this.#hash.h1, h2: this.#hash.h2, table: this.#tableOf(id) };
  }

  /** Today's use from memory; a past day's from its totals, up to KEEP_DAYS back. */
  #usageOn({ h1, h2, table }: Counter, { number, resetsAt }: QuotaDay): DayUsage {
    const slot = table.find(h1, h2);
    if (slot > 0 && table.dayOf(slot) === number) return { used: table.usedOn(slot, number), refunded: table.refundedOn(slot, number), resetsAt };
    const closed = number < this.#latestDay ? this.#closedDays.find(number, h1, h2) : undefined;
    return { used: closed?.used ?? 0, refunded: closed?.refunded ?? 0, resetsAt };
  }

  /**
   * Writes at once; nothing is left to wait for.
   * @throws the file system's error when the charges could not be written now: they are kept and written later, and `log.onTrouble` has reported it
   */
  flushed(): undefined {
    this.#log.append();
  }

  async close(): Promise<void> {
    this.#log.close();
  }

  /** Occupancy of both tables, for metrics. */
  occupancy(): { readonly clients: ReturnType<CounterTable['occupancy']>; readonly accounts: ReturnType<CounterTable['occupancy']> } {
    return { clients: this.#clients.occupancy(), accounts: this.#accounts.occupancy() };
  }

  state(): MemoryLedgerState {
    return { accepts: this.#log.accepts(), waiting: this.#log.waiting(), refused: this.#refused };
  }

  #noRoom(id: QuotaId): Problem {
    this.#refused++;
    return poolOf(id) === 'phone' ? new Problem('quota_unavailable') : new Problem('not_ready', { message: 'Usage cannot be recorded now; retry shortly.' });
  }

  #tableOf(id: QuotaId): CounterTable {
    return id.charCodeAt(0) === CLIENT_POOL_INITIAL ? this.#clients : this.#accounts;
  }

  /** Units used after the charge, or -1 - used when it does not fit. Minute 0 charges the day. */
  #take(allowance: Allowance, day: number, minute: number, units: number): number {
    this.#hash.update(allowance.id);
    const table = this.#tableOf(allowance.id);
    const slot = table.slotFor(this.#hash.h1, this.#hash.h2, day);
    return minute === 0 ? table.takeDay(slot, units, allowance.hardLimit) : table.takeMinute(slot, minute, units, allowance.hardLimit);
  }

  #giveBackDay(id: QuotaId, day: number, units: number, refund: boolean): boolean {
    this.#hash.update(id);
    const table = this.#tableOf(id);
    const slot = table.find(this.#hash.h1, this.#hash.h2);
    return slot > 0 && table.giveBackDay(slot, day, units, refund);
  }

  #giveBackMinute(id: QuotaId, minute: number, units: number): void {
    this.#hash.update(id);
    const table = this.#tableOf(id);
    const slot = table.find(this.#hash.h1, this.#hash.h2);
    if (slot > 0) table.giveBackMinute(slot, minute, units);
  }

  #record(id: QuotaId, day: number, units: number, minute: number): void {
    this.#hash.update(id);
    this.#log.add(day, this.#hash.h1, this.#hash.h2, units, minute, poolNumberOf(id));
  }
}

/** 'i' of "ip:": no other pool begins with it. */
const CLIENT_POOL_INITIAL = 105;

const names = (allowances: readonly Allowance[], id: QuotaId): boolean => {
  for (let i = 0; i < allowances.length; i++) if (allowances[i]!.id === id) return true;
  return false;
};

/**
 * The binding one among several allowances of a kind: the one with the least left, then the smallest limit.
 * @param taken units used after the charge, or -1 - used when it did not fit: the counter that refuses is the one that binds, whatever the others have left
 */
function binding(known: WindowState | undefined, { limit }: Allowance, taken: number, resetsAt: number): WindowState {
  const used = taken < 0 ? -1 - taken : taken;
  const remaining = used >= limit ? 0 : limit - used;
  if (taken >= 0 && known !== undefined && (known.remaining < remaining || (known.remaining === remaining && known.limit <= limit))) return known;
  return { limit, remaining, resetsAt: unixMs(resetsAt) };
}
