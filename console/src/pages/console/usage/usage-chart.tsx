import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { ConsoleUsageDay } from '../../../../../src/contract/console.ts';
import { useLocale } from '../../../locale.tsx';

interface Props {
  readonly days: readonly ConsoleUsageDay[];
  readonly label: string;
  readonly series: string;
}

export function UsageChart({ days, label, series }: Props) {
  const { tag } = useLocale();
  // A quota day is a date of its own zone; it is formatted as that date, wherever the reader is.
  const format = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  const data = days.map((day) => ({ day: format.format(new Date(`${day.day}T00:00:00Z`)), [series]: day.used }));
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <BarChart
        h={240}
        data={data}
        dataKey="day"
        series={[{ name: series, color: 'pulse.6' }]}
        xAxisProps={{ minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, width: 56 }}
      />
    </figure>
  );
}
