import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readDocsPage } from '../../adapters/feeds/feeds-page.ts';
import { type DocsFiles, docsFiles } from '../../apps/site/docs-files.ts';

const FOLDER = resolve(import.meta.dirname, '../../../docs');

export const scorePage =
  (docs: DocsFiles) =>
  (address: string): string =>
    docs.page('/docs/score', 'en', address).bytes.toString();

export const openDocs = (): DocsFiles =>
  docsFiles(
    (name) => readDocsPage(join(FOLDER, name)),
    (name) => existsSync(join(FOLDER, 'zh-CN', name)),
  );
