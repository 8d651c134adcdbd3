import { Alert, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Evidence, Explanation } from '../../../../src/contract/documents.ts';
import type { ExplainedVerdict, Timeline } from '../../../../src/contract/timeline.ts';
import { Card } from '../../components/card.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { formatAge, formatInstant } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { useKindName } from '../../messages/use-kind-name.ts';
import { ScoreBar } from './score-bar.tsx';
import { ScoreCourse } from './score-course.tsx';
import { scoreParts } from './score-parts.ts';

interface Props {
  /** Of now; undefined where no history is kept. */
  readonly timeline: Timeline | undefined;
  /** The verdict shown; undefined where a past one is awaited or refused. */
  readonly shown: ExplainedVerdict | undefined;
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
}

/** Professional readers see below a verdict the course of the score, and the evidence rows that make it. */
export function EvidenceParts({ timeline, shown, at, onAt }: Props) {
  // A moment to come that the slider stands on: the parts of the score fall with it.
  const [ahead, setAhead] = useState<number>();
  return (
    <>
      {timeline && <ScoreCourse timeline={timeline} at={at} onAt={onAt} onAhead={setAhead} />}
      {shown && <Rows {...shown} shownAt={at === undefined ? ahead : undefined} />}
    </>
  );
}

function Rows({
  answer: verdict,
  explanation,
  shownAt,
}: ExplainedVerdict & {
  /** A moment to come for which the parts of the score are shown, Unix ms. */
  readonly shownAt: number | undefined;
}) {
  const c = useConsole();
  const { t } = useLocale();
  return (
    <Card title={c.evidence.rows} testId="evidence">
      {explanation.rows.length > 0 && (
        <ScoreBar explanation={explanation} at={shownAt ?? Date.parse(explanation.computed_at)} />
      )}
      <Text size="sm" my="sm">
        {c.evidence.tiers[verdict.share_tier]}
      </Text>
      {explanation.known_as !== undefined && <KnownGood reason={explanation.known_as} />}
      {verdict.professional_degraded !== undefined && (
        <Alert mb="sm" color="yellow">
          {c.evidence.dpa}
        </Alert>
      )}
      <EvidenceTable rows={verdict.evidence} explanation={explanation} />
      <DerivedList explanation={explanation} />
      {verdict.resource_pools !== undefined && (
        <Text size="sm" mt="md">
          {fill(t.site.labelled, { label: c.evidence.pools, value: verdict.resource_pools.join(' ') })}
          <Text size="xs" c="dimmed">
            {c.evidence.poolsHint}
          </Text>
        </Text>
      )}
    </Card>
  );
}

/** Says why lists alone do not raise the score of this address. */
function KnownGood({ reason }: { readonly reason: NonNullable<Explanation['known_as']> }) {
  const c = useConsole();
  return (
    <div data-testid="known-good">
      <Text size="sm">{reason.scanner ? c.evidence.knownScannerMeaning : c.evidence.knownGoodMeaning}</Text>
      <Text size="xs" c="dimmed">
        {fill(c.evidence.knownGoodSource, { source: reason.source, seen: reason.seen })}
      </Text>
    </div>
  );
}

/** Says why there are rows that no source reported. */
function DerivedList({ explanation: { derived = [] } }: { readonly explanation: Explanation }) {
  const nameOf = useKindName();
  const { t } = useLocale();
  return derived.map(({ risk_type: type, prefix, reason }) => (
    <Text key={`${type} ${prefix}`} size="sm" mt="sm" data-testid="derived">
      {fill(t.site.labelled, { label: fill(t.site.aside, { text: nameOf(type), aside: prefix }), value: reason })}
    </Text>
  ));
}

function EvidenceTable({
  rows,
  explanation,
}: {
  readonly rows: readonly Evidence[];
  readonly explanation: Explanation;
}) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const nameOf = useKindName();
  const { columns } = c.evidence;
  const parts = scoreParts(explanation, Date.parse(explanation.computed_at));
  const pointsOf = (type: string): number => parts.find((part) => part.type === type)?.points ?? 0;
  const points = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });
  const seenBy = (type: string): readonly string[] => [
    ...new Set(explanation.rows.filter((row) => row.risk_type === type).flatMap((row) => row.seen_by ?? [])),
  ];
  return (
    <TableCard
      framed={false}
      label={c.evidence.rows}
      columns={Object.values(columns)}
      empty={rows.length === 0 ? c.evidence.none : undefined}
    >
      {rows.map((row) => (
        <Table.Tr key={row.risk_type}>
          <Cell of={columns.type}>
            {nameOf(row.risk_type)}
            <Text size="xs" c="dimmed" ff="monospace">
              {row.risk_type}
            </Text>
            {seenBy(row.risk_type).length > 0 && (
              <Text size="xs" data-testid="seen-by">
                {fill(t.site.labelled, { label: c.evidence.seenBy, value: seenBy(row.risk_type).join(', ') })}
              </Text>
            )}
          </Cell>
          <Cell of={columns.freshness} whole>
            {pointsOf(row.risk_type) === 0 ? c.evidence.over : t.verdict.freshness[row.freshness]}
          </Cell>
          <Cell of={columns.captured} whole>
            {row.captured_at === undefined ? '—' : formatInstant(tag, new Date(row.captured_at))}
          </Cell>
          <Cell of={columns.age} whole>
            {row.age_min === undefined ? '—' : formatAge(tag, row.age_min)}
          </Cell>
          <Cell of={columns.days}>{row.obs_days}</Cell>
          <Cell of={columns.points}>{points.format(pointsOf(row.risk_type))}</Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}
