import { guides } from 'virtual:docs';
import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { useLocale } from '../../locale.tsx';
import { guidesZh } from '../../messages/guides.zh.ts';
import classes from './docs.module.css';

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly lead: string;
}

/** The pages of docs/ that are there in English alone. */
const GUIDES: readonly Guide[] = guides.map(({ path, ...lead }) => ({ name: path.slice('/docs/'.length), ...lead }));

/** Each guide says what it is for; in Chinese with a summary of its English text. */
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
  const { to } = useLocale();
  return (
    <ul className={classes.list} data-testid="guides">
      {useGuides().map(({ name, title, lead }) => (
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
