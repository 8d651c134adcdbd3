import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { getTestContext } from 'node:test';
import { REQUIREMENTS } from './requirements.ts';

const KNOWN: ReadonlySet<string> = new Set(REQUIREMENTS.map(({ id }) => id));

/** One citation of a requirement by a test that has ended. */
export interface Citation {
  readonly id: string;
  /** Full name: its file, the suites it stands in, its title. */
  readonly test: string;
  readonly passed: boolean;
}

/**
 * Says inside a test which requirements it holds the service to; many can be one text of ids. A run of the
 * whole suite (scripts/test.mjs) names a folder in PULSE_TEST_RESULTS, and each citation is noted there when
 * its test has ended. It proves that a passed test cites the requirement, not that it asserts all of it.
 * @throws Error on an id that requirements.txt does not have, and outside a test
 */
export function covers(...named: readonly string[]): void {
  const ids = named.flatMap((words) => words.split(' '));
  for (const id of ids) if (!KNOWN.has(id)) throw new Error(`test/spec/requirements.txt has no requirement ${id}`);
  const context = getTestContext();
  if (context === undefined || !('after' in context)) throw new Error('covers() is called inside a test');
  const folder = process.env['PULSE_TEST_RESULTS'];
  if (folder === undefined) return;
  context.after(() => {
    const lines = ids.map((id) =>
      JSON.stringify({ id, test: context.fullName, passed: context.passed } satisfies Citation),
    );
    appendFileSync(join(folder, `citations-${process.pid}.ndjson`), `${lines.join('\n')}\n`);
  });
}
