import { CellReader } from './cell-reader.ts';
import type { LineLayout } from './line-layout.ts';
import type { LineReader } from './line-reader.ts';
import { MemberReader } from './member-reader.ts';
import { TextReader } from './text-reader.ts';
import { WordReader } from './word-reader.ts';

/** The reader of records that are laid out so. */
export function makeLineReader(layout: LineLayout): LineReader {
  switch (layout.format) {
    case 'csv':
    case 'tsv':
      return new CellReader(layout);
    case 'ndjson':
      return new MemberReader(layout);
    case 'any':
      return new TextReader(layout);
    case 'common':
    case 'combined':
    case 'lines':
      return new WordReader(layout);
  }
}
