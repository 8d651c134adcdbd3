import { Alert, Button, Stack, Text } from '@mantine/core';
import type { LookupOutcome } from '../api/lookup.ts';
import { useSession } from '../api/session.tsx';
import { signUpPolicy } from '../api/sign-up-policy.ts';
import { ButtonLink } from '../components/shell.tsx';
import { formatRelative } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';

type Failure = Exclude<LookupOutcome, { kind: 'verdict' }>;

/** Codes that asking again at once cannot mend. */
const FINAL = new Set([
  'invalid_ip',
  'reserved_ip',
  'not_found',
  'quota_exceeded',
  'quota_exceeded_anon',
  'key_quota_exceeded',
]);

/** A refused lookup in the reader's words. An error never looks like a verdict: no dial, no level, no colour of one. */
export function ProblemCard({ outcome, onRetry }: { readonly outcome: Failure; readonly onRetry: () => void }) {
  const { t, tag, to } = useLocale();
  const { account } = useSession();
  const { retry, ...sentences } = t.problem;
  const code = outcome.kind === 'offline' ? 'offline' : outcome.code;
  const words = code in sentences ? sentences[code as keyof typeof sentences] : sentences.other;
  const values =
    outcome.kind === 'offline'
      ? {}
      : {
          seconds: outcome.retryAfterSec ?? 60,
          when: outcome.resetsAt === undefined ? '' : formatRelative(tag, outcome.resetsAt),
          message: outcome.message,
        };
  return (
    <Alert variant="default" title={words.title} radius="lg" role="alert" data-code={code}>
      <Stack align="flex-start" gap="sm">
        <Text>{fill(words.text, values)}</Text>
        {code === 'quota_exceeded_anon' && account === null && signUpPolicy() !== 'off' && (
          <ButtonLink href={to('/console/sign-up')}>{t.site.nav.signUp}</ButtonLink>
        )}
        {!FINAL.has(code) && (
          <Button variant="default" size="sm" onClick={onRetry}>
            {retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
