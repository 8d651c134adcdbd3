/** Lists have millions of lines, so addresses are read from bytes without strings. */
import { type Address, carriesIpv4 } from './address.ts';

const DOT = 46;
const COLON = 58;
const SLASH = 47;
const ZERO = 48;

const hexValue = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
};

/**
 * `scan` fills this one reusable result and returns whether an address or prefix starts at `from`; `end` is
 * the first byte after it. Host bits past the prefix length are cleared. An IPv6 address that stands for an
 * IPv4 one becomes it. Leading zeros and short forms are invalid.
 */
export class PrefixScanner {
  family: 4 | 6 = 4;
  w0 = 0;
  w1 = 0;
  w2 = 0;
  w3 = 0;
  bits = 0;
  end = 0;
  readonly #groups = new Uint16Array(8);
  #isSix = false;

  scan(bytes: Uint8Array, from: number, to: number): boolean {
    if (!this.#address(bytes, from, to)) return false;
    if (this.end < to && bytes[this.end] === SLASH && !this.#length(bytes, to)) return false;
    this.#clearHostBits();
    return true;
  }

  /** Accepts bytes that are one address and nothing else, as `parseAnyAddress` reads their text. */
  scanAddress(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#address(bytes, from, to) && this.end === to;
  }

  take({ family, w0, w1, w2, w3 }: Address): void {
    this.family = family;
    this.bits = family === 4 ? 32 : 128;
    [this.w0, this.w1, this.w2, this.w3] = [w0, w1, w2, w3];
  }

  scanIpv4(bytes: Uint8Array, from: number): boolean {
    return this.#four(bytes, from, bytes.length);
  }

  #address(bytes: Uint8Array, from: number, to: number): boolean {
    // A colon among the first five bytes can only be IPv6; a dot comes by the fourth in IPv4.
    for (let at = from; at < to && at < from + 5; at++) {
      if (bytes[at] === DOT) {
        this.#isSix = false;
        return this.#four(bytes, from, to);
      }
      if (bytes[at] === COLON) {
        this.#isSix = true;
        return this.#six(bytes, from, to);
      }
    }
    return false;
  }

  #four(bytes: Uint8Array, from: number, to: number): boolean {
    let at = from;
    let word = 0;
    for (let octet = 0; octet < 4; octet++) {
      const first = at < to ? bytes[at]! - ZERO : -1;
      if (first < 0 || first > 9) return false;
      let value = first;
      for (at++; at < to; at++) {
        const digit = bytes[at]! - ZERO;
        if (digit < 0 || digit > 9) break;
        if (value === 0) return false;
        value = value * 10 + digit;
        if (value > 255) return false;
      }
      word = (word << 8) | value;
      if (octet < 3 && bytes[at++] !== DOT) return false;
    }
    this.family = 4;
    this.w0 = word >>> 0;
    this.w1 = this.w2 = this.w3 = 0;
    this.bits = 32;
    this.end = at;
    return at <= to;
  }

  #six(bytes: Uint8Array, from: number, to: number): boolean {
    const groups = this.#groups.fill(0);
    let count = 0;
    let gap = -1;
    let at = from;
    if (bytes[at] === COLON) {
      if (bytes[at + 1] !== COLON || at + 1 >= to) return false;
      gap = 0;
      at += 2;
    }
    while (at < to && count < 8) {
      let value = 0;
      let digits = 0;
      const start = at;
      for (; at < to && digits < 5; at++, digits++) {
        const hex = hexValue(bytes[at]!);
        if (hex < 0) break;
        value = value * 16 + hex;
      }
      if (digits > 4) return false;
      if (digits > 0 && at < to && bytes[at] === DOT) {
        if (count > 6 || !this.#four(bytes, start, to)) return false;
        groups[count++] = this.w0 >>> 16;
        groups[count++] = this.w0 & 0xffff;
        at = this.end;
        break;
      }
      if (digits === 0) break;
      groups[count++] = value;
      if (at >= to || bytes[at] !== COLON || count === 8) break;
      if (bytes[at + 1] === COLON && at + 1 < to) {
        if (gap >= 0) return false;
        gap = count;
        at += 2;
      } else if (at + 1 < to && hexValue(bytes[at + 1]!) >= 0) at++;
      else return false;
    }
    if (gap < 0 ? count !== 8 : count > 7) return false;
    if (gap >= 0) {
      groups.copyWithin(8 - (count - gap), gap, count);
      groups.fill(0, gap, 8 - (count - gap));
    }
    this.end = at;
    this.#fromGroups(groups);
    return true;
  }

  #fromGroups(groups: Uint16Array): void {
    this.#asWritten(groups);
    if (!carriesIpv4(this.w0, this.w1, this.w2)) return;
    this.family = 4;
    this.bits = 32;
    [this.w0, this.w1, this.w2, this.w3] = [this.w3, 0, 0, 0];
  }

  #asWritten(groups: Uint16Array): void {
    this.family = 6;
    this.bits = 128;
    this.w0 = ((groups[0]! << 16) | groups[1]!) >>> 0;
    this.w1 = ((groups[2]! << 16) | groups[3]!) >>> 0;
    this.w2 = ((groups[4]! << 16) | groups[5]!) >>> 0;
    this.w3 = ((groups[6]! << 16) | groups[7]!) >>> 0;
  }

  #length(bytes: Uint8Array, to: number): boolean {
    let at = this.end + 1;
    const start = at;
    let value = 0;
    for (; at < to && at < start + 4; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (at === start || value > (this.#isSix ? 128 : 32) || (at - start > 1 && bytes[start] === ZERO)) return false;
    const carried = this.#isSix && this.family === 4;
    if (carried && value < 96) this.#asWritten(this.#groups);
    this.bits = carried && value >= 96 ? value - 96 : value;
    this.end = at;
    return true;
  }

  #clearHostBits(): void {
    if (this.family === 4 ? this.bits === 32 : this.bits === 128) return;
    const { bits } = this;
    const keep = (word: number, index: number): number => {
      const kept = bits - 32 * index;
      return kept >= 32 ? word : kept <= 0 ? 0 : (word & (0xffffffff << (32 - kept))) >>> 0;
    };
    this.w0 = keep(this.w0, 0);
    this.w1 = keep(this.w1, 1);
    this.w2 = keep(this.w2, 2);
    this.w3 = keep(this.w3, 3);
  }
}
