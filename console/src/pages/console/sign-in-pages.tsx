import { Alert, Anchor, Button, Container, Stack, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { ConsoleFactorAsked } from '../../../../src/contract/console.ts';
import { safeNextPath } from '../../../../src/core/oauth/safe-next-path.ts';
import { call } from '../../api/call.ts';
import { hasCompanySignOn } from '../../api/has-company-sign-on.ts';
import { useSession } from '../../api/session.tsx';
import { signUpPolicy } from '../../api/sign-up-policy.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { FactorForm } from '../../components/factor-form.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { RevokeKeysBox } from '../../components/revoke-keys-box.tsx';
import { fill, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { usePageTitle } from '../../use-document-head.ts';

/** Sign-in leads only to a path of this site, never to another host. */
const nextPath = (fallback: string): string =>
  safeNextPath(new URLSearchParams(location.search).get('next')) ?? fallback;

/** The secret of a mailed link stands in the fragment, which browsers never send. */
const linkToken = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? '';

function Card({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <Container size={460}>
      <section className="card">
        <Title order={1} size="h2">
          {title}
        </Title>
        {lead !== undefined && (
          <Text mt={6} c="dimmed">
            {lead}
          </Text>
        )}
        {children}
      </section>
    </Container>
  );
}

/** The address that names an account, as every form of this page asks for it. */
function EmailField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const c = useConsole();
  return (
    <TextInput
      type="email"
      name="email"
      autoComplete="username"
      required
      label={c.signIn.email}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** After signing in a server-rendered page may be next (OAuth consent), so the browser really goes there. */
function useArrive(): () => Promise<void> {
  const { refresh } = useSession();
  const { to } = useLocale();
  const [, navigate] = useLocation();
  return async () => {
    const next = nextPath(to('/console'));
    if (next.includes('/oauth/')) {
      location.assign(next);
      return;
    }
    await refresh({ arrived: true });
    navigate(next);
  };
}

/** Signed in, or the second factor that is awaited. */
interface MaybeAsked {
  readonly factor?: ConsoleFactorAsked;
}

/** After company sign-on the fragment says which factor is due; it is read once. */
function takeFactorAsked(): ConsoleFactorAsked | undefined {
  const packed = new URLSearchParams(location.hash.slice(1)).get('factor');
  if (packed === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return JSON.parse(atob(packed.replaceAll('-', '+').replaceAll('_', '/'))) as ConsoleFactorAsked;
}

function FactorCard({
  asked,
  onProved,
}: {
  readonly asked: ConsoleFactorAsked;
  readonly onProved: () => Promise<void>;
}) {
  const c = useConsole();
  const [again] = useState(() => location.href);
  return (
    <Card title={c.factors.signInTitle}>
      <Stack mt="md">
        <FactorForm asked={asked} onProved={onProved} />
        <Anchor size="sm" href={again} underline="always">
          {c.forgot.back}
        </Anchor>
      </Stack>
    </Card>
  );
}

export function SignInPage() {
  const c = useConsole();
  const { to, space } = useLocale();
  const arrive = useArrive();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(takeFactorAsked);
  const form = useSubmit(async () => {
    const { factor } = await call<MaybeAsked>('POST', '/session/sign-in', { email, password });
    if (factor === undefined) await arrive();
    else setAsked(factor);
  });
  if (asked !== undefined) return <FactorCard asked={asked} onProved={arrive} />;
  return (
    <Card title={c.signIn.title}>
      <Stack mt="md">
        <Form of={form} action={c.signIn.submit} words={{ forbidden: c.signIn.unproved }}>
          <EmailField value={email} onChange={setEmail} />
          <PasswordField label={c.signIn.password} value={password} onChange={setPassword} />
        </Form>
        {hasCompanySignOn() && (
          <Button component="a" variant="default" href={to(`/console/company${location.search}`)}>
            {c.signIn.company}
          </Button>
        )}
        {signUpPolicy() === 'off' ? (
          <Text size="sm">{c.signUp.off}</Text>
        ) : (
          <Text size="sm">
            {c.signIn.noAccount}
            {space}
            <Anchor component={Link} href={to(`/console/sign-up${location.search}`)} underline="always">
              {c.signIn.signUp}
            </Anchor>
          </Text>
        )}
        <Anchor component={Link} size="sm" href={to('/console/forgot')} underline="always">
          {c.signIn.forgot}
        </Anchor>
      </Stack>
    </Card>
  );
}

export function SignUpPage() {
  const c = useConsole();
  const { to, locale, space } = useLocale();
  const arrive = useArrive();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [mailed, setMailed] = useState(false);
  const form = useSubmit(async () => {
    const answer = await call<{ readonly mailed?: boolean } | undefined>('POST', '/session/sign-up', {
      email,
      password,
      language: locale,
    });
    if (answer?.mailed === true) setMailed(true);
    else await arrive();
  });
  if (signUpPolicy() === 'off')
    return (
      <Card title={c.signUp.title}>
        <Alert mt="md">{c.signUp.off}</Alert>
        <Anchor component={Link} size="sm" href={to('/console/sign-in')} underline="always">
          {c.forgot.back}
        </Anchor>
      </Card>
    );
  if (mailed)
    return (
      <Card title={c.signUp.title}>
        <Alert mt="md">{fill(c.signUp.mailed, { email })}</Alert>
      </Card>
    );
  return (
    <Card title={c.signUp.title} lead={c.signUp.lead}>
      <Stack mt="md">
        <Form of={form} action={c.signUp.submit}>
          <EmailField value={email} onChange={setEmail} />
          <PasswordField label={c.signIn.password} value={password} onChange={setPassword} chosen />
        </Form>
        <Text size="sm">
          {c.signUp.haveAccount}
          {space}
          <Anchor component={Link} href={to(`/console/sign-in${location.search}`)} underline="always">
            {c.signIn.submit}
          </Anchor>
        </Text>
      </Stack>
    </Card>
  );
}

export function ForgotPage() {
  const c = useConsole();
  const { to, locale } = useLocale();
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<'mailed' | 'no mail'>();
  const form = useSubmit(async () => {
    const { mailed } = await call<{ readonly mailed: boolean }>('POST', '/session/forgot', { email, language: locale });
    setSent(mailed ? 'mailed' : 'no mail');
  });
  return (
    <Card title={c.forgot.title} lead={c.forgot.lead}>
      <Stack mt="md">
        <Form of={form} action={c.forgot.submit}>
          {sent !== undefined && <Alert role="status">{sent === 'mailed' ? c.forgot.sent : c.forgot.noMail}</Alert>}
          <EmailField value={email} onChange={setEmail} />
        </Form>
        <Anchor component={Link} size="sm" href={to('/console/sign-in')} underline="always">
          {c.forgot.back}
        </Anchor>
      </Stack>
    </Card>
  );
}

/** The page behind the link that a start without an operator prints. */
export function FirstOperatorPage() {
  const c = useConsole();
  const arrive = useArrive();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [token] = useState(linkToken);
  const form = useSubmit(async () => {
    await call('POST', '/session/operator', { token, email, password });
    await arrive();
  });
  return (
    <Card title={c.firstOperator.title} lead={c.firstOperator.lead}>
      <Stack mt="md">
        {token === '' && <Alert color="red">{c.firstOperator.invalid}</Alert>}
        <Form of={form} action={c.firstOperator.submit} words={{ link_invalid: c.firstOperator.invalid }}>
          <EmailField value={email} onChange={setEmail} />
          <PasswordField label={c.signIn.password} value={password} onChange={setPassword} chosen />
        </Form>
      </Stack>
    </Card>
  );
}

/** The page behind a mailed link: `verify` asks for the password chosen at sign-up, `reset` for a new one. */
export function LinkPage({ purpose }: { readonly purpose: 'verify' | 'reset' }) {
  const c = useConsole();
  const arrive = useArrive();
  const [password, setPassword] = useState('');
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [token] = useState(linkToken);
  const [asked, setAsked] = useState<ConsoleFactorAsked>();
  const form = useSubmit(async () => {
    const answer = await call<MaybeAsked | undefined>('POST', `/session/${purpose}`, {
      token,
      password,
      ...(purpose === 'reset' && { revoke_keys: revokeKeys }),
    });
    if (answer?.factor === undefined) await arrive();
    else setAsked(answer.factor);
  });
  if (asked !== undefined) return <FactorCard asked={asked} onProved={arrive} />;
  const words =
    purpose === 'verify' ? { title: c.verify.title, lead: c.verify.lead, submit: c.verify.submit } : undefined;
  return (
    <Card title={words?.title ?? c.reset.title} {...(words === undefined ? {} : { lead: words.lead })}>
      <Stack mt="md">
        <Form of={form} action={words?.submit ?? c.reset.submit}>
          <PasswordField
            label={words === undefined ? c.reset.newPassword : c.signIn.password}
            value={password}
            onChange={setPassword}
            chosen={purpose === 'reset'}
          />
          {purpose === 'reset' && <RevokeKeysBox checked={revokeKeys} onChange={setRevokeKeys} />}
        </Form>
      </Stack>
    </Card>
  );
}
