import { CellReader } from './cell-reader.ts';
import { ClientReader } from './client-reader.ts';
import { isTable, type LineLayout } from './line-layout.ts';
import type { LineReader } from './line-reader.ts';
import { WordReader } from './word-reader.ts';

export function makeLineReader(layout: LineLayout): LineReader {
  if (isTable(layout)) return new CellReader(layout);
  const isWords = layout.format !== 'ndjson' && layout.format !== 'any' && typeof layout.address === 'number';
  return isWords ? new WordReader(layout) : new ClientReader(layout);
}
