import { randomBytes } from 'node:crypto';
import type { Redis } from 'iovalkey';
import { poolOf } from '../../../core/quota/allowances.ts';
import {
  type Allowance,
  type ChargeRequest,
  type ChargeResult,
  CLOCK_BACK_DAYS_MAX,
  type DayUsage,
  isCurrentDay,
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
import type { Ledger } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import type { StoreFault } from '../../../service/store-fault.ts';
import { openRedis } from '../../database/open-redis.ts';
import type { KnownUse, LocalCounts, SharedAnswer } from '../local-counts.ts';
import { CounterNames } from './counter-names.ts';
import { clockOffsetOf, type RedisFault, redisFault, serverOf } from './redis-server.ts';
import { type Asker, CHARGE, chargeArguments, GIVE_BACK, giveBackArguments, SETTLE } from './scripts.ts';

export interface RedisLedgerOptions {
  readonly url: string;
  readonly zone: string;
  readonly fallback: LocalCounts;
  readonly secret: Uint8Array;
  readonly onState?: (fault: RedisFault | undefined) => void;
  readonly answerWithinMs?: number;
}

export interface RedisLedgerState {
  readonly up: boolean;
  readonly fault: StoreFault | undefined;
  readonly localCharges: number;
  readonly refusedPhoneCharges: number;
  readonly waitingRefunds: number;
}

interface Scripted extends Redis {
  pulseCharge(keyCount: number, ...keysAndValues: (string | number)[]): Promise<number[]>;
  pulseGiveBack(keyCount: number, ...keysAndValues: (string | number)[]): Promise<number[]>;
  pulseSettle(keyCount: number, ...keysAndValues: (string | number)[]): Promise<number[]>;
}

interface WaitingCharge {
  readonly request: ChargeRequest;
  readonly resolve: (result: ChargeResult) => void;
  readonly reject: (error: unknown) => void;
}

interface WaitingRefund {
  readonly receipt: Receipt;
  readonly units: number;
  readonly uncertain: boolean;
}

const PROBE_EVERY_MS = 250;
const PROBE_TTL_SEC = 60;
const MINUTE_TTL_SEC = 150;
/** The console shows the use of past days, except for clients without an account. */
const ACCOUNT_DAY_TTL_SEC = 62 * 86_400;
const CLIENT_DAY_TTL_SEC = 2 * 86_400;
const MARK_TTL_SEC = 86_400;
const LATEST_DAY_TTL_SEC = (CLOCK_BACK_DAYS_MAX + 2) * 86_400;
const ATTEMPTS_MAX = 3;
const MAX_WAITING = 100_000;

/**
 * The ledger of several nodes, with counters in Redis or Valkey. Each request is one atomic script; the
 * scripts of one event-loop turn are sent in one write. Requests of one turn for the same counters are sent
 * as one charge of their sum, and each is answered as if it had come alone, in order.
 *
 * While the server is away, this process counts lookups alone from the last count it saw, and refuses phone
 * charges with quota_unavailable. Every question carries what this process knows about its counters, so that
 * a server that returns, with its data or without, continues from there (scripts.ts). Counts from the outage
 * are sent as soon as it returns.
 *
 * A question left in doubt by a lost connection is never repeated: at worst a lookup was counted but not
 * answered. A phone charge in doubt is given back.
 */
export class RedisLedger implements Ledger {
  readonly #redis: Scripted;
  readonly #fallback: LocalCounts;
  readonly #node: readonly [string, string];
  readonly #names: CounterNames;
  readonly #zone: string;
  readonly #dayOf: QuotaDayOf;
  #aheadDay: QuotaDay | undefined;
  readonly #local = new WeakSet<Receipt>();
  readonly #unsettled = new Map<QuotaId, number>();
  readonly #onState: (fault: RedisFault | undefined) => void;
  readonly #waiting: WaitingRefund[] = [];
  readonly #turn = new Map<string, WaitingCharge[]>();
  readonly #run = randomBytes(9).toString('base64url');
  #charges = 0;
  #probes = 0;
  #up = false;
  #server = '';
  #offsetMs = 0;
  #fault: RedisFault | undefined;
  #closed = false;
  #probe: NodeJS.Timeout | undefined;
  #localCharges = 0;
  #refusedPhoneCharges = 0;

  constructor(options: RedisLedgerOptions) {
    this.#fallback = options.fallback;
    this.#node = [`n${options.fallback.node}`, `m${options.fallback.node}`];
    this.#names = new CounterNames(options.secret, options.zone);
    this.#zone = options.zone;
    this.#dayOf = quotaDayIn(options.zone);
    this.#onState = options.onState ?? (() => {});
    this.#redis = openRedis<Scripted>(options.url, {
      name: 'pulse',
      scripts: { pulseCharge: { lua: CHARGE }, pulseGiveBack: { lua: GIVE_BACK }, pulseSettle: { lua: SETTLE } },
      answerWithinMs: options.answerWithinMs,
    });
    this.#redis.on('ready', () => this.#connected());
    this.#redis.on('close', () => this.#wentAway(new Error('Connection is closed.')));
    this.#redis.on('error', (error) => this.#wentAway(error));
  }

  async ready(withinMs: number): Promise<boolean> {
    for (let waited = 0; !this.#up && waited < withinMs; waited += 10)
      await new Promise((resolve) => setTimeout(resolve, 10));
    return this.#up;
  }

  charge(asked: ChargeRequest): Promise<ChargeResult> {
    const request = this.#fallback.counted(asked);
    if (isPhone(request) || request.minuteUnits !== undefined)
      return this.#chargeAll([request]).then(([result]) => result!);
    const name = `${this.#minuteAt(request.at)} ${nameOf(request.minute)} and ${nameOf(request.day)}`;
    return new Promise((resolve, reject) => {
      if (this.#turn.size === 0) setImmediate(() => this.#endTurn());
      const alike = this.#turn.get(name);
      if (alike === undefined) this.#turn.set(name, [{ request, resolve, reject }]);
      else alike.push({ request, resolve, reject });
    });
  }

  #endTurn(): void {
    const groups = [...this.#turn.values()];
    this.#turn.clear();
    for (const group of groups) void this.#chargeGroup(group);
  }

  async #chargeGroup(group: readonly WaitingCharge[]): Promise<void> {
    try {
      const results = await this.#chargeAll(group.map(({ request }) => request));
      for (const [i, { resolve }] of group.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /**
   * Charges requests with the same counters and limits in this order, with one question unless they do not
   * all fit.
   * @param counted units of later requests that the minute has counted already
   */
  async #chargeAll(requests: readonly ChargeRequest[], counted = 0): Promise<readonly ChargeResult[]> {
    const [first] = requests as [ChargeRequest];
    const units = requests.reduce((sum, one) => sum + one.units, 0);
    const request = requests.length === 1 ? first : { ...first, units };
    let day = this.#dayOf(request.at);
    for (let asked = 0; asked < ATTEMPTS_MAX; asked++) {
      const chargeId = this.#nextChargeId();
      const minute = this.#minuteAt(request.at);
      const reply = this.#up ? await this.#ask(request, minute, day, chargeId) : undefined;
      if (reply === undefined) return await Promise.all(requests.map((one) => this.#chargeWithout(one)));
      const [status] = reply;
      if (status === LATER_DAY) {
        day = this.#dayNumbered(reply[1]!);
        continue;
      }
      if (status === OTHER_CLOCK) continue;
      if (status === VOID)
        throw new Problem('quota_unavailable', { detail: 'the charge arrived after it had been given up' });
      let later = units;
      const each = requests.map((one) => {
        later -= one.units;
        return { one, later };
      });
      if (status !== 0 && requests.length > 1) {
        // Status 2 means that a day refused: the minute has counted all requests by then, so it must not count again.
        const alone = each.map(({ one, later }) =>
          status === 2 ? this.#chargeAll([{ ...one, minuteUnits: 0 }], later) : this.#chargeAll([one]),
        );
        return (await Promise.all(alone)).flat();
      }
      const counts = countsIn(reply, request.minute.length);
      const ends = { minute: unixMs((minute + 1) * MINUTE_MS - this.#offsetMs), day: day.resetsAt };
      const ids = request.day.map(({ id }) => id);
      return each.map(({ one, later }) => {
        const receipt = { units: one.units, dayNumber: day.number, ids, chargeId };
        return resultOf(one, counts, receipt, ends, { minute: later + counted, day: later });
      });
    }
    throw new Problem('quota_unavailable', { detail: 'clock or quota day in force change at every look' });
  }

  #nextChargeId(): string {
    this.#charges += 1;
    return `${this.#run}.${this.#charges.toString(36)}`;
  }

  /**
   * Gives a phone charge back if its answer is lost.
   * @returns the reply of CHARGE; undefined if the server is away
   */
  async #ask(request: ChargeRequest, minute: number, day: QuotaDay, chargeId: string): Promise<number[] | undefined> {
    const phone = isPhone(request);
    const known = request.day.map(({ id }) => this.#fallback.knownUse(id, day.number));
    const first = request.day[0]?.id;
    let reply: number[];
    try {
      reply = await this.#redis.pulseCharge(
        ...chargeArguments({
          asker: this.#asker(),
          units: request.units,
          minuteUnits: request.minuteUnits ?? request.units,
          minutes: request.minute.map(({ id, hardLimit }) => ({
            key: this.#names.minute(id, minute),
            limit: hardLimit,
            knownUse: this.#fallback.knownMinute(id, minute),
          })),
          days: request.day.map(({ id, hardLimit }, i) => ({
            key: this.#names.day(id, day.number),
            limit: hardLimit,
            known: numbersOf(known[i]!),
          })),
          day: { number: day.number, latestKey: first && this.#names.latestDay(first) },
          daysAheadMax: CLOCK_BACK_DAYS_MAX,
          offsetMs: this.#offsetMs,
          marks: phone ? this.#names.marks(first ?? request.minute[0]!.id, chargeId) : [],
          ttlSec: {
            minute: MINUTE_TTL_SEC,
            day: first === undefined ? ACCOUNT_DAY_TTL_SEC : dayTtl(first),
            mark: MARK_TTL_SEC,
            latestDay: LATEST_DAY_TTL_SEC,
          },
        }),
      );
      if (reply[0] === OTHER_CLOCK) this.#offsetMs = await clockOffsetOf(this.#redis);
    } catch (error) {
      this.#failed(error);
      const receipt = { units: request.units, dayNumber: day.number, ids: request.day.map(({ id }) => id), chargeId };
      if (phone) this.#queue({ receipt, units: receipt.units, uncertain: true });
      return undefined;
    }
    if (reply[0]! < VOID) this.#learn(request, reply, { minute, day: day.number, known });
    return reply;
  }

  #minuteAt(at: UnixMs): number {
    return minuteNumber(unixMs(at + this.#offsetMs));
  }

  #asker(): Asker {
    return [this.#server, Date.now(), ...this.#node];
  }

  #learn(
    { minute: minutes, day: days, units }: ChargeRequest,
    [status, index = 0, ...counts]: readonly number[],
    { minute, day, known }: { readonly minute: number; readonly day: number; readonly known: readonly KnownUse[] },
  ): void {
    const asked = status === 1 ? [minutes[index - 1]!] : minutes;
    for (const [i, { id }] of asked.entries()) this.#fallback.learnMinute(id, minute, day, counts[i]!);
    if (status === 1) return;
    const from = status === 2 ? index - 1 : 0;
    const uses = usesIn(counts, minutes.length);
    for (const [i, use] of uses.entries())
      this.#fallback.learnUse(days[from + i]!.id, day, known[from + i]!, use, status === 0 ? units : 0);
  }

  /** May be repeated. While the server is away the refund is kept and tried again. */
  async refund(receipt: Receipt, at: UnixMs, units = receipt.units): Promise<void> {
    const { ids, dayNumber } = receipt;
    if (ids.length === 0 || units === 0) return;
    if (this.#local.has(receipt)) {
      this.#fallback.refund(receipt, at, units);
      for (const id of ids) this.#unsettle(id, dayNumber);
      return;
    }
    const waiting = { receipt, units, uncertain: false };
    if (!this.#up || !(await this.#giveBack(waiting))) this.#queue(waiting);
  }

  async windows({ minute, day }: Pick<ChargeRequest, 'minute' | 'day'>, at: UnixMs): Promise<Windows> {
    return await this.charge({ at, units: 0, minute, day });
  }

  async usage(id: QuotaId, at: UnixMs): Promise<DayUsage> {
    return (await this.usageOf([id], at, 1))[0]![0]!;
  }

  /**
   * Reads all counters in one round trip, and in a second one those of owners for whom a day ahead of the
   * clock is in force.
   * @throws Problem quota_unavailable
   */
  async usageOf(ids: readonly QuotaId[], at: UnixMs, days: number): Promise<readonly (readonly DayUsage[])[]> {
    try {
      if (!this.#up) throw new Error('away');
      const clockDay = this.#dayOf(at);
      const latest = this.#latestDays(ids);
      const untilNow = this.#daysUntil(clockDay, days);
      const columns = await Promise.all(
        ids.map(async (id) => {
          const [begun, column] = await Promise.all([
            latest.get(this.#names.latestDay(id))!,
            this.#usageIn(untilNow, id),
          ]);
          return begun > clockDay.number && isCurrentDay(begun, clockDay.number)
            ? await this.#usageIn(this.#daysUntil(this.#dayNumbered(begun), days), id)
            : column;
        }),
      );
      return Array.from({ length: days }, (_, day) => columns.map((column) => column[day]!));
    } catch (cause) {
      this.#failed(cause);
      throw new Problem('quota_unavailable', { cause });
    }
  }

  #latestDays(ids: readonly QuotaId[]): ReadonlyMap<string, Promise<number>> {
    const names = new Set(ids.map((id) => this.#names.latestDay(id)));
    return new Map([...names].map((name) => [name, this.#redis.get(name).then(Number)]));
  }

  #daysUntil(last: QuotaDay, count: number): readonly QuotaDay[] {
    const dayOf = quotaDayIn(this.#zone);
    const days = [last];
    while (days.length < count) days.push(quotaDayBefore(dayOf, days.at(-1)!));
    return days.reverse();
  }

  #usageIn(days: readonly QuotaDay[], id: QuotaId): Promise<readonly DayUsage[]> {
    const last = days.at(-1);
    return Promise.all(days.map((day) => (day === last ? this.#settle(id, day) : this.#usageOn(id, day))));
  }

  async #settle(id: QuotaId, { number, resetsAt }: Pick<QuotaDay, 'number' | 'resetsAt'>): Promise<DayUsage> {
    const known = this.#fallback.knownUse(id, number);
    const reply = await this.#redis.pulseSettle(
      1,
      this.#names.day(id, number),
      ...this.#asker(),
      dayTtl(id),
      ...numbersOf(known),
    );
    const use = usesIn(reply, 0)[0]!;
    if (use.total > 0) this.#fallback.learnUse(id, number, known, use, 0);
    return { dayNumber: number, used: usedOf(use), refunded: use.refunded, resetsAt };
  }

  async #usageOn(id: QuotaId, { number, resetsAt }: QuotaDay): Promise<DayUsage> {
    const fields = await this.#redis.hmget(this.#names.day(id, number), 'pb', 'pg', 'g', 'qb', 'pr', 'r');
    const [pb = 0, pg = 0, g = 0, qb = 0, pr = 0, r = 0] = fields.map((value) => Number(value ?? 0));
    const refunded = qb + pr + r;
    return { dayNumber: number, used: Math.max(0, pb + pg + g - refunded), refunded, resetsAt };
  }

  /** Redis keeps the charges that it answered; only local counts go to the local log. */
  flushed(): Promise<void> | undefined {
    return this.#fallback.flushed();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#probe);
    if (this.#up) await this.#drain();
    this.#redis.disconnect();
    await this.#fallback.close();
  }

  state(): RedisLedgerState {
    return {
      up: this.#up,
      fault: this.#up ? undefined : this.#fault?.kind,
      localCharges: this.#localCharges,
      refusedPhoneCharges: this.#refusedPhoneCharges,
      waitingRefunds: this.#waiting.length,
    };
  }

  #dayNumbered(number: number): QuotaDay {
    if (this.#aheadDay?.number !== number) this.#aheadDay = quotaDayOfNumber(quotaDayIn(this.#zone), number);
    return this.#aheadDay;
  }

  async #chargeWithout(request: ChargeRequest): Promise<ChargeResult> {
    if (isPhone(request)) {
      this.#refusedPhoneCharges += 1;
      throw new Problem('quota_unavailable');
    }
    this.#localCharges += 1;
    const result = this.#fallback.charge(request);
    if (!result.ok) return result;
    const { receipt } = result;
    this.#local.add(receipt);
    for (const id of receipt.ids) this.#unsettle(id, receipt.dayNumber);
    return result;
  }

  #unsettle(id: QuotaId, day: number): void {
    if (this.#unsettled.size < MAX_WAITING) this.#unsettled.set(id, day);
  }

  async #giveBack({ receipt, units, uncertain }: WaitingRefund): Promise<boolean> {
    const known = receipt.ids.map((id) => this.#fallback.knownUse(id, receipt.dayNumber));
    try {
      const [done, ...counts] = await this.#redis.pulseGiveBack(
        ...giveBackArguments({
          asker: this.#asker(),
          units,
          days: receipt.ids.map((id, i) => ({
            key: this.#names.day(id, receipt.dayNumber),
            known: numbersOf(known[i]!),
          })),
          marks: this.#names.marks(receipt.ids[0]!, receipt.chargeId ?? ''),
          isUncertain: uncertain,
          ttlSec: { mark: MARK_TTL_SEC, day: dayTtl(receipt.ids[0]!) },
        }),
      );
      if (done === 1)
        for (const [i, use] of usesIn(counts, 0).entries())
          if (use.total > 0) this.#fallback.learnUse(receipt.ids[i]!, receipt.dayNumber, known[i]!, use, 0);
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  #queue(waiting: WaitingRefund): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(waiting);
  }

  async #drain(): Promise<void> {
    for (const [id, number] of this.#unsettled) {
      try {
        await this.#settle(id, { number, resetsAt: unixMs(0) });
      } catch (error) {
        return this.#failed(error);
      }
      this.#unsettled.delete(id);
    }
    for (let next = this.#waiting[0]; next !== undefined && (await this.#giveBack(next)); next = this.#waiting[0])
      this.#waiting.shift();
  }

  /**
   * Rethrows a fault of our scripts. Any other error (a refusal, lost rights, a lost connection) means that
   * the server is away.
   */
  #failed(error: unknown): void {
    if (error instanceof Error && error.name === 'ReplyError' && SCRIPT_FAULT.test(error.message)) throw error;
    this.#wentAway(error);
  }

  #wentAway(error: unknown): void {
    if (this.#closed) return;
    const fault = redisFault(error);
    // A closed connection says less than the error before it.
    if (this.#up || (fault.cause !== this.#fault?.cause && !(fault.vague && this.#fault !== undefined))) {
      this.#up = false;
      this.#fault = fault;
      this.#onState(fault);
    }
    // A proxy may lead a new connection to the server that accepts writes now.
    if (fault.readOnly && this.#redis.status === 'ready') this.#redis.disconnect(true);
    // A frozen server keeps its connection, so no event reports its return; it must be probed.
    this.#probe ??= setInterval(() => {
      if (this.#redis.status === 'ready') this.#connected();
    }, PROBE_EVERY_MS).unref();
  }

  /**
   * Runs every command that charges and refunds need, on counters of its own. A server that answers may still
   * have withdrawn the right to one of them.
   */
  async #tryCounting(): Promise<void> {
    this.#server = await serverOf(this.#redis);
    this.#offsetMs = await clockOffsetOf(this.#redis);
    this.#probes += 1;
    const own = (kind: string): string => `pulse:${kind}:{probe.${this.#run}.${this.#probes.toString(36)}}`;
    const [day, latest] = [own('d'), own('l')];
    const marks = [own('c'), own('v')] as const;
    const ttl = PROBE_TTL_SEC;
    const asker = this.#asker();
    await this.#redis.pulseCharge(
      ...chargeArguments({
        asker,
        units: 1,
        minuteUnits: 1,
        minutes: [{ key: own('m'), limit: 1, knownUse: 0 }],
        days: [{ key: day, limit: 1, known: NOTHING }],
        day: { number: 1, latestKey: latest },
        daysAheadMax: CLOCK_BACK_DAYS_MAX,
        offsetMs: this.#offsetMs,
        marks,
        ttlSec: { minute: ttl, day: ttl, mark: ttl, latestDay: ttl },
      }),
    );
    await this.#redis.pulseGiveBack(
      ...giveBackArguments({
        asker,
        units: 1,
        days: [{ key: day, known: NOTHING }],
        marks,
        isUncertain: true,
        ttlSec: { mark: ttl, day: ttl },
      }),
    );
    await this.#redis.pulseSettle(1, day, ...asker, ttl, ...NOTHING);
    await Promise.all([this.#redis.get(latest), this.#redis.hmget(day, 'g', 'r')]);
  }

  #connected(): void {
    this.#tryCounting().then(
      () => this.#cameBack(),
      (error) => this.#wentAway(error),
    );
  }

  #cameBack(): void {
    if (this.#up || this.#closed) return;
    clearInterval(this.#probe);
    this.#probe = undefined;
    this.#up = true;
    this.#fault = undefined;
    this.#onState(undefined);
    void this.#drain();
  }
}

/**
 * These errors of Redis and Valkey mean that a script does not compile, calls a command wrongly, or finds a
 * key of another type.
 */
const SCRIPT_FAULT = /^(WRONGTYPE|ERR (?!.*(permission|ACL|can't run)).*(user_script|compiling script))/;
const NOTHING = Array.from({ length: 9 }, () => 0);
const COUNTER_NUMBERS = 6;
const VOID = 3;
const LATER_DAY = 4;
const OTHER_CLOCK = 5;

const dayTtl = (id: QuotaId): number => (poolOf(id) === 'ip' ? CLIENT_DAY_TTL_SEC : ACCOUNT_DAY_TTL_SEC);

const numbersOf = (known: KnownUse): number[] => [
  known.generation,
  known.base,
  known.total,
  known.baseRefunded,
  known.refunded,
  known.own,
  known.ownRefunded,
  known.delivered,
  known.deliveredRefunded,
];

function usesIn(reply: readonly number[], from: number): SharedAnswer[] {
  const uses: SharedAnswer[] = [];
  for (let at = from; at < reply.length; at += COUNTER_NUMBERS) {
    const [generation = 0, base = 0, total = 0, baseRefunded = 0, refunded = 0, delivered = 0] = reply.slice(at);
    uses.push({ generation, base, total, baseRefunded, refunded, delivered });
  }
  return uses;
}

const usedOf = ({ total, refunded }: SharedAnswer): number => Math.max(0, total - refunded);

const isPhone = ({ day, minute }: ChargeRequest): boolean =>
  [...day, ...minute].some(({ id }) => poolOf(id) === 'phone');

const nameOf = (allowances: readonly Allowance[]): string =>
  allowances.reduce((text, { id, hardLimit }) => `${text} ${id} ${hardLimit}`, '');

function resultOf(
  request: ChargeRequest,
  { status, index, minutes, days }: ReturnType<typeof countsIn>,
  receipt: Receipt,
  ends: { readonly minute: UnixMs; readonly day: UnixMs },
  later: { readonly minute: number; readonly day: number },
): ChargeResult {
  if (status === 1) {
    const refused = request.minute[index - 1]!;
    const minute = windowOf(refused, minutes[0]! - later.minute, ends.minute);
    return { ok: false, window: 'minute', refusedBy: refused.id, minute };
  }
  const minute = bindingOf(request.minute, minutes, later.minute, ends.minute);
  if (status === 2) {
    const refused = request.day[index - 1]!;
    const day = windowOf(refused, days[0]! - later.day, ends.day);
    return { ok: false, window: 'day', refusedBy: refused.id, day, ...(minute && { minute }) };
  }
  const day = bindingOf(request.day, days, later.day, ends.day);
  return { ok: true, receipt, ...(minute && { minute }), ...(day && { day }) };
}

function countsIn([status = 0, index = 0, ...counts]: readonly number[], minutes: number) {
  const asked = status === 1 ? 1 : minutes;
  return { status, index, minutes: counts.slice(0, asked), days: usesIn(counts, asked).map(usedOf) };
}

const bindingOf = (
  allowances: readonly Allowance[],
  uses: readonly number[],
  later: number,
  resetsAt: UnixMs,
): WindowState | undefined =>
  allowances.reduce<WindowState | undefined>(
    (known, allowance, i) => lowerWindow(known, windowOf(allowance, uses[i]! - later, resetsAt)),
    undefined,
  );
