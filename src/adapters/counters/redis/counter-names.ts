import { poolOf } from '../../../core/quota/allowances.ts';
import type { QuotaId } from '../../../core/quota/quota.ts';
import { keyHasher } from '../../../service/accounts/key-hasher.ts';

/** Enough of a hash that no two clients ever share a counter by chance. */
const HASH_CHARACTERS = 22;

/**
 * Names of counters in Redis. Everything of one account, client or family lies in one slot of a cluster: its counters change together. A key's id begins with
 * its account's. In the place of a client's address stands its keyed hash: a reader of the server’s memory, its files or a backup learns no address.
 */
export class CounterNames {
  readonly #hash: (address: string) => string;
  /** The last address that was asked for, and its name: one charge asks for its names up to six times. */
  #address = '';
  #hashed = '';

  readonly #zone: string;

  /** @param secret 1 to 64 bytes, the same on all nodes @param zone whose days are counted */
  constructor(secret: Uint8Array, zone: string) {
    this.#zone = zone;
    const hasher = keyHasher(secret);
    this.#hash = (address) => hasher.hash(address).slice(0, HASH_CHARACTERS);
  }

  minute(id: QuotaId, minute: number): string {
    return `pulse:m:${this.#tagged(id)}:${minute}`;
  }

  day(id: QuotaId, day: number): string {
    return `pulse:d:${this.#tagged(id)}:${this.#zone}:${day}`;
  }

  latestDay(id: QuotaId): string {
    return `pulse:l:{${this.#ownerOf(id)}}:${this.#zone}`;
  }

  /** Of one charge: that it was made, and that it was given back. */
  marks(id: QuotaId, chargeId: string): [string, string] {
    return [`pulse:c:${this.#tagged(id)}:${chargeId}`, `pulse:v:${this.#tagged(id)}:${chargeId}`];
  }

  #tagged(id: QuotaId): string {
    const key = id.startsWith('key:') ? id.slice(id.indexOf('/') + 1) : '';
    return `{${this.#ownerOf(id)}}:${poolOf(id)}${key === '' ? '' : `:${key}`}`;
  }

  #ownerOf(id: QuotaId): string {
    const rest = id.slice(id.indexOf(':') + 1);
    if (poolOf(id) === 'ip') return this.#hashOf(rest);
    const slash = id.startsWith('key:') ? rest.indexOf('/') : -1;
    return slash < 0 ? rest : rest.slice(0, slash);
  }

  #hashOf(address: string): string {
    if (address !== this.#address) {
      this.#hashed = this.#hash(address);
      this.#address = address;
    }
    return this.#hashed;
  }
}
