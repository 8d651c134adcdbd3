import { Alert, Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleAccount } from '../../../../../src/contract/console.ts';
import { call } from '../../../api/call.ts';
import { useSession } from '../../../api/session.tsx';
import { useSubmit } from '../../../api/use-submit.ts';
import { Card } from '../../../components/card.tsx';
import { Form } from '../../../components/form.tsx';
import { Page } from '../../../components/page.tsx';
import { PasswordField } from '../../../components/password-field.tsx';
import { RevokeKeysBox } from '../../../components/revoke-keys-box.tsx';
import { formatInstant } from '../../../format.ts';
import { useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';
import { usePageTitle } from '../../../use-document-head.ts';
import facts from '../../../verdict/facts.module.css';
import { planName } from '../plan-name.ts';
import { OpenSessions } from './open-sessions.tsx';
import { SecondFactors } from './second-factors.tsx';

export function ProfilePage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  usePageTitle(c.profile.title);
  const { tag } = useLocale();
  const { ofCompany } = useSession();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [changed, setChanged] = useState(false);
  const form = useSubmit(async () => {
    setChanged(false);
    await call('POST', '/session/password', { current, next, revoke_keys: revokeKeys });
    setCurrent('');
    setNext('');
    setRevokeKeys(false);
    setChanged(true);
  });
  return (
    <Page title={c.profile.title}>
      <section className="card">
        <dl className={facts.facts}>
          <dt>{c.profile.email}</dt>
          <dd>{account.email}</dd>
          <dt>{c.profile.since}</dt>
          <dd>{formatInstant(tag, new Date(account.created_at))}</dd>
          <dt>{c.usage.plan}</dt>
          <dd>{planName(c, account.plan)}</dd>
          <dt>{c.profile.tier}</dt>
          <dd>{c.profile.tiers[account.data_tier]}</dd>
          <dt>{c.profile.dpa}</dt>
          <dd>{account.dpa ? c.profile.yes : c.profile.no}</dd>
        </dl>
      </section>
      <Card title={c.profile.password}>
        {ofCompany ? (
          <Text>{c.profile.noPassword}</Text>
        ) : (
          <Form of={form} action={c.profile.change} maw={360}>
            {changed && <Alert role="status">{c.profile.changed}</Alert>}
            <PasswordField label={c.profile.current} value={current} onChange={setCurrent} />
            <PasswordField label={c.profile.next} value={next} onChange={setNext} chosen />
            <RevokeKeysBox checked={revokeKeys} onChange={setRevokeKeys} />
          </Form>
        )}
      </Card>
      <SecondFactors />
      <OpenSessions />
      <Card title={c.profile.data}>
        <Text mb="sm">{c.profile.dataText}</Text>
        <Button component="a" href="/console/api/account/export" download="pulse-account.json" variant="default">
          {c.profile.download}
        </Button>
      </Card>
      <DeleteAccount email={account.email} />
    </Page>
  );
}

function DeleteAccount({ email }: { readonly email: string }) {
  const c = useConsole();
  const { refresh, ofCompany } = useSession();
  const [password, setPassword] = useState('');
  const [typed, setTyped] = useState('');
  const form = useSubmit(async () => {
    await call('POST', '/account/delete', { password });
    await refresh();
  });
  return (
    <Card title={c.profile.remove}>
      <Form
        of={form}
        action={c.profile.remove}
        maw={360}
        color="red"
        disabled={ofCompany ? typed.trim() !== email : password === ''}
      >
        <Text>{c.profile.removeText}</Text>
        {ofCompany ? (
          <TextInput
            label={c.profile.removeByAddress}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        ) : (
          <PasswordField label={c.profile.removeConfirm} value={password} onChange={setPassword} />
        )}
      </Form>
    </Card>
  );
}
