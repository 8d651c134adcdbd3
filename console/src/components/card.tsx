import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly hint?: string;
  readonly order?: 2 | 3;
  readonly testId?: string;
  readonly children: ReactNode;
}

/** A framed part of a page under its heading. */
export function Card({ title, hint, order = 2, testId, children }: Props) {
  return (
    <section className="card" data-testid={testId}>
      <Title order={order} size={order === 2 ? 'h4' : 'h5'} mb={hint === undefined ? 'sm' : 0}>
        {title}
      </Title>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" mb="sm">
          {hint}
        </Text>
      )}
      {children}
    </section>
  );
}
