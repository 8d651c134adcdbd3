import { PAGES } from '../../contract/pages.ts';
import { Recent } from '../../core/kit/recent.ts';
import type { ConsoleLanguage } from '../../core/oauth/oauth-addresses.ts';
import type { SiteFile } from '../../service/site.ts';
import { textFile } from '../http/answer/send-file.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
const FILES_MAX = 200;

/** Excludes the language prefix. */
export const DOCS_PATHS: readonly string[] = [
  ...PAGES.visitor.filter((path) => path.startsWith('/docs')),
  ...PAGES.guides,
];

export const docsFileName = (path: string): string => `${path.slice('/docs/'.length) || 'overview'}.md`;
const FILE_NAMES: ReadonlySet<string> = new Set(DOCS_PATHS.map(docsFileName));

export interface DocsFiles {
  readonly page: (path: string, language: ConsoleLanguage, address: string) => SiteFile;
  readonly all: (address: string) => SiteFile;
}

/** @param isChinese whether docs/zh-CN/ has a file of this name */
export function docsFiles(read: (name: string) => string, isChinese: (name: string) => boolean): DocsFiles {
  const files = new Recent<string, SiteFile>(FILES_MAX);
  const cached = (key: string, make: () => string): SiteFile => {
    const known = files.get(key) ?? textFile(MARKDOWN, make());
    files.set(key, known);
    return known;
  };
  const text = (path: string, language: ConsoleLanguage, address: string): string => {
    const name = docsFileName(path);
    const english = read(name);
    const markdown = isChinese(name) ? withExamples(read(`zh-CN/${name}`), english) : sayEnglish(english);
    return forSite(
      (language === 'en' ? english : markdown).replace(OPERATIONS, () => read('interface.md')),
      `${address}${language === 'en' ? '/en' : ''}/docs/`,
      address,
    );
  };
  return {
    page: (path, language, address) => cached(`${language} ${path} ${address}`, () => text(path, language, address)),
    all: (address) =>
      cached(`all ${address}`, () => DOCS_PATHS.map((path) => text(path, 'en', address)).join('\n\n---\n\n')),
  };
}

/** Tells a reader of Chinese, below the title, why the page is English. */
const sayEnglish = (page: string): string => page.replace('\n', '\n\n本页没有中文版，以下为英文原文。\n');

/** The site writes the operations of the API here; their text is the interface. */
const OPERATIONS = '<!-- site: operations -->';

/** Consecutive code blocks, a command in several languages, are one example. */
const EXAMPLE = /```[^\n]*\n[\s\S]*?\n```(?:\s*```[^\n]*\n[\s\S]*?\n```)+/g;

/** A Chinese page takes the examples of the English one, in their order. */
function withExamples(chinese: string, english: string): string {
  const examples = english.match(EXAMPLE) ?? [];
  let next = 0;
  return chinese.replace(/<!-- site: example -->/g, () => examples[next++] ?? '');
}

/** Links lead to the Markdown of their page; a link to a file that is not on the site becomes its text. */
function forSite(markdown: string, docsUrl: string, address: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^[\]]+)\]\((?!https?:|#)([^()#\s]*)(#[^()\s]*)?\)/g, (_all, label, file, section = '') => {
      const name = file.replace(/^.*\//, '');
      return FILE_NAMES.has(name) ? `[${label}](${docsUrl}${name}${section})` : label;
    })
    .replace(/https:\/\/pulse\.example(?![.\w])|http:\/\/127\.0\.0\.1:8080/g, () => address);
}
