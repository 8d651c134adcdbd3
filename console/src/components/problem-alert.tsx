import { Alert, Anchor } from '@mantine/core';
import { ERRORS } from '../../../src/contract/errors.ts';
import type { ApiProblem } from '../api/call.ts';
import { fill, useLocale } from '../locale.tsx';
import { useConsole } from '../messages/use-console.ts';
import { useErrorMeaning } from '../messages/use-error-meaning.ts';

/** A refusal in the reader's language; the service's own prose only for a code this page does not know. */
export function ProblemAlert({ problem }: { readonly problem: ApiProblem | undefined }) {
  const { t, to } = useLocale();
  const c = useConsole();
  const meaning = useErrorMeaning();
  if (problem === undefined) return null;
  const text =
    problem.code === 'offline'
      ? t.problem.offline.text
      : problem.code === 'rate_limited' && problem.extras.retry_after !== undefined
        ? fill(c.common.wait, { seconds: problem.extras.retry_after })
        : problem.code in ERRORS
          ? meaning(problem.code as keyof typeof ERRORS)
          : fill(c.common.failed, { message: problem.message });
  return (
    <Alert color="red" variant="light" role="alert" data-code={problem.code}>
      {text}
      {problem.code === 'sign_in_required' && (
        <>
          {' '}
          <Anchor href={`${to('/console/sign-in')}?next=${encodeURIComponent(location.pathname)}`} underline="always">
            {c.common.toSignIn}
          </Anchor>
        </>
      )}
    </Alert>
  );
}
