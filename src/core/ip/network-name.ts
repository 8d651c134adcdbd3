import type { Prefix } from './address.ts';
import { lastAddress, parsePrefix } from './prefix.ts';
import { isReserved } from './special-purpose.ts';

export type NetworkName = { readonly prefix: Prefix } | { readonly asn: number };

export type NetworkReading = NetworkName | 'invalid' | 'reserved';

const BITS = { 4: [8, 32], 6: [16, 64] } as const;

/** Reads `1.2.3.0/24` or `AS60729`; bits past the length are cleared. */
export function readNetworkName(text: string): NetworkReading {
  const asn = /^as([1-9]\d{0,9})$/i.exec(text)?.[1];
  if (asn !== undefined) return Number(asn) <= 0xffff_ffff ? { asn: Number(asn) } : 'invalid';
  const prefix = text.includes('/') ? parsePrefix(text) : undefined;
  if (prefix === undefined) return 'invalid';
  const [shortest, longest] = BITS[prefix.family];
  if (prefix.bits < shortest || prefix.bits > longest) return 'invalid';
  return isReserved(prefix) && isReserved(lastAddress(prefix)) ? 'reserved' : { prefix };
}
