import { Text } from '@mantine/core';
import type { Allowance } from '../../api/lookup.ts';
import { formatNumber, formatRelative } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';

/** What is left today, and when it starts anew: said after every look-up, so that no refusal comes as a surprise. */
export function AllowanceLine({ allowance }: { readonly allowance: Allowance }) {
  const { t, tag } = useLocale();
  const left = fill(t.home.allowance, { remaining: formatNumber(tag, allowance.remaining), limit: formatNumber(tag, allowance.limit) });
  const anew = fill(t.home.resets, { when: formatRelative(tag, allowance.resetsAt, new Date()) });
  return (
    <Text size="sm" c="dimmed">
      {left} · {anew}
    </Text>
  );
}
