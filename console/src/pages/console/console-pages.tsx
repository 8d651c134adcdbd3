import { Button, Container, Group, Skeleton, Tabs, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import type { ConsoleAccount } from '../../../../src/contract/console.ts';
import { useSession } from '../../api/session.tsx';
import { ConfirmIdentity } from '../../components/confirm-identity.tsx';
import { FactorOffer } from '../../components/factor-offer.tsx';
import { later } from '../../components/later.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { SideMenu } from '../../components/side-menu.tsx';
import { barePath, useLocale } from '../../locale.tsx';
import { useConsole } from '../../messages/use-console.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { ProfilePage } from './profile/profile-page.tsx';
import { FirstOperatorPage, ForgotPage, LinkPage, SignInPage, SignUpPage } from './sign-in-pages.tsx';
import { UsagePage } from './usage/usage-page.tsx';

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
  const [pathname, navigate] = useLocation();
  const here = barePath(pathname);
  const isIn = (...paths: readonly string[]): boolean =>
    paths.some((path) => here === path || here.startsWith(`${path}/`));
  const look = [
    ['/console/bulk', c.nav.bulk],
    ['/console/phone', c.nav.phone],
  ] as const;
  const watch = [
    ['/console/lists', c.nav.blockLists],
    ['/console/watchlists', c.nav.watchlists],
  ] as const;
  // A page that the account cannot use is reached by its path alone.
  const tabs = [...(account.phone ? [look] : []), ...(account.data_tier === 'professional' ? [watch] : [])].find(
    (room) => isIn(...room.map(([path]) => path)),
  );
  const links = [
    { path: '/console/bulk', name: c.nav.lookup, isHere: isIn('/console/bulk', '/console/phone') },
    { path: '/console/lists', name: c.nav.lists, isHere: isIn('/console/lists', '/console/watchlists') },
    { path: '/console/keys', name: c.nav.keys, isHere: isIn('/console/keys') },
    { path: '/console', name: c.nav.overview, isHere: here === '/console' },
    { path: '/console/profile', name: c.nav.profile, isHere: isIn('/console/profile') },
    ...(account.operator
      ? [{ path: '/console/operator', name: c.nav.operator, isHere: isIn('/console/operator') }]
      : []),
  ];
  return (
    <Container size="xl">
      <ConfirmIdentity />
      <FactorOffer />
      <SideMenu
        label={c.nav.heading}
        links={links}
        below={
          <Group gap="xs">
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {account.email}
            </Text>
            <Button size="compact-sm" variant="default" onClick={() => void signOut()}>
              {t.site.nav.signOut}
            </Button>
          </Group>
        }
      >
        <div style={{ minWidth: 0 }}>
          {tabs && (
            <Tabs value={here} onChange={(path) => navigate(to(`${path}`))} mb="lg">
              <Tabs.List>
                {tabs.map(([path, name]) => (
                  <Tabs.Tab key={path} value={path}>
                    {name}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
            </Tabs>
          )}
          <Switch location={here}>
            <Route path="/console">
              <UsagePage account={account} />
            </Route>
            <Route path="/console/keys">
              <KeysPage account={account} />
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
              <Redirect to={to('/console/keys')} replace />
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
      </SideMenu>
    </Container>
  );
}
