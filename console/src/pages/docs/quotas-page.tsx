import { Stack, Table, Text, Title } from '@mantine/core';
import { usePageTitle } from '../../head.ts';
import { useDocs } from '../../messages/use-docs.ts';

export function QuotasPage() {
  const d = useDocs().quotas;
  usePageTitle(d.title);
  return (
    <Stack gap="lg">
      <Title order={1}>{d.title}</Title>
      <Text size="lg">{d.lead}</Text>
      <Table.ScrollContainer minWidth={420} type="native">
        <Table striped aria-label={d.limits}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{d.who}</Table.Th>
              <Table.Th>{d.limits}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {Object.entries(d.rows).map(([key, row]) => (
              <Table.Tr key={key}>
                <Table.Td>{row.who}</Table.Td>
                <Table.Td>{row.limits}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text>{d.day}</Text>
      <Title order={2}>{d.headersTitle}</Title>
      <Table.ScrollContainer minWidth={420} type="native">
        <Table striped aria-label={d.headersTitle}>
          <Table.Tbody>
            {Object.entries(d.headers).map(([name, meaning]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">
                  <code>{name}</code>
                </Table.Th>
                <Table.Td>{meaning}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
