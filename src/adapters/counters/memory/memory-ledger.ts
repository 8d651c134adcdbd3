import { poolOf } from '../../../core/quota/allowances.ts';
import { minuteNumber, type QuotaDayOf, quotaDayIn } from '../../../core/quota/day.ts';
import type { Allowance, ChargeRequest, ChargeResult, DayUsage, QuotaId, Receipt, WindowState } from '../../../core/quota/quota.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import type { Ledger } from '../../../service/ports.ts';
import { ChargeLog } from './charge-log.ts';
import { IdHash } from './hash-id.ts';
import { poolNumber } from './record.ts';
import type { SharedLedger } from './shared-ledger.ts';
import { CounterTable } from './table.ts';
import { readTotals } from './totals.ts';

export interface MemoryLedgerOptions {
  /** Positive, at least 2, unique among the threads that share the memory. */
  readonly owner: number;
  /** Unique for this thread and run: lower-case letters and digits. */
  readonly writer: string;
  readonly syncEveryMs?: number;
}

/**
 * The ledger of one process (decisions 9): counters in memory that all threads share, exact across them, and one log a thread. `charge` answers at
 * once; a charge must not be answered for before `flushed()`, which writes everything charged since the last call in one system call.
 */
export class MemoryLedger implements Ledger {
  readonly #clients: CounterTable;
  readonly #accounts: CounterTable;
  readonly #hash: IdHash;
  readonly #dayOf: QuotaDayOf;
  readonly #dir: string;
  readonly #log: ChargeLog;
  #latestDay: number;

  constructor(shared: SharedLedger, options: MemoryLedgerOptions) {
    this.#clients = new CounterTable(shared.clients, shared.clientShape, options.owner);
    this.#accounts = new CounterTable(shared.accounts, shared.accountShape, options.owner);
    this.#hash = new IdHash(shared.seed);
    this.#dayOf = quotaDayIn(shared.zone);
    this.#dir = shared.dir;
    this.#latestDay = shared.openedOn;
    this.#log = new ChargeLog({ dir: shared.dir, writer: options.writer, ...(options.syncEveryMs === undefined ? {} : { syncEveryMs: options.syncEveryMs }) });
  }

  charge(request: ChargeRequest): ChargeResult {
    const { at, units } = request;
    const day = this.#dayOf(at);
    if (day.number > this.#latestDay) this.#latestDay = day.number;
    const minuteAt = minuteNumber(at);
    const minute = new Taking(unixMs((minuteAt + 1) * MINUTE_MS));
    for (const [index, allowance] of request.minute.entries()) {
      if (minute.add(allowance, this.#take(allowance, day.number, minuteAt, units))) continue;
      for (let i = index - 1; i >= 0; i--) this.#giveBackMinute(request.minute[i]!.id, minuteAt, units);
      return { ok: false, window: 'minute', refusedBy: allowance.id, minute: minute.state! };
    }
    const daily = new Taking(day.resetsAt);
    for (const [index, allowance] of request.day.entries()) {
      if (daily.add(allowance, this.#take(allowance, day.number, 0, units))) continue;
      for (let i = index - 1; i >= 0; i--) this.#giveBackDay(request.day[i]!.id, day.number, units, false);
      return { ok: false, window: 'day', refusedBy: allowance.id, day: daily.state!, ...(minute.state && { minute: minute.state }) };
    }
    const ids: QuotaId[] = [];
    for (const { id } of request.day) {
      ids.push(id);
      this.#record(id, day.number, units, request.minute.some((other) => other.id === id) ? minuteAt : 0);
    }
    const receipt: Receipt = { units, dayNumber: day.number, ids };
    return minute.state === undefined
      ? { ok: true, receipt, ...(daily.state && { day: daily.state }) }
      : daily.state === undefined
        ? { ok: true, receipt, minute: minute.state }
        : { ok: true, receipt, minute: minute.state, day: daily.state };
  }

  /** Gives the day's units back. The minute stays counted; a day that has closed stays as it was. */
  refund(receipt: Receipt, _at: UnixMs): void {
    for (const id of receipt.ids) {
      if (this.#giveBackDay(id, receipt.dayNumber, receipt.units, true)) this.#record(id, receipt.dayNumber, -receipt.units, 0);
    }
  }

  /** Today's use from memory; a past day's from its totals, up to KEEP_DAYS back. */
  usage(id: QuotaId, at: UnixMs): DayUsage {
    const day = this.#dayOf(at);
    this.#hash.update(id);
    const { h1, h2 } = this.#hash;
    const table = this.#tableOf(id);
    const slot = table.find(h1, h2);
    if (slot > 0 && table.dayOf(slot) === day.number)
      return { used: table.usedOn(slot, day.number), refunded: table.refundedOn(slot, day.number), resetsAt: day.resetsAt };
    const total = day.number < this.#latestDay ? readTotals(this.#dir, day.number).totals.get(`${h1},${h2}`) : undefined;
    return { used: total?.used ?? 0, refunded: total?.refunded ?? 0, resetsAt: day.resetsAt };
  }

  /**
   * Writes at once; nothing is left to wait for.
   * @throws the file system's error when the charges could not be written
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
    this.#log.add(day, this.#hash.h1, this.#hash.h2, units, minute, poolNumber(poolOf(id)));
  }
}

/** 'i' of "ip:": no other pool begins with it. */
const CLIENT_POOL_INITIAL = 105;

/** The binding one among several allowances of a kind: the one with the least left, then the smallest limit. */
class Taking {
  state: WindowState | undefined;
  readonly #resetsAt: UnixMs;

  constructor(resetsAt: UnixMs) {
    this.#resetsAt = resetsAt;
  }

  /** @param taken units used after it, or -1 - used @returns whether it fitted */
  add(allowance: Allowance, taken: number): boolean {
    const used = taken < 0 ? -1 - taken : taken;
    const remaining = used >= allowance.limit ? 0 : allowance.limit - used;
    const known = this.state;
    // The counter that refuses is the one that binds, whatever the others have left.
    if (taken < 0 || known === undefined || remaining < known.remaining || (remaining === known.remaining && allowance.limit < known.limit))
      this.state = { limit: allowance.limit, remaining, resetsAt: this.#resetsAt };
    return taken >= 0;
  }
}
