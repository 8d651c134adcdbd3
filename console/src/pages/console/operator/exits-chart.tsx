import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { ConsoleBeacon } from '../../../../../src/contract/console.ts';
import { useLocale } from '../../../locale.tsx';

interface Props {
  readonly beacons: readonly ConsoleBeacon[];
  readonly label: string;
  readonly words: { readonly known: string; readonly fresh: string };
}

/** Exits of all beacons, date by date: those that were known, and new ones on top. */
export function ExitsChart({ beacons, label, words }: Props) {
  const { tag } = useLocale();
  const format = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  const days = beacons[0]?.days ?? [];
  const data = days.map(({ date }, place) => {
    const all = beacons.map((beacon) => beacon.days[place]);
    const exits = all.reduce((sum, day) => sum + (day?.exits ?? 0), 0);
    const fresh = all.reduce((sum, day) => sum + (day?.new_exits ?? 0), 0);
    return { day: format.format(new Date(`${date}T00:00:00Z`)), [words.known]: exits - fresh, [words.fresh]: fresh };
  });
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <BarChart
        h={200}
        data={data}
        dataKey="day"
        type="stacked"
        withLegend
        series={[
          { name: words.known, color: 'gray.6' },
          { name: words.fresh, color: 'pulse.6' },
        ]}
        barProps={{ isAnimationActive: false }}
        xAxisProps={{ minTickGap: 24 }}
        yAxisProps={{ allowDecimals: false, width: 56 }}
      />
    </figure>
  );
}
