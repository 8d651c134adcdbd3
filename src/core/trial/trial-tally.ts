import type { Address } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { ACTIONS, type Action } from '../policy/policy.ts';
import type { Verdict } from '../risk/verdict.ts';
import { HOUR_MS, type UnixMs } from '../units.ts';
import type { ByAction, TrialAddress, TrialDocument, TrialLogin, Unjudged } from './trial-document.ts';
import { UNJUDGED } from './trial-document.ts';

type Counts = { -readonly [K in Action]: number };
const noCounts = (): Counts => ({ allow: 0, challenge: 0, deny: 0 });
const isStricter = (a: Action, b: Action): boolean => ACTIONS.indexOf(a) > ACTIONS.indexOf(b);

export interface TrialResult {
  readonly verdict: Pick<Verdict, 'score' | 'crowd'>;
  readonly action: Action;
  readonly reason: string;
}

type Records = TrialDocument['records'];

/** Counts what a policy would have done, first over a log and then over logins that succeeded. */
export class TrialTally {
  readonly #requests = noCounts();
  readonly #addresses = new Map<string, { -readonly [K in keyof TrialAddress]: TrialAddress[K] }>();
  readonly #hours = new Map<number, Counts>();
  readonly #unjudged = new Map<Unjudged, number>();
  readonly #loginsUnjudged = new Map<Unjudged, number>();
  readonly #logins = noCounts();
  readonly #people = new Map<string, Action>();
  readonly #stopped: TrialLogin[] = [];
  #hasLogins = false;

  pass(reason: Unjudged): void {
    add(this.#unjudged, reason);
  }

  passLogin(reason: Unjudged): void {
    this.#hasLogins = true;
    add(this.#loginsUnjudged, reason);
  }

  note(address: Address, time: UnixMs | undefined, { verdict, action, reason }: TrialResult): void {
    this.#requests[action]++;
    const ip = formatAddress(address);
    const known = this.#addresses.get(ip);
    const seen = { action, reason, score: verdict.score, crowd: verdict.crowd };
    if (known === undefined) this.#addresses.set(ip, { ip, requests: 1, ...seen });
    else {
      known.requests++;
      if (isStricter(action, known.action)) Object.assign(known, seen);
    }
    if (time === undefined) return;
    const hour = Math.floor(time / HOUR_MS);
    const counts = this.#hours.get(hour) ?? noCounts();
    counts[action]++;
    this.#hours.set(hour, counts);
  }

  noteLogin(
    address: Address,
    { user, time }: { readonly user: string | undefined; readonly time: UnixMs | undefined },
    { action, reason }: TrialResult,
  ): void {
    this.#hasLogins = true;
    this.#logins[action]++;
    const worst = user === undefined ? undefined : this.#people.get(user);
    if (user !== undefined && (worst === undefined || isStricter(action, worst))) this.#people.set(user, action);
    if (action === 'allow') return;
    this.#stopped.push({
      ip: formatAddress(address),
      ...(user !== undefined && { user }),
      ...(time !== undefined && { at: new Date(time).toISOString() }),
      action,
      reason,
    });
  }

  document(at: string, top: number): TrialDocument {
    const addresses = [...this.#addresses.values()];
    return {
      at,
      records: recordsOf(this.#requests, this.#unjudged),
      requests: this.#requests,
      addresses: countsOf(addresses.map(({ action }) => action)),
      shared_addresses: countsOf(addresses.flatMap(({ action, crowd }) => (crowd > 'T1' ? [action] : []))),
      hours: [...this.#hours]
        .sort(([a], [b]) => a - b)
        .map(([hour, counts]) => ({ hour: new Date(hour * HOUR_MS).toISOString(), ...counts })),
      top: addresses
        .filter(({ action }) => action !== 'allow')
        .sort((a, b) => b.requests - a.requests || (a.ip < b.ip ? -1 : 1))
        .slice(0, top),
      ...(this.#hasLogins && { logins: this.#loginsDocument(top) }),
    };
  }

  #loginsDocument(top: number): NonNullable<TrialDocument['logins']> {
    return {
      records: recordsOf(this.#logins, this.#loginsUnjudged),
      logins: this.#logins,
      ...(this.#people.size > 0 && { people: countsOf([...this.#people.values()]) }),
      stopped: this.#stopped.toSorted((a, b) => ACTIONS.indexOf(b.action) - ACTIONS.indexOf(a.action)).slice(0, top),
    };
  }
}

const add = <Key>(to: Map<Key, number>, key: Key): void => void to.set(key, (to.get(key) ?? 0) + 1);

function countsOf(actions: readonly Action[]): ByAction {
  const counts = noCounts();
  for (const action of actions) counts[action]++;
  return counts;
}

function recordsOf(counts: ByAction, unjudged: ReadonlyMap<Unjudged, number>): Records {
  const judged = counts.allow + counts.challenge + counts.deny;
  const passed = UNJUDGED.map((reason) => [reason, unjudged.get(reason) ?? 0] as const);
  const total = passed.reduce((sum, [, count]) => sum + count, judged);
  return { total, judged, ...(Object.fromEntries(passed) as Record<Unjudged, number>) };
}
