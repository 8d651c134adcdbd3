import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { LookupFailure } from '../../api/lookup.ts';
import { useSession } from '../../api/session.tsx';
import { signUpPolicy } from '../../api/sign-up-policy.ts';
import { ButtonLink } from '../../components/shell.tsx';
import { formatInstant, formatRelative } from '../../format.ts';
import { fill, useLocale } from '../../locale.tsx';

/** Codes that asking again at once can mend. */
const AGAIN = new Set(['rate_limited', 'not_ready', 'offline', 'internal_error', 'history_unavailable']);

interface Props {
  readonly failure: LookupFailure;
  /** The past moment that was asked about, as it was written. */
  readonly at: string | undefined;
  readonly onRetry: () => void;
  readonly onNow: () => void;
}

/**
 * A refused lookup in the reader's words, with the one way on. An error never looks like a verdict: no dial, no
 * level, no colour of one.
 */
export function ProblemCard({ failure, at, onRetry, onNow }: Props) {
  const { t, tag, to } = useLocale();
  const { account } = useSession();
  const { code, message = '', retryAfterSec = 60, resetsAt, windowFrom } = failure;
  const { retry, now, ...sentences } = t.problem;
  const words = code in sentences ? sentences[code as keyof typeof sentences] : sentences.other;
  const moment = at === undefined ? Number.NaN : Date.parse(at);
  const when = resetsAt
    ? formatRelative(tag, resetsAt)
    : Number.isNaN(moment)
      ? ''
      : formatInstant(tag, new Date(moment));
  const from = windowFrom === undefined ? '' : formatInstant(tag, new Date(windowFrom));
  const isSignedOut = account === null;
  const door =
    code === 'sign_in_required' || (code === 'history_requires_professional' && isSignedOut)
      ? ([
          `/console/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`,
          t.site.nav.signIn,
        ] as const)
      : code === 'quota_exceeded_anon' && isSignedOut && signUpPolicy() !== 'off'
        ? (['/console/sign-up', t.site.nav.signUp] as const)
        : undefined;
  return (
    <Alert variant="default" title={words.title} radius="lg" role="alert" data-code={code}>
      <Stack align="flex-start" gap="sm">
        <Text>{fill(words.text, { seconds: retryAfterSec, when, from, at: at ?? '', message })}</Text>
        <Group gap="sm">
          {door && <ButtonLink href={to(door[0])}>{door[1]}</ButtonLink>}
          {at !== undefined && (
            <Button variant="default" onClick={onNow}>
              {now}
            </Button>
          )}
          {AGAIN.has(code) && (
            <Button variant="default" onClick={onRetry}>
              {retry}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
