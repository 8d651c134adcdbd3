import {
  ActionIcon,
  Anchor,
  Box,
  Burger,
  Button,
  Container,
  Drawer,
  Group,
  Stack,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { demoAddresses } from '../api/demo-addresses.ts';
import { useSession } from '../api/session.tsx';
import { ownZone } from '../format.ts';
import { barePath, fill, type Locale, useLocale } from '../locale.tsx';
import { Mark } from './mark.tsx';
import classes from './shell.module.css';

/** Pages of tables take more of a wide screen. */
const isWide = (path: string): boolean => /^\/(console|status)(\/|$)/.test(path);

/** Header, main landmark and footer of every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { t, to, other } = useLocale();
  const [pathname] = useLocation();
  const search = useSearch();
  const [open, menu] = useDisclosure(false);
  const width = isWide(barePath(pathname)) ? 'xl' : 'lg';
  const links = [
    { href: to('/'), label: t.site.nav.lookup },
    { href: to('/docs'), label: t.site.nav.docs },
    { href: to('/status'), label: t.site.nav.status },
    { href: to('/console'), label: t.site.nav.console },
  ];
  const isHere = (href: string): boolean =>
    href === to('/')
      ? pathname === href || pathname.startsWith(to('/ip/'))
      : pathname === href || pathname.startsWith(`${href}/`);
  const language = (
    <Anchor
      href={other.href(barePath(pathname)) + (search === '' ? '' : `?${search}`)}
      onClick={() => rememberLanguage(other.locale)}
      hrefLang={other.tag}
      lang={other.tag}
      className={classes.quiet}
    >
      {t.site.switchLanguage}
    </Anchor>
  );
  const navigation = links.map(({ href, label }) => (
    <Link
      key={href}
      href={href}
      className={classes.link ?? ''}
      aria-current={isHere(href) ? 'page' : undefined}
      onClick={menu.close}
    >
      {label}
    </Link>
  ));
  return (
    <div className={classes.page}>
      <a className={classes.skip} href="#main">
        {t.site.skip}
      </a>
      <header className={classes.header}>
        <Container size={width} h="100%">
          <Group h="100%" justify="space-between" wrap="nowrap">
            <Link href={to('/')} className={classes.brand ?? ''}>
              <Mark />
              <span>{t.site.name}</span>
            </Link>
            <Group component="nav" gap={4} visibleFrom="sm" aria-label={t.site.name}>
              {navigation}
            </Group>
            <Group gap="sm" wrap="nowrap" data-screen>
              <SchemeToggle />
              {language}
              <Box visibleFrom="sm">
                <Visitor onLeave={menu.close} />
              </Box>
              <Burger
                hiddenFrom="sm"
                size="sm"
                opened={open}
                onClick={menu.toggle}
                aria-label={t.site.menu}
                aria-expanded={open}
              />
            </Group>
          </Group>
        </Container>
      </header>
      {demoAddresses !== undefined && (
        <div className={classes.demo} role="note">
          <Container size={width}>{t.site.demo}</Container>
        </div>
      )}
      <Drawer
        opened={open}
        onClose={menu.close}
        title={t.site.name}
        closeButtonProps={{ 'aria-label': t.site.menu }}
        size="xs"
        position="right"
        hiddenFrom="sm"
      >
        <Stack component="nav" gap="xs">
          {navigation}
          <Visitor onLeave={menu.close} />
        </Stack>
      </Drawer>
      <main id="main" className={classes.main} tabIndex={-1}>
        {children}
      </main>
      <footer className={classes.footer}>
        <Container size={width}>
          <Group justify="space-between" gap="md">
            <Group gap="lg" data-screen>
              <FooterLink href={to('/docs/data')} label={t.site.footer.data} />
              <FooterLink href={to('/integrations')} label={t.site.footer.integrations} />
              <FooterLink href={to('/objection')} label={t.site.footer.objection} />
            </Group>
            <Stack gap={2} className={classes.legal ?? ''}>
              <span>{t.site.footer.source}</span>
              <span>{fill(t.site.footer.zone, { zone: ownZone(new Date()) })}</span>
            </Stack>
          </Group>
        </Container>
      </footer>
    </div>
  );
}

/** The choice is kept for the next visit: the start page follows the browser's language only where there is none. */
function rememberLanguage(locale: Locale): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the service reads it, and the Cookie Store API needs https
  document.cookie = `pulse_language=${locale}; Path=/; Max-Age=31536000; SameSite=Lax`;
}

/** Shows the way to sign in, or the account. */
function Visitor({ onLeave }: { readonly onLeave: () => void }) {
  const { t, to } = useLocale();
  const { account } = useSession();
  if (account === undefined) return null;
  return account === null ? (
    <Button
      component={Link}
      href={to('/console/sign-in')}
      size="compact-md"
      variant="light"
      onClick={onLeave}
      data-visitor="anonymous"
    >
      {t.site.nav.signIn}
    </Button>
  ) : (
    <Button
      component={Link}
      href={to('/console')}
      size="compact-md"
      variant="light"
      maw={220}
      title={account.email}
      onClick={onLeave}
      data-visitor="account"
    >
      {account.email}
    </Button>
  );
}

function FooterLink({ href, label }: { readonly href: string; readonly label: string }) {
  return (
    <Link href={href} className={classes.quiet ?? ''}>
      {label}
    </Link>
  );
}

function SchemeToggle() {
  const { t } = useLocale();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const next = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      onClick={() => setColorScheme(next)}
      title={t.site.scheme[next]}
    >
      <VisuallyHidden>{`${t.site.scheme.toggle}: ${t.site.scheme[next]}`}</VisuallyHidden>
      <svg width="18" height="18" viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" strokeWidth="2" />
        <path d="M12 3a9 9 0 0 1 0 18z" fill="currentColor" />
      </svg>
    </ActionIcon>
  );
}

/** A link that looks like a button, for calls to action. */
export function ButtonLink({
  href,
  children,
  variant = 'filled',
}: {
  readonly href: string;
  readonly children: ReactNode;
  readonly variant?: string;
}) {
  return (
    <Button component={Link} href={href} variant={variant}>
      {children}
    </Button>
  );
}
