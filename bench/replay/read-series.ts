import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { evidenceSourceOf } from '../../src/core/feeds/feed.ts';
import { replayFeedlog } from '../../src/core/feeds/feedlog.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import type { KnownGood, ReplaySeries } from './replay-series.ts';

/**
 * The dated lists in a folder: every `*.feedlog.jsonl` (`.gz` or not) in it or below it whose list is in the catalogue.
 * @throws Error when the folder holds none
 */
export async function readSeries(folder: string): Promise<readonly ReplaySeries[]> {
  const { series } = await scanMirror(folder);
  const read = series
    .filter(({ kind }) => kind === 'feedlog')
    .flatMap(({ feed, path }) => {
      const source = evidenceSourceOf(feed);
      return source?.riskType === undefined ? [] : [{ source, runs: replayFeedlog(textOf(path), { riskType: source.riskType })[Symbol.iterator]() }];
    });
  if (read.length === 0) throw new Error(`${folder} holds no *.feedlog.jsonl of a list in the catalogue`);
  return read;
}

const textOf = (path: string): string => (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString('utf8');

/**
 * The files of `known-good/` in the folder, one group each: an address or prefix at the start of each line, up to a comma or white space. A prefix stands for its
 * first address. A group whose name contains "relay" is judged as published relay ranges.
 */
export function readKnownGood(folder: string): readonly KnownGood[] {
  const path = join(folder, 'known-good');
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .sort()
    .map((file) => ({ name: file.replace(/\.(txt|csv)(\.gz)?$/, ''), relay: file.includes('relay'), addresses: addressesOf(textOf(join(path, file))) }));
}

const addressesOf = (text: string): KnownGood['addresses'] =>
  text.split('\n').flatMap((line) => {
    const prefix = parsePrefix(/^\s*([^\s,]+)/.exec(line)?.[1] ?? '');
    return prefix === undefined ? [] : [prefix];
  });
