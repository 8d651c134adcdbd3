import { Alert, Stack, Table, Text } from '@mantine/core';
import { phoneFacts } from '../../../../../src/core/phone/phone-facts.ts';
import { PHONE_WORDS } from '../../../../../src/core/phone/phone-words.ts';
import { BarList } from '../../../components/bar-list.tsx';
import { Card } from '../../../components/card.tsx';
import { Cell, TableCard } from '../../../components/table-card.tsx';
import { formatNumber } from '../../../format.ts';
import { fill, useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import type { PhoneSummary } from '../../../phone/phone-rows.ts';

/** The order of the counts. */
const COUNTED = ['high', 'medium', 'low', 'none', 'stale', 'miss'] as const;

/** Counts of a list by risk, and its riskiest numbers. */
export function PhoneResults({ summary: { counts, shown, of } }: { readonly summary: PhoneSummary }) {
  const c = useConsole();
  const { tag, locale } = useLocale();
  const words = PHONE_WORDS[locale];
  const columns = [
    words.number,
    words.risk,
    words.state,
    words.tags,
    words.carrier,
    words.lineType,
    words.lastActive,
  ] as const;
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
      <TableCard label={c.phone.results} columns={columns}>
        {shown.map(({ item, planned }, index) => {
          const facts = phoneFacts(item, planned, words);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same text may stand in a list twice, and the list never changes order
            <Table.Tr key={index}>
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
