import { Button, Container, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import type { ConsoleAccount } from '../../../../src/contract/console.ts';
import { useSession } from '../../api/session.tsx';
import { ConfirmIdentity } from '../../components/confirm-identity.tsx';
import { FactorOffer } from '../../components/factor-offer.tsx';
import { later } from '../../components/later.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { barePath, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import docs from '../docs/docs.module.css';
import { NotFoundPage } from '../not-found-page.tsx';
import { AppsPage } from './keys/apps-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { ProfilePage } from './profile/profile-page.tsx';
import { FirstOperatorPage, ForgotPage, LinkPage, SignInPage, SignUpPage } from './sign-in-pages.tsx';
import { UsagePage } from './usage/usage-page.tsx';

const EvidencePage = later(async () => (await import('./evidence/evidence-page.tsx')).EvidencePage);
const BulkPage = later(async () => (await import('./bulk/bulk-page.tsx')).BulkPage);
const PhonePage = later(async () => (await import('./phone/phone-page.tsx')).PhonePage);
const WatchlistsPage = later(async () => (await import('./watchlists/watchlists-page.tsx')).WatchlistsPage);
const ListsPage = later(async () => (await import('./lists/lists-page.tsx')).ListsPage);
const OperatorPage = later(async () => (await import('./operator/operator-page.tsx')).OperatorPage);

/** The console: sign-in pages for all visitors, the rest behind a session. */
export function ConsolePages() {
  const [pathname] = useLocation();
  return (
    <Switch location={barePath(pathname)}>
      <Route path="/console/sign-in">
        <SignInPage />
      </Route>
      <Route path="/console/sign-up">
        <SignUpPage />
      </Route>
      <Route path="/console/forgot">
        <ForgotPage />
      </Route>
      <Route path="/console/verify">
        <LinkPage purpose="verify" />
      </Route>
      <Route path="/console/reset">
        <LinkPage purpose="reset" />
      </Route>
      <Route path="/console/first-operator">
        <FirstOperatorPage />
      </Route>
      <Route>
        <NewSession />
      </Route>
    </Switch>
  );
}

function NewSession() {
  const { account, problem } = useSession();
  const { to } = useLocale();
  const [pathname, navigate] = useLocation();
  useEffect(() => {
    if (account === null)
      navigate(`${to('/console/sign-in')}?next=${encodeURIComponent(pathname + location.search)}`, { replace: true });
  }, [account, navigate, pathname, to]);
  if (account === undefined || account === null)
    return (
      <Container size="xl">
        <ProblemAlert problem={problem} />
        <Skeleton height={320} radius="lg" />
      </Container>
    );
  return <Rooms account={account} />;
}

function Rooms({ account }: { readonly account: ConsoleAccount }) {
  const c = useConsole();
  const { t, to } = useLocale();
  const { signOut } = useSession();
  const [pathname] = useLocation();
  const here = barePath(pathname);
  const rooms = [
    ['/console', c.nav.overview],
    ['/console/keys', c.nav.keys],
    ['/console/evidence', c.nav.lookup],
    ['/console/bulk', c.nav.bulk],
    ...(account.phone ? ([['/console/phone', c.nav.phone]] as const) : []),
    ['/console/watchlists', c.nav.watchlists],
    ['/console/lists', c.nav.lists],
    ['/console/apps', c.nav.apps],
    ['/console/profile', c.nav.profile],
    ...(account.operator ? ([['/console/operator', c.nav.operator]] as const) : []),
  ] as const;
  return (
    <Container size="xl">
      <ConfirmIdentity />
      <FactorOffer />
      <div className={docs.layout}>
        <Stack gap="md" data-screen>
          <nav className={docs.nav} aria-label={c.nav.heading}>
            {rooms.map(([path, name]) => (
              <Link
                key={path}
                href={to(path)}
                className={docs.navLink ?? ''}
                aria-current={
                  here === path || (path !== '/console' && here.startsWith(`${path}/`)) ? 'page' : undefined
                }
              >
                {name}
              </Link>
            ))}
          </nav>
          <Group gap="xs">
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {account.email}
            </Text>
            <Button size="compact-sm" variant="default" onClick={() => void signOut()}>
              {t.site.nav.signOut}
            </Button>
          </Group>
        </Stack>
        <div style={{ minWidth: 0 }}>
          <Switch location={here}>
            <Route path="/console">
              <UsagePage account={account} />
            </Route>
            <Route path="/console/keys">
              <KeysPage account={account} />
            </Route>
            <Route path="/console/evidence/:ip?">
              {({ ip }) => (
                <EvidencePage account={account} {...(ip === undefined ? {} : { ip: decodeURIComponent(ip) })} />
              )}
            </Route>
            <Route path="/console/bulk">
              <BulkPage account={account} />
            </Route>
            <Route path="/console/phone">
              <PhonePage account={account} />
            </Route>
            <Route path="/console/watchlists">
              <WatchlistsPage account={account} />
            </Route>
            <Route path="/console/lists">
              <ListsPage />
            </Route>
            <Route path="/console/apps">
              <AppsPage />
            </Route>
            <Route path="/console/profile">
              <ProfilePage account={account} />
            </Route>
            <Route path="/console/operator/:page?">
              {({ page }) => <OperatorPage account={account} page={page ?? 'feeds'} />}
            </Route>
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </div>
      </div>
    </Container>
  );
}
