import { createHmac, timingSafeEqual } from 'node:crypto';
import { unixMs } from '../../core/units.ts';
import type { WaitingBatch } from '../../service/waiting-batch.ts';

/** What the deployment's nodes share to know each other's entries. */
export interface SealKeys {
  readonly current: Uint8Array;
  /** Keys of before that are still accepted. */
  readonly former: readonly Uint8Array[];
}

/** An entry as it stands in the stream. */
export interface SealedEntry {
  readonly meta: string;
  /** HMAC-SHA256 over metadata and body. */
  readonly seal: Buffer;
  readonly body: Buffer;
}

export function sealEntry({ body, ...meta }: WaitingBatch, { current }: SealKeys): SealedEntry {
  const text = JSON.stringify(meta);
  return { meta: text, seal: macOf(current, text, body), body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}

/** @returns undefined: no node of this deployment appended it */
export function openEntry({ meta, seal, body }: SealedEntry, { current, former }: SealKeys): WaitingBatch | undefined {
  const isOurs = [current, ...former].some((key) => {
    const expected = macOf(key, meta, body);
    return expected.length === seal.length && timingSafeEqual(expected, seal);
  });
  if (!isOurs) return undefined;
  const { source, format, at, account, id } = JSON.parse(meta) as Omit<WaitingBatch, 'body'>;
  return { source, format, at: unixMs(at), account, id, body };
}

/** The length of the metadata stands before it, so that no part of one can be read as the other. */
const macOf = (key: Uint8Array, meta: string, body: Uint8Array): Buffer =>
  createHmac('sha256', key)
    .update(`${Buffer.byteLength(meta)}\n${meta}`)
    .update(body)
    .digest();
