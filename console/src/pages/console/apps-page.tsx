import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ConsoleApp } from '../../../../src/contract/console.ts';
import { call } from '../../api/console.ts';
import { useLoad } from '../../api/use-load.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { formatInstant } from '../../format.ts';
import { usePageTitle } from '../../head.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import classes from './console.module.css';
import { useSubmit } from './use-submit.ts';

/** Apps connected over OAuth; disconnecting takes effect at once. An app's name is its own claim and is shown as plain text. */
export function AppsPage() {
  const c = useConsole();
  usePageTitle(c.apps.title);
  const { to, tag } = useLocale();
  const { data, problem, reload } = useLoad<{ readonly apps: readonly ConsoleApp[] }>('/apps');
  const [leaving, setLeaving] = useState<ConsoleApp>();
  const disconnect = useSubmit(async () => {
    if (leaving === undefined) return;
    await call('DELETE', `/apps/${encodeURIComponent(leaving.client_id)}`);
    setLeaving(undefined);
    reload();
  });
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          {c.apps.title}
        </Title>
        <Text c="dimmed">{c.apps.lead}</Text>
      </div>
      <ProblemAlert problem={problem ?? disconnect.problem} />
      {data?.apps.length === 0 && <Text c="dimmed">{c.apps.empty}</Text>}
      {data !== undefined && data.apps.length > 0 && (
        <section className={classes.card}>
          <Table.ScrollContainer minWidth={520} type="native">
            <Table verticalSpacing="sm" aria-label={c.apps.title}>
              <Table.Thead>
                <Table.Tr>
                  {Object.entries(c.apps.columns).map(([id, name]) => (
                    <Table.Th key={id}>{name}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.apps.map((app) => (
                  <Table.Tr key={app.client_id}>
                    <Table.Td>
                      {app.name}
                      <Text size="xs" c="dimmed">
                        {fill(c.apps.answersTo, { hosts: app.redirect_hosts.join(', ') })}
                      </Text>
                    </Table.Td>
                    <Table.Td>{formatInstant(tag, new Date(app.connected_at))}</Table.Td>
                    <Table.Td>{app.last_used_at === undefined ? c.keys.never : formatInstant(tag, new Date(app.last_used_at))}</Table.Td>
                    <Table.Td>
                      <Button size="compact-sm" variant="subtle" color="red" onClick={() => setLeaving(app)} aria-label={`${c.apps.disconnect}: ${app.name}`}>
                        {c.apps.disconnect}
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </section>
      )}
      <Group>
        <Anchor component={Link} href={to('/docs/mcp')} underline="always">
          {c.apps.how}
        </Anchor>
      </Group>
      <CodeBlock label={c.apps.endpoint} code={`${location.origin}${to('/mcp/account')}`} />
      <ConfirmDialog
        opened={leaving !== undefined}
        title={fill(c.apps.disconnectTitle, { name: leaving?.name ?? '' })}
        text={c.apps.disconnectText}
        action={c.apps.disconnect}
        busy={disconnect.busy}
        onConfirm={disconnect.onSubmit}
        onClose={() => setLeaving(undefined)}
      />
    </Stack>
  );
}
