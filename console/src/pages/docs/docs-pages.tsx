import { pages } from 'virtual:docs';
import { Alert, Container, Skeleton } from '@mantine/core';
import { useLocation } from 'wouter';
import { later } from '../../components/later.tsx';
import { type MenuLink, SideMenu } from '../../components/side-menu.tsx';
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

/** Every page but the overview, by what its reader wants to do. */
const GROUPS = [
  ['use', ['examples', 'bulk', 'phone', 'mcp', 'clients', 'command-line', 'accounts', 'watchlists']],
  ['protect', ['rollout', 'enforcement', 'export', 'sensor', 'follow', 'beacons']],
  [
    'operate',
    ['operating', 'configuration', 'feeds', 'scaling', 'storage', 'sensor-package', 'evidence-intake', 'demo'],
  ],
  [
    'reference',
    ...[
      [
        'api',
        'score',
        'accuracy',
        'quotas',
        'errors',
        'sandbox',
        'data',
        'assistants',
        'site',
        'benchmarks',
        'threat-model',
      ],
    ],
  ],
] as const;

/** The documentation section: its own menu next to the page. */
export function DocsPages() {
  const { nav, guides: words } = useDocs();
  const guides = useGuides();
  const { locale, t } = useLocale();
  const [pathname] = useLocation();
  const here = barePath(pathname);
  const page = here.slice('/docs/'.length) || 'overview';
  const guide = guides.find(({ name }) => name === page);
  const chinese = locale === 'zh' ? TEXTS.get(`zh-CN/${page}.md`) : undefined;
  const isForeign = locale === 'zh' && chinese === undefined && guide !== undefined;
  const linkTo = (name: string): MenuLink => ({
    path: name === 'overview' ? '/docs' : `/docs/${name}`,
    name:
      Object.entries(nav).find(([one]) => one === name)?.[1] ?? guides.find((one) => one.name === name)?.title ?? name,
    isHere: name === page,
  });
  const Page = chinese ?? TEXTS.get(`${page}.md`) ?? NotFoundPage;
  return (
    <Container size="lg">
      <SideMenu
        label={t.site.nav.docs}
        above={<DocsSearch key={locale} />}
        links={[linkTo('overview')]}
        groups={GROUPS.map(([group, names]) => [words.groups[group], names.map(linkTo)])}
      >
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
      </SideMenu>
    </Container>
  );
}
