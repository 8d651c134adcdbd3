import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.tsx';
import { useLocale } from '../locale.tsx';
import { ButtonLink } from './shell.tsx';

/** One folded row in place of what this visitor may not see: what it is, and how to get it. */
export function Locked({
  title,
  children,
  open,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly open?: boolean;
}) {
  const { t, to } = useLocale();
  const { account } = useSession();
  const next = `?next=${encodeURIComponent(location.pathname + location.search)}`;
  const [path, label] =
    account === null
      ? [`/console/sign-in${next}`, t.site.nav.signIn]
      : account?.operator
        ? ['/console/operator/accounts', t.site.nav.console]
        : ['/console', t.locked.plan];
  return (
    <details className="card" data-testid="locked" open={open}>
      <summary>
        <b>{title}</b>{' '}
        <Text span size="sm" c="dimmed">
          {t.locked.part}
        </Text>
      </summary>
      <Stack align="flex-start" gap="sm" mt="sm">
        <Text>{children}</Text>
        <Text>{account === null ? t.locked.signIn : account?.operator ? t.locked.yourself : t.locked.granted}</Text>
        <ButtonLink href={to(path)} variant="default">
          {label}
        </ButtonLink>
      </Stack>
    </details>
  );
}
