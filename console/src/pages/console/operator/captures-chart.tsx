import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { useMemo } from 'react';
import type { ConsoleCollection } from '../../../../../src/contract/console.ts';
import { useLocale } from '../../../locale.tsx';

interface Props {
  readonly hours: ConsoleCollection['hours'];
  readonly label: string;
  readonly words: { readonly captures: string; readonly connections: string };
}

/** Captures and the connections folded into them, hour by hour. */
export function CapturesChart({ hours, label, words }: Props) {
  const { tag } = useLocale();
  const data = useMemo(() => {
    const format = new Intl.DateTimeFormat(tag, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
    return hours.map((hour) => ({
      when: format.format(new Date(hour.at)),
      [words.captures]: hour.captures,
      [words.connections]: hour.connections,
    }));
  }, [hours, tag, words]);
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <AreaChart
        h={220}
        data={data}
        dataKey="when"
        withLegend
        withDots={false}
        curveType="linear"
        fillOpacity={0.16}
        series={[
          { name: words.connections, color: 'gray.6' },
          { name: words.captures, color: 'pulse.6' },
        ]}
        areaProps={{ isAnimationActive: false }}
        xAxisProps={{ minTickGap: 48 }}
        yAxisProps={{ allowDecimals: false, width: 56 }}
      />
    </figure>
  );
}
