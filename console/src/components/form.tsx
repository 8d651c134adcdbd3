import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Submit } from '../api/use-submit.ts';
import { useConsole } from '../messages/use-console.ts';
import { ProblemAlert } from './problem-alert.tsx';

interface Props {
  readonly of: Submit;
  /** Text of the button that sends it. */
  readonly action: string;
  /** These words are those of `ProblemAlert`. */
  readonly words?: Readonly<Record<string, string>>;
  readonly onCancel?: () => void;
  readonly maw?: number;
  readonly color?: string;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** A form with its refusal above its fields and its buttons below them. */
export function Form({ of, action, words = {}, onCancel, maw, color, disabled = false, children }: Props) {
  const c = useConsole();
  const submit = (
    <Button type="submit" loading={of.busy} disabled={disabled} {...(color === undefined ? {} : { color })}>
      {action}
    </Button>
  );
  return (
    <form onSubmit={of.onSubmit}>
      <Stack {...(maw === undefined ? {} : { maw })}>
        <ProblemAlert problem={of.problem} words={words} />
        {children}
        {onCancel === undefined ? (
          submit
        ) : (
          <Group justify="flex-end">
            <Button variant="default" onClick={onCancel}>
              {c.common.cancel}
            </Button>
            {submit}
          </Group>
        )}
      </Stack>
    </form>
  );
}
