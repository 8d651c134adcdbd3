import { Table } from '@mantine/core';
import { ERRORS } from '../../../../src/contract/errors.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useErrorMeaning } from '../../messages/use-error-meaning.ts';
import { DocsPage } from './docs-page.tsx';

/** The error table, drawn from the very table the service answers with. */
export function ErrorsPage() {
  const d = useDocs().errors;
  const meaning = useErrorMeaning();
  return (
    <DocsPage title={d.title} lead={d.lead}>
      <CodeBlock
        label="JSON"
        code={JSON.stringify({ error: { code: 'reserved_ip', message: ERRORS.reserved_ip.message } }, null, 2)}
      />
      <TableCard label={d.title} columns={[d.code, d.status, d.meaning]}>
        {(Object.keys(ERRORS) as (keyof typeof ERRORS)[]).map((code) => (
          <Table.Tr key={code} id={code}>
            <Cell of={d.code}>
              <code>{code}</code>
            </Cell>
            <Cell of={d.status}>{code === 'missing_ip' ? d.mcpOnly : ERRORS[code].status}</Cell>
            <Cell of="">{meaning(code)}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
    </DocsPage>
  );
}
