import { Anchor, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { ConsoleToday } from '../../../../../src/contract/console.ts';
import { useLoad } from '../../../api/use-load.ts';
import { BarList } from '../../../components/bar-list.tsx';
import { Card } from '../../../components/card.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

/** The day of the installation: requests by route, refusals by code, and the accounts that looked up most. */
export function OperatorToday() {
  const { today } = useConsole().operator;
  const { tag, to } = useLocale();
  const { data, problem } = useLoad<ConsoleToday>('/operator/today');
  if (data === undefined) return <ProblemAlert problem={problem} />;
  const { requests, refusals, callers } = data;
  const total = requests.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap="lg">
      <Text>{fill(today.lead, { n: formatNumber(tag, total), when: formatInstant(tag, new Date(data.since)) })}</Text>
      <Callers callers={callers} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Card title={today.requests}>
          <BarList
            label={today.requests}
            rows={requests.map(({ path, count }) => ({ name: path ?? today.rest, value: count }))}
            empty={today.noRequest}
          />
        </Card>
        <Card title={today.refusals}>
          <BarList
            label={today.refusals}
            rows={refusals.map(({ code, count }) => ({ name: code, value: count }))}
            empty={today.noRefusal}
          />
          {refusals.length > 0 && (
            <Text size="sm" mt="sm">
              <Anchor component={Link} href={to('/docs/errors')}>
                {today.codes}
              </Anchor>
            </Text>
          )}
        </Card>
      </SimpleGrid>
    </Stack>
  );
}

function Callers({ callers }: Pick<ConsoleToday, 'callers'>) {
  const { columns, today } = useConsole().operator;
  const { tag } = useLocale();
  const { rows, ordered } = useTable(callers, [
    { name: columns.email, value: ({ email }) => email },
    { name: today.used, value: ({ used }) => used },
    { name: today.allowance, value: (caller) => caller.per_day },
  ]);
  return (
    <Card title={today.callers} hint={today.callersHint}>
      <TableCard
        label={today.callers}
        columns={ordered}
        framed={false}
        empty={callers.length === 0 ? today.noCaller : undefined}
      >
        {rows.map(({ id, email, used, per_day: perDay }) => (
          <Table.Tr key={id} data-caller={id}>
            <Cell of={columns.email}>{email}</Cell>
            <Cell of={today.used}>{formatNumber(tag, used)}</Cell>
            <Cell of={today.allowance}>{formatNumber(tag, perDay)}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </Card>
  );
}
