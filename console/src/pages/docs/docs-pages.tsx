import { pages } from 'virtual:docs';
import { Alert, Container, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link, useLocation } from 'wouter';
import { later } from '../../components/later.tsx';
import { barePath, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import classes from './docs.module.css';
import { DocsSearch } from './docs-search.tsx';
import { useGuides } from './guides.tsx';

/** A component for each page of docs/ (console/docs-pages.ts), by its file. */
const TEXTS = new Map(
  Object.entries(pages).map(([file, load]) => [
    file,
    later(async () => (await load()).default, <Skeleton height={480} />),
  ]),
);

/** The documentation section: its own menu next to the page. */
export function DocsPages() {
  const { nav, guides: words } = useDocs();
  const guides = useGuides();
  const { locale, t, to } = useLocale();
  const [pathname] = useLocation();
  const here = barePath(pathname);
  // A small screen would show two screens of links first.
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const page = here.slice('/docs/'.length) || 'overview';
  const guide = guides.find(({ name }) => name === page);
  const chinese = locale === 'zh' ? TEXTS.get(`zh-CN/${page}.md`) : undefined;
  const isForeign = locale === 'zh' && chinese === undefined && guide !== undefined;
  const Page = chinese ?? TEXTS.get(`${page}.md`) ?? NotFoundPage;
  return (
    <Container size="lg">
      <div className={classes.layout}>
        <div>
          <DocsSearch key={locale} />
          <nav className={classes.nav} aria-label={t.site.nav.docs}>
            {Object.entries(nav).map(([name, label]) => (
              <Link
                key={name}
                href={to(name === 'overview' ? '/docs' : `/docs/${name}`)}
                className={classes.navLink ?? ''}
                aria-current={name === page ? 'page' : undefined}
              >
                {label}
              </Link>
            ))}
            <details key={`${isWide}`} open={isWide} className={classes.guides}>
              <summary className={classes.navLink}>{words.heading}</summary>
              {guides.map(({ name, title }) => (
                <Link
                  key={name}
                  href={to(`/docs/${name}`)}
                  className={classes.navLink ?? ''}
                  aria-current={name === page ? 'page' : undefined}
                >
                  {title}
                </Link>
              ))}
            </details>
          </nav>
        </div>
        <article className={classes.article} data-page={page}>
          {isForeign && (
            <Alert mb="lg" title={guide.title} data-testid="summary">
              {guide.lead} {words.english}
            </Alert>
          )}
          <div {...(isForeign && { lang: 'en' })}>
            <Page />
          </div>
        </article>
      </div>
    </Container>
  );
}
