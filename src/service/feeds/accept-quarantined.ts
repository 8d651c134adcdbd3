import type { Feed } from '../../core/feeds/feed.ts';
import { fault } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import type { QuarantinedReading } from './feed-ports.ts';
import { acceptReading, type RefreshParts, readRows } from './refresh-feed.ts';
import { WAITS_FOR_RELAY, waitsForRelay } from './relay-first.ts';

export type AcceptOutcome =
  | {
      readonly status: 'accepted';
      readonly content: string;
      readonly rows: number;
      readonly runAt: UnixMs;
      readonly changed: boolean;
    }
  | { readonly status: 'none' }
  | { readonly status: 'replaced'; readonly kept: QuarantinedReading };

const DIGEST_MIN = 8;

/** Takes in the reading as the run of its publisher's moment. @param digest its first characters */
export async function acceptQuarantined(
  feed: Feed,
  digest: string | undefined,
  parts: RefreshParts,
): Promise<AcceptOutcome> {
  const { quarantine, states, networks, clock } = parts;
  const kept = quarantine.get(feed.id);
  if (kept === undefined) return { status: 'none' };
  if (!isMeant(kept, digest)) return { status: 'replaced', kept };
  if (waitsForRelay(feed, networks)) throw fault(WAITS_FOR_RELAY);
  const startedAt = clock.now();
  const reader = quarantine.reader(kept);
  const reading = await readRows(feed, reader, {}, parts);
  const before = states.get(feed.id);
  const times = {
    before,
    unchanged: false,
    newRunAt: kept.runAt,
    tookMs: before.tookMs ?? Math.max(0, clock.now() - startedAt),
  };
  const { rows, runAt, changed } = await acceptReading(feed, reading, reader, { ...times, byOperator: true }, parts);
  return { status: 'accepted', content: kept.content, rows, runAt, changed };
}

const isMeant = ({ content, replaced }: QuarantinedReading, digest: string | undefined): boolean =>
  digest === undefined ? replaced === 0 : digest.length >= DIGEST_MIN && content.startsWith(digest);
