import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../use-document-head.ts';
import docs from './docs.module.css';

interface Props {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

/** A page of the documentation: its title, its lead, and its parts one below the other. */
export function DocsPage({ title, lead, children }: Props) {
  usePageTitle(title);
  return (
    <Stack gap="lg">
      <Title order={1}>{title}</Title>
      <Text size="lg">{lead}</Text>
      {children}
    </Stack>
  );
}

export function Notes({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <ul className={docs.list}>
      {Object.entries(of).map(([key, text]) => (
        <li key={key}>{text}</li>
      ))}
    </ul>
  );
}
