import { Skeleton } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { Shell } from './components/shell.tsx';
import { barePath, LocaleProvider, localeOfPath, useLocale } from './locale.tsx';
import { HomePage } from './pages/home/home-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';

const DocsPages = lazy(async () => ({ default: (await import('./pages/docs/docs-pages.tsx')).DocsPages }));
const ConsolePages = lazy(async () => ({ default: (await import('./pages/console/console-pages.tsx')).ConsolePages }));

/** Every page of the site. Paths are matched without their language prefix. */
function Pages() {
  const { t, tag } = useLocale();
  const [pathname] = useLocation();
  useEffect(() => {
    document.documentElement.lang = tag;
    document.title = t.site.title;
  }, [t, tag]);
  return (
    <Shell>
      <Switch location={barePath(pathname)}>
        <Route path="/">
          <HomePage />
        </Route>
        <Route path="/ip/:ip">{({ ip }) => <HomePage ip={decodeURIComponent(ip)} />}</Route>
        <Route path="/console/*?">
          <Suspense fallback={<Skeleton height={320} />}>
            <ConsolePages />
          </Suspense>
        </Route>
        <Route path="/docs/*?">
          <Suspense fallback={<Skeleton height={320} />}>
            <DocsPages />
          </Suspense>
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </Shell>
  );
}

export function App() {
  const [pathname] = useLocation();
  return (
    <LocaleProvider locale={localeOfPath(pathname)}>
      <Pages />
    </LocaleProvider>
  );
}
