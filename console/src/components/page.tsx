import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly lead?: string;
  /** Next to the heading. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A page of the console: its heading, and its parts one below the other. */
export function Page({ title, lead, aside, children }: Props) {
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {lead !== undefined && <Text c="dimmed">{lead}</Text>}
        </div>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}
