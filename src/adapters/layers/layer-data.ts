import type { LeftOutOfLayer } from '../../core/place/layer-reading.ts';
import type { LayerRecord } from '../../core/place/layer-record.ts';
import type { Text } from '../../core/texts/chinese.ts';
import { Fault, type Said, said } from '../../core/texts/said.ts';
import type { RangeSet4, RangeSet6 } from '../../engine/ranges/range-set.ts';

/** One file read into memory: a partition a family, and its distinct records. `records[0]` is undefined: nothing known. */
export interface LayerData {
  readonly v4?: RangeSet4;
  readonly v6?: RangeSet6;
  readonly records: readonly (LayerRecord | undefined)[];
  readonly leftOut: LeftOutOfLayer;
}

/** A file that cannot be read as the kind it claims to be. Names the file and, where there is one, the byte offset or line. */
export class LayerFileError extends Fault {
  readonly file: string;
  constructor(
    file: string,
    problem: Text | Said,
    where?: { readonly offset: number } | { readonly line: number },
    cause?: unknown,
  ) {
    const why = typeof problem === 'string' ? { text: problem, values: {} } : problem;
    const sentence =
      where === undefined
        ? said('{file}: {why}', { file, why })
        : 'offset' in where
          ? said('{file}: {why} at byte {offset}', { file, why, offset: where.offset })
          : said('{file}: {why} at line {line}', { file, why, line: where.line });
    super(sentence, cause === undefined ? undefined : { cause });
    this.name = 'LayerFileError';
    this.file = file;
  }
}

/** Reading one family of a file that holds both leaves the other out. */
export type Families = 4 | 6 | 'both';

export const wants = (families: Families, family: 4 | 6): boolean => families === 'both' || families === family;
