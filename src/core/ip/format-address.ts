import type { Address, Prefix } from './address.ts';

/** Writes a dotted quad, or RFC 5952 with embedded IPv4 in hexadecimal. */
export function formatAddress(address: Address): string {
  return address.family === 4 ? format4(address.w0) : format6(address);
}

export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(prefix)}/${prefix.bits}`;
}

function format4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

const groups = new Uint16Array(8);

/**
 * Holds the texts of a byte without leading zero and with it. The engine's own `toString(16)` takes twice the
 * time of the whole address.
 */
const SHORT = Array.from({ length: 256 }, (_, byte) => byte.toString(16));
const PADDED = SHORT.map((text) => text.padStart(2, '0'));

function format6({ w0, w1, w2, w3 }: Address): string {
  groups[0] = w0 >>> 16;
  groups[1] = w0;
  groups[2] = w1 >>> 16;
  groups[3] = w1;
  groups[4] = w2 >>> 16;
  groups[5] = w2;
  groups[6] = w3 >>> 16;
  groups[7] = w3;
  let gapStart = -1;
  let gapLength = 1;
  let run = 0;
  for (let i = 0; i < 8; i++) {
    run = groups[i] === 0 ? run + 1 : 0;
    if (run <= gapLength) continue;
    gapStart = i - run + 1;
    gapLength = run;
  }
  let text = '';
  for (let i = 0; i < 8; i++) {
    if (i === gapStart) {
      text += '::';
      i += gapLength - 1;
      continue;
    }
    if (i > 0 && (gapStart < 0 || i !== gapStart + gapLength)) text += ':';
    const group = groups[i]!;
    text += group < 256 ? SHORT[group]! : SHORT[group >>> 8]! + PADDED[group & 255]!;
  }
  return text;
}
