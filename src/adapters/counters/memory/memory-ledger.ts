import { setImmediate, setTimeout } from 'node:timers/promises';
import { type Allowances, poolOf } from '../../../core/quota/allowances.ts';
import {
  type Allowance,
  type ChargeRequest,
  type ChargeResult,
  type DayUsage,
  lowerWindow,
  minuteNumber,
  type QuotaDay,
  type QuotaDayOf,
  type QuotaId,
  quotaDayBefore,
  quotaDayIn,
  quotaDayOfNumber,
  type Receipt,
  type WindowState,
  type Windows,
  windowOf,
} from '../../../core/quota/quota.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { Problem } from '../../../service/problem.ts';
import type { KnownUse, LocalCounts, SharedAnswer } from '../local-counts.ts';
import { ChargeLog, type ChargeLogOptions } from './charge-log.ts';
import { DELIVERED, poolNumberOf } from './charge-record.ts';
import { type ClosedDay, ClosedDays } from './closed-days.ts';
import { CounterTable, type Days } from './counter-table.ts';
import { keyOf, readDay, type Total } from './day-totals.ts';
import { IdHash } from './id-hash.ts';
import { LatestDay } from './ledger-files.ts';
import type { SharedLedger } from './shared-ledger.ts';

export interface MemoryLedgerOptions {
  readonly owner: number;
  readonly writer: string;
  readonly log?: Omit<ChargeLogOptions, 'dir' | 'writer'>;
}

const CLOSE_TRIES = 20;
const CLOSE_EVERY_MS = 100;

export interface MemoryLedgerState {
  /** False while charges cannot be written: those of lookups wait in memory, others are refused. */
  readonly accepts: boolean;
  readonly waiting: number;
  readonly refused: number;
}

const NOTHING_KNOWN: KnownUse = {
  generation: 0,
  base: 0,
  total: 0,
  baseRefunded: 0,
  refunded: 0,
  own: 0,
  ownRefunded: 0,
  delivered: 0,
  deliveredRefunded: 0,
};

interface Counter {
  readonly h1: number;
  readonly h2: number;
  readonly table: CounterTable;
}

/**
 * The ledger of one process (decisions 9), with counters in memory shared by all threads, exact across them,
 * and one log per thread. `charge` answers at once, but the request must not be answered before `flushed()`,
 * which writes all charges since the last call in one system call. If the log has no room, a lookup's charge
 * waits in memory, and other charges are refused.
 */
export class MemoryLedger implements LocalCounts {
  readonly node: string;
  readonly #clients: CounterTable;
  readonly #accounts: CounterTable;
  readonly #isShared: boolean;
  readonly #hash: IdHash;
  readonly #zone: string;
  readonly #dayOf: QuotaDayOf;
  readonly #dir: string;
  readonly #closedDays: ClosedDays;
  readonly #log: ChargeLog;
  readonly #latestDay: LatestDay;
  readonly #days: Days = {
    latest: () => this.#latestDay.latest(),
    usedBefore: (h1, h2, day) => this.#usedBefore(h1, h2, day),
  };
  #aheadDay: QuotaDay | undefined;
  #filed: { readonly day: number; readonly jumps: number; readonly totals: ReadonlyMap<string, Total> } | undefined;
  #minute = 0;
  #refused = 0;

  constructor(shared: SharedLedger, options: MemoryLedgerOptions) {
    this.node = shared.node;
    this.#latestDay = new LatestDay(shared.latestDay);
    this.#clients = new CounterTable(
      shared.clients,
      shared.clientShape,
      options.owner,
      this.#days,
      shared.shares?.clients,
    );
    this.#accounts = new CounterTable(
      shared.accounts,
      shared.accountShape,
      options.owner,
      this.#days,
      shared.shares?.accounts,
    );
    this.#isShared = shared.shares !== undefined;
    this.#hash = new IdHash(shared.seed);
    this.#zone = shared.zone;
    this.#dayOf = quotaDayIn(shared.zone);
    this.#dir = shared.dir;
    this.#closedDays = new ClosedDays(shared.dir);
    this.#log = new ChargeLog({ dir: shared.dir, writer: options.writer, ...options.log });
  }

  windows({ minute, day }: Pick<ChargeRequest, 'minute' | 'day'>, at: UnixMs): Windows {
    return this.charge({ at, units: 0, minute, day });
  }

  /**
   * @throws Problem not_ready (phone: quota_unavailable) when the charge can neither be written nor wait in
   * memory; nothing is counted then
   */
  charge(request: ChargeRequest): ChargeResult {
    const { at, units, minuteUnits = units } = request;
    const clockDay = this.#dayOf(at);
    const today = this.#dayNumbered(this.#latestDay.begin(clockDay.number), clockDay);
    const { minute, day } = this.#counted(request, today.number);
    const waits = units > 0 && day.length > 0 && !this.#log.hasRoom(today.number, day.length);
    if (units > 0 && day.length > 0 && (waits ? !this.#mayWait(today.number, day) : this.#isRefused(day[0]!.id)))
      throw this.#noRoom(day[0]!.id);
    const minuteAt = minuteNumber(at);
    let minuteState: WindowState | undefined;
    for (let i = 0; i < minute.length; i++) {
      const allowance = minute[i]!;
      const taken = this.#takeMinute(allowance, today.number, minuteAt, minuteUnits);
      const window = windowOf(allowance, usedIn(taken), unixMs((this.#minute + 1) * MINUTE_MS));
      if (taken >= 0) {
        minuteState = lowerWindow(minuteState, window);
        continue;
      }
      for (let j = i - 1; j >= 0; j--) this.#giveBackMinute(minute[j]!.id, minuteAt, minuteUnits);
      return { ok: false, window: 'minute', refusedBy: allowance.id, minute: window };
    }
    let dayState: WindowState | undefined;
    for (let i = 0; i < day.length; i++) {
      const allowance = day[i]!;
      const taken = this.#takeDay(allowance, today.number, units);
      const window = windowOf(allowance, usedIn(taken), today.resetsAt);
      if (taken >= 0) {
        dayState = lowerWindow(dayState, window);
        continue;
      }
      for (let j = i - 1; j >= 0; j--) this.#giveBackDay(day[j]!.id, today.number, units, false);
      return {
        ok: false,
        window: 'day',
        refusedBy: allowance.id,
        day: window,
        ...(minuteState && { minute: minuteState }),
      };
    }
    const ids: QuotaId[] = [];
    for (let i = 0; i < day.length; i++) {
      const { id } = day[i]!;
      ids.push(id);
      if (units > 0) this.#record(id, today.number, units, names(minute, id) ? this.#minute : 0, waits);
    }
    const receipt: Receipt = { units, dayNumber: today.number, ids };
    return minuteState === undefined
      ? { ok: true, receipt, ...(dayState && { day: dayState }) }
      : dayState === undefined
        ? { ok: true, receipt, minute: minuteState }
        : { ok: true, receipt, minute: minuteState, day: dayState };
  }

  counted(request: ChargeRequest): ChargeRequest {
    const { minute, day } = this.#counted(request, this.#dayInForce(request.at).number);
    return minute === request.minute ? request : { ...request, minute, day };
  }

  refund(receipt: Receipt, _at: UnixMs, units = receipt.units): void {
    if (units === 0) return;
    for (const id of receipt.ids) {
      // Phone numbers are billed, so neither their charges nor their refunds wait in memory.
      const waits = this.#log.holds() && poolOf(id) !== 'phone';
      if (this.#giveBackDay(id, receipt.dayNumber, units, true)) this.#record(id, receipt.dayNumber, -units, 0, waits);
    }
  }

  knownUse(id: QuotaId, day: number): KnownUse {
    const { h1, h2, table } = this.#counterOf(id);
    const slot = table.find(h1, h2);
    const known = slot > 0 ? table.withShares(slot, day, (shares, row) => shares.known(row)) : undefined;
    return known ?? NOTHING_KNOWN;
  }

  learnUse(id: QuotaId, day: number, sent: KnownUse, answer: SharedAnswer, units: number): void {
    if (this.#latestDay.begin(day) !== day) return;
    const { h1, h2, table } = this.#counterOf(id);
    const slot = table.slotFor(h1, h2, day);
    if (table.isShared(slot) || table.dayOf(slot) !== day) return;
    const delivered = table.withShares(slot, day, (shares, row) => shares.learn(row, sent, answer, units));
    if (delivered !== undefined) this.#recordDelivery(id, day, delivered.units, delivered.refunded);
    table.learnDay(slot, day, Math.max(0, answer.total - answer.refunded), answer.refunded);
  }

  #recordDelivery(id: QuotaId, day: number, units: number, refunded: number): void {
    if (units + refunded === 0 || this.#log.holds() || !this.#log.hasRoom(day, 2)) return;
    if (units > 0) this.#record(id, day, -units, DELIVERED, false);
    if (refunded > 0) this.#record(id, day, refunded, DELIVERED, false);
  }

  knownMinute(id: QuotaId, minute: number): number {
    const { h1, h2, table } = this.#counterOf(id);
    const slot = table.find(h1, h2);
    return slot > 0 && !table.isShared(slot) ? table.minuteUsed(slot, minute) : 0;
  }

  learnMinute(id: QuotaId, minute: number, day: number, used: number): void {
    if (this.#latestDay.begin(day) !== day) return;
    const { h1, h2, table } = this.#counterOf(id);
    const slot = table.slotFor(h1, h2, day);
    if (!table.isShared(slot)) table.learnMinute(slot, minute, used);
  }

  usage(id: QuotaId, at: UnixMs): DayUsage {
    return this.#usageNow(this.#counterOf(id), this.#dayInForce(at));
  }

  async usageOf(ids: readonly QuotaId[], at: UnixMs, days: number): Promise<readonly (readonly DayUsage[])[]> {
    const counters = ids.map((id) => this.#counterOf(id));
    const dayOf = quotaDayIn(this.#zone);
    let day = this.#dayInForce(at);
    const rows = [counters.map((counter) => this.#usageNow(counter, day))];
    while (rows.length < days) {
      await setImmediate();
      day = quotaDayBefore(dayOf, day);
      const closed = await this.#closedDays.open(day.number);
      rows.push(counters.map((counter) => this.#usageOn(counter, day, closed)));
    }
    return rows.reverse();
  }

  #counterOf(id: QuotaId): Counter {
    this.#hash.update(id);
    return { h1: this.#hash.h1, h2: this.#hash.h2, table: this.#tableOf(id) };
  }

  #usageNow({ h1, h2, table }: Counter, day: QuotaDay): DayUsage {
    return usageIn(day, countedOn(day.number, table, table.find(h1, h2)) ?? this.#days.usedBefore(h1, h2, day.number));
  }

  #usageOn({ h1, h2, table }: Counter, day: QuotaDay, closed: ClosedDay): DayUsage {
    return usageIn(day, countedOn(day.number, table, table.find(h1, h2)) ?? closed.find(h1, h2));
  }

  /**
   * Writes synchronously, so that nothing is left to wait for.
   * @throws the error of the file system if the charges could not be written now; they are kept and written
   * later, and `log.onTrouble` was called
   */
  flushed(): undefined {
    this.#log.append();
  }

  async close(): Promise<void> {
    // Another stopping thread frees its reserve, and this log then retries by itself.
    for (let tries = 0; tries < CLOSE_TRIES && this.#log.lacksLog(); tries++) await setTimeout(CLOSE_EVERY_MS);
    this.#log.close();
  }

  occupancy(): {
    readonly clients: ReturnType<CounterTable['occupancy']>;
    readonly accounts: ReturnType<CounterTable['occupancy']>;
  } {
    return { clients: this.#clients.occupancy(), accounts: this.#accounts.occupancy() };
  }

  state(): MemoryLedgerState {
    return { accepts: this.#log.accepts(), waiting: this.#log.waiting(), refused: this.#refused };
  }

  /**
   * Counts an IPv6 client that is new in a crowded table on the counter of its /48 alone, with the client's
   * own limits. A network with millions of /64s must not use up the counters of all others.
   */
  #counted(allowances: Allowances, today: number): Allowances {
    if (!this.#clients.isHalfUsed()) return allowances;
    const { minute, day } = allowances;
    const client = minute.at(-1);
    if (minute.length < 2 || client === undefined || poolOf(client.id) !== 'ip') return allowances;
    this.#hash.update(client.id);
    return this.#clients.isCrowded(this.#hash.h1, this.#hash.h2, today)
      ? { minute: widestAlone(minute), day: widestAlone(day) }
      : allowances;
  }

  /**
   * Returns whether a charge without room may wait in memory: lookups may, up to a bound. After a jump of the
   * clock none may, because counters are then read from the logs.
   */
  #mayWait(today: number, day: readonly Allowance[]): boolean {
    if (poolOf(day[0]!.id) === 'phone' || this.#latestDay.jumps() > 0) return false;
    return day.every(({ id }) => {
      this.#hash.update(id);
      return this.#log.canHold(today, this.#hash.h1, this.#hash.h2);
    });
  }

  #isRefused(id: QuotaId): boolean {
    return poolOf(id) === 'phone' && this.#log.isDiskFull();
  }

  #noRoom(id: QuotaId): Problem {
    this.#refused++;
    return poolOf(id) === 'phone'
      ? new Problem('quota_unavailable')
      : new Problem('not_ready', { message: 'Usage cannot be recorded now; retry shortly.' });
  }

  #tableOf(id: QuotaId): CounterTable {
    return id.charCodeAt(0) === CLIENT_POOL_INITIAL ? this.#clients : this.#accounts;
  }

  #dayInForce(at: UnixMs): QuotaDay {
    const clockDay = this.#dayOf(at);
    return this.#dayNumbered(this.#latestDay.at(clockDay.number), clockDay);
  }

  #dayNumbered(number: number, clockDay: QuotaDay): QuotaDay {
    if (number === clockDay.number) return clockDay;
    if (this.#aheadDay?.number !== number) this.#aheadDay = quotaDayOfNumber(quotaDayIn(this.#zone), number);
    return this.#aheadDay;
  }

  /**
   * Returns the use in the files of a day that the clock jumped to. They are read once per jump: counters
   * charged since then have a slot in that day.
   */
  #usedBefore(h1: number, h2: number, day: number): Total | undefined {
    const jumps = this.#latestDay.jumps();
    if (jumps === 0) return undefined;
    if (this.#filed?.day !== day || this.#filed.jumps !== jumps) {
      this.#log.append();
      this.#filed = { day, jumps, totals: readDay(this.#dir, day) };
    }
    return this.#filed.totals.get(keyOf(h1, h2));
  }

  #takeDay(allowance: Allowance, day: number, units: number): number {
    this.#hash.update(allowance.id);
    const table = this.#tableOf(allowance.id);
    return table.takeDay(table.slotFor(this.#hash.h1, this.#hash.h2, day), units, allowance.hardLimit);
  }

  #takeMinute(allowance: Allowance, day: number, minute: number, units: number): number {
    this.#hash.update(allowance.id);
    const table = this.#tableOf(allowance.id);
    const slot = table.slotFor(this.#hash.h1, this.#hash.h2, day);
    const taken = table.takeMinute(slot, minute, units, allowance.hardLimit);
    this.#minute = table.minuteOf(slot);
    return taken;
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

  #record(id: QuotaId, day: number, units: number, minute: number, waits: boolean): void {
    this.#hash.update(id);
    if (this.#isShared && minute !== DELIVERED) this.#addLocal(this.#tableOf(id), day, units);
    if (waits) this.#log.hold(day, this.#hash.h1, this.#hash.h2, units, minute, poolNumberOf(id));
    else this.#log.add(day, this.#hash.h1, this.#hash.h2, units, minute, poolNumberOf(id));
  }

  #addLocal(table: CounterTable, day: number, units: number): void {
    const slot = table.find(this.#hash.h1, this.#hash.h2);
    if (slot > 0)
      table.withShares(slot, day, (shares, row) => shares.addLocal(row, Math.max(0, units), Math.max(0, -units)));
  }
}

const widestAlone = (allowances: readonly Allowance[]): readonly Allowance[] =>
  allowances.length < 2 ? allowances : [{ ...allowances.at(-1)!, id: allowances[0]!.id }];

/** No other pool begins with the 'i' of "ip:". */
const CLIENT_POOL_INITIAL = 105;

type Counts = ReturnType<CounterTable['usage']>;

const countedOn = (day: number, table: CounterTable, slot: number): Counts | undefined =>
  slot > 0 && table.dayOf(slot) === day ? table.usage(slot) : undefined;

const usageIn = ({ number, resetsAt }: QuotaDay, counts: Counts | undefined): DayUsage => ({
  dayNumber: number,
  used: counts?.used ?? 0,
  refunded: counts?.refunded ?? 0,
  resetsAt,
});

const names = (allowances: readonly Allowance[], id: QuotaId): boolean => {
  for (let i = 0; i < allowances.length; i++) if (allowances[i]!.id === id) return true;
  return false;
};

const usedIn = (taken: number): number => (taken < 0 ? -1 - taken : taken);
