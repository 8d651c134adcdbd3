import { Anchor, Box, Progress, SimpleGrid, Skeleton, Table, Text } from '@mantine/core';
import type { ConsoleAccount, ConsoleKey, ConsoleUsage } from '../../../../../src/contract/console.ts';
import { useLoad } from '../../../api/use-load.ts';
import { Card } from '../../../components/card.tsx';
import { Chart } from '../../../components/chart.tsx';
import { FactList } from '../../../components/fact-list.tsx';
import { Page } from '../../../components/page.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { formatDate, formatNumber, formatRelative } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import { GrantedBy } from '../granted-by.tsx';
import { planName } from '../plan-name.ts';
import { NextSteps } from './next-steps.tsx';

/** Usage against the allowance, from the document that GET /v1/me gives every key of the account. */
export function UsagePage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  const { tag } = useLocale();
  usePageTitle(c.usage.title);
  const { data, problem } = useLoad<ConsoleUsage>('/usage');
  const keys = useLoad<{ readonly keys: readonly ConsoleKey[] }>('/keys');
  if (data === undefined)
    return problem === undefined ? <Skeleton height={320} radius="lg" /> : <ProblemAlert problem={problem} />;
  return (
    <Page title={c.usage.title}>
      {keys.data !== undefined && <NextSteps account={account} usage={data} keys={keys.data.keys} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <TodayCard usage={data} />
        <PlanCard account={account} usage={data} />
      </SimpleGrid>
      <Card title={fill(c.usage.chart, { n: data.days.length })}>
        <Chart
          bars
          label={fill(c.usage.chart, { n: data.days.length })}
          series={[{ name: c.usage.used, colour: 'pulse.6', points: data.days.map(({ used }, day) => [day, used]) }]}
          tick={(day) => formatDate(tag, data.days[day]!.day)}
        />
      </Card>
      <KeysToday usage={data} keys={keys.data?.keys ?? []} />
    </Page>
  );
}

function TodayCard({ usage: { me } }: { readonly usage: ConsoleUsage }) {
  const c = useConsole();
  const { tag } = useLocale();
  const used = me.used_today ?? 0;
  const share = me.per_day === 0 ? 100 : Math.min(100, (used / me.per_day) * 100);
  return (
    <Card title={c.usage.today} testId="usage-today">
      <Text size="xl" fw={680} mt="xs">
        {fill(c.usage.of, { used: formatNumber(tag, used), limit: formatNumber(tag, me.per_day) })}
      </Text>
      <Progress value={share} color={share > 80 ? 'orange' : 'pulse'} my="sm" size="lg" aria-label={c.usage.today} />
      <Text size="sm">
        {(me.over_today ?? 0) > 0
          ? fill(c.usage.over, { n: formatNumber(tag, me.over_today ?? 0) })
          : fill(c.usage.remaining, { n: formatNumber(tag, me.remaining ?? 0) })}
      </Text>
      {me.reset_unix !== undefined && (
        <Text size="sm" c="dimmed">
          {fill(c.usage.resets, {
            when: formatRelative(tag, new Date(me.reset_unix * 1000)),
            zone: me.quota_day_tz,
          })}
        </Text>
      )}
    </Card>
  );
}

function PlanCard({ account, usage: { me } }: { readonly account: ConsoleAccount; readonly usage: ConsoleUsage }) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const phone = me.capabilities?.phone;
  const { evidence, times, phone: numbers, sensors } = c.usage.includes;
  const has: readonly (readonly [string, boolean])[] = [
    [evidence, account.data_tier === 'professional'],
    [times, account.dpa],
    [numbers, account.phone],
    [sensors, account.operator],
  ];
  return (
    <Card title={c.usage.plan}>
      <Text size="xl" fw={680} mt="xs">
        {planName(c, me.plan)}
      </Text>
      <Text>{fill(c.usage.minute, { n: formatNumber(tag, me.per_min) })}</Text>
      {phone !== undefined && (
        <Text mt="sm">
          {fill(t.site.labelled, {
            label: c.usage.phone,
            value: fill(c.usage.phoneOf, {
              used: formatNumber(tag, phone.used_today),
              refunded: formatNumber(tag, phone.refunded_today),
              remaining: formatNumber(tag, phone.remaining),
            }),
          })}
        </Text>
      )}
      <Box mt="sm">
        <FactList facts={has.map(([name, isHeld]) => [name, isHeld ? c.usage.included : c.usage.missing])} />
      </Box>
      {!has.every(([, isHeld]) => isHeld) && (
        <Text size="sm" mt="sm">
          <GrantedBy account={account} text={c.usage.grantedAll} />
        </Text>
      )}
      {me.sales_contact !== undefined && (
        <Anchor href={me.sales_contact} mt="sm" display="inline-block" underline="always">
          {c.usage.contact}
        </Anchor>
      )}
    </Card>
  );
}

function KeysToday({ usage, keys }: { readonly usage: ConsoleUsage; readonly keys: readonly ConsoleKey[] }) {
  const c = useConsole();
  const { tag } = useLocale();
  const today = usage.days.at(-1);
  if (today === undefined || today.used === 0) return <Text c="dimmed">{c.usage.none}</Text>;
  const byKey = keys
    .map((key) => [key.name || `${key.prefix}…`, today.keys[key.id] ?? 0] as const)
    .filter(([, used]) => used > 0);
  const rest = today.used - byKey.reduce((sum, [, used]) => sum + used, 0);
  const rows = [...byKey, ...(rest > 0 ? [[c.usage.webAndApps, rest] as const] : [])];
  return (
    <Card title={c.usage.byKey}>
      <Table aria-label={c.usage.byKey}>
        <Table.Tbody>
          {rows.map(([name, used]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td ta="end">{formatNumber(tag, used)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
