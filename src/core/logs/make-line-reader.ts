import { CellReader } from './cell-reader.ts';
import { ClientReader } from './client-reader.ts';
import type { LineLayout } from './line-layout.ts';
import type { LineReader } from './line-reader.ts';
import { TextReader } from './text-reader.ts';
import { WordReader } from './word-reader.ts';

export function makeLineReader(layout: LineLayout): LineReader {
  switch (layout.format) {
    case 'csv':
    case 'tsv':
      return new CellReader(layout);
    case 'ndjson':
      return new ClientReader(layout);
    case 'any':
      return layout.which === undefined ? new ClientReader(layout) : new TextReader(layout);
    case 'common':
    case 'combined':
    case 'lines':
      return typeof layout.address === 'number' ? new WordReader(layout) : new ClientReader(layout);
  }
}
