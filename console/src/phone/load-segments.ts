import { parseSegments, type SegmentTable } from '../../../src/core/phone/segments.ts';

let table: Promise<SegmentTable | undefined> | undefined;

/**
 * The segment table of the release, which knows the kind of a mainland number without a question. Undefined
 * where it cannot be had: answers then say less.
 */
export function loadSegments(): Promise<SegmentTable | undefined> {
  table ??= read().catch(() => undefined);
  return table;
}

async function read(): Promise<SegmentTable> {
  const { body } = await fetch(new URL('../../../data/phone-segments.bin', import.meta.url));
  const plain = body!.pipeThrough(new DecompressionStream('gzip'));
  return parseSegments(new Uint8Array(await new Response(plain).arrayBuffer()));
}
