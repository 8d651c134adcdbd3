import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBody } from '../../src/adapters/system/read-body.ts';
import { parseFeed } from '../../src/core/feeds/parse-feed.ts';
import { distinctPrefixes, type Judge } from './judge.ts';
import type { OtherList } from './take-in-mirror.ts';

export interface RecallReport {
  readonly name: string;
  readonly entries: number;
  readonly active: number;
  readonly medium: number;
  readonly high: number;
}

const MAX_BYTES = 2 ** 28;

/** Lists in a folder, one a file: an address or prefix at the start of each line. The file's name without its ending is the list's. */
export function listsIn(folder: string): readonly OtherList[] {
  return readdirSync(folder)
    .sort()
    .map((file) => ({
      name: file.replace(/\.(txt|csv|list)?(\.gz)?$/, ''),
      batch: parseFeed(
        readBody(readFileSync(join(folder, file)), MAX_BYTES),
        { kind: 'lines', ports: true, mixed: true },
        { riskType: 'osint' },
      ).batch,
    }));
}

/** How much of lists that no server reads the scheduled sources know. */
export const measureRecall = (judge: Judge, lists: readonly OtherList[]): readonly RecallReport[] =>
  lists.map((list) => recallOf(judge, list));

function recallOf(judge: Judge, { name, batch }: OtherList): RecallReport {
  const known = { entries: 0, active: 0, medium: 0, high: 0 };
  for (const prefix of distinctPrefixes(batch)) {
    known.entries++;
    const { verdict } = judge.judge(prefix);
    if (verdict.state !== 'active') continue;
    known.active++;
    if (verdict.level !== 'low') known[verdict.level]++;
  }
  return { name, ...known };
}
