import { Alert, Anchor } from '@mantine/core';
import { ERRORS } from '../../../src/contract/errors.ts';
import type { ApiProblem } from '../api/call.ts';
import { fill, useLocale } from '../locale.tsx';
import { useConsole } from '../messages/use-console.ts';
import { useErrorMeaning } from '../messages/use-error-meaning.ts';

interface Props {
  readonly problem: ApiProblem | undefined;
  /** Meaning of a code here, where that is narrower than its meaning in the error table. */
  readonly words?: Readonly<Record<string, string>>;
}

/** A refusal in the reader's language; the service's own prose only for a code this page does not know. */
export function ProblemAlert({ problem, words = {} }: Props) {
  const { t, to, space } = useLocale();
  const c = useConsole();
  const meaning = useErrorMeaning();
  if (problem === undefined) return null;
  const step = problem.code === 'forbidden' ? problem.extras.next_step : undefined;
  const text =
    words[problem.code] ??
    (problem.code === 'offline'
      ? t.problem.offline.text
      : problem.code === 'rate_limited' && problem.extras.retry_after !== undefined
        ? fill(c.common.wait, { seconds: problem.extras.retry_after })
        : step === 'confirm_identity'
          ? c.factors.confirmText
          : step === 'set_up_second_factor'
            ? c.factors.setUpFirst
            : problem.code in ERRORS
              ? meaning(problem.code as keyof typeof ERRORS)
              : fill(c.common.failed, { message: problem.message }));
  return (
    <Alert color="red" variant="light" role="alert" data-code={problem.code}>
      {text}
      {step === 'set_up_second_factor' && (
        <>
          {space}
          <Anchor href={to('/console/profile')} underline="always">
            {c.nav.profile}
          </Anchor>
        </>
      )}
      {problem.code === 'sign_in_required' && (
        <>
          {space}
          <Anchor
            href={`${to('/console/sign-in')}?next=${encodeURIComponent(location.pathname + location.search)}`}
            underline="always"
          >
            {c.common.toSignIn}
          </Anchor>
        </>
      )}
    </Alert>
  );
}
