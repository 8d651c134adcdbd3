import type { UnixMs } from '../../core/units.ts';
import type { SentDelivery, SourceCaptures } from '../../service/ports.ts';
import { hashBatch, type ReceivedBatch, receiveCaptures } from './receive-captures.ts';

/** A delivery with what is computed before the transaction. */
export interface PreparedDelivery {
  readonly sent: SentDelivery;
  readonly batches: readonly { readonly received: ReceivedBatch; readonly hash: Uint8Array }[];
}

export function prepareDelivery(sent: SentDelivery, acceptedAt: UnixMs): PreparedDelivery {
  const received = sent.captures.map(({ source, defaultAt, batch }) => receiveCaptures(source, defaultAt, batch, acceptedAt));
  return { sent, batches: received.map((one) => ({ received: one, hash: hashBatch(one) })) };
}

/** Whether a store knows every source, or may know that many more. @param known names of its sources */
export function hasRoomFor(captures: readonly SourceCaptures[], known: ReadonlySet<string>, sourcesMax = Number.POSITIVE_INFINITY): boolean {
  const strangers = new Set(captures.map(({ source }) => source.id).filter((name) => !known.has(name)));
  return strangers.size === 0 || known.size + strangers.size <= sourcesMax;
}
