import { Anchor, Button, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ConsoleApp } from '../../../../../src/contract/console.ts';
import { call } from '../../../api/call.ts';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { formatInstant } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

/**
 * Apps connected over OAuth; disconnecting takes effect at once. An app's name is its own claim and is shown
 * as plain text.
 */
export function AppsPanel() {
  const c = useConsole();
  const { tag, to } = useLocale();
  const { data, problem, reload } = useLoad<{ readonly apps: readonly ConsoleApp[] }>('/apps');
  const [leaving, setLeaving] = useState<ConsoleApp>();
  const disconnect = useSubmit(async () => {
    if (leaving === undefined) return;
    await call('DELETE', `/apps/${encodeURIComponent(leaving.client_id)}`);
    setLeaving(undefined);
    reload();
  });
  const { columns } = c.apps;
  return (
    <Stack component="section" gap="md" aria-labelledby="apps">
      <div>
        <Title order={2} size="h3" id="apps">
          {c.apps.title}
        </Title>
        <Text c="dimmed">
          {c.apps.lead}{' '}
          <Anchor component={Link} href={to('/docs/mcp')} underline="always">
            {c.apps.how}
          </Anchor>
        </Text>
      </div>
      <ProblemAlert problem={problem ?? disconnect.problem} />
      {data !== undefined && (
        <TableCard
          label={c.apps.title}
          columns={Object.values(columns)}
          empty={data.apps.length === 0 ? c.apps.empty : undefined}
        >
          {data.apps.map((app) => (
            <Table.Tr key={app.client_id}>
              <Cell of={columns.app}>
                {app.name}
                <Text size="xs" c="dimmed">
                  {fill(c.apps.answersTo, { hosts: app.redirect_hosts.join(', ') })}
                </Text>
              </Cell>
              <Cell of={columns.connected} whole>
                {formatInstant(tag, new Date(app.connected_at))}
              </Cell>
              <Cell of={columns.lastUsed} whole>
                {app.last_used_at === undefined ? c.keys.never : formatInstant(tag, new Date(app.last_used_at))}
              </Cell>
              <Cell of={columns.actions}>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => setLeaving(app)}
                  aria-label={`${c.apps.disconnect}: ${app.name}`}
                >
                  {c.apps.disconnect}
                </Button>
              </Cell>
            </Table.Tr>
          ))}
        </TableCard>
      )}
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
