import { useEffect, useRef } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { clientAddress } from './api/client-address.ts';
import { SessionProvider } from './api/session.tsx';
import { mayLeave } from './ask-before-leaving.ts';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { later } from './components/later.tsx';
import { Shell } from './components/shell.tsx';
import { barePath, LocaleProvider, localeOfPath, useLocale } from './locale.tsx';
import { AddressPage } from './pages/address/address-page.tsx';
import { HomePage } from './pages/home/home-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { useDocumentHead } from './use-document-head.ts';

const DocsPages = later(async () => (await import('./pages/docs/docs-pages.tsx')).DocsPages);
const NetworkPage = later(async () => (await import('./pages/network/network-page.tsx')).NetworkPage);
const StatusPage = later(async () => (await import('./pages/status/status-page.tsx')).StatusPage);
const ObjectionPage = later(async () => (await import('./pages/objection/objection-page.tsx')).ObjectionPage);
const IntegrationsPage = later(
  async () => (await import('./pages/integrations/integrations-page.tsx')).IntegrationsPage,
);
const ConsolePages = later(async () => (await import('./pages/console/console-pages.tsx')).ConsolePages);

/** Every page of the site. Paths are matched without their language prefix. */
function Pages() {
  const [pathname] = useLocation();
  const bare = barePath(pathname);
  useDocumentHead(bare);
  useArrival(bare);
  return (
    <Shell>
      <ErrorBoundary key={bare.split('/', 2)[1]}>
        <Switch location={bare}>
          <Route path="/">
            <HomePage />
          </Route>
          <Route path="/ip/me">
            <OwnAddress />
          </Route>
          <Route path="/ip/:ip">{({ ip }) => <AddressPage key={ip} ip={decodeSegment(ip)} />}</Route>
          <Route path="/net/:network/:bits?">
            {({ network, bits }) => (
              <NetworkPage network={decodeSegment(bits === undefined ? network : `${network}/${bits}`)} />
            )}
          </Route>
          <Route path="/status">
            <StatusPage />
          </Route>
          <Route path="/objection">
            <ObjectionPage />
          </Route>
          <Route path="/integrations">
            <IntegrationsPage />
          </Route>
          <Route path="/console/*?">
            <ConsolePages />
          </Route>
          <Route path="/docs/*?">
            <DocsPages />
          </Route>
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </ErrorBoundary>
    </Shell>
  );
}

/** The page of the visitor's own address; the start page where it is not a public one. */
function OwnAddress() {
  const { to } = useLocale();
  if (clientAddress === undefined) return <HomePage isNotPublic />;
  return <Redirect to={to(`/ip/${encodeURIComponent(clientAddress)}`)} replace />;
}

/** A percent sign that does not begin an escape is text the visitor typed, not an error. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Scrolls to the top after a link was followed, and moves the keyboard to the new content. The first page stays
 * as the browser opened it.
 */
function useArrival(bare: string): void {
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect belongs to the change of the path
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [bare]);
}

export function App() {
  const [pathname] = useLocation();
  return (
    <Router aroundNav={(navigate, to, options) => mayLeave() && navigate(to, options)}>
      <LocaleProvider locale={localeOfPath(pathname)}>
        <SessionProvider>
          <Pages />
        </SessionProvider>
      </LocaleProvider>
    </Router>
  );
}
