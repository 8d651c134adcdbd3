import type { SummaryAddress } from '../../contract/traffic-summary.ts';
import { csvCell } from '../csv/csv-cell.ts';
import { nftSets } from '../export/text-formats.ts';
import type { Prefix } from '../ip/address.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { familyBits, prefixOf } from '../ip/prefix.ts';
import { requestText } from './report-words.ts';

/** The end of the file's name chooses a table with reasons, sets for nftables, or `deny` lines for nginx. */
export const BLOCK_LISTS = ['csv', 'nft', 'conf'] as const;
export type BlockList = (typeof BLOCK_LISTS)[number];

const COLUMNS = [
  'ip',
  'score',
  'lines',
  'signals',
  'share_tier',
  'country',
  'asn',
  'first',
  'last',
  'requests',
] as const;

export function blockList(form: BlockList, addresses: readonly SummaryAddress[]): string {
  switch (form) {
    case 'csv':
      return [COLUMNS.join(','), ...addresses.map(csvRow)].map((line) => `${line}\n`).join('');
    case 'conf':
      return addresses.map(({ ip }) => `deny ${ip};\n`).join('');
    case 'nft':
      return [...nftSets('pulse', 'riskiest', addresses.map(hostOf))].join('');
  }
}

const csvRow = ({ signals = [], own = [], requests, ...row }: SummaryAddress): string => {
  const cells = {
    ...row,
    signals: [...signals, ...own].join('|'),
    requests: requests === undefined ? '' : requestText(requests),
  };
  return COLUMNS.map((column) => csvCell(String(cells[column] ?? ''))).join(',');
};

function hostOf({ ip }: SummaryAddress): { readonly prefix: Prefix } {
  const address = parseAnyAddress(ip)!;
  return { prefix: prefixOf(address, familyBits(address.family)) };
}
