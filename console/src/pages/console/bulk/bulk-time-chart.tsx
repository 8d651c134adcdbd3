import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { TrafficSummary } from '../../../../../src/contract/traffic-summary.ts';
import { timeColumns } from '../../../../../src/core/report/time-chart.ts';
import { TIME_KINDS, type TimeKind } from '../../../../../src/core/summary/time-buckets.ts';
import { DAY_MS } from '../../../../../src/core/units.ts';
import { useLocale } from '../../../locale.tsx';

const COLOURS: Readonly<Record<TimeKind, string>> = {
  none: 'light-dark(#c3cad2, #3b4754)',
  stale: 'light-dark(#8c97a3, #66717c)',
  low: 'blue.6',
  medium: 'orange.6',
  high: 'red.7',
};

interface Props {
  readonly time: NonNullable<TrafficSummary['time']>;
  readonly label: string;
}

/** Lines over time, by the kind of their addresses. */
export function BulkTimeChart({ time, label }: Props) {
  const { t, tag } = useLocale();
  const names: Readonly<Record<TimeKind, string>> = {
    none: t.verdict.state.none.name,
    stale: t.verdict.state.stale.name,
    low: t.verdict.level.low,
    medium: t.verdict.level.medium,
    high: t.verdict.level.high,
  };
  const format = new Intl.DateTimeFormat(tag, {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
    ...(time.bucket_ms < DAY_MS && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  });
  const data = timeColumns(time).map(({ at, lines }) => ({
    at: format.format(at),
    ...Object.fromEntries(TIME_KINDS.map((kind) => [names[kind], lines[kind]])),
  }));
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <BarChart
        h={260}
        data={data}
        dataKey="at"
        type="stacked"
        withLegend
        legendProps={{ itemSorter: null }}
        series={TIME_KINDS.map((kind) => ({ name: names[kind], color: COLOURS[kind] }))}
        barProps={{ isAnimationActive: false }}
        xAxisProps={{ minTickGap: 40 }}
        yAxisProps={{ allowDecimals: false, width: 56 }}
      />
    </figure>
  );
}
