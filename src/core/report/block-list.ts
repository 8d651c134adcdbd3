import type { SummaryAddress } from '../../contract/traffic-summary.ts';
import { csvCell } from '../csv/csv-cell.ts';
import { requestText } from './report-words.ts';

/** By the end of the file's name: a table with reasons, a set for nftables, `deny` lines for nginx. */
export const BLOCK_LISTS = ['csv', 'nft', 'conf'] as const;
export type BlockList = (typeof BLOCK_LISTS)[number];

/** Whether a limit or block by the address alone would meet many who share it (T3: carrier NAT, relays, Tor exits). */
export const isShared = ({ share_tier: tier }: Pick<SummaryAddress, 'share_tier'>): boolean => tier === 'T3';

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

/** The riskiest addresses of a summary as a file for people or for a packet filter or web server. */
export function blockList(form: BlockList, addresses: readonly SummaryAddress[]): string {
  switch (form) {
    case 'csv':
      return [COLUMNS.join(','), ...addresses.map(csvRow)].map((line) => `${line}\n`).join('');
    case 'conf':
      return addresses.map(({ ip }) => `deny ${ip};\n`).join('');
    case 'nft':
      return [4, 6].map((family) => nftSet(family as 4 | 6, addresses)).join('');
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

function nftSet(family: 4 | 6, addresses: readonly SummaryAddress[]): string {
  const own = addresses.filter(({ ip }) => ip.includes(':') === (family === 6)).map(({ ip }) => ip);
  const elements = own.length === 0 ? '' : `\n    elements = { ${own.join(', ')} }`;
  return `table inet pulse {\n  set riskiest${family} {\n    type ipv${family}_addr${elements}\n  }\n}\n`;
}
