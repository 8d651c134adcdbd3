import { grown } from '../kit/grown.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';

export interface SensorDetail {
  readonly count?: number;
  readonly port?: number;
  readonly protocol?: Protocol;
  /** Sensors recognise a client by this keyed hash, which is never published. */
  readonly actor?: string;
}

export const NO_PORT = -1;
const NO_PROTOCOL = 255;

/**
 * Sensors' details of the rows of a batch, in columns. `protocol[i]` indexes PROTOCOLS; `actor[i]` indexes
 * `actors`, whose entry 0 is always '' and means none. A folded row is two captures: the one at its first
 * time has a count of 0, so that connections are counted once.
 */
export interface SensorColumns {
  readonly count: Uint32Array;
  readonly port: Int32Array;
  readonly protocol: Uint8Array;
  readonly actor: Uint32Array;
  readonly actors: readonly string[];
}

/**
 * Collects sensors' details, for rows in ascending order. Skipped rows have no details and count one
 * connection.
 */
export class SensorColumnsBuilder {
  #length = 0;
  #count = new Uint32Array(1024);
  #port = new Int32Array(1024);
  #protocol = new Uint8Array(1024);
  #actor = new Uint32Array(1024);
  readonly #actors: string[] = [''];
  readonly #actorIds = new Map<string, number>();

  set(row: number, count: number, port: number, protocol: number, actor: string): void {
    this.#fill(row + 1);
    this.#count[row] = count;
    this.#port[row] = port;
    this.#protocol[row] = protocol;
    this.#actor[row] = this.#actorId(actor);
  }

  build(length: number): SensorColumns {
    this.#fill(length);
    return {
      count: this.#count.subarray(0, length),
      port: this.#port.subarray(0, length),
      protocol: this.#protocol.subarray(0, length),
      actor: this.#actor.subarray(0, length),
      actors: this.#actors,
    };
  }

  #actorId(actor: string): number {
    if (actor === '') return 0;
    const known = this.#actorIds.get(actor);
    if (known !== undefined) return known;
    const id = this.#actors.push(actor) - 1;
    this.#actorIds.set(actor, id);
    return id;
  }

  #fill(length: number): void {
    while (this.#count.length < length) this.#grow();
    if (length <= this.#length) return;
    this.#count.fill(1, this.#length, length);
    this.#port.fill(NO_PORT, this.#length, length);
    this.#protocol.fill(NO_PROTOCOL, this.#length, length);
    this.#length = length;
  }

  #grow(): void {
    this.#count = grown(this.#count);
    this.#port = grown(this.#port);
    this.#protocol = grown(this.#protocol);
    this.#actor = grown(this.#actor);
  }
}

export const protocolNumber = (name: Protocol | undefined): number =>
  name === undefined ? NO_PROTOCOL : PROTOCOLS.indexOf(name);
