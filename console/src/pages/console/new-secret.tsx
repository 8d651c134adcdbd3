import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { useConsole } from '../../messages/use-console.ts';
import classes from './console.module.css';

interface NewSecretProps {
  /** Level of the heading on its page. */
  readonly order: 2 | 3;
  readonly title: string;
  /** Says that it is shown this once. */
  readonly once: string;
  readonly secret: string;
  readonly testId: string;
  readonly onDone: () => void;
  /** Shows how to try it. */
  readonly children?: ReactNode;
}

/** A key or token just made, to copy before it is gone. */
export function NewSecret({ order, title, once, secret, testId, onDone, children }: NewSecretProps) {
  const c = useConsole();
  return (
    <section className="card" aria-label={title}>
      <Stack gap="sm">
        <Title order={order} size={order === 2 ? 'h4' : 'h5'}>
          {title}
        </Title>
        <Text>{once}</Text>
        <code className={classes.secret} data-testid={testId}>
          {secret}
        </code>
        <Group>
          <CopyButton text={secret} />
          <Button size="xs" variant="light" onClick={onDone}>
            {c.keys.done}
          </Button>
        </Group>
        {children}
      </Stack>
    </section>
  );
}
