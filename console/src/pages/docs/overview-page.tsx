import { SimpleGrid, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { CodeBlock } from '../../components/code-block.tsx';
import { useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import docs from './docs.module.css';
import { DocsPage } from './docs-page.tsx';

const PAGES = ['api', 'score', 'quotas', 'errors', 'sandbox', 'mcp', 'data'] as const;

/** Where to begin: one request, how to read the answer, and a card for every page. */
export function OverviewPage() {
  const d = useDocs();
  const { to } = useLocale();
  return (
    <DocsPage title={d.nav.heading} lead={d.overview.lead}>
      <CodeBlock label="curl" code={`curl ${location.origin}/v1/ip/8.8.8.8`} />
      <Title order={2}>{d.overview.reading}</Title>
      <ol className={docs.list}>
        {Object.entries(d.overview.steps).map(([key, text]) => (
          <li key={key}>{text}</li>
        ))}
      </ol>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {PAGES.map((page) => (
          <Link key={page} href={to(`/docs/${page}`)} className={docs.cardLink ?? ''}>
            <Text component="span" fw={650} display="block">
              {d.nav[page]}
            </Text>
            <Text component="span" size="sm" display="block" mt={4}>
              {d.overview.cards[page]}
            </Text>
          </Link>
        ))}
      </SimpleGrid>
    </DocsPage>
  );
}
