import { Anchor, Badge, Group, Pagination, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ShownAddress } from '../../../../../src/contract/shown-names.ts';
import { namesIn } from '../../../../../src/core/names/names-in.ts';
import type { AsName } from '../../../../../src/core/report/report-format.ts';
import type { AnsweredAddress } from '../../../bulk/bulk-request.ts';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { countryName, formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { stateColour } from '../../../verdict/level-colour.ts';
import { StoppedFrom } from './stopped-from.tsx';

/** Rows of one page of the table. */
const PAGE_ROWS = 100;

interface Props {
  /** The riskiest first. */
  readonly rows: readonly AnsweredAddress[];
  readonly asName: AsName;
  readonly shownAs: (ip: string) => ShownAddress;
}

/** Every answered address, a page at a time. */
export function BulkAddresses({ rows, asName, shownAs }: Props) {
  const c = useConsole();
  const { t, tag, to, locale } = useLocale();
  const { columns } = c.bulk;
  const { network } = namesIn(tag);
  const [filter, setFilter] = useState('');
  const [page, setPage] = useState(1);
  const verdictOf = ({ facts }: AnsweredAddress): string => {
    if (facts === undefined) return c.bulk.noVerdict;
    return facts.state === 'active'
      ? `${facts.score} ${t.verdict.level[facts.level]}`
      : t.verdict.state[facts.state].name;
  };
  const signalsOf = ({ ip, facts }: AnsweredAddress): string => {
    const { known_as: known, shared_by: sharedBy } = shownAs(ip);
    const sentence = known?.scanner ? t.verdict.known.scanner : t.verdict.known.service;
    return [
      ...(sharedBy === undefined ? [] : [t.verdict.sharedBy[sharedBy]]),
      ...(known === undefined ? [] : [fill(sentence, { what: locale === 'zh' ? known.what_zh : known.what })]),
      ...(facts?.signals ?? [])
        .filter((signal) => !(sharedBy === 'tor' && signal === 'vpn'))
        .map((signal) => t.verdict.signal[signal].name),
    ].join(c.bulk.comma);
  };
  const networkOf = ({ facts }: AnsweredAddress): string =>
    facts?.asn === undefined ? '' : network(facts.asn, asName(facts.asn));
  const countryOf = ({ facts }: AnsweredAddress): string =>
    facts?.country === undefined ? '' : countryName(tag, facts.country);
  const sought = filter.trim().toLowerCase();
  const found =
    sought === ''
      ? rows
      : rows.filter((row) =>
          [row.ip, verdictOf(row), signalsOf(row), networkOf(row), countryOf(row)].some((text) =>
            text.toLowerCase().includes(sought),
          ),
        );
  const { rows: ordered, ordered: order } = useTable(found, [
    { name: columns.address, value: ({ ip }) => ip },
    { name: columns.score, value: verdictOf },
    { name: columns.signals, value: signalsOf },
    { name: columns.network, value: networkOf },
    { name: columns.country, value: countryOf },
    { name: columns.lines, value: ({ lines }) => lines },
  ]);
  const pages = Math.max(1, Math.ceil(ordered.length / PAGE_ROWS));
  const shown = Math.min(page, pages);
  const n = (value: number): string => formatNumber(tag, value);
  return (
    <Stack gap="sm" data-testid="bulk-addresses">
      <StoppedFrom rows={rows} />
      <Group justify="space-between">
        <TextInput
          type="search"
          aria-label={c.bulk.filter}
          placeholder={c.bulk.filter}
          value={filter}
          onChange={(event) => {
            setFilter(event.currentTarget.value);
            setPage(1);
          }}
          w={420}
          maw="100%"
        />
        <Text size="sm" role="status">
          {fill(c.bulk.filtered, { n: n(found.length), of: n(rows.length) })}
        </Text>
      </Group>
      <TableCard label={c.bulk.addresses} columns={order} empty={found.length === 0 ? c.bulk.empty : undefined}>
        {ordered.slice((shown - 1) * PAGE_ROWS, shown * PAGE_ROWS).map((row) => (
          <Table.Tr key={row.ip}>
            <Cell of={columns.address} whole>
              <Anchor href={to(`/ip/${row.ip}`)} target="_blank">
                {row.ip}
              </Anchor>
            </Cell>
            <Cell of={columns.score}>
              <Verdict text={verdictOf(row)} facts={row.facts} />
            </Cell>
            <Cell of={columns.signals}>{signalsOf(row)}</Cell>
            <Cell of={columns.network}>{networkOf(row)}</Cell>
            <Cell of={columns.country}>{countryOf(row)}</Cell>
            <Cell of={columns.lines}>{n(row.lines)}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
      {pages > 1 && (
        <Pagination
          total={pages}
          value={shown}
          onChange={setPage}
          getItemProps={(item) => ({ 'aria-label': fill(c.bulk.page, { n: n(item) }) })}
          getControlProps={(control) => ({ 'aria-label': control === 'next' ? c.bulk.nextPage : c.bulk.previousPage })}
        />
      )}
    </Stack>
  );
}

function Verdict({ text, facts }: Pick<AnsweredAddress, 'facts'> & { readonly text: string }) {
  if (facts === undefined) return text;
  return (
    <Badge
      miw="max-content"
      color={stateColour(facts.state, facts.level)}
      variant={facts.state === 'active' ? 'filled' : 'outline'}
      radius="sm"
      autoContrast
      tt="none"
    >
      {text}
    </Badge>
  );
}
