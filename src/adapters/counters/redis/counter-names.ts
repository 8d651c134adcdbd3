import { clientPrefix } from '../../../core/caller/client-address.ts';
import { Recent } from '../../../core/kit/recent.ts';
import { poolOf } from '../../../core/quota/allowances.ts';
import type { QuotaId } from '../../../core/quota/quota.ts';
import { keyHasher } from '../../../service/accounts/password.ts';

const HASH_CHARACTERS = 22;

/**
 * Names of counters in Redis. All counters of an account, client or family lie in one slot of a cluster,
 * because they change together. A key's id begins with its account's, and the clients of an IPv6 /48 share a
 * slot. A client's address is replaced by its keyed hash: readers of the server's memory, files or backups
 * learn no address.
 */
export class CounterNames {
  readonly #hash: (address: string) => string;
  readonly #clients = new Recent<string, ClientName>(8);
  readonly #zone: string;

  /** @param secret 1 to 64 bytes, the same on all nodes */
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

  marks(id: QuotaId, chargeId: string): [string, string] {
    return [`pulse:c:${this.#tagged(id)}:${chargeId}`, `pulse:v:${this.#tagged(id)}:${chargeId}`];
  }

  #tagged(id: QuotaId): string {
    const part = this.#partOf(id);
    return `{${this.#ownerOf(id)}}:${poolOf(id)}${part === '' ? '' : `:${part}`}`;
  }

  #partOf(id: QuotaId): string {
    if (id.startsWith('key:')) return id.slice(id.indexOf('/') + 1);
    return poolOf(id) === 'ip' ? this.#clientName(id.slice('ip:'.length)).part : '';
  }

  #ownerOf(id: QuotaId): string {
    const rest = id.slice(id.indexOf(':') + 1);
    if (poolOf(id) === 'ip') return this.#clientName(rest).owner;
    const slash = id.startsWith('key:') ? rest.indexOf('/') : -1;
    return slash < 0 ? rest : rest.slice(0, slash);
  }

  #clientName(client: string): ClientName {
    const known = this.#clients.get(client);
    if (known !== undefined) return known;
    const wider = clientPrefix(client);
    const name = { owner: this.#hash(wider ?? client), part: wider === undefined ? '' : this.#hash(client) };
    this.#clients.set(client, name);
    return name;
  }
}

interface ClientName {
  readonly owner: string;
  readonly part: string;
}
