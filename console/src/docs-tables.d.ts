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
