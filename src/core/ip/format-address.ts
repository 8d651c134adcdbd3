import type { Address, Prefix } from './address.ts';

/**
 * Canonical text: dotted quad, or RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups as `::`,
 * the first one when two are equally long. Embedded IPv4 stays hexadecimal (IPv4-mapped addresses are IPv4 addresses here).
 */
export function formatAddress(address: Address): string {
  return address.family === 4 ? format4(address.w0) : format6(address);
}

/** CIDR text with the network in canonical form. */
export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(prefix)}/${prefix.bits}`;
}

/** Dotted-quad text of a 32-bit value. */
function format4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** Scratch of one call; see parse-address. */
const groups = new Uint16Array(8);

function format6(address: Address): string {
  const words = [address.w0, address.w1, address.w2, address.w3];
  for (let i = 0; i < 4; i++) {
    groups[2 * i] = words[i]! >>> 16;
    groups[2 * i + 1] = words[i]! & 0xffff;
  }
  let gapStart = -1;
  let gapLength = 1;
  for (let i = 0; i < 8; i++) {
    let run = 0;
    while (i + run < 8 && groups[i + run] === 0) run++;
    if (run > gapLength) {
      gapStart = i;
      gapLength = run;
    }
    i += run;
  }
  let text = '';
  for (let i = 0; i < 8; i++) {
    if (i === gapStart) {
      text += '::';
      i += gapLength - 1;
      continue;
    }
    if (i > 0 && (gapStart < 0 || i !== gapStart + gapLength)) text += ':';
    text += groups[i]!.toString(16);
  }
  return text;
}
