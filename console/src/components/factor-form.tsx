import { Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleFactorAsked } from '../../../src/contract/console.ts';
import { call } from '../api/call.ts';
import { askPasskey } from '../api/passkey.ts';
import { useSubmit } from '../api/use-submit.ts';
import { useConsole } from '../messages/use-console.ts';
import { ProblemAlert } from './problem-alert.tsx';

interface Props {
  readonly asked: ConsoleFactorAsked;
  /** The factor was right: signed in, or confirmed. */
  readonly onProved: () => Promise<void>;
}

/** Asks for the second factor of an account whose password was right. */
export function FactorForm({ asked, onProved }: Props) {
  const c = useConsole();
  const [code, setCode] = useState('');
  const [declined, setDeclined] = useState(false);
  const typed = useSubmit(async () => {
    await call('POST', '/session/factor', { step: asked.step, code });
    await onProved();
  });
  const held = useSubmit(async () => {
    const passkey = await askPasskey(asked.passkey ?? {});
    setDeclined(passkey === undefined);
    if (passkey === undefined) return;
    await call('POST', '/session/factor', { step: asked.step, passkey });
    await onProved();
  });
  const words = { invalid_credentials: c.factors.wrong, link_invalid: c.factors.over };
  return (
    <Stack>
      <ProblemAlert problem={typed.problem ?? held.problem} words={words} />
      {declined && <Text role="status">{c.factors.declined}</Text>}
      {asked.passkey !== undefined && (
        <>
          <Button loading={held.busy} onClick={() => held.onSubmit()} data-autofocus>
            {c.factors.usePasskey}
          </Button>
          <Divider label={c.factors.or} />
        </>
      )}
      <form onSubmit={typed.onSubmit}>
        <Stack>
          <TextInput
            name="code"
            required
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            label={asked.totp ? c.factors.code : c.factors.recoveryCode}
            {...(asked.totp ? { description: c.factors.codeHint } : {})}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            {...(asked.passkey === undefined ? { 'data-autofocus': true, autoFocus: true } : {})}
          />
          <Button type="submit" variant={asked.passkey === undefined ? 'filled' : 'default'} loading={typed.busy}>
            {c.factors.go}
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}
