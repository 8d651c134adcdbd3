import { Text, TextInput } from '@mantine/core';
import { type FocusEvent, type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { fill, useLocale } from '../../locale.tsx';
import { useDocs } from '../../messages/use-docs.ts';
import { useSlashKey } from '../../use-slash-key.ts';
import classes from './docs-search.module.css';
import { type Guide, useGuides } from './guides.tsx';
import { type DocsSection, searchDocs } from './search-docs.ts';

/** The pages in the reader's language and the guides; loaded when the field is first used. */
const loadTexts = {
  en: () => import('virtual:docs-search/en'),
  zh: () => import('virtual:docs-search/zh'),
};

const leadOf = ({ name, title, lead }: Guide): DocsSection => ({
  ...{ path: `/docs/${name}`, title, heading: title, id: '', text: lead },
});

/**
 * Looks through all pages of the documentation in the browser; `/` goes to the field, arrow keys through the
 * results.
 */
export function DocsSearch() {
  const { search: words } = useDocs();
  const { locale, to } = useLocale();
  const guides = useGuides();
  const [question, setQuestion] = useState('');
  const [open, setOpen] = useState(false);
  const [texts, setTexts] = useState<readonly DocsSection[]>();
  const box = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useSlashKey(field);

  const load = async (): Promise<void> => {
    setOpen(true);
    if (texts !== undefined) return;
    const [pages, english] = await Promise.all([loadTexts[locale](), import('virtual:docs-search/guides')]);
    const own = new Set(pages.default.map(({ path }) => path));
    // Summaries let a Chinese question find an English guide.
    const leads = locale === 'en' ? [] : guides.map(leadOf);
    setTexts([...pages.default, ...[...english.default, ...leads].filter(({ path }) => !own.has(path))]);
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    if (!box.current?.contains(relatedTarget)) setOpen(false);
  };
  const move = (event: KeyboardEvent): void => {
    const stops = [field.current!, ...box.current!.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      setQuestion('');
      field.current?.focus();
    } else if (step !== undefined) {
      event.preventDefault();
      stops[stops.indexOf(document.activeElement as HTMLInputElement) + step]?.focus();
    }
  };
  const goToFirst = (event: FormEvent): void => {
    event.preventDefault();
    box.current?.querySelector('a')?.click();
  };

  const found = searchDocs(texts ?? [], question);
  const isShown = open && texts !== undefined && question.trim() !== '';
  return (
    <search ref={box} className={classes.search} onBlur={leave} onKeyDown={move}>
      <form onSubmit={goToFirst}>
        <TextInput
          ref={field}
          type="search"
          aria-label={words.label}
          placeholder={words.placeholder}
          value={question}
          onChange={(event) => setQuestion(event.currentTarget.value)}
          onFocus={() => void load()}
          autoComplete="off"
          spellCheck={false}
        />
      </form>
      <div className={classes.results} hidden={!isShown}>
        <Text size="xs" c="dimmed" px={12} py={8} role="status">
          {isShown && fill(found.length === 0 ? words.none : words.found, { n: found.length })}
        </Text>
        {isShown &&
          found.map(({ path, title, heading, id, excerpt: [before, match, after] }) => (
            <a
              key={`${path}#${id}#${heading}`}
              className={classes.result}
              href={to(path) + (id === '' ? '' : `#${id}`)}
              onClick={() => setOpen(false)}
            >
              <span className={classes.heading}>{heading === title ? title : `${title} › ${heading}`}</span>
              <span className={classes.excerpt}>
                {before}
                <mark>{match}</mark>
                {after}
              </span>
            </a>
          ))}
      </div>
    </search>
  );
}
