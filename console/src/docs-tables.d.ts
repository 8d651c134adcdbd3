/** Tables of a page of docs/ (console/docs-pages.ts, `docsTables`). */
declare module '*.md?tables' {
  const tables: readonly Readonly<Record<string, readonly string[]>>[];
  export default tables;
}
