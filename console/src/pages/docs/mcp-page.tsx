import { Table, Text, Title } from '@mantine/core';
import { CodeBlock } from '../../components/code-block.tsx';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { DocsPage, Notes } from './docs-page.tsx';

/** Set-up of MCP clients, with this deployment's own addresses; the account endpoint is the one that signs in in the reader's language. */
export function McpPage() {
  const d = useDocs().mcp;
  const { to } = useLocale();
  const open = `${location.origin}/mcp`;
  const account = `${location.origin}${to('/mcp/account')}`;
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  const setUps = [
    ['Claude Code', `claude mcp add --transport http pulse ${account}\n# ${d.thenSignIn}`],
    [`Claude Code (${d.withKey})`, `claude mcp add --transport http pulse ${open} --header "X-API-Key: $PULSE_KEY"`],
    ['VS Code (.vscode/mcp.json)', json({ servers: { pulse: { type: 'http', url: account } } })],
    ['Cursor (~/.cursor/mcp.json)', json({ mcpServers: { pulse: { url: account } } })],
  ] as const;
  const call = `curl -s ${open} -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ip_risk_lookup', arguments: { ip: '1.1.1.1' } } })}'`;
  return (
    <DocsPage title={d.title} lead={d.lead}>
      <TableCard label={d.endpoints} columns={[d.endpoints, d.signIn, d.counted]}>
        {(
          [
            [open, d.open],
            [account, d.account],
          ] as const
        ).map(([url, { signIn, counted }]) => (
          <Table.Tr key={url}>
            <Cell of={d.endpoints}>
              <code>{url}</code>
            </Cell>
            <Cell of={d.signIn}>{signIn}</Cell>
            <Cell of={d.counted}>{counted}</Cell>
          </Table.Tr>
        ))}
      </TableCard>
      <Title order={2}>{d.setUp}</Title>
      {setUps.map(([name, code]) => (
        <CodeBlock key={name} label={name} code={code} />
      ))}
      <Text>{d.web}</Text>
      <CodeBlock label={d.webAddress} code={account} />
      <Title order={2}>{d.byHand}</Title>
      <CodeBlock label="curl" code={call} />
      <Title order={2}>{d.results}</Title>
      <Notes of={d.notes} />
    </DocsPage>
  );
}
