import type { UnixMs } from '../../../core/units.ts';
import type { SentDelivery, SourceCaptures } from '../../../service/ports.ts';
import type { Catalogue } from '../read/catalogue.ts';
import { hashBatch, type ReceivedBatch, receiveCaptures } from './receive-captures.ts';

export interface PreparedDelivery {
  readonly sent: SentDelivery;
  readonly batches: readonly { readonly received: ReceivedBatch; readonly hash: Uint8Array }[];
}

export function prepareDelivery(sent: SentDelivery, acceptedAt: UnixMs): PreparedDelivery {
  const received = sent.captures.map(({ source, defaultAt, batch }) =>
    receiveCaptures(source, defaultAt, batch, acceptedAt),
  );
  return { sent, batches: received.map((one) => ({ received: one, hash: hashBatch(one) })) };
}

export function namesTooMany(
  captures: readonly SourceCaptures[],
  catalogue: Pick<Catalogue, 'sources' | 'named'>,
  sourcesMax = Number.POSITIVE_INFINITY,
): number {
  const strangers = new Set(
    captures.map(({ source }) => source.id).filter((name) => catalogue.named(name) === undefined),
  );
  return strangers.size === 0 ? 0 : Math.max(0, catalogue.sources.size + strangers.size - sourcesMax);
}
