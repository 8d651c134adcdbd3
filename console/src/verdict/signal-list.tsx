import { Badge, Stack, Text } from '@mantine/core';
import type { IPRisk } from '../../../src/contract/documents.ts';
import type { Signal } from '../../../src/contract/risk.ts';
import { NETWORK_SIGNAL_ROWS } from '../../../src/contract/risk-types.ts';
import { useLocale } from '../locale.tsx';
import classes from './facts.module.css';

/** Signals that describe the network and add nothing to the score. */
export const DESCRIPTIVE: ReadonlySet<Signal> = new Set(Object.keys(NETWORK_SIGNAL_ROWS) as Signal[]);

interface Props {
  readonly verdict: Pick<IPRisk, 'risk' | 'meta'>;
  /** The score is of a past moment, and the signals, which are of now, do not explain it. */
  readonly isPast?: boolean;
}

/**
 * The reasons of a score. What own collection saw has no signal: where none stands, the score comes from
 * there, or from an override.
 */
export function SignalList({ verdict: { risk, meta }, isPast = false }: Props) {
  const { t } = useLocale();
  const signals = risk.signals ?? [];
  const isOwn =
    !isPast && risk.score > 0 && meta.override !== true && signals.every((signal) => DESCRIPTIVE.has(signal));
  if (signals.length === 0 && !isOwn) return <Text c="dimmed">{t.verdict.noSignals}</Text>;
  return (
    <Stack component="ul" gap="sm" className={classes.plain ?? ''}>
      {isOwn && (
        <li data-signal="own">
          <Text fw={600}>{t.verdict.own.name}</Text>
          <Text size="sm" c="dimmed">
            {t.verdict.own.text}
          </Text>
        </li>
      )}
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
