import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { shippedTable } from '../src/adapters/layers/tables.ts';
import { cityNames, type DivisionTable } from '../src/core/place/divisions.ts';
import { CHINESE_GUIDES, docsExamples, docsLead, docsPage, docsTables, GUIDES, SITE_DOCS } from './docs-pages.ts';
import { searchTexts } from './docs-search.ts';

const DOCS = join(import.meta.dirname, '../docs');

/** The styles of the components in use and of those they are made of, in the order of the whole: a third of it. */
const STYLES =
  'baseline default-css-variables global ScrollArea UnstyledButton VisuallyHidden Paper Overlay Loader ActionIcon CloseButton Group ModalBase Input InlineInput Alert Text Anchor Checkbox Badge Burger Button Container Divider Drawer List Modal NumberInput Pagination PasswordInput Progress SimpleGrid Skeleton Slider Stack Switch Table Tabs Title';
const mantineStyles = (): string =>
  STYLES.split(' ')
    .map((name) => readFileSync(join(import.meta.dirname, `../node_modules/@mantine/core/styles/${name}.css`), 'utf8'))
    .join('\n');

/** Further modules: the pages to load and the guides, the texts of the search, and names of cities by GB/T 2260 code. */
const MADE: Readonly<Record<string, () => string>> = {
  'virtual:mantine.css': mantineStyles,
  'virtual:docs': () => {
    const chinese = [...SITE_DOCS.keys(), ...CHINESE_GUIDES].map((name) => `zh-CN/${name}`);
    const files = [...SITE_DOCS.keys(), ...GUIDES.keys(), ...chinese];
    const guides = [...GUIDES].map(([name, path]) => ({ path, ...docsLead(join(DOCS, name)) }));
    const load = (name: string): string => `${JSON.stringify(name)}: () => import(${JSON.stringify(join(DOCS, name))})`;
    return `export const pages = { ${files.map(load).join(', ')} }; export const guides = ${JSON.stringify(guides)}`;
  },
  'virtual:cities': () =>
    `export default ${JSON.stringify(Object.fromEntries(cityNames(shippedTable<DivisionTable>('gb2260'))))}`,
  'virtual:docs-search/en': () => `export default ${JSON.stringify(searchTexts(DOCS, 'en'))}`,
  'virtual:docs-search/zh': () => `export default ${JSON.stringify(searchTexts(DOCS, 'zh'))}`,
  'virtual:docs-search/guides': () => `export default ${JSON.stringify(searchTexts(DOCS, 'guides'))}`,
};

/** `x.md` is the component of a page of docs/, `x.md?tables` its tables as data and `x.md?examples` its examples. */
const docs: Plugin = {
  name: 'docs',
  enforce: 'pre',
  resolveId: (id) => (id in MADE ? `\0${id}` : null),
  load(id) {
    if (id.startsWith('\0virtual:')) return MADE[id.slice(1)]!();
    const [file = '', query] = id.split('?');
    if (!file.endsWith('.md')) return null;
    this.addWatchFile(file);
    if (query === 'examples') return `export default ${JSON.stringify(Object.fromEntries(docsExamples(file)))}`;
    if (query === 'tables') return `export default ${JSON.stringify(docsTables(file))}`;
    return `import { docsComponent } from '/src/pages/docs/docs-component.tsx'; export default docsComponent(${JSON.stringify(docsPage(file))})`;
  },
};

/**
 * The site is built into console/dist with hashed names; the service itself serves it. No script, style or
 * font comes from another host.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [docs, react()],
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: false,
    // A strict content security policy forbids inline script and data: fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A page of forty small files waits for forty answers: the first load is one, and what pages share a few.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'site', tags: ['$initial'] },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 12_000 },
          ],
        },
      },
    },
  },
});
