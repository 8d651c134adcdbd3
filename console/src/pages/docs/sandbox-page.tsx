import { Table, Text, Title } from '@mantine/core';
import type { Sandbox, SandboxRefusal, SandboxVerdict } from '../../../../src/contract/documents.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useLocale } from '../../locale.tsx';
import { SANDBOX_SHOWS_ZH } from '../../messages/sandbox-shows-zh.ts';
import { useDocs } from '../../messages/use-docs.ts';
import { useErrorMeaning } from '../../messages/use-error-meaning.ts';
import docs from './docs.module.css';
import { DocsPage, Notes } from './docs-page.tsx';
import { Published } from './published.tsx';

/** The addresses of the sandbox, as this deployment lists them. */
export function SandboxPage() {
  const d = useDocs().sandbox;
  return (
    <DocsPage title={d.title} lead={d.lead}>
      <CodeBlock
        label="curl"
        code={`curl ${location.origin}/sandbox/v1/ip/192.0.2.5\ncurl -i ${location.origin}/sandbox/v1/ip/203.0.113.2`}
      />
      <Notes of={d.notes} />
      <Published<Sandbox> path="/sandbox">
        {({ addresses }) => (
          <>
            <Title order={2}>{d.verdicts}</Title>
            <Verdicts rows={addresses.filter((row): row is SandboxVerdict => !('code' in row))} />
            <Title order={2}>{d.refusals}</Title>
            <Refusals rows={addresses.filter((row): row is SandboxRefusal => 'code' in row)} />
          </>
        )}
      </Published>
    </DocsPage>
  );
}

function Verdicts({ rows }: { readonly rows: readonly SandboxVerdict[] }) {
  const { verdicts, columns: c } = useDocs().sandbox;
  const { locale } = useLocale();
  return (
    <TableCard label={verdicts} columns={[c.address, c.shows, c.verdict, c.types]}>
      {rows.map((row) => (
        <Table.Tr key={row.ip}>
          <Cell of={c.address} whole>
            <code className={docs.number}>{row.ip}</code>
          </Cell>
          <Cell of={c.shows}>{(locale === 'zh' ? SANDBOX_SHOWS_ZH[row.ip] : undefined) ?? row.shows}</Cell>
          <Cell of={c.verdict} whole>
            {row.evidence_state}, {row.score} {row.level}, {row.share_tier}
          </Cell>
          <Cell of={c.types}>{row.risk_types.join(', ')}</Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}

function Refusals({ rows }: { readonly rows: readonly SandboxRefusal[] }) {
  const { refusals, columns: c, both } = useDocs().sandbox;
  const meaning = useErrorMeaning();
  return (
    <TableCard label={refusals} columns={[c.address, c.status, c.code, c.paths]}>
      {rows.map((row) => (
        <Table.Tr key={row.ip}>
          <Cell of={c.address} whole>
            <code className={docs.number}>{row.ip}</code>
          </Cell>
          <Cell of={c.status}>{row.status}</Cell>
          <Cell of={c.code}>
            <code>{row.code}</code>
            <Text size="sm">{meaning(row.code)}</Text>
          </Cell>
          <Cell of={c.paths}>{row.paths.length > 1 ? both : <code>{row.paths[0]}</code>}</Cell>
        </Table.Tr>
      ))}
    </TableCard>
  );
}
