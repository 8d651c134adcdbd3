import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { useMemo } from 'react';
import type { Observation } from '../../../src/core/evidence/observation.ts';
import { useLocale } from '../locale.tsx';
import { decayCurve } from './decay-curve.ts';

interface Props {
  readonly observations: readonly Observation[];
  readonly family: 4 | 6;
  readonly from: number;
  readonly label: string;
  readonly scoreLabel: string;
}

/** The score from now until it is 0, with the bounds of the bands drawn in. */
export function CurveChart({ observations, family, from, label, scoreLabel }: Props) {
  const { tag } = useLocale();
  const data = useMemo(() => {
    const format = new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', hour: '2-digit' });
    return decayCurve(observations, family, from).map((point) => ({
      when: format.format(point.at),
      [scoreLabel]: point.score,
    }));
  }, [observations, family, from, scoreLabel, tag]);
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <AreaChart
        h={220}
        data={data}
        dataKey="when"
        series={[{ name: scoreLabel, color: 'pulse.6' }]}
        yAxisProps={{ domain: [0, 100], ticks: [0, 30, 70, 100] }}
        xAxisProps={{ minTickGap: 60 }}
        referenceLines={[
          { y: 70, color: 'red.6' },
          { y: 30, color: 'orange.6' },
        ]}
        withDots={false}
        curveType="linear"
      />
    </figure>
  );
}
