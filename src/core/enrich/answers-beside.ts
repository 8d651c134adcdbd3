import type { ErrorBody, IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import { splitRow } from '../csv/split-row.ts';
import type { Address } from '../ip/address.ts';
import { type LineLayout, separatorOf } from '../logs/line-layout.ts';
import { BlockEnricher } from './block-enricher.ts';
import { SuffixStore } from './suffix-store.ts';
import { cells } from './suffix-text.ts';

/** One item of the answer to a batch. */
export type BatchItem = IPRisk | PulseIPRisk | ({ readonly ip: string } & ErrorBody);

/** Columns of a table of answers. */
export const ANSWER_COLUMNS = [
  'ip',
  'lines',
  'evidence_state',
  'score',
  'level',
  'signals',
  'share_tier',
  'usage_type',
  'asn',
  'country',
  'region',
  'city',
  'problem',
] as const;

/** @param lines of the file that name the address */
export function answerCells(ip: string, lines: number, item: BatchItem): readonly string[] {
  const head = [ip, String(lines)];
  if ('error' in item)
    return [...head, ...Array.from({ length: ANSWER_COLUMNS.length - 3 }, () => ''), item.error.code];
  const { risk, evidence_state: state, network, geo } = item;
  return [
    ...head,
    state,
    String(risk.score),
    risk.level,
    (risk.signals ?? []).join(' '),
    'share_tier' in item ? item.share_tier : '',
    network?.usage_type ?? '',
    network?.asn === undefined ? '' : String(network.asn),
    geo?.country ?? '',
    geo?.region ?? '',
    geo?.city ?? '',
    '',
  ];
}

/** Writes the rows of a table, each with the answer about its address behind it. @param rowOf the answer as a line of CSV */
export function answersBeside(layout: LineLayout, rowOf: (address: Address) => string | undefined): BlockEnricher {
  const separator = layout.format === 'csv' ? layout.separator : separatorOf('csv');
  const store = new SuffixStore();
  const numberOf = (address: Address): number => {
    const row = rowOf(address);
    const answer = row === undefined ? ANSWER_COLUMNS.map(() => '') : splitRow(row.trimEnd(), ',');
    return store.add(cells(answer, separator), row === undefined);
  };
  return new BlockEnricher({ layout, fields: ANSWER_COLUMNS, form: 'csv' }, { store, numberOf });
}
