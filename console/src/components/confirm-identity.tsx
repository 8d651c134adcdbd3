import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ConsoleFactorAsked } from '../../../src/contract/console.ts';
import { call, keepIdentityDialog } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { useSubmit } from '../api/use-submit.ts';
import { useLocale } from '../locale.tsx';
import { useConsole } from '../messages/use-console.ts';
import { FactorForm } from './factor-form.tsx';
import { Form } from './form.tsx';
import { PasswordField } from './password-field.tsx';

/**
 * Asks who it is once more when a request is refused because the sign-in is older than 15 minutes
 * (`next_step: confirm_identity`); the request is then sent again. Several refusals at once wait for one
 * dialog.
 */
export function ConfirmIdentity() {
  const c = useConsole();
  const { ofCompany } = useSession();
  const [opened, setOpened] = useState(false);
  const waiting = useRef<((confirmed: boolean) => void)[]>([]);
  const settle = (confirmed: boolean): void => {
    setOpened(false);
    for (const resolve of waiting.current.splice(0)) resolve(confirmed);
  };
  useEffect(() => {
    keepIdentityDialog(
      () =>
        new Promise((resolve) => {
          waiting.current.push(resolve);
          setOpened(true);
        }),
    );
    return () => keepIdentityDialog(undefined);
  }, []);
  return (
    <Modal
      opened={opened}
      onClose={() => settle(false)}
      title={c.factors.confirmTitle}
      centered
      closeButtonProps={{ 'aria-label': c.common.cancel }}
    >
      {ofCompany ? (
        <CompanyProof onProved={() => settle(true)} onCancel={() => settle(false)} />
      ) : (
        <Proof onProved={async () => settle(true)} onCancel={() => settle(false)} />
      )}
    </Modal>
  );
}

/** The provider opens in another tab, so that what was typed on this page stays. */
function CompanyProof({ onProved, onCancel }: { readonly onProved: () => void; readonly onCancel: () => void }) {
  const c = useConsole();
  const { to } = useLocale();
  return (
    <Stack>
      <Text>{c.factors.confirmCompany}</Text>
      <Button component="a" href={to('/console/company?confirm=yes')} target="_blank" rel="noopener">
        {c.signIn.company}
      </Button>
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {c.common.cancel}
        </Button>
        <Button variant="default" onClick={onProved}>
          {c.factors.confirmedGoOn}
        </Button>
      </Group>
    </Stack>
  );
}

function Proof({ onProved, onCancel }: { readonly onProved: () => Promise<void>; readonly onCancel: () => void }) {
  const c = useConsole();
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState<ConsoleFactorAsked>();
  const form = useSubmit(async () => {
    const answer = await call<{ readonly factor: ConsoleFactorAsked } | undefined>('POST', '/session/confirm', {
      password,
    });
    if (answer === undefined) await onProved();
    else setAsked(answer.factor);
  });
  if (asked !== undefined) return <FactorForm asked={asked} onProved={onProved} />;
  return (
    <Form
      of={form}
      action={c.common.confirm}
      words={{ invalid_credentials: c.factors.wrongPassword }}
      onCancel={onCancel}
    >
      <Text>{c.factors.confirmText}</Text>
      <PasswordField label={c.signIn.password} value={password} onChange={setPassword} />
    </Form>
  );
}
