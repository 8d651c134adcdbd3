import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { createPortal } from 'react-dom';
import { useLocale } from '../../locale.tsx';
import classes from './case-menu.module.css';

interface Props {
  /** The whole case as text. */
  readonly text: string;
  /** Page of this verdict. */
  readonly link: string;
}

/** Menu that copies and prints the case of an address. Paper shows the case alone, on one sheet. */
export function CaseMenu({ text, link }: Props) {
  const { t } = useLocale();
  const clipboard = useClipboard({ timeout: 1500 });
  const items = [
    [t.verdict.share, () => clipboard.copy(link)],
    [t.verdict.copyCase, () => clipboard.copy(text)],
    [t.verdict.print, () => window.print()],
  ] as const;
  return (
    <>
      <details
        className={classes.menu}
        onBlur={({ currentTarget: menu, relatedTarget }) =>
          menu.contains(relatedTarget) || menu.removeAttribute('open')
        }
        onKeyDown={({ key, currentTarget: menu }) => key === 'Escape' && menu.removeAttribute('open')}
      >
        <summary aria-label={t.verdict.more}>⋯</summary>
        <div>
          {items.map(([name, act]) => (
            <Button key={name} size="xs" variant="subtle" justify="flex-start" onClick={act}>
              {name}
            </Button>
          ))}
          <span aria-live="polite">{clipboard.copied ? t.site.copied : ''}</span>
        </div>
      </details>
      {createPortal(<div className={classes.sheet} data-case={text} />, document.body)}
    </>
  );
}
