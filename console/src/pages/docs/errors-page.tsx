import { Stack, Table, Text, Title } from '@mantine/core';
import { ERRORS } from '../../../../src/contract/errors.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { usePageTitle } from '../../head.ts';
import { useErrorMeaning } from '../../messages/error-meanings.ts';
import { useDocs } from '../../messages/use-docs.ts';
import classes from './docs.module.css';

/** The error table, drawn from the very table the service answers with. */
export function ErrorsPage() {
  const d = useDocs().errors;
  usePageTitle(d.title);
  const meaning = useErrorMeaning();
  return (
    <Stack gap="lg">
      <Title order={1}>{d.title}</Title>
      <Text size="lg">{d.lead}</Text>
      <CodeBlock label="JSON" code={JSON.stringify({ error: { code: 'reserved_ip', message: ERRORS.reserved_ip.message } }, null, 2)} />
      <Table.ScrollContainer minWidth={300} type="native">
        <Table striped aria-label={d.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{d.code}</Table.Th>
              <Table.Th>{d.meaning}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(Object.keys(ERRORS) as (keyof typeof ERRORS)[]).map((code) => (
              <Table.Tr key={code} id={code}>
                <Table.Td>
                  <code className={classes.path}>{code}</code>
                  <Text size="xs" c="dimmed">
                    {code === 'missing_ip' ? d.mcpOnly : `${d.status} ${ERRORS[code].status}`}
                  </Text>
                </Table.Td>
                <Table.Td>{meaning(code)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
