import { Slider, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { orderOf } from '../../../../../src/core/policy/order.ts';
import { DEFAULT_POLICY, policyOf } from '../../../../../src/core/policy/policy.ts';
import type { AnsweredAddress } from '../../../bulk/bulk-request.ts';
import { formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

/** The default policy denies from this score on. */
const HIGH = 70;

/** Shows how many addresses and lines a policy would have stopped that denies from a score on. */
export function StoppedFrom({ rows }: { readonly rows: readonly AnsweredAddress[] }) {
  const { bulk: w } = useConsole();
  const { tag } = useLocale();
  const [score, setScore] = useState(HIGH);
  const policy = policyOf({ ...DEFAULT_POLICY.document, deny: score }, []);
  const stopped = rows.filter(({ facts }) => facts !== undefined && orderOf(policy, facts).action === 'deny');
  const linesOf = (some: readonly AnsweredAddress[]): number => some.reduce((sum, { lines }) => sum + lines, 0);
  const n = (value: number): string => formatNumber(tag, value);
  return (
    <Stack gap={4} data-testid="stopped-from">
      <Text size="sm" role="status">
        {fill(w.wouldStop, {
          score,
          addresses: n(stopped.length),
          of: n(rows.length),
          lines: n(linesOf(stopped)),
          all: n(linesOf(rows)),
        })}
      </Text>
      <Slider min={1} max={100} value={score} onChange={setScore} thumbLabel={w.denyFrom} label={null} maw={420} />
    </Stack>
  );
}
