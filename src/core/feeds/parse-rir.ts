import { formatAddress } from '../ip/format-address.ts';
import type { RirFormat } from './feed.ts';
import { addRange } from './parse-csv.ts';
import type { RowBuilder } from './row-builder.ts';

/**
 * The NRO's extended delegated file gives a count of addresses in IPv4 rows and a prefix length in IPv6 rows.
 */
export function parseRir(bytes: Uint8Array, format: RirFormat, rows: RowBuilder): void {
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const [, , type, start = '', value = '', , status = ''] = line.trim().split('|');
    if (line.startsWith('#') || (type !== 'ipv4' && type !== 'ipv6') || start === '*') continue;
    if (!format.status.includes(status)) rows.refuse('other_status');
    else if (type === 'ipv6') rows.addText(`${start}/${value}`);
    else addCounted(start, Number(value), rows);
  }
}

function addCounted(start: string, count: number, rows: RowBuilder): void {
  if (
    !Number.isInteger(count) ||
    count < 1 ||
    !rows.scanText(start) ||
    rows.scanner.family !== 4 ||
    rows.scanner.w0 + count > 2 ** 32
  ) {
    rows.refuse('not_a_range');
    return;
  }
  const last = { family: 4, w0: rows.scanner.w0 + count - 1, w1: 0, w2: 0, w3: 0 } as const;
  addRange(start, formatAddress(last), rows);
}
