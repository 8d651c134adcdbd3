import { Alert, Stack, Table, Text } from '@mantine/core';
import { phoneFacts } from '../../../../../src/core/phone/phone-facts.ts';
import { BarList } from '../../../components/bar-list.tsx';
import { Card } from '../../../components/card.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { useTable } from '../../../components/use-table.ts';
import { formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import type { PhoneSummary } from '../../../phone/phone-rows.ts';
import { usePhoneWords } from '../../../phone/use-phone-words.ts';

/** The order of the counts. */
const COUNTED = ['high', 'medium', 'low', 'none', 'stale', 'miss'] as const;

/** Counts of a list by risk, and its riskiest numbers. */
export function PhoneResults({ summary: { counts, shown, of } }: { readonly summary: PhoneSummary }) {
  const c = useConsole();
  const { tag } = useLocale();
  const words = usePhoneWords();
  const { rows, ordered } = useTable(
    shown.map(({ item, planned }, place) => ({ item, place, facts: phoneFacts(item, planned, words) })),
    [
      { name: words.number, value: ({ facts }) => facts.number },
      { name: words.risk, value: ({ facts }) => facts.risk },
      { name: words.state, value: ({ item, facts }) => (item.hit ? facts.state : facts.found) },
      { name: words.tags, value: ({ facts }) => facts.tags },
      { name: words.carrier, value: ({ facts }) => facts.carrier },
      { name: words.lineType, value: ({ facts }) => facts.lineType },
      { name: words.lastActive, value: ({ facts }) => facts.lastActive },
    ],
  );
  const counted = COUNTED.filter((name) => counts[name] > 0).map((name) => ({
    name: c.phone.count[name],
    value: counts[name],
  }));
  return (
    <Stack gap="md" mt="md" data-testid="phone-results">
      {counted.length > 0 && (
        <Card title={c.phone.counts}>
          <BarList label={c.phone.counts} rows={counted} empty={c.bulk.empty} />
        </Card>
      )}
      {counts.stale > 0 && <Alert color="yellow">{fill(c.phone.stale, { n: formatNumber(tag, counts.stale) })}</Alert>}
      <Text size="sm">{fill(c.phone.riskiest, { n: formatNumber(tag, shown.length), of: formatNumber(tag, of) })}</Text>
      <TableCard label={c.phone.results} columns={ordered}>
        {rows.map(({ item, place, facts }) => {
          return (
            <Table.Tr key={place}>
              <Cell of={words.number} whole>
                {facts.number}
                {facts.country !== '' && (
                  <Text size="xs" c="dimmed">
                    {facts.country}
                  </Text>
                )}
              </Cell>
              <Cell of={words.risk}>{facts.risk}</Cell>
              <Cell of={words.state}>{item.hit ? facts.state : facts.found}</Cell>
              <Cell of={words.tags}>{facts.tags}</Cell>
              <Cell of={words.carrier}>{facts.carrier}</Cell>
              <Cell of={words.lineType}>{facts.lineType}</Cell>
              <Cell of={words.lastActive}>{facts.lastActive}</Cell>
            </Table.Tr>
          );
        })}
      </TableCard>
    </Stack>
  );
}
