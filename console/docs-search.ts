import { join } from 'node:path';
import { openApiDocument } from '../src/apps/http/openapi/document.ts';
import { CHINESE_GUIDES, type DocsNode, docsPage, docsTables, GUIDES, SITE_DOCS } from './docs-pages.ts';
import { fieldsOf, type OpenApi } from './src/pages/docs/openapi.ts';
import type { DocsSection } from './src/pages/docs/search-docs.ts';

/**
 * Texts that the search of the docs looks through: the pages in one language, or the guides. Code of the
 * examples is left out.
 */
export const searchTexts = (docs: string, what: 'en' | 'zh' | 'guides'): readonly DocsSection[] =>
  pagesOf(what).flatMap(([name, path]) => sectionsOf(join(docs, what === 'zh' ? 'zh-CN' : '', name), path));

function pagesOf(what: 'en' | 'zh' | 'guides'): readonly (readonly [name: string, path: string])[] {
  const chinese = [...GUIDES].filter(([name]) => CHINESE_GUIDES.includes(name));
  return what === 'guides' ? [...GUIDES] : [...SITE_DOCS, ...(what === 'zh' ? chinese : [])];
}

function sectionsOf(file: string, path: string): readonly DocsSection[] {
  const sections: DocsSection[] = [];
  let title = '';
  for (const node of docsPage(file)) {
    const last = sections.at(-1);
    if (node.kind === 'h1') title = textOf(node);
    if (/^h\d$/.test(node.kind))
      sections.push({ path, title, heading: textOf(node), id: node.kind === 'h1' ? '' : (node.value ?? ''), text: '' });
    else if (node.kind === 'part' && node.value === 'operations') sections.push(...operations(file, path, title));
    else if (last !== undefined && node.kind !== 'example')
      sections[sections.length - 1] = { ...last, text: `${last.text} ${textOf(node)}`.trim() };
  }
  return sections;
}

const textOf = (node: DocsNode): string =>
  typeof node === 'string'
    ? node
    : node.content.map(textOf).join('') + (['td', 'li', 'p', 'pre'].includes(node.kind) ? ' ' : '');

/** A section for each operation of the reference, which the page itself draws from openapi.json. */
function operations(file: string, path: string, title: string): readonly DocsSection[] {
  const document = openApiDocument('') as unknown as OpenApi;
  const [names = {}, , fields = {}] = file.includes('zh-CN') ? docsTables(file) : [];
  return Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary = '', description = '', responses }]) => {
      const schema = (responses['200'] ?? responses['202'])?.content?.['application/json']?.schema;
      const answer = schema === undefined ? [] : fieldsOf(document, schema);
      const [name = summary, text = description] = names[operationId] ?? [];
      const meanings = answer.map((field) => `${field.path} ${fields[field.name]?.[0] ?? field.description ?? ''}`);
      const whole = [method.toUpperCase(), url, text, ...meanings].join(' ');
      return { path, title, heading: name, id: operationId, text: whole };
    }),
  );
}
