import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { PAGES } from '../../../../src/contract/pages.ts';
import { useLocale } from '../../locale.tsx';
import { guidesZh } from '../../messages/guides.zh.ts';
import classes from './docs.module.css';

interface Guide {
  readonly name: string;
  readonly title: string;
  readonly lead: string;
}

const LEADS = import.meta.glob<Omit<Guide, 'name'>>(
  '../../../../docs/{bulk,export,clients,phone,operating,configuration,accounts,scaling,storage,feeds,sensor,follow,beacons,evidence-intake,assistants,site,demo,accuracy,benchmarks,threat-model}.md',
  { query: '?lead', import: 'default', eager: true },
);

/** The pages of docs/ that are there in English alone. */
const GUIDES: readonly Guide[] = PAGES.guides.map((path) => {
  const name = path.slice('/docs/'.length);
  return { name, ...LEADS[`../../../../docs/${name}.md`]! };
});

/** What each guide is for; in Chinese a summary of its English text. */
export function useGuides(): readonly Guide[] {
  const { locale } = useLocale();
  if (locale === 'en') return GUIDES;
  return GUIDES.map(({ name, ...english }) => {
    const [title, lead] = guidesZh[name] ?? [english.title, english.lead];
    return { name, title, lead };
  });
}

/** All guides, for the overview. */
export function Guides() {
  const guides = useGuides();
  const { to } = useLocale();
  return (
    <ul className={classes.list} data-testid="guides">
      {guides.map(({ name, title, lead }) => (
        <li key={name}>
          <Link className={classes.link ?? ''} href={to(`/docs/${name}`)}>
            {title}
          </Link>
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        </li>
      ))}
    </ul>
  );
}
