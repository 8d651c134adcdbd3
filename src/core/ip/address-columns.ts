import type { Address } from './address.ts';
import { parseAddress } from './parse-address.ts';
import { PrefixScanner } from './prefix-scanner.ts';
import { isReserved } from './special-purpose.ts';

export const TEXT_KIND = { invalid: 0, reserved: 1, ipv4: 4, ipv6: 6 } as const;

const scanner = new PrefixScanner();

/**
 * Holds thousands of addresses in columns, without an object each. A text without an address to look up has
 * zeros for words.
 */
export class AddressColumns {
  readonly kinds: Uint8Array;
  readonly w0: Uint32Array;
  readonly w1: Uint32Array;
  readonly w2: Uint32Array;
  readonly w3: Uint32Array;
  #count = 0;
  #readable = 0;
  #hasIpv6 = false;

  constructor(capacity: number) {
    const words = new Uint32Array(4 * capacity);
    this.kinds = new Uint8Array(capacity);
    this.w0 = words.subarray(0, capacity);
    this.w1 = words.subarray(capacity, 2 * capacity);
    this.w2 = words.subarray(2 * capacity, 3 * capacity);
    this.w3 = words.subarray(3 * capacity);
  }

  get count(): number {
    return this.#count;
  }

  get readable(): number {
    return this.#readable;
  }

  get hasIpv6(): boolean {
    return this.#hasIpv6;
  }

  add({ family, w0, w1, w2, w3 }: Address): void {
    const i = this.#count++;
    this.#readable++;
    if (family === 6) this.#hasIpv6 = true;
    this.kinds[i] = family;
    this.w0[i] = w0;
    this.w1[i] = w1;
    this.w2[i] = w2;
    this.w3[i] = w3;
  }

  addText(text: string): void {
    const parsed = parseAddress(text);
    if (parsed.status === 'ok') this.add(parsed.address);
    else this.kinds[this.#count++] = parsed.status === 'reserved' ? TEXT_KIND.reserved : TEXT_KIND.invalid;
  }

  addBytes(bytes: Uint8Array, from: number, to: number): void {
    if (scanner.scanAddress(bytes, from, to)) this.#addScanned();
    else this.kinds[this.#count++] = TEXT_KIND.invalid;
  }

  /** Adds the IPv4 address in [from, end). @returns the end; -1, with nothing added, for another text */
  addIpv4Until(end: number, bytes: Uint8Array, from: number): number {
    if (!scanner.scanIpv4(bytes, from) || bytes[scanner.end] !== end) return -1;
    this.#addScanned();
    return scanner.end;
  }

  #addScanned(): void {
    if (isReserved(scanner)) this.kinds[this.#count++] = TEXT_KIND.reserved;
    else this.add(scanner);
  }

  isReadable(i: number): boolean {
    return this.kinds[i]! >= TEXT_KIND.ipv4;
  }

  at(i: number): Address | undefined {
    const family = this.kinds[i];
    if (family !== TEXT_KIND.ipv4 && family !== TEXT_KIND.ipv6) return undefined;
    return { family, w0: this.w0[i]!, w1: this.w1[i]!, w2: this.w2[i]!, w3: this.w3[i]! };
  }
}
