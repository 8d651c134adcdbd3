import { Recent } from '../../kit/recent.ts';
import { MINUTE_MS } from '../../units.ts';
import type { SensorProtocol } from '../traps/sensor-protocol.ts';

/** One offer of credentials, in hashes: this code never sees a name or a password. */
export interface ActorAttempt {
  /** The client's address as text. */
  readonly ip: string;
  readonly protocol: SensorProtocol;
  /** Keyed hash of the client's marks of its make. */
  readonly fingerprint: string;
  /** Keyed hash of the credential. */
  readonly credential: string;
  /** Milliseconds of the sensor's clock. */
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

/** An actor that was silent for longer begins again. */
const SILENCE_MAX_MS = 15 * MINUTE_MS;
/** A sequence has a beginning that many clients share; only behind it can it be continued. */
const ATTEMPTS_BEFORE_MOVE = 3;
/** Actors and successors that are remembered. */
const ACTORS_MAX = 16_384;
const SUCCESSORS_MAX = 65_536;
/** Actors that are looked at for one attempt. Where more stand at one place of a sequence, none can be singled out. */
const EXAMINED_MAX = 64;
/** Credentials that one credential may follow: more would make the search long. */
const PREDECESSORS_MAX = 64;

/**
 * Recognises one actor behind several addresses: a client of the same make that goes on with a sequence of credentials where another address left it. "Goes on" is
 * to offer the last credential again (the attempt that a change of address cut off), or the one that some client offered next after it before. An address that begins
 * a sequence, or that several actors could have become, is a new actor. So two addresses share an actor only where the sequence says so.
 */
export class ActorTracker {
  readonly #name: (text: string) => string;
  /** By address, protocol and fingerprint. */
  readonly #byClient = new Recent<string, Actor>(ACTORS_MAX, (actor, client) =>
    this.#unlist(client.slice(client.indexOf(' ') + 1), actor),
  );
  /** Those whose last credential of a protocol and fingerprint it is. */
  readonly #byLast = new Map<string, Set<Actor>>();
  /** The next offer after a credential, newest observation. */
  readonly #successors = new Recent<string, string>(SUCCESSORS_MAX, (to, from) => this.#unlearn(from, to));
  readonly #predecessors = new Map<string, Set<string>>();

  /** @param name makes the id of a new actor of a text that no other has: a keyed hash */
  constructor(name: (text: string) => string) {
    this.#name = name;
  }

  /** @returns the id of the actor */
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

  /** Actors that are remembered now. */
  get size(): number {
    return this.#byClient.size;
  }

  /** The one actor that this attempt continues from another address. */
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
