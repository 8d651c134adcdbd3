import { Text } from '@mantine/core';
import type { ConsoleUsage } from '../../../src/contract/console.ts';
import type { Allowance } from '../api/lookup.ts';
import { useSession } from '../api/session.tsx';
import { useLoad } from '../api/use-load.ts';
import { formatNumber, formatRelative } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';

/**
 * The units left today, when the next day starts, and whose allowance it is: shown before and after every
 * lookup, so that no refusal comes as a surprise.
 */
export function AllowanceLine({ allowance }: { readonly allowance: Allowance | undefined }) {
  const { t, tag } = useLocale();
  const { account } = useSession();
  // Before the first lookup an account's allowance is known from its usage; an anonymous visitor's comes with
  // the answer.
  const usage = useLoad<ConsoleUsage>(account && allowance === undefined ? '/usage' : undefined);
  const known = allowance ?? allowanceOf(usage.data);
  const parts = [
    ...(known === undefined
      ? []
      : [
          fill(t.home.allowance, {
            remaining: formatNumber(tag, known.remaining),
            limit: formatNumber(tag, known.limit),
          }),
          fill(t.home.resets, { when: formatRelative(tag, known.resetsAt) }),
        ]),
    ...(account ? [fill(t.home.accountAllowance, { email: account.email })] : []),
  ];
  return (
    <Text size="sm" c="dimmed" data-testid="allowance">
      {parts.join(' · ')}
    </Text>
  );
}

const allowanceOf = (usage: ConsoleUsage | undefined): Allowance | undefined =>
  usage?.me.remaining === undefined || usage.me.reset_unix === undefined
    ? undefined
    : { limit: usage.me.per_day, remaining: usage.me.remaining, resetsAt: new Date(usage.me.reset_unix * 1000) };
