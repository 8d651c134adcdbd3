import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { docsExamples, docsLead, docsPage, docsTables } from './docs-pages.ts';

/** `x.md` is the component of a page of docs/, `x.md?tables` its tables as data, `x.md?examples` its examples, `x.md?lead` its title and first sentence. */
const docs: Plugin = {
  name: 'docs',
  enforce: 'pre',
  load(id) {
    const [file = '', query] = id.split('?');
    if (!file.endsWith('.md')) return null;
    this.addWatchFile(file);
    if (query === 'lead') return `export default ${JSON.stringify(docsLead(file))}`;
    if (query === 'examples') return `export default ${JSON.stringify(Object.fromEntries(docsExamples(file)))}`;
    if (query === 'tables') return `export default ${JSON.stringify(docsTables(file))}`;
    return `import { docsComponent } from '/src/pages/docs/docs-component.tsx'; export default docsComponent(${JSON.stringify(docsPage(file))})`;
  },
};

/** The site is built into console/dist with hashed names; the service itself serves it. No script, style or font comes from another host. */
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
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
