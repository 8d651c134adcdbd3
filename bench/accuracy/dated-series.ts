import { readFileSync } from 'node:fs';
import { readBody } from '../../src/adapters/system/read-body.ts';
import { type UnixMs, unixMs } from '../../src/core/units.ts';
import type { MirrorFile } from '../../src/service/feeds/import-mirror.ts';

/** A history or one dated file, and the times of its first and last version. */
export interface DatedSeries {
  readonly file: Exclude<MirrorFile, { kind: 'snapshot' }>;
  readonly from: UnixMs;
  readonly to: UnixMs;
}

/** Bound of an unpacked history. */
export const LOG_BYTES = 2 ** 30;

/** Whole body of a file, unpacked. */
export const bodyOf = (path: string, maxBytes: number): Uint8Array => readBody(readFileSync(path), maxBytes);

/** @returns nothing for a snapshot, and for a history without a version */
export function datedSeries(file: MirrorFile): readonly DatedSeries[] {
  if (file.kind === 'snapshot') return [];
  if (file.kind === 'dated') return [{ file, from: file.date, to: file.date }];
  const lines = new TextDecoder().decode(bodyOf(file.path, LOG_BYTES)).trimEnd().split('\n').slice(1);
  const [first, last] = [lines[0], lines.at(-1)].map((line) =>
    Date.parse((JSON.parse(line ?? '{}') as { t?: string }).t ?? ''),
  );
  return first === undefined || Number.isNaN(first) ? [] : [{ file, from: unixMs(first), to: unixMs(last!) }];
}
