import { Badge, Text } from '@mantine/core';
import type { EvidenceStatus, SourceStatus } from '../../../src/contract/status.ts';
import { formatDay, formatNumber } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';

const COLOURS = {
  current: 'teal',
  never_read: 'gray',
  late: 'orange',
  retired: 'yellow',
  off: 'gray',
  left_out: 'gray',
} as const;

/** Role of a source in verdicts, and since when it is late or retired. */
export function SourceState({ source: { state, since } }: { readonly source: Pick<SourceStatus, 'state' | 'since'> }) {
  const { t, tag } = useLocale();
  return (
    <>
      <Badge miw="max-content" color={COLOURS[state]} variant="light" tt="none" radius="sm">
        {t.sources.state[state]}
      </Badge>
      {since !== undefined && (
        <Text component="span" display="block" size="xs" c="dimmed">
          {fill(t.sources.since, { day: formatDay(tag, new Date(since)) })}
        </Text>
      )}
    </>
  );
}

/** Shows how many sources of evidence are late or missing, and how many retired; nothing where all are current. */
export function MissingSources({ evidence }: { readonly evidence: EvidenceStatus | undefined }) {
  const { t, tag } = useLocale();
  if (evidence === undefined) return null;
  const { expected, missing, retired, since } = evidence;
  const counts = { missing: formatNumber(tag, missing), expected: formatNumber(tag, expected) };
  return (
    <>
      {missing > 0 && (
        <Text component="span" display="block" mt={4} inherit>
          {since === undefined
            ? fill(t.sources.missing, counts)
            : fill(t.sources.missingSince, { ...counts, since: formatDay(tag, new Date(since)) })}
        </Text>
      )}
      {retired > 0 && (
        <Text component="span" display="block" mt={4} inherit>
          {fill(t.sources.retired, { n: formatNumber(tag, retired) })}
        </Text>
      )}
    </>
  );
}
