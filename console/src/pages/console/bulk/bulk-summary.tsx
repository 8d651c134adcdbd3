import { Anchor, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { EVIDENCE_STATES, LEVELS } from '../../../../../src/contract/risk.ts';
import type { SummaryAddress, SummaryRanking, TrafficSummary } from '../../../../../src/contract/traffic-summary.ts';
import { namesIn } from '../../../../../src/core/names/names-in.ts';
import type { AsName } from '../../../../../src/core/report/report-format.ts';
import { requestText } from '../../../../../src/core/report/report-words.ts';
import { BarList } from '../../../components/bar-list.tsx';
import { Card } from '../../../components/card.tsx';
import { later } from '../../../components/later.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { WorldMap } from '../../../components/world-map.tsx';
import { countryName, formatInstant, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

const BulkTimeChart = later(
  async () => (await import('./bulk-time-chart.tsx')).BulkTimeChart,
  <Skeleton height={260} />,
);

/** Rows of a list. */
const SHOWN = 10;

/** A summary as charts and tables. */
export function BulkSummary({ summary, asName }: { readonly summary: TrafficSummary; readonly asName: AsName }) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const { lines, time, risky } = summary;
  const { network } = namesIn(tag);
  const networkName = (asn: number): string => network(asn, asName(asn));
  return (
    <Stack gap="lg" data-testid="bulk-summary">
      <div>
        <Title order={2} size="h3">
          {c.bulk.summary}
        </Title>
        <Text c="dimmed">{fill(c.bulk.shares, { n: formatNumber(tag, lines.judged) })}</Text>
      </div>
      <Addresses title={c.bulk.riskiest} rows={summary.top.riskiest} networkName={networkName} />
      {risky.lines > 0 && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Ranked title={c.bulk.riskyPrefixes} whole={risky.lines} ranking={risky.prefixes} nameOf={String} />
          <Ranked title={c.bulk.riskyNetworks} whole={risky.lines} ranking={risky.asn} nameOf={networkName} />
          {risky.pools.rows.length > 0 && (
            <Ranked title={c.bulk.riskyPools} whole={risky.lines} ranking={risky.pools} nameOf={String} />
          )}
        </SimpleGrid>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Ranked
          title={c.bulk.state}
          whole={lines.judged}
          ranking={inOrder(summary.evidence_state, EVIDENCE_STATES)}
          nameOf={(value) => t.verdict.state[value].name}
        />
        <Ranked
          title={c.bulk.level}
          whole={lines.judged}
          ranking={inOrder(summary.level, [...LEVELS].reverse())}
          nameOf={(value) => t.verdict.level[value]}
        />
      </SimpleGrid>
      {time !== undefined && (
        <Card order={3} title={c.bulk.time}>
          <BulkTimeChart time={time} label={c.bulk.time} />
        </Card>
      )}
      <Card order={3} title={c.bulk.countries}>
        <WorldMap label={c.bulk.mapOf} rows={summary.country.rows} />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Ranked
          title={c.bulk.signals}
          whole={lines.judged}
          ranking={summary.signals}
          nameOf={(value) => t.verdict.signal[value].name}
        />
        <Ranked
          title={c.bulk.usage}
          whole={lines.judged}
          ranking={summary.usage_type}
          nameOf={(value) => (t.usage as Readonly<Record<string, string>>)[value] ?? value}
        />
        <Ranked
          title={c.bulk.countries}
          whole={lines.judged}
          ranking={summary.country}
          nameOf={(value) => countryName(tag, value)}
        />
        <Ranked title={c.bulk.networks} whole={lines.judged} ranking={summary.asn} nameOf={networkName} />
      </SimpleGrid>
      <Addresses title={c.bulk.topAddresses} rows={summary.top.addresses} networkName={networkName} />
      <TopPrefixes summary={summary} />
    </Stack>
  );
}

const inOrder = <Value,>({ rows }: SummaryRanking<Value>, values: readonly Value[]): SummaryRanking<Value> => ({
  rows: values.flatMap((value) => rows.filter((row) => row.value === value)),
});

interface RankedProps<Value> {
  readonly title: string;
  /** Lines that shares are of. */
  readonly whole: number;
  readonly ranking: SummaryRanking<Value>;
  readonly nameOf: (value: Value) => string;
}

/** The most frequent values of a field with their shares. */
function Ranked<Value>({ title, whole, ranking, nameOf }: RankedProps<Value>) {
  const c = useConsole();
  const { t, tag } = useLocale();
  const share = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const rows = ranking.rows.slice(0, SHOWN).map(({ value, lines, addresses }) => {
    const part = share.format(whole === 0 ? 0 : lines / whole);
    return {
      name: fill(t.site.aside, {
        text: value === undefined ? c.bulk.unknown : nameOf(value),
        aside: addresses === undefined ? part : fill(c.bulk.rowAside, { share: part, n: formatNumber(tag, addresses) }),
      }),
      value: lines,
    };
  });
  return (
    <Card order={3} title={title}>
      <BarList label={title} rows={rows} empty={c.bulk.empty} />
    </Card>
  );
}

interface AddressesProps {
  readonly title: string;
  readonly rows: readonly SummaryAddress[];
  readonly networkName: (asn: number) => string;
}

function Addresses({ title, rows, networkName }: AddressesProps) {
  const c = useConsole();
  const { t, tag, to } = useLocale();
  const { columns } = c.bulk;
  const tellsActs = rows.some((row) => actsOf(row, tag) !== '');
  const networkOf = ({ country, asn }: SummaryAddress): string =>
    [country === undefined ? '' : countryName(tag, country), asn === undefined ? '' : networkName(asn)]
      .filter((part) => part !== '')
      .join(' · ');
  const signalsOf = ({ signals = [] }: SummaryAddress): string =>
    signals.map((signal) => t.verdict.signal[signal].name).join(', ');
  const stateOf = ({ evidence_state: state, level }: SummaryAddress): string =>
    state === 'active' ? t.verdict.level[level] : t.verdict.state[state].name;
  const { rows: shown, ordered } = useTable(rows.slice(0, SHOWN), [
    { name: columns.address, value: ({ ip }) => ip },
    { name: columns.lines, value: ({ lines }) => lines },
    { name: columns.score, value: ({ score }) => score },
    { name: columns.state, value: stateOf },
    { name: columns.signals, value: signalsOf },
    { name: columns.network, value: networkOf },
    ...(tellsActs ? [{ name: columns.acts, value: (row: SummaryAddress) => actsOf(row, tag) }] : []),
  ]);
  return (
    <Card order={3} title={title}>
      <TableCard label={title} columns={ordered} framed={false} empty={rows.length === 0 ? c.bulk.empty : undefined}>
        {shown.map((row) => {
          const { ip, lines, score } = row;
          return (
            <Table.Tr key={ip}>
              <Cell of={columns.address} whole>
                <Anchor href={to(`/console/evidence/${ip}`)} target="_blank">
                  {ip}
                </Anchor>
              </Cell>
              <Cell of={columns.lines}>{formatNumber(tag, lines)}</Cell>
              <Cell of={columns.score}>{score}</Cell>
              <Cell of={columns.state}>{stateOf(row)}</Cell>
              <Cell of={columns.signals}>{signalsOf(row) || '—'}</Cell>
              <Cell of={columns.network}>{networkOf(row) || '—'}</Cell>
              {tellsActs && <Cell of={columns.acts}>{actsOf(row, tag) || '—'}</Cell>}
            </Table.Tr>
          );
        })}
      </TableCard>
    </Card>
  );
}

/** Times of its lines, and its requests. */
function actsOf({ first, last, requests }: SummaryAddress, tag: string): string {
  const times = [...new Set([first, last])].map((time) => (time ? formatInstant(tag, new Date(time)) : ''));
  return [times.join(' – '), requests === undefined ? '' : requestText(requests)]
    .filter((part) => part !== '')
    .join(' · ');
}

function TopPrefixes({ summary: { top } }: { readonly summary: TrafficSummary }) {
  const c = useConsole();
  return (
    <Card order={3} title={c.bulk.topPrefixes}>
      <BarList
        label={c.bulk.topPrefixes}
        rows={top.prefixes.slice(0, SHOWN).map(({ prefix, lines }) => ({ name: prefix, value: lines }))}
        empty={c.bulk.empty}
      />
    </Card>
  );
}
