import { Stack, Table, Title } from '@mantine/core';
import { type ComponentType, createElement, Fragment, type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import type { DocsNode } from '../../../docs-pages.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { isToken } from '../../components/is-token.ts';
import { Cell, TableCard } from '../../components/table-card.tsx';
import { useLocale } from '../../locale.tsx';
import { usePageTitle } from '../../use-document-head.ts';
import classes from './docs.module.css';
import { Example } from './example.tsx';
import { Guides } from './guides.tsx';
import { Install } from './install.tsx';
import { Notice } from './notice.tsx';
import { Operations } from './operations.tsx';
import { ownAddress } from './own-address.ts';
import { ScoreCalculator } from './score-calculator.tsx';
import { scrollToSection } from './scroll-to-section.ts';
import { Sources } from './sources.tsx';

/** Replacement of a marker in the Markdown. */
const PARTS: Readonly<Record<string, ComponentType>> = {
  calculator: ScoreCalculator,
  guides: Guides,
  install: Install,
  notice: Notice,
  operations: Operations,
  sources: Sources,
};

/** Makes a page of the site of a page of docs/. */
export function docsComponent(page: readonly DocsNode[]): ComponentType {
  const title = textOf(page[0] ?? '');
  return function DocsPage() {
    usePageTitle(title);
    useEffect(scrollToSection, []);
    return createElement(Stack, { gap: 'lg' }, ...page.map(draw));
  };
}

const contentOf = (node: DocsNode): readonly DocsNode[] => (typeof node === 'string' ? [] : node.content);

const textOf = (node: DocsNode): string =>
  typeof node === 'string' ? ownAddress(node) : contentOf(node).map(textOf).join('');

/** A day that is not broken in the middle. */
const DAY = /(\b\d{4}-\d\d-\d\d\b)/;

const drawText = (text: string): ReactNode =>
  createElement(
    Fragment,
    {},
    ...ownAddress(text)
      .split(DAY)
      .map((part) => (DAY.test(part) ? createElement('span', { className: classes.whole }, part) : part)),
  );

function draw(node: DocsNode): ReactNode {
  if (typeof node === 'string') return drawText(node);
  const { kind, value = '', content } = node;
  const inner = content.map(draw);
  switch (kind) {
    case 'h1':
    case 'h2':
    case 'h3':
      return createElement(Title, { order: Number(kind[1]) as 1 | 2 | 3, id: value }, ...inner);
    case 'a':
      return createElement(DocsLink, { href: ownAddress(value) }, ...inner);
    case 'ul':
    case 'ol':
      return createElement(kind, { className: classes.list }, ...inner);
    case 'pre':
      return value === '' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <pre className={classes.formula} tabIndex={0}>
          {textOf(node)}
        </pre>
      ) : (
        <CodeBlock label={value} code={textOf(node)} />
      );
    case 'code': {
      const code = textOf(node);
      // A path may break, a name or a moment may not.
      return <code className={isToken(code) && !code.includes('/') ? classes.whole : ''}>{code}</code>;
    }
    case 'table':
      return drawTable(content);
    case 'part':
      return createElement(PARTS[value]!);
    case 'example':
      return createElement(Example, { of: node });
    default:
      return createElement(kind, {}, ...inner);
  }
}

/**
 * On a narrow screen a longer value stands below the name of its row, without a name of its own; so does its
 * column where such values are not rare.
 */
const isLong = (cell: DocsNode = ''): boolean => textOf(cell).length > 36;

function drawTable([head = '', ...rows]: readonly DocsNode[]): ReactNode {
  const columns = contentOf(head).map(textOf);
  const names = columns.map((name, index) =>
    rows.filter((row) => isLong(contentOf(row)[index])).length * 4 > rows.length ? '' : name,
  );
  return (
    <TableCard label={columns.join(', ')} columns={columns}>
      {rows.map(contentOf).map((cells) => (
        <Table.Tr key={textOf(cells[0] ?? '')} {...idOf(cells[0])}>
          {cells.map((cell, index) => {
            const text = textOf(cell);
            const isWhole = contentOf(cell).every((part) => typeof part === 'string') && isToken(text);
            return (
              <Cell key={columns[index]} of={isLong(cell) ? '' : (names[index] ?? '')}>
                {text === '' || isWhole ? text : createElement('span', {}, ...contentOf(cell).map(draw))}
              </Cell>
            );
          })}
        </Table.Tr>
      ))}
    </TableCard>
  );
}

/** A row that begins with a code can be linked to: /docs/errors#rate_limited. */
function idOf(cell: DocsNode = ''): { readonly id?: string } {
  const text = textOf(cell);
  return /^[a-z]+(_[a-z]+)+$/.test(text) ? { id: text } : {};
}

function DocsLink({ href, children }: { readonly href: string; readonly children?: ReactNode }) {
  const { to } = useLocale();
  const className = classes.link ?? '';
  // The browser finds a section, once the page is there.
  return /^https?:|#/.test(href) ? (
    <a className={className} href={href.startsWith('/') ? to(href) : href} rel="noreferrer">
      {children}
    </a>
  ) : (
    <Link className={className} href={to(href)}>
      {children}
    </Link>
  );
}
