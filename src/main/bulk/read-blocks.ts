import { SAMPLE_BYTES } from '../../core/logs/detect-layout.ts';
import { LineBlocks } from '../../core/logs/line-blocks.ts';
import type { LineLayout } from '../../core/logs/line-layout.ts';
import { Fault } from '../../core/texts/said.ts';

export interface OpenedLines<Layout = LineLayout> {
  readonly layout: Layout;
  /** Each block of whole records is valid until the next one is requested. */
  readonly blocks: AsyncIterable<Uint8Array>;
}

const NEWLINE = 10;

/**
 * Recognises the layout of a file and cuts it into blocks.
 * @param detect recognises it in whole lines from the beginning, or returns a fault that names the doubt
 * @returns undefined for an empty file
 * @throws Fault that names the doubt about its layout
 */
export async function readBlocks<Layout extends Pick<LineLayout, 'format' | 'separator'>>(
  chunks: AsyncIterable<Uint8Array>,
  detect: (sample: Uint8Array) => Layout | Fault,
): Promise<OpenedLines<Layout> | undefined> {
  const rest = chunks[Symbol.asyncIterator]();
  const sample: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  while (size < SAMPLE_BYTES && !isWhole) {
    const next = await rest.next();
    isWhole = next.done === true;
    if (next.done !== true) {
      sample.push(Buffer.from(next.value));
      size += next.value.length;
    }
  }
  if (size === 0) return undefined;
  const head = Buffer.concat(sample);
  const end = isWhole ? head.length : head.lastIndexOf(NEWLINE) + 1;
  const layout = detect(head.subarray(0, Math.min(end, 4 * SAMPLE_BYTES)));
  if (layout instanceof Fault) {
    await rest.return?.();
    throw layout;
  }
  return { layout, blocks: cut(sample, rest, new LineBlocks(layout)) };
}

async function* cut(
  sample: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  blocks: LineBlocks,
): AsyncGenerator<Uint8Array> {
  for (const chunk of sample) {
    const block = blocks.push(chunk);
    if (block !== undefined) yield block;
  }
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      const block = blocks.push(next.value);
      if (block !== undefined) yield block;
    }
    const last = blocks.end();
    if (last !== undefined) yield last;
  } finally {
    await rest.return?.();
  }
}
