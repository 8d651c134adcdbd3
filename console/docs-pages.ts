import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import { readDocsPage } from '../src/adapters/feeds/feeds-page.ts';
import { PAGES } from '../src/contract/pages.ts';

/**
 * Path on the site of each page of docs/ that is a page of the site, too: in English, and in docs/zh-CN/ in
 * Chinese.
 */
export const SITE_DOCS: ReadonlyMap<string, string> = docsAt(PAGES.visitor);
/** Path on the site of each guide: in English, some in docs/zh-CN/, too. In Chinese the others show a summary. */
export const GUIDES: ReadonlyMap<string, string> = docsAt(PAGES.guides);

/** Names of the guides that are also in docs/zh-CN/. */
export const CHINESE_GUIDES: readonly string[] = [...GUIDES.keys()].filter((name) =>
  existsSync(join(import.meta.dirname, '../docs/zh-CN', name)),
);

function docsAt(paths: readonly string[]): ReadonlyMap<string, string> {
  const docs = paths.filter((path) => path.startsWith('/docs'));
  return new Map(docs.map((path) => [`${path.slice('/docs/'.length) || 'overview'}.md`, path]));
}

export type DocsNode = string | DocsElement;
export interface DocsElement {
  readonly kind: string;
  /** Address of a link, id of a heading, language of a code block, name of an interactive part. */
  readonly value?: string;
  readonly content: readonly DocsNode[];
}

/** Below this line a page is for readers of docs/ alone. */
const END = '<!-- site: end -->';
/** The place of an interactive part of the site. */
const PART = /^<!-- site: (\w+) -->\s*$/;

/**
 * The part of a page of docs/ that the site shows, as a tree that React draws: no markup of the text itself
 * reaches a browser.
 */
export function docsPage(file: string): readonly DocsElement[] {
  const page = joinExamples(blocks(shownTokens(file), file) as DocsElement[]);
  const isPlace = ({ kind, value }: DocsElement): boolean => kind === 'part' && value === 'example';
  if (!page.some(isPlace)) return page;
  const examples = [...docsExamples(join(dirname(file), '..', basename(file))).values()];
  return page.map((node) => (isPlace(node) ? examples.shift()! : node));
}

/**
 * The examples of an English page by the id of their heading; `<!-- site: example -->` is the place of the
 * next one in the Chinese page.
 */
export function docsExamples(file: string): ReadonlyMap<string, DocsElement> {
  const page = docsPage(file);
  return new Map(page.flatMap((node, index) => (node.kind === 'example' ? [[headingOf(page, index), node]] : [])));
}

const headingOf = (page: readonly DocsElement[], index: number): string =>
  page.slice(0, index).findLast(({ kind }) => kind === 'h2')?.value ?? '';

/** A command and the same in other languages, one behind the other, are one example. */
function joinExamples(page: readonly DocsElement[]): readonly DocsElement[] {
  const joined: DocsElement[] = [];
  for (const node of page) {
    const last = joined.at(-1);
    if (node.kind !== 'pre') joined.push(node);
    else if (last?.kind === 'example') joined[joined.length - 1] = { ...last, content: [...last.content, node] };
    else if (node.value === 'ts' && last?.kind === 'pre')
      joined[joined.length - 1] = { kind: 'example', content: [last, node] };
    else joined.push(node);
  }
  return joined;
}

const shownTokens = (file: string): readonly Token[] => lexer(readDocsPage(file).split(END)[0]!);

const blocks = (tokens: readonly Token[], file: string): readonly DocsNode[] =>
  tokens.flatMap((token) => block(token, file));

function block(token: Token, file: string): readonly DocsNode[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading':
      return [{ kind: `h${token.depth}`, value: slugOf(textOf(token)), content: inline(token, file) }];
    case 'paragraph':
      return [{ kind: 'p', content: inline(token, file) }];
    case 'text':
      return inline(token, file);
    case 'code':
      return [{ kind: 'pre', value: token.lang?.split(' ')[0], content: [token.text] }];
    case 'list': {
      const items = (token as Tokens.List).items.map((item) => ({ kind: 'li', content: blocks(item.tokens, file) }));
      return [{ kind: token.ordered ? 'ol' : 'ul', content: items }];
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      const row = (cells: readonly Tokens.TableCell[]): DocsElement => ({
        kind: 'tr',
        content: cells.map((cell) => ({ kind: 'td', content: inline(cell, file) })),
      });
      return [{ kind: 'table', content: [header, ...rows].map(row) }];
    }
    case 'html': {
      const part = PART.exec(token.raw)?.[1];
      if (part !== undefined) return [{ kind: 'part', value: part, content: [] }];
      if (/^<!-- (?!site:)/.test(token.raw)) return [];
    }
  }
  throw new Error(`${file}: the site cannot show ${token.raw}`);
}

const inline = ({ tokens = [] }: { readonly tokens?: readonly Token[] }, file: string): readonly DocsNode[] =>
  tokens.map((token) => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return token.text;
      case 'strong':
      case 'em':
        return { kind: token.type, content: inline(token, file) };
      case 'codespan':
        return { kind: 'code', content: [token.text] };
      case 'image': // the site shows the service itself
        return '';
      case 'link':
        return link(token as Tokens.Link, file);
    }
    throw new Error(`${file}: the site cannot show ${token.raw}`);
  });

/**
 * A link to a document that is not on the site is its text; one to a section that the site leaves out leads
 * to the page.
 */
function link(token: Tokens.Link, file: string): DocsElement {
  const content = inline(token, file);
  if (/^https?:/.test(token.href)) return { kind: 'a', value: token.href, content };
  const [path = '', anchor = ''] = decodeURIComponent(token.href).split('#');
  const target = path === '' ? file : join(dirname(file), path);
  const guide = /\/(?:docs|zh-CN)$/.test(dirname(target)) ? GUIDES.get(basename(target)) : undefined;
  const page = guide ?? (dirname(target) === dirname(file) ? SITE_DOCS.get(basename(target)) : undefined);
  if (page === undefined) return { kind: 'span', content };
  const headings = shownTokens(target)
    .filter(({ type }) => type === 'heading')
    .map(textOf);
  const section = headings.some((heading) => slugOf(heading) === anchor) ? `#${anchor}` : '';
  if (target === file && section === '') return { kind: 'span', content };
  return { kind: 'a', value: page + section, content: token.text === path ? [headings[0]!] : content };
}

/** Title and first sentence of a page. */
export function docsLead(file: string): { readonly title: string; readonly lead: string } {
  const [title, lead] = shownTokens(file)
    .filter(({ type }) => type === 'heading' || type === 'paragraph')
    .map(textOf);
  return {
    title: title!,
    lead: /^.*?[.:](?=\s|$)/s.exec(lead!)?.[0].replaceAll('\n', ' ').replace(/:$/, '.') ?? lead!,
  };
}

const textOf = (token: Token): string =>
  'tokens' in token && token.tokens ? token.tokens.map(textOf).join('') : 'text' in token ? token.text : '';

/** The id that GitHub gives a heading. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Tables of a page, shown or not: cells as written, by the text in code marks that their row begins with. */
export const docsTables = (file: string): readonly Readonly<Record<string, readonly string[]>>[] =>
  lexer(readDocsPage(file))
    .filter((token): token is Tokens.Table => token.type === 'table')
    .map(({ rows }) =>
      Object.fromEntries(
        rows.map(([first, ...cells]) => [first!.text.replaceAll('`', ''), cells.map(({ text }) => text)]),
      ),
    );
