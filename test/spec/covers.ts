import { REQUIREMENTS } from './requirements.ts';

const KNOWN: ReadonlySet<string> = new Set(REQUIREMENTS.map(({ id }) => id));

/** Says inside a test which requirements it holds the service to. The gate reads these calls from the sources; an unknown id fails the test at once. */
export function covers(...ids: readonly string[]): void {
  for (const id of ids) if (!KNOWN.has(id)) throw new Error(`test/spec/requirements.ts has no requirement ${id}`);
}
