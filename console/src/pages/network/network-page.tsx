import { Anchor, Container, Group, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { NetworkRisk } from '../../../../src/contract/documents.ts';
import { LEVELS } from '../../../../src/contract/risk.ts';
import { useSession } from '../../api/session.tsx';
import { useLoad } from '../../api/use-load.ts';
import { AddressForm } from '../../components/address-form.tsx';
import { BarList } from '../../components/bar-list.tsx';
import { Card } from '../../components/card.tsx';
import { Locked } from '../../components/locked.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { formatInstant, formatNumber } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';
import { useKindName } from '../../messages/use-kind-name.ts';
import { usePageTitle } from '../../use-document-head.ts';
import { NetworkLink } from '../../verdict/network-link.tsx';
import { useAsNames } from '../../verdict/use-shown-addresses.ts';

/** The evidence inside a prefix or an AS: how much, of which kinds, the riskiest addresses, and the networks around and inside. */
export function NetworkPage({ network }: { readonly network: string }) {
  const { t, to } = useLocale();
  const [, navigate] = useLocation();
  const { account } = useSession();
  usePageTitle(network);
  const professional = account?.data_tier === 'professional';
  const { data, problem } = useLoad<NetworkRisk>(professional ? `/network/${encodeURIComponent(network)}` : undefined);
  return (
    <Container size="lg">
      <Stack gap="lg">
        <div>
          <Title order={1} size="h2">
            {t.network.title}
          </Title>
          <Text c="dimmed">{t.network.lead}</Text>
        </div>
        <AddressForm initial={network} onSubmit={(ip) => navigate(to(`/ip/${encodeURIComponent(ip)}`))} />
        {account !== undefined && !professional && (
          <Locked title={t.network.title} open>
            {t.network.lead}
          </Locked>
        )}
        <ProblemAlert problem={problem} words={{ invalid_ip: t.network.invalid }} />
        {professional && data === undefined && problem === undefined && <Skeleton height={240} radius="lg" />}
        {data !== undefined && <Facts risk={data} />}
      </Stack>
    </Container>
  );
}

function Facts({ risk }: { readonly risk: NetworkRisk }) {
  const { t, tag, to } = useLocale();
  const nameOf = useKindName();
  const { network: words } = t;
  const asns = [risk.network, ...risk.around]
    .filter((name) => name.startsWith('AS'))
    .map((name) => Number(name.slice(2)));
  const asName = useAsNames(asns);
  const named = (name: string): string => {
    const known = name.startsWith('AS') ? asName(Number(name.slice(2))) : undefined;
    return known === undefined ? name : `${name} ${known}`;
  };
  const number = (value: number): string => formatNumber(tag, value);
  return (
    <>
      <Card title={named(risk.network)} testId="network">
        <Text fw={600}>{fill(words.counts, { active: number(risk.active), addresses: number(risk.addresses) })}</Text>
        <Text size="sm" c="dimmed">
          {formatInstant(tag, new Date(risk.computed_at))}
        </Text>
        {risk.around.length > 0 && (
          <Group gap="sm" mt="sm" component="nav" aria-label={words.around}>
            <Text size="sm">{words.around}</Text>
            {risk.around.map((name) => (
              <NetworkLink key={name} network={name} text={named(name)} />
            ))}
          </Group>
        )}
      </Card>
      {risk.addresses > 0 && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Card title={words.byLevel}>
            <BarList
              label={words.byLevel}
              rows={LEVELS.toReversed().map((level) => ({
                name: level === 'none' ? t.verdict.state.stale.name : t.verdict.level[level],
                value: risk.by_level[level],
              }))}
              empty={words.noRiskiest}
            />
          </Card>
          <Card title={words.byType}>
            <BarList
              label={words.byType}
              rows={Object.entries(risk.by_type).map(([type, value]) => ({ name: nameOf(type), value }))}
              empty={words.noRiskiest}
            />
          </Card>
        </SimpleGrid>
      )}
      <Card title={words.riskiest}>
        <TableCard
          framed={false}
          label={words.riskiest}
          columns={[words.columns.address, words.columns.score, words.columns.signals]}
          empty={risk.riskiest.length === 0 ? words.noRiskiest : undefined}
        >
          {risk.riskiest.map(({ ip, score, level, signals }) => (
            <Table.Tr key={ip}>
              <Cell of={words.columns.address}>
                <Anchor component={Link} href={to(`/ip/${encodeURIComponent(ip)}`)} underline="always">
                  {ip}
                </Anchor>
              </Cell>
              <Cell of={words.columns.score}>{`${score} · ${t.verdict.level[level]}`}</Cell>
              <Cell of={words.columns.signals} whole>
                {signals.map((signal) => t.verdict.signal[signal].name).join(t.site.comma)}
              </Cell>
            </Table.Tr>
          ))}
        </TableCard>
      </Card>
      {risk.inside.length > 0 && (
        <Card title={words.inside}>
          <TableCard
            framed={false}
            label={words.inside}
            columns={[words.columns.network, words.columns.active, words.columns.addresses, words.columns.highest]}
          >
            {risk.inside.map((part) => (
              <Table.Tr key={part.network}>
                <Cell of={words.columns.network}>
                  <NetworkLink network={part.network} />
                </Cell>
                <Cell of={words.columns.active}>{number(part.active)}</Cell>
                <Cell of={words.columns.addresses}>{number(part.addresses)}</Cell>
                <Cell of={words.columns.highest}>{number(part.score)}</Cell>
              </Table.Tr>
            ))}
          </TableCard>
        </Card>
      )}
    </>
  );
}
