import { Anchor, Skeleton, Table } from '@mantine/core';
import type { Status } from '../../../../src/contract/status.ts';
import { useLoad } from '../../api/use-load.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useKindName } from '../../messages/use-kind-name.ts';
import { useSourceTexts } from '../../messages/use-source-texts.ts';

/** Sources that this deployment reads, with their terms. */
export function Sources() {
  const d = useDocs().data;
  const nameOf = useKindName();
  const { data, problem } = useLoad<Status>('/status');
  const sources = useSourceTexts(data?.sources ?? []);
  if (data === undefined) return problem === undefined ? <Skeleton height={320} /> : <ProblemAlert problem={problem} />;
  return (
    <TableCard label={d.source} columns={[d.source, d.gives, d.licence]}>
      {sources.map((source) => (
        <Table.Tr key={source.id}>
          <Cell of={d.source}>
            <Anchor href={source.url} rel="noreferrer" underline="always" size="sm">
              {source.title}
            </Anchor>
          </Cell>
          <Cell of={d.gives}>{nameOf(source.feeds)}</Cell>
          <Cell of={d.licence}>{source.licence}</Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}
