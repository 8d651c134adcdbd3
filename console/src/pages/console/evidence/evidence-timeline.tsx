import { Skeleton, Slider, Stack, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { EvidenceState } from '../../../../../src/contract/risk.ts';
import type { Timeline } from '../../../../../src/contract/timeline.ts';
import { parseRfc3339 } from '../../../../../src/core/evidence/parse-rfc3339.ts';
import { later } from '../../../components/later.tsx';
import { formatInstant, formatRelative } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import verdictClasses from '../../../verdict/verdict-card.module.css';

const TimelineChart = later(
  async () => (await import('../../../curve/timeline-chart.tsx')).TimelineChart,
  <Skeleton height={240} />,
);

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

interface Props {
  readonly ip: string;
  readonly timeline: Timeline;
  /** Exact times are withheld from this account. */
  readonly withheld: boolean;
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
}

/** How the score stood in the history window and how it will fall, as the service computed both; and a slider that asks for the verdict of a moment. */
export function EvidenceTimeline({ ip, timeline, withheld, at, onAt }: Props) {
  const c = useConsole();
  const { tag, space } = useLocale();
  // One object for as long as the language stays: the chart is rebuilt when its words change.
  const words = useMemo(
    () => ({ label: c.evidence.chart, past: c.evidence.past, expected: c.evidence.expected, now: c.evidence.now }),
    [c],
  );
  const now = Date.parse(timeline.answer.computed_at);
  return (
    <section className="card" aria-label={c.evidence.chart} data-testid="timeline">
      <Stack gap="md">
        <Title order={2} size="h4">
          {c.evidence.chart}
        </Title>
        {timeline.past.length + timeline.future.length > 0 && (
          <TimelineChart timeline={timeline} now={now} asked={momentOf(at)} words={words} />
        )}
        <Past key={at ?? ''} ip={ip} timeline={timeline} now={now} at={momentOf(at)} onAt={onAt} />
        {/* The answer shown may be one of the past; later changes follow from the live one. */}
        <Exits timeline={timeline} state={timeline.answer.evidence_state} withheld={withheld} />
        <Text size="sm" c="dimmed">
          {c.evidence.cost}
          {space}
          {ip.includes(':') || timeline.past.length === 0
            ? ''
            : fill(c.evidence.window, { when: formatInstant(tag, new Date(timeline.window_from)) })}
        </Text>
      </Stack>
    </section>
  );
}

/** Read from the page's address; undefined where that is not a moment. */
const momentOf = (at: string | undefined): number | undefined => (at === undefined ? undefined : parseRfc3339(at));

/** The slider runs over the answerable time, in steps of an hour; letting go asks. */
function Past({
  ip,
  timeline,
  now,
  at,
  onAt,
}: Pick<Props, 'ip' | 'timeline' | 'onAt'> & { readonly now: number; readonly at: number | undefined }) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const from = Date.parse(timeline.window_from);
  const steps = Math.floor((now - from) / HOUR_MS);
  const [step, setStep] = useState<number>();
  if (ip.includes(':')) return <Text c="dimmed">{c.evidence.noHistory6}</Text>;
  if (timeline.past.length === 0) return <Text c="dimmed">{c.evidence.noPast}</Text>;
  if (steps < 1)
    return <Text c="dimmed">{fill(c.evidence.younger, { when: formatInstant(tag, new Date(from)) })}</Text>;
  const shown =
    step ?? (at === undefined ? steps : Math.max(0, Math.min(steps, steps - Math.round((now - at) / HOUR_MS))));
  const instant = (value: number): Date => new Date(now - (steps - value) * HOUR_MS);
  const chosen = step === undefined && at !== undefined ? new Date(at) : instant(shown);
  const isNow = step === undefined ? at === undefined : step === steps;
  const days = Math.round((now - from) / DAY_MS);
  return (
    <div>
      <Text size="sm" fw={600}>
        {isNow
          ? c.evidence.now
          : fill(t.site.labelled, {
              label: c.evidence.at,
              value: fill(t.site.aside, {
                text: formatInstant(tag, chosen),
                aside: formatRelative(tag, chosen, new Date(now)),
              }),
            })}
      </Text>
      <Slider
        min={0}
        max={steps}
        value={shown}
        onChange={setStep}
        onChangeEnd={(value) => onAt(value === steps ? undefined : instant(value).toISOString())}
        label={null}
        thumbLabel={c.evidence.slider}
        thumbProps={{ 'aria-valuetext': isNow ? c.evidence.now : formatInstant(tag, chosen) }}
        marks={[
          { value: 0, label: formatRelative(tag, new Date(from), new Date(now)) },
          ...(days > 6 ? [{ value: steps / 2, label: formatRelative(tag, instant(steps / 2), new Date(now)) }] : []),
          { value: steps, label: c.evidence.now },
        ]}
        mt="xs"
        mb="xl"
        mx={28}
      />
    </div>
  );
}

function Exits({
  timeline,
  state,
  withheld,
}: {
  readonly timeline: Timeline;
  readonly state: EvidenceState;
  readonly withheld: boolean;
}) {
  const c = useConsole();
  const { t, tag } = useLocale();
  if (state !== 'active') return <Text>{state === 'stale' ? c.evidence.expired : c.evidence.neverSeen}</Text>;
  return (
    <div>
      <Text fw={600}>{c.evidence.future}</Text>
      <ul className={verdictClasses.limits} data-testid="exits">
        {timeline.exits.map((exit) => (
          <li key={exit.below}>
            {fill(t.site.labelled, {
              label: c.evidence.exits[exit.below],
              value: fill(t.site.aside, {
                text: formatInstant(tag, new Date(exit.at)),
                aside: formatRelative(tag, new Date(exit.at), new Date()),
              }),
            })}
          </li>
        ))}
      </ul>
      {withheld && (
        <Text size="sm" c="dimmed" mt={4}>
          {c.evidence.rounded}
        </Text>
      )}
    </div>
  );
}
