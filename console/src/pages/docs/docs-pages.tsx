import { Container, Skeleton } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { barePath, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import classes from './docs.module.css';

/** The pages of docs/ that the site shows, in both languages; console/docs-pages.ts makes components of them. */
const TEXTS = new Map(
  Object.entries(
    import.meta.glob<{ readonly default: ComponentType }>(
      '../../../../docs/{,zh-CN/}{overview,api,score,quotas,errors,sandbox,mcp,data}.md',
    ),
  ).map(([file, load]) => [file.replace('../../../../docs/', ''), lazy(load)]),
);

/** The documentation section: its own menu next to the page. */
export function DocsPages() {
  const { nav } = useDocs();
  const { locale, t, to } = useLocale();
  const [pathname] = useLocation();
  const here = barePath(pathname);
  const page = here.slice('/docs/'.length) || 'overview';
  const Text = TEXTS.get(`${locale === 'zh' ? 'zh-CN/' : ''}${page}.md`) ?? NotFoundPage;
  return (
    <Container size="lg">
      <div className={classes.layout}>
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
        </nav>
        <article className={classes.article} data-page={page}>
          <Suspense fallback={<Skeleton height={480} />}>
            <Text />
          </Suspense>
        </article>
      </div>
    </Container>
  );
}
