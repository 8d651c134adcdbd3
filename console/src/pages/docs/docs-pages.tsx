import { Container } from '@mantine/core';
import { Link, Route, Switch, useLocation } from 'wouter';
import { barePath, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { ApiPage } from './api-page.tsx';
import { DataPage } from './data-page.tsx';
import classes from './docs.module.css';
import { ErrorsPage } from './errors-page.tsx';
import { McpPage } from './mcp-page.tsx';
import { OverviewPage } from './overview-page.tsx';
import { QuotasPage } from './quotas-page.tsx';
import { SandboxPage } from './sandbox-page.tsx';
import { ScorePage } from './score-page.tsx';

/** The documentation section: its own menu next to the page. */
export function DocsPages() {
  const d = useDocs();
  const { to } = useLocale();
  const [pathname] = useLocation();
  const here = barePath(pathname);
  const pages = [
    ['/docs', d.nav.overview],
    ['/docs/api', d.nav.api],
    ['/docs/score', d.nav.score],
    ['/docs/quotas', d.nav.quotas],
    ['/docs/errors', d.nav.errors],
    ['/docs/sandbox', d.nav.sandbox],
    ['/docs/mcp', d.nav.mcp],
    ['/docs/data', d.nav.data],
  ] as const;
  return (
    <Container size="lg">
      <div className={classes.layout}>
        <nav className={classes.nav} aria-label={d.nav.heading}>
          {pages.map(([path, name]) => (
            <Link
              key={path}
              href={to(path)}
              className={classes.navLink ?? ''}
              aria-current={here === path ? 'page' : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
        <article className={classes.article}>
          <Switch location={here}>
            <Route path="/docs">
              <OverviewPage />
            </Route>
            <Route path="/docs/api">
              <ApiPage />
            </Route>
            <Route path="/docs/mcp">
              <McpPage />
            </Route>
            <Route path="/docs/data">
              <DataPage />
            </Route>
            <Route path="/docs/score">
              <ScorePage />
            </Route>
            <Route path="/docs/quotas">
              <QuotasPage />
            </Route>
            <Route path="/docs/sandbox">
              <SandboxPage />
            </Route>
            <Route path="/docs/errors">
              <ErrorsPage />
            </Route>
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </article>
      </div>
    </Container>
  );
}
