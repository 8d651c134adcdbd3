import { Slider, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Timeline } from '../../../../src/contract/timeline.ts';
import { parseRfc3339 } from '../../../../src/core/evidence/parse-rfc3339.ts';
import { Chart, LEVEL_BOUNDS, SCORE_TICKS } from '../../components/chart.tsx';
import { formatDate, formatInstant, formatRelative } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import type { ConsoleMessages } from '../../messages/console.en.ts';
import { useConsole } from '../../messages/use-console.ts';
import { KindStrip } from './kind-strip.tsx';
import classes from './score-course.module.css';

const HOUR_MS = 3_600_000;

interface Props {
  readonly timeline: Timeline;
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
  /** Given a moment to come while the slider stands on it; undefined for now. */
  readonly onAhead: (at: number | undefined) => void;
}

/** Shows how the score stood in the history window and how it will fall, with a slider over the same time. */
export function ScoreCourse({ timeline, at, onAt, onAhead }: Props) {
  const c = useConsole();
  const { tag, space } = useLocale();
  const asked = momentOf(at);
  const pointsOf = (points: Timeline['past']) => points.map((one) => [Date.parse(one.at), one.score] as const);
  const { answer } = timeline;
  const now = Date.parse(answer.computed_at);
  const isIPv6 = answer.ip.includes(':');
  return (
    <section className="card" aria-label={c.evidence.chart} data-testid="timeline">
      <Stack gap="md">
        <Title order={2} size="h4">
          {c.evidence.chart}
        </Title>
        {timeline.past.length + timeline.future.length > 0 && (
          <Chart
            label={c.evidence.chart}
            series={[
              { name: c.evidence.past, colour: 'pulse.6', points: pointsOf(timeline.past) },
              { name: c.evidence.expected, colour: 'gray.6', points: pointsOf(timeline.future), dashed: true },
            ]}
            ticks={SCORE_TICKS}
            bounds={LEVEL_BOUNDS}
            marks={[[now, 'gray.6', c.evidence.now], ...(asked === undefined ? [] : [[asked, 'pulse.6'] as const])]}
            tick={(moment) => formatDate(tag, moment)}
            moment={(moment) => formatInstant(tag, new Date(moment))}
          />
        )}
        {timeline.kinds !== undefined && <KindStrip kinds={timeline.kinds} range={courseRange(timeline, now)} />}
        <Course key={at ?? ''} timeline={timeline} now={now} at={asked} onAt={onAt} onAhead={onAhead} />
        {/* The answer shown may be one of the past; later changes follow from the live one. */}
        <Exits timeline={timeline} />
        <Text size="sm" c="dimmed">
          {c.evidence.cost}
          {space}
          {isIPv6 || timeline.past.length === 0
            ? ''
            : fill(c.evidence.window, { when: formatInstant(tag, new Date(timeline.window_from)) })}
        </Text>
      </Stack>
    </section>
  );
}

/** Read from the page's address; undefined where that is not a moment. */
const momentOf = (at: string | undefined): number | undefined => (at === undefined ? undefined : parseRfc3339(at));

/** The first and last moment of the chart, which the slider shares. */
export function courseRange({ past, future, window_from }: Timeline, now: number): readonly [number, number] {
  const from = past.length === 0 ? now : Date.parse(past[0]?.at ?? window_from);
  return [from, Math.max(now, Date.parse(future.at(-1)?.at ?? '') || now)];
}

/**
 * The slider runs over past and future, in steps of an hour from now: letting go in the past asks, and the
 * future is computed here.
 */
function Course({
  timeline,
  now,
  at,
  onAt,
  onAhead,
}: Pick<Props, 'timeline' | 'onAt' | 'onAhead'> & {
  readonly now: number;
  readonly at: number | undefined;
}) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const [from, end] = courseRange(timeline, now);
  const [moment, setMoment] = useState<number>();
  const note = courseNote(timeline, now, c);
  const noteText =
    note === undefined ? undefined : fill(note, { when: formatInstant(tag, new Date(timeline.window_from)) });
  if (end - from < HOUR_MS) return <Text c="dimmed">{noteText}</Text>;
  const shown = Math.min(end, Math.max(from, moment ?? at ?? now));
  // Steps are hours before and after now, so that one of them is now itself.
  const snapped = (value: number): number =>
    Math.min(end, Math.max(from, now + Math.round((value - now) / HOUR_MS) * HOUR_MS));
  const isNow = shown === now;
  const label = shown > now ? c.evidence.expectedAt : c.evidence.at;
  const text = fill(t.site.labelled, {
    label,
    value: fill(t.site.aside, {
      text: formatInstant(tag, new Date(shown)),
      aside: formatRelative(tag, new Date(shown), new Date(now)),
    }),
  });
  const slide = (value: number): void => {
    const next = snapped(value);
    setMoment(next);
    onAhead(next > now ? next : undefined);
  };
  const drop = (value: number): void => {
    const next = snapped(value);
    if (next < now) onAt(new Date(next).toISOString());
    else if (at !== undefined) onAt(undefined);
  };
  return (
    <div>
      {noteText !== undefined && <Text c="dimmed">{noteText}</Text>}
      <Text size="sm" fw={600}>
        {isNow ? c.evidence.now : text}
      </Text>
      <Slider
        min={from}
        max={end}
        step={HOUR_MS}
        value={shown}
        onChange={slide}
        onChangeEnd={drop}
        label={null}
        thumbLabel={c.evidence.slider}
        thumbProps={{ 'aria-valuetext': isNow ? c.evidence.now : text }}
        marks={[{ value: now, label: c.evidence.now }]}
        mt="xs"
        mb="xl"
        className={classes.slider ?? ''}
      />
    </div>
  );
}

/** Says why there is no past, or a short one. */
function courseNote(
  { answer, past, window_from }: Timeline,
  now: number,
  { evidence }: ConsoleMessages,
): string | undefined {
  if (answer.ip.includes(':')) return evidence.noHistory6;
  if (past.length === 0) return evidence.noPast;
  return now - Date.parse(window_from) < HOUR_MS ? evidence.younger : undefined;
}

function Exits({ timeline: { explanation } }: Pick<Props, 'timeline'>) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const { evidence_state: state } = explanation;
  if (state !== 'active') return <Text>{state === 'stale' ? c.evidence.expired : c.evidence.neverSeen}</Text>;
  return (
    <div>
      <Text fw={600}>{c.evidence.future}</Text>
      <ul data-testid="exits">
        {explanation.leaves.map((end) => (
          <li key={end.level}>
            {fill(t.site.labelled, {
              label: c.evidence.exits[end.level],
              value: fill(t.site.aside, {
                text: formatInstant(tag, new Date(end.at)),
                aside: formatRelative(tag, new Date(end.at)),
              }),
            })}
          </li>
        ))}
      </ul>
      {explanation.professional_degraded !== undefined && (
        <Text size="sm" c="dimmed" mt={4}>
          {c.evidence.rounded}
        </Text>
      )}
    </div>
  );
}
