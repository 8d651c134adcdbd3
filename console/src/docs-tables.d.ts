/** Tables of a page of docs/ (console/docs-pages.ts, `docsTables`). */
declare module '*.md?tables' {
  const tables: readonly Readonly<Record<string, readonly string[]>>[];
  export default tables;
}

/** Examples of a page of docs/ by the id of their heading (console/docs-pages.ts, `docsExamples`). */
declare module '*.md?examples' {
  const examples: Readonly<Record<string, import('../docs-pages.ts').DocsElement>>;
  export default examples;
}

/** The pages of docs/ that the site shows, by file, and the guides (console/vite.config.ts). */
declare module 'virtual:docs' {
  export const pages: Readonly<Record<string, () => Promise<{ readonly default: import('react').ComponentType }>>>;
  export const guides: readonly { readonly path: string; readonly title: string; readonly lead: string }[];
}

/** Chinese and Latin names of the cities of mainland China by GB/T 2260 code. */
declare module 'virtual:cities' {
  const cities: Readonly<Record<string, readonly [zh: string, latin: string]>>;
  export default cities;
}

/** Texts of the search (console/docs-search.ts): the pages in one language, and the guides. */
declare module 'virtual:docs-search/*' {
  const texts: readonly import('./pages/docs/search-docs.ts').DocsSection[];
  export default texts;
}
