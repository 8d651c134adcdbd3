import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { CaptureBatch } from '../evidence/capture.ts';
import { isReserved } from '../ip/special-purpose.ts';
import type { ParsedFeed } from './feed.ts';
import { PrefixScanner } from './scan-prefix.ts';

/** Shortest prefix a list may claim; anything wider is a slip, not evidence. */
const MIN_BITS = { 4: 8, 6: 12 } as const;

/** First octets under which IANA registers special-purpose IPv4 blocks; every other address is public without a search. */
const SPECIAL_OCTETS = new Set([0, 10, 100, 127, 169, 172, 192, 198, 203]);

/** Collects the rows of one list in columns, refuses what is no public address with a reason, and drops exact duplicates at the end. */
export class RowBuilder {
  readonly scanner = new PrefixScanner();
  readonly refused = new Map<string, number>();
  readonly #keepReserved: boolean;
  readonly #riskType: number;
  readonly #pools: string[] = [''];
  readonly #asns: number[] = [];
  #length = 0;
  #rows = 0;
  #family: Uint8Array<ArrayBuffer>;
  #words: Uint32Array<ArrayBuffer>;
  #bits: Uint8Array<ArrayBuffer>;
  #type: Uint8Array<ArrayBuffer>;
  #at: Float64Array<ArrayBuffer>;
  #pool: Uint16Array<ArrayBuffer>;

  /**
   * @param options.keepReserved lists about networks may speak of any space; evidence may not
   * @param options.capacity rows to make room for at first
   */
  constructor(options: { readonly riskType?: RiskType; readonly keepReserved?: boolean; readonly capacity?: number }) {
    const capacity = options.capacity ?? 1024;
    this.#family = new Uint8Array(capacity);
    this.#words = new Uint32Array(4 * capacity);
    this.#bits = new Uint8Array(capacity);
    this.#type = new Uint8Array(capacity);
    this.#at = new Float64Array(capacity);
    this.#pool = new Uint16Array(capacity);
    this.#riskType = RISK_TYPES.indexOf(options.riskType ?? 'osint');
    this.#keepReserved = options.keepReserved ?? false;
  }

  refuse(reason: string): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }

  /** Number of a pool name for `addScanned`; 0 is no pool. */
  pool(name: string): number {
    if (name === '') return 0;
    const known = this.#pools.indexOf(name);
    if (known > 0) return known;
    return this.#pools.length > 0xffff ? 0 : this.#pools.push(name) - 1;
  }

  addAsn(asn: number): void {
    this.#asns.push(asn);
    this.#rows++;
  }

  /** Takes what the scanner holds. `again`: a further capture of the row before, not a row of its own. @returns false when it was refused */
  addScanned(at: number = Number.NaN, riskType: RiskType | undefined = undefined, pool = 0, again = false): boolean {
    const { family, w0, w1, w2, w3, bits } = this.scanner;
    if (!this.#keepReserved && this.#isReserved()) {
      this.refuse('reserved');
      return false;
    }
    if (bits < MIN_BITS[family]) {
      this.refuse('too_wide');
      return false;
    }
    if (this.#length === this.#bits.length) this.#grow();
    const row = this.#length++;
    this.#family[row] = family;
    this.#words[4 * row] = w0;
    this.#words[4 * row + 1] = w1;
    this.#words[4 * row + 2] = w2;
    this.#words[4 * row + 3] = w3;
    this.#bits[row] = bits;
    this.#type[row] = riskType === undefined ? this.#riskType : RISK_TYPES.indexOf(riskType);
    this.#at[row] = at;
    this.#pool[row] = pool;
    if (!again) this.#rows++;
    return true;
  }

  /** Scans a text that must be one address or prefix and nothing else. */
  addText(text: string, at: number = Number.NaN, riskType: RiskType | undefined = undefined, pool = 0): boolean {
    if (!this.scanText(text)) {
      this.refuse('not_an_address');
      return false;
    }
    return this.addScanned(at, riskType, pool);
  }

  /** Fills the scanner from a text: an address, a prefix, `host:port` or `[host]:port`, with white space around it. */
  scanText(text: string): boolean {
    const bytes = ENCODER.encode(text.trim());
    const bracket = bytes[0] === 91 ? 1 : 0;
    if (!this.scanner.scan(bytes, bracket, bytes.length)) return false;
    const { end } = this.scanner;
    if (bracket === 1) return bytes[end] === 93 && (end + 1 === bytes.length || isPort(bytes, end + 1, bytes.length));
    return end === bytes.length || (this.scanner.family === 4 && isPort(bytes, end, bytes.length));
  }

  #isReserved(): boolean {
    const { family, w0, w1, w2, w3 } = this.scanner;
    if (family === 4) {
      const octet = w0 >>> 24;
      if (octet < 224 && !SPECIAL_OCTETS.has(octet)) return false;
    }
    return isReserved({ family, w0, w1, w2, w3 });
  }

  #grow(): void {
    const size = this.#bits.length * 2;
    const larger = <A extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(into: A, from: A): A => {
      into.set(from);
      return into;
    };
    this.#family = larger(new Uint8Array(size), this.#family);
    this.#words = larger(new Uint32Array(4 * size), this.#words);
    this.#bits = larger(new Uint8Array(size), this.#bits);
    this.#type = larger(new Uint8Array(size), this.#type);
    this.#at = larger(new Float64Array(size), this.#at);
    this.#pool = larger(new Uint16Array(size), this.#pool);
  }

  /** The finished columns, exact duplicates dropped, first occurrence kept. The builder must not be used afterwards. */
  finish(publishedAt: ParsedFeed['publishedAt'] = undefined): ParsedFeed {
    const length = this.#dropDuplicates();
    const batch: CaptureBatch = {
      length,
      family: this.#family.slice(0, length),
      words: this.#words.slice(0, 4 * length),
      bits: this.#bits.slice(0, length),
      type: this.#type.slice(0, length),
      capturedAt: this.#at.slice(0, length),
      pool: this.#pool.slice(0, length),
      pools: this.#pools,
    };
    return { batch, asns: Uint32Array.from(new Set(this.#asns)).sort(), rows: this.#rows, refused: this.refused, publishedAt };
  }

  /** Open addressing over row numbers; moves kept rows to the front and returns how many there are. */
  #dropDuplicates(): number {
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(16, this.#length * 2)))).fill(-1);
    const mask = slots.length - 1;
    let kept = 0;
    for (let row = 0; row < this.#length; row++) {
      let slot = this.#hash(row) & mask;
      while (slots[slot]! >= 0 && !this.#same(slots[slot]!, row)) slot = (slot + 1) & mask;
      if (slots[slot]! >= 0) continue;
      if (kept !== row) this.#move(row, kept);
      slots[slot] = kept++;
    }
    return kept;
  }

  #hash(row: number): number {
    let hash = Math.imul(this.#bits[row]! + 131 * this.#type[row]! + 7 * this.#pool[row]!, 0x9e3779b1);
    for (let word = 4 * row; word < 4 * row + 4; word++) {
      hash = Math.imul(hash ^ this.#words[word]!, 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    const at = this.#at[row]!;
    if (!Number.isNaN(at)) hash = Math.imul(hash ^ (at % 0x7fffffff), 0xc2b2ae35);
    return hash ^ (hash >>> 13);
  }

  #same(a: number, b: number): boolean {
    return (
      this.#words[4 * a] === this.#words[4 * b] &&
      this.#words[4 * a + 1] === this.#words[4 * b + 1] &&
      this.#words[4 * a + 2] === this.#words[4 * b + 2] &&
      this.#words[4 * a + 3] === this.#words[4 * b + 3] &&
      this.#bits[a] === this.#bits[b] &&
      this.#family[a] === this.#family[b] &&
      this.#type[a] === this.#type[b] &&
      this.#pool[a] === this.#pool[b] &&
      Object.is(this.#at[a], this.#at[b])
    );
  }

  #move(from: number, to: number): void {
    this.#family[to] = this.#family[from]!;
    this.#words.copyWithin(4 * to, 4 * from, 4 * from + 4);
    this.#bits[to] = this.#bits[from]!;
    this.#type[to] = this.#type[from]!;
    this.#at[to] = this.#at[from]!;
    this.#pool[to] = this.#pool[from]!;
  }
}

const ENCODER = new TextEncoder();

/** Whether `:digits` (1..65535) fills the bytes from `from` to `to`. */
export function isPort(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[from] !== 58 || to - from < 2 || to - from > 6) return false;
  let port = 0;
  for (let at = from + 1; at < to; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) return false;
    port = port * 10 + digit;
  }
  return port >= 1 && port <= 65_535;
}
