import { Button, type ButtonProps } from '@mantine/core';
import { call } from '../api/call.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ProblemAlert } from './problem-alert.tsx';

interface Props extends ButtonProps {
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly onSent: () => void;
  readonly 'aria-label'?: string;
}

/** Sends one request; its refusal stands below. */
export function SendButton({ method = 'POST', path, body, onSent, ...look }: Props) {
  const { busy, problem, onSubmit } = useSubmit(async () => {
    await call(method, path, body);
    onSent();
  });
  return (
    <>
      <Button size="compact-sm" variant="subtle" loading={busy} onClick={() => onSubmit()} {...look} />
      <ProblemAlert problem={problem} />
    </>
  );
}
