import { Button, Checkbox, Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { RISK_TYPES, type RiskType } from '../../../../src/contract/risk.ts';
import type { Observation } from '../../../../src/core/evidence/observation.ts';
import { SCORE_PARAMETERS } from '../../../../src/core/risk/parameters.ts';
import { MINUTE_MS, unixMs } from '../../../../src/core/units.ts';
import { Chart, LEVEL_BOUNDS, SCORE_TICKS } from '../../components/chart.tsx';
import { bandExits, decayCurve, scoreAt } from '../../curve/decay-curve.ts';
import { formatDate, formatInstant } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import classes from './docs.module.css';

interface Row {
  readonly id: number;
  readonly type: RiskType;
  readonly ageMin: number;
  readonly days: number;
  readonly families: number;
  readonly prefixBits: number;
  /** Captured by a source that claims networks. */
  readonly isClaim: boolean;
  /** A vpn capture of a Tor exit. */
  readonly isTor: boolean;
}

const FIRST: Row = {
  id: 0,
  type: 'proxy',
  ageMin: 360,
  days: 1,
  families: 1,
  prefixBits: 32,
  isClaim: false,
  isTor: false,
};

/**
 * A row of the form as the captures the scorer takes: the observed days become the d newest days of the mask,
 * osint one capture a family.
 */
const observationsOf = (rows: readonly Row[], now: number): readonly Observation[] =>
  rows.flatMap((row) =>
    Array.from({ length: row.type === 'osint' ? row.families : 1 }, (_, index) => ({
      riskType: row.type,
      source: row.isClaim ? SCORE_PARAMETERS.claiming[0]! : `calculator-${row.id}-${index}`,
      family: `calculator-${row.id}-${index}`,
      capturedAt: unixMs(now - row.ageMin * MINUTE_MS),
      days: 2 ** row.days - 1,
      prefixBits: row.prefixBits,
      pools: [],
      ...(row.isTor && { sharedBy: 'tor' as const }),
    })),
  );

/** Another type begins with the prefix it is usually captured with. */
const retyped = (type: RiskType): Pick<Row, 'type' | 'prefixBits' | 'isClaim' | 'isTor'> => ({
  type,
  isClaim: false,
  isTor: false,
  prefixBits: type === 'ipv6_range' ? 64 : 32,
});

/** Recomputes a score from evidence rows typed in. One row a type, as in the contract. */
export function ScoreCalculator() {
  const d = useDocs().calculator;
  const { t, tag } = useLocale();
  const [rows, setRows] = useState<readonly Row[]>([FIRST]);
  const [now] = useState(() => Date.now());
  const observations = useMemo(() => observationsOf(rows, now), [rows, now]);
  const score = scoreAt(observations, 4, now);
  const unused = RISK_TYPES.filter((type) => !rows.some((row) => row.type === type));
  const change = (id: number, patch: Partial<Row>): void =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)));

  return (
    <Stack gap="md" className={classes.calculator ?? ''}>
      {rows.map((row) => (
        <Group key={row.id} align="flex-end" gap="sm">
          <NativeSelect
            label={d.type}
            value={row.type}
            data={[row.type, ...unused]}
            onChange={(event) => change(row.id, retyped(event.currentTarget.value as RiskType))}
          />
          <NumberInput
            label={d.age}
            value={row.ageMin}
            min={0}
            max={100_000}
            w={140}
            onChange={(value) => change(row.id, { ageMin: Number(value) || 0 })}
          />
          {row.type === 'osint' ? (
            <NumberInput
              label={d.families}
              value={row.families}
              min={1}
              max={10}
              w={140}
              onChange={(value) => change(row.id, { families: Math.min(10, Math.max(1, Number(value) || 1)) })}
            />
          ) : (
            <NumberInput
              label={d.days}
              value={row.days}
              min={1}
              max={14}
              w={170}
              onChange={(value) => change(row.id, { days: Math.min(14, Math.max(1, Number(value) || 1)) })}
            />
          )}
          <NumberInput
            label={d.prefix}
            value={row.prefixBits}
            min={8}
            max={row.type === 'ipv6_range' ? 128 : 32}
            w={120}
            onChange={(value) => change(row.id, { prefixBits: Number(value) || 32 })}
          />
          {(row.type === 'proxy' || row.type === 'vpn') && (
            <Checkbox
              label={d.isClaim}
              checked={row.isClaim}
              mb="xs"
              onChange={(event) => change(row.id, { isClaim: event.currentTarget.checked })}
            />
          )}
          {row.type === 'vpn' && (
            <Checkbox
              label={d.isTor}
              checked={row.isTor}
              mb="xs"
              onChange={(event) => change(row.id, { isTor: event.currentTarget.checked })}
            />
          )}
          <Button
            variant="default"
            disabled={rows.length === 1}
            onClick={() => setRows(rows.filter((other) => other.id !== row.id))}
            aria-label={fill(d.remove, { type: row.type })}
          >
            ×
          </Button>
        </Group>
      ))}
      <Group>
        <Button
          variant="light"
          disabled={unused.length === 0}
          onClick={() =>
            setRows([
              ...rows,
              { ...FIRST, id: Math.max(...rows.map((row) => row.id)) + 1, ...retyped(unused[0] ?? 'proxy') },
            ])
          }
        >
          {d.add}
        </Button>
        <Text size="xl" fw={700} aria-live="polite" data-testid="calculated-score">
          {fill(t.site.labelled, { label: d.score, value: score })}
        </Text>
      </Group>
      <ul className={classes.list}>
        {bandExits(observations, 4, now).map((exit) => (
          <li key={exit.below}>
            {fill(t.site.labelled, { label: d.below[exit.below], value: formatInstant(tag, exit.at) })}
          </li>
        ))}
      </ul>
      <Text fw={600}>{d.curve}</Text>
      <Chart
        label={d.curve}
        series={[{ name: d.score, colour: 'pulse.6', points: decayCurve(observations, 4, now) }]}
        ticks={SCORE_TICKS}
        bounds={LEVEL_BOUNDS}
        tick={(at) => formatDate(tag, at)}
        moment={(at) => formatInstant(tag, new Date(at))}
      />
    </Stack>
  );
}
