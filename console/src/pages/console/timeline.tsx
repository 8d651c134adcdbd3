import { Slider, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { formatInstant } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import classes from './console.module.css';

const DAYS = 30;
const HOUR_MS = 3_600_000;
const STEPS = DAYS * 24;

interface Props {
  readonly ip: string;
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
}

/** A slider over the last 30 days in steps of an hour. Letting go asks the service for the verdict of that moment: one look-up. */
export function Timeline({ ip, at, onAt }: Props) {
  const c = useConsole();
  const { tag } = useLocale();
  const [now] = useState(() => Date.now());
  const [step, setStep] = useState(STEPS);
  const shown = at === undefined && step === STEPS ? STEPS : step;
  const instant = (value: number): Date => new Date(now - (STEPS - value) * HOUR_MS);
  return (
    <section className={classes.card} aria-label={fill(c.evidence.timeline, { n: DAYS })}>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {fill(c.evidence.timeline, { n: DAYS })}
        </Title>
        <Text size="sm">{shown === STEPS ? c.evidence.now : `${c.evidence.at} ${formatInstant(tag, instant(shown))}`}</Text>
        <Slider
          key={ip}
          min={0}
          max={STEPS}
          value={shown}
          onChange={setStep}
          onChangeEnd={(value) => onAt(value === STEPS ? undefined : instant(value).toISOString())}
          label={null}
          thumbLabel={c.evidence.at}
          marks={[
            { value: 0, label: `−${DAYS}` },
            { value: STEPS / 2, label: `−${DAYS / 2}` },
            { value: STEPS, label: c.evidence.now },
          ]}
          mb="lg"
        />
      </Stack>
    </section>
  );
}
