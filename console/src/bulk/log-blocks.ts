import { detectLayout, SAMPLE_BYTES } from '../../../src/core/logs/detect-layout.ts';
import { LineBlocks } from '../../../src/core/logs/line-blocks.ts';
import type { LineLayout } from '../../../src/core/logs/line-layout.ts';
import type { LineReader } from '../../../src/core/logs/line-reader.ts';
import { makeLineReader } from '../../../src/core/logs/make-line-reader.ts';
import { requestReader } from '../../../src/core/logs/request-reader.ts';
import { Fault } from '../../../src/core/texts/said.ts';
import { unixMs } from '../../../src/core/units.ts';
import type { AddressOptions } from './bulk-request.ts';
import { openBlob } from './open-blob.ts';

/** Whole records, and the reader for them. */
export interface LogBlock {
  readonly bytes: Uint8Array;
  /** The first record begins here, behind a header. */
  readonly from: number;
  readonly reader: LineReader;
  readonly layout: LineLayout;
  /** Reads the request out of a record's text. */
  readonly requestOf: ReturnType<typeof requestReader>;
}

/** It is not clear how the file is laid out. */
export class UnclearLayout extends Error {}

/** Reads a log block by block. @throws UnclearLayout */
export const logBlocks = (source: Blob, options: AddressOptions): AsyncGenerator<LogBlock> =>
  blocksOf(source, (sample) => cutter(sample, options));

/** Makes blocks of chunks; undefined is the end of the file. */
export type Cut<Block> = (chunk: Uint8Array | undefined) => Block | undefined;

/**
 * Reads a file block by block, so that memory does not grow with it.
 * @param cutter learns from the beginning of the file how it is cut; it may throw UnclearLayout
 */
export async function* blocksOf<Block>(
  source: Blob,
  cutter: (sample: Uint8Array) => Cut<Block>,
): AsyncGenerator<Block> {
  let cut: Cut<Block> | undefined;
  let sample: Uint8Array = new Uint8Array(0);
  for await (const chunk of openBlob(source)) {
    sample = cut === undefined ? joined(sample, chunk) : chunk;
    if (cut === undefined && sample.length < SAMPLE_BYTES) continue;
    cut ??= cutter(sample);
    const block = cut(sample);
    if (block !== undefined) yield block;
  }
  if (cut === undefined && sample.length > 0) {
    cut = cutter(sample);
    const block = cut(sample);
    if (block !== undefined) yield block;
  }
  const last = cut?.(undefined);
  if (last !== undefined) yield last;
}

/** Whole lines of the beginning of a file. */
export function linesOf(sample: Uint8Array): Uint8Array {
  const end = sample.length < SAMPLE_BYTES ? sample.length : sample.lastIndexOf(NEWLINE) + 1 || sample.length;
  return sample.subarray(0, end);
}

function cutter(sample: Uint8Array, { anyText }: AddressOptions): Cut<LogBlock> {
  const asked = anyText ? ({ format: 'any', which: 'all' } as const) : {};
  const layout = detectLayout(linesOf(sample), { ...asked, now: unixMs(Date.now()) });
  if (layout instanceof Fault) throw new UnclearLayout(layout.message);
  const blocks = new LineBlocks(layout);
  const reader = makeLineReader(layout);
  const requestOf = requestReader(layout);
  let header = layout.header !== undefined;
  return (chunk) => {
    const bytes = chunk === undefined ? blocks.end() : blocks.push(chunk);
    if (bytes === undefined) return undefined;
    const from = header ? reader.read(bytes, 0) : 0;
    header = false;
    return { bytes, from, reader, requestOf, layout };
  };
}

const NEWLINE = 10;

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
