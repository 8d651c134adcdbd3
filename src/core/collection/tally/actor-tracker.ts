import { Recent } from '../../kit/recent.ts';
import { MINUTE_MS } from '../../units.ts';
import type { SensorProtocol } from '../traps/trap.ts';

/** Credentials arrive as hashes: this code never sees a name or a password. */
export interface ActorAttempt {
  readonly ip: string;
  readonly protocol: SensorProtocol;
  readonly fingerprint: string;
  readonly credential: string;
  readonly at: number;
}

interface Actor {
  readonly id: string;
  ip: string;
  readonly firstCredential: string;
  lastCredential: string;
  lastAt: number;
  attempts: number;
}

const SILENCE_MAX_MS = 15 * MINUTE_MS;
/** Many clients share the beginning of a sequence, so only a longer one can be continued from elsewhere. */
const ATTEMPTS_BEFORE_MOVE = 3;
const ACTORS_MAX = 16_384;
const SUCCESSORS_MAX = 65_536;
/** If more actors are at the same place of a sequence, none can be singled out. */
const EXAMINED_MAX = 64;
/** A bound on the credentials that may follow one keeps the search short. */
const PREDECESSORS_MAX = 64;

/**
 * Recognises one actor behind several addresses: a client of the same make that continues a sequence of
 * credentials where another address left it. To continue means to offer the last credential again (the
 * attempt that the change of address cut off), or the one that some client offered next after it earlier. An
 * address that begins a sequence, or that several actors could have moved to, is a new actor. Two addresses
 * therefore share an actor only if the sequence says so.
 */
export class ActorTracker {
  readonly #name: (text: string) => string;
  readonly #byClient = new Recent<string, Actor>(ACTORS_MAX, (actor, client) =>
    this.#unlist(client.slice(client.indexOf(' ') + 1), actor),
  );
  readonly #byLast = new Map<string, Set<Actor>>();
  readonly #successors = new Recent<string, string>(SUCCESSORS_MAX, (to, from) => this.#unlearn(from, to));
  readonly #predecessors = new Map<string, Set<string>>();

  constructor(name: (text: string) => string) {
    this.#name = name;
  }

  note(attempt: ActorAttempt): string {
    const make = `${attempt.protocol} ${attempt.fingerprint}`;
    const client = `${attempt.ip} ${make}`;
    const known = this.#byClient.get(client);
    const isFresh = known !== undefined && attempt.at - known.lastAt <= SILENCE_MAX_MS;
    const actor = isFresh ? known : (this.#moved(attempt, make) ?? this.#begun(attempt, client));
    if (known !== undefined && known !== actor) this.#forget(client, make, known);
    if (!isFresh && actor.ip !== attempt.ip) this.#forget(`${actor.ip} ${make}`, make, actor);
    else this.#unlist(make, actor);
    if (actor.attempts > 0) this.#learn(attempt.protocol, actor.lastCredential, attempt.credential);
    actor.ip = attempt.ip;
    actor.lastCredential = attempt.credential;
    actor.lastAt = attempt.at;
    actor.attempts += 1;
    this.#keep(client, make, actor);
    return actor.id;
  }

  get size(): number {
    return this.#byClient.size;
  }

  #moved({ protocol, credential, at }: ActorAttempt, make: string): Actor | undefined {
    const last = [credential, ...(this.#predecessors.get(`${protocol} ${credential}`) ?? [])];
    let found: Actor | undefined;
    let examined = 0;
    for (const before of last)
      for (const actor of this.#byLast.get(`${make} ${before}`) ?? []) {
        if (++examined > EXAMINED_MAX) return undefined;
        if (
          actor.attempts < ATTEMPTS_BEFORE_MOVE ||
          actor.firstCredential === credential ||
          at - actor.lastAt > SILENCE_MAX_MS
        )
          continue;
        if (found !== undefined && found !== actor) return undefined;
        found = actor;
      }
    return found;
  }

  #begun({ credential, at, ip }: ActorAttempt, client: string): Actor {
    return {
      id: this.#name(`${client} ${credential} ${at}`),
      ip,
      firstCredential: credential,
      lastCredential: credential,
      lastAt: at,
      attempts: 0,
    };
  }

  #learn(protocol: SensorProtocol, before: string, credential: string): void {
    if (before === credential) return;
    const [from, to] = [`${protocol} ${before}`, `${protocol} ${credential}`];
    const known = this.#successors.get(from);
    this.#successors.delete(from);
    if (known !== undefined) this.#unlearn(from, known);
    const sources = this.#predecessors.get(to) ?? new Set<string>();
    if (sources.size >= PREDECESSORS_MAX) return;
    this.#successors.set(from, to);
    this.#predecessors.set(to, sources.add(before));
  }

  #unlearn(from: string, to: string): void {
    const set = this.#predecessors.get(to);
    set?.delete(from.slice(from.indexOf(' ') + 1));
    if (set?.size === 0) this.#predecessors.delete(to);
  }

  #keep(client: string, make: string, actor: Actor): void {
    this.#byClient.set(client, actor);
    const last = `${make} ${actor.lastCredential}`;
    const set = this.#byLast.get(last) ?? new Set<Actor>();
    set.add(actor);
    this.#byLast.set(last, set);
  }

  #forget(client: string, make: string, actor: Actor): void {
    this.#byClient.delete(client);
    this.#unlist(make, actor);
  }

  #unlist(make: string, actor: Actor): void {
    const last = `${make} ${actor.lastCredential}`;
    const set = this.#byLast.get(last);
    set?.delete(actor);
    if (set?.size === 0) this.#byLast.delete(last);
  }
}
