import type { QuarantinedDocument, QuarantinedSpace } from '../../contract/console.ts';
import type { ReadingFigures } from '../../core/feeds/reading-figures.ts';
import { worded } from '../../core/texts/said.ts';
import { isoTime } from '../iso-time.ts';
import type { QuarantinedReading } from './feed-ports.ts';

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
