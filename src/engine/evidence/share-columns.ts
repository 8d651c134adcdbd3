import type { EvidenceColumns } from './evidence-delta.ts';

/** Columns of eight-byte elements must begin at a multiple of eight. */
const ALIGNED = 8;

/** All threads share one buffer of exactly the rows' size. */
export function shareColumns(rows: EvidenceColumns): EvidenceColumns {
  const { length, op, family, words, bits, source, type, pool, capturedAt, days } = rows;
  const columns = [op, family, words, bits, source, type, pool, capturedAt, days];
  const memory = new SharedArrayBuffer(columns.reduce((sum, { byteLength }) => sum + roundUp(byteLength), 0));
  let end = 0;
  const place = (column: { readonly byteLength: number }): number => {
    const at = end;
    end += roundUp(column.byteLength);
    return at;
  };
  const bytes = (column: Uint8Array): Uint8Array =>
    filled(new Uint8Array(memory, place(column), column.length), column);
  const halves = (column: Uint16Array): Uint16Array =>
    filled(new Uint16Array(memory, place(column), column.length), column);
  return {
    length,
    op: bytes(op),
    family: bytes(family),
    words: filled(new Uint32Array(memory, place(words), words.length), words),
    bits: bytes(bits),
    source: halves(source),
    type: bytes(type),
    pool: halves(pool),
    capturedAt: filled(new Float64Array(memory, place(capturedAt), capturedAt.length), capturedAt),
    days: halves(days),
  };
}

const roundUp = (size: number): number => Math.ceil(size / ALIGNED) * ALIGNED;

function filled<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(to: T, from: T): T {
  to.set(from);
  return to;
}
