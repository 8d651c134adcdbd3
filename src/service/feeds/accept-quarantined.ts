import type { QuarantinedDocument, QuarantinedSpace } from '../../contract/console.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import type { ReadingFigures } from '../../core/feeds/reading-figures.ts';
import { fault, worded } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import { WAITS_FOR_RELAY, waitsForRelay } from './due-at.ts';
import type { QuarantinedReading } from './feed-ports.ts';
import { acceptReading, type RefreshParts, readRows } from './refresh-feed.ts';

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

export function quarantinedDocument({
  content,
  reason,
  refusedAt,
  lastReadAt,
  runAt,
  replaced,
  figures,
}: QuarantinedReading): QuarantinedDocument {
  const { rows, asns, pools } = figures;
  const [ipv4, ipv6] = [spaceOf(figures, 4), spaceOf(figures, 6)];
  return {
    digest: content,
    reason: worded(reason),
    refused_at: isoTime(refusedAt),
    last_read_at: isoTime(lastReadAt),
    run_at: isoTime(runAt),
    replaced,
    rows,
    ...(asns === undefined ? {} : { asns }),
    pools,
    ...(ipv4 === undefined ? {} : { ipv4 }),
    ...(ipv6 === undefined ? {} : { ipv6 }),
  };
}

function spaceOf({ covered, before, prefixes }: ReadingFigures, family: 4 | 6): QuarantinedSpace | undefined {
  const span = prefixes[family];
  if (span === undefined) return undefined;
  const earlier = before?.[family];
  const growth =
    earlier === undefined || earlier === 0 ? {} : { growth: Math.round((100 * covered[family]) / earlier) / 100 };
  return { covered: covered[family], ...(earlier === undefined ? {} : { before: earlier }), ...growth, ...span };
}
