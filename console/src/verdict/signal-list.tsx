import { Badge, Stack, Text } from '@mantine/core';
import type { Signal } from '../../../src/contract/risk.ts';
import { useLocale } from '../locale.tsx';
import classes from './facts.module.css';

/** Signals that describe the network and add nothing to the score. */
export const DESCRIPTIVE: ReadonlySet<Signal> = new Set(['hosting', 'mobile', 'crawler']);

export function SignalList({ signals }: { readonly signals: readonly Signal[] }) {
  const { t } = useLocale();
  if (signals.length === 0) return <Text c="dimmed">{t.verdict.noSignals}</Text>;
  return (
    <Stack component="ul" gap="sm" className={classes.plain ?? ''}>
      {signals.map((signal) => (
        <li key={signal} data-signal={signal}>
          <Text fw={600} component="span">
            {t.verdict.signal[signal].name}
          </Text>
          {DESCRIPTIVE.has(signal) && (
            <Badge ms={8} size="sm" variant="default" radius="sm" tt="none">
              {t.verdict.describesNetwork}
            </Badge>
          )}
          <Text size="sm" c="dimmed">
            {t.verdict.signal[signal].text}
          </Text>
        </li>
      ))}
    </Stack>
  );
}
