import { Alert, Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleAccount } from '../../../../src/contract/console.ts';
import { call } from '../../api/call.ts';
import { useSession } from '../../api/session.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { RevokeKeysBox } from '../../components/revoke-keys-box.tsx';
import { formatInstant } from '../../format.ts';
import { useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { usePageTitle } from '../../use-document-head.ts';
import facts from '../../verdict/facts.module.css';
import classes from './console.module.css';
import { planName } from './plan-name.ts';
import { SecondFactors } from './second-factors.tsx';
import { useSubmit } from './use-submit.ts';

export function ProfilePage({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  usePageTitle(c.profile.title);
  const { tag } = useLocale();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [changed, setChanged] = useState(false);
  const { busy, problem, onSubmit } = useSubmit(async () => {
    setChanged(false);
    await call('POST', '/session/password', { current, next, revoke_keys: revokeKeys });
    setCurrent('');
    setNext('');
    setRevokeKeys(false);
    setChanged(true);
  });
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {c.profile.title}
      </Title>
      <section className={classes.card}>
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
      <section className={classes.card}>
        <Title order={2} size="h4" mb="sm">
          {c.profile.password}
        </Title>
        <form onSubmit={onSubmit}>
          <Stack maw={360}>
            <ProblemAlert problem={problem} />
            {changed && <Alert role="status">{c.profile.changed}</Alert>}
            <PasswordField label={c.profile.current} value={current} onChange={setCurrent} />
            <PasswordField label={c.profile.next} value={next} onChange={setNext} chosen />
            <RevokeKeysBox checked={revokeKeys} onChange={setRevokeKeys} />
            <Button type="submit" loading={busy} style={{ alignSelf: 'flex-start' }}>
              {c.profile.change}
            </Button>
          </Stack>
        </form>
      </section>
      <SecondFactors />
      <section className={classes.card}>
        <Title order={2} size="h4" mb="sm">
          {c.profile.data}
        </Title>
        <Text mb="sm">{c.profile.dataText}</Text>
        <Button component="a" href="/console/api/account/export" download="pulse-account.json" variant="default">
          {c.profile.download}
        </Button>
      </section>
      <DeleteAccount />
    </Stack>
  );
}

function DeleteAccount() {
  const c = useConsole();
  const { refresh } = useSession();
  const [password, setPassword] = useState('');
  const { busy, problem, onSubmit } = useSubmit(async () => {
    await call('POST', '/account/delete', { password });
    await refresh();
  });
  return (
    <section className={classes.card}>
      <Title order={2} size="h4" mb="sm">
        {c.profile.remove}
      </Title>
      <form onSubmit={onSubmit}>
        <Stack maw={360}>
          <ProblemAlert problem={problem} />
          <Text>{c.profile.removeText}</Text>
          <PasswordField label={c.profile.removeConfirm} value={password} onChange={setPassword} />
          <Button
            type="submit"
            color="red"
            loading={busy}
            disabled={password === ''}
            style={{ alignSelf: 'flex-start' }}
          >
            {c.profile.remove}
          </Button>
        </Stack>
      </form>
    </section>
  );
}
