import { Badge, Button, Group, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleOpenSession } from '../../../../../src/contract/console.ts';
import { useSession } from '../../../api/session.tsx';
import { useLoad } from '../../../api/use-load.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { SendButton } from '../../../components/send-button.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { countryName, formatInstant } from '../../../format.ts';
import { useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

/** Browsers that are signed in to the account, and the ways to sign them out. */
export function OpenSessions() {
  const c = useConsole();
  const { signOutEverywhere } = useSession();
  const { data, problem, reload } = useLoad<{ readonly sessions: readonly ConsoleOpenSession[] }>('/sessions');
  const [asks, setAsks] = useState(false);
  const everywhere = useSubmit(signOutEverywhere);
  const { columns } = c.sessions;
  return (
    <section className="card" aria-labelledby="sessions">
      <Title order={2} size="h4" mb="sm" id="sessions">
        {c.sessions.title}
      </Title>
      <Text c="dimmed" mb="sm">
        {c.sessions.lead}
      </Text>
      <ProblemAlert problem={problem ?? everywhere.problem} />
      {data !== undefined && (
        <TableCard label={c.sessions.title} columns={Object.values(columns)} framed={false}>
          {data.sessions.map((one) => (
            <SessionRow key={one.id} of={one} onEnded={reload} />
          ))}
        </TableCard>
      )}
      <Button mt="sm" variant="default" onClick={() => setAsks(true)}>
        {c.sessions.everywhere}
      </Button>
      <ConfirmDialog
        opened={asks}
        title={c.sessions.everywhere}
        text={c.sessions.everywhereText}
        action={c.sessions.everywhere}
        busy={everywhere.busy}
        onConfirm={everywhere.onSubmit}
        onClose={() => setAsks(false)}
      />
    </section>
  );
}

function SessionRow({ of, onEnded }: { readonly of: ConsoleOpenSession; readonly onEnded: () => void }) {
  const c = useConsole();
  const { tag } = useLocale();
  const { columns } = c.sessions;
  const agent = of.agent ?? c.sessions.unknown;
  return (
    <Table.Tr data-session={of.current ? 'current' : 'other'}>
      <Cell of={columns.browser}>
        <Group gap="xs">
          <span>{agent}</span>
          {of.current && (
            <Badge variant="light" tt="none">
              {c.sessions.here}
            </Badge>
          )}
        </Group>
      </Cell>
      <Cell of={columns.country}>{of.country === undefined ? c.sessions.unknown : countryName(tag, of.country)}</Cell>
      <Cell of={columns.opened} whole>
        {formatInstant(tag, new Date(of.opened_at))}
      </Cell>
      <Cell of={columns.seen} whole>
        {formatInstant(tag, new Date(of.seen_at))}
      </Cell>
      <Cell of={of.current ? '' : columns.actions}>
        {!of.current && (
          <SendButton
            method="DELETE"
            path={`/sessions/${encodeURIComponent(of.id)}`}
            color="red"
            onSent={onEnded}
            aria-label={`${c.sessions.end}: ${agent}`}
          >
            {c.sessions.end}
          </SendButton>
        )}
      </Cell>
    </Table.Tr>
  );
}
