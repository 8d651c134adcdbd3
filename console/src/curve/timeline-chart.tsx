import '@mantine/charts/styles.css';
import { AreaChart, ChartTooltip } from '@mantine/charts';
import { useMemo } from 'react';
import type { Timeline } from '../../../src/contract/timeline.ts';
import { useLocale } from '../locale.tsx';

interface Props {
  readonly timeline: Timeline;
  /** The moment between past and future, Unix ms. */
  readonly now: number;
  /** The moment the answer shown is for, when it is a past one. */
  readonly asked: number | undefined;
  readonly words: { readonly label: string; readonly past: string; readonly expected: string; readonly now: string };
}

/** Score over time: the past, and how it will fall, with the bounds of the bands. */
export function TimelineChart({ timeline, now, asked, words }: Props) {
  const { tag } = useLocale();
  const data = useMemo(
    () => [
      ...timeline.past.map((point) => ({ at: Date.parse(point.at), [words.past]: point.score })),
      ...timeline.future.map((point) => ({ at: Date.parse(point.at), [words.expected]: point.score })),
    ],
    [timeline, words],
  );
  const day = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric' });
  const moment = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
  const series = [
    { name: words.past, color: 'pulse.6' },
    { name: words.expected, color: 'gray.6', strokeDasharray: '5 4' },
  ];
  return (
    <figure aria-label={words.label} style={{ margin: 0 }}>
      <AreaChart
        h={240}
        data={data}
        dataKey="at"
        series={series}
        withLegend
        withDots={false}
        curveType="linear"
        fillOpacity={0.16}
        areaProps={{ isAnimationActive: false }}
        yAxisProps={{ domain: [0, 100], ticks: [0, 30, 70, 100], width: 40 }}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: ['dataMin', 'dataMax'],
          minTickGap: 60,
          tickFormatter: (at: number) => day.format(at),
        }}
        tooltipProps={{
          content: ({ label, payload }) => (
            <ChartTooltip label={moment.format(Number(label ?? now))} payload={[...(payload ?? [])]} series={series} />
          ),
        }}
        referenceLines={[
          { y: 70, color: 'red.6' },
          { y: 30, color: 'orange.6' },
          // The label is on the side of the past: where nothing is expected, the line is the right edge of the chart.
          {
            x: now,
            color: 'gray.6',
            label: words.now,
            labelPosition: timeline.past.length > 0 ? 'insideBottomRight' : 'insideBottomLeft',
          },
          ...(asked === undefined ? [] : [{ x: asked, color: 'pulse.6' }]),
        ]}
      />
    </figure>
  );
}
