import type { Citation } from './covers.ts';
import type { Requirement } from './requirements.ts';

/** A test that was skipped. */
export interface Skip {
  readonly file: string;
  readonly test: string;
  readonly reason: string;
}

/** Leftovers of a run of the whole suite. */
export interface CoverageRun {
  readonly citations: readonly Citation[];
  readonly skips: readonly Skip[];
  /** Files whose source cites a requirement, by id; a skipped test leaves no citation of its own. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
}

export interface Coverage {
  /** Reasons of a failed run, one sentence each. */
  readonly faults: readonly string[];
  /** Requirements this machine could not check, because a program is missing here. */
  readonly excused: readonly string[];
}

/** Skips that excuse a requirement: a program that the test needs is not on this machine. */
const MISSING_PROGRAM = /^(PostgreSQL|Redis|Chromium) is not installed/;

/** Judges each requirement by the tests that cite it: one of them must have passed. */
export function judgeCoverage(requirements: readonly Requirement[], run: CoverageRun): Coverage {
  const passed = new Set(run.citations.filter((citation) => citation.passed).map(({ id }) => id));
  const faults: string[] = [];
  const excused: string[] = [];
  for (const { id, text } of requirements.filter((requirement) => !passed.has(requirement.id))) {
    const files = run.sources.get(id) ?? [];
    const skips = run.skips.filter(({ file }) => files.includes(file));
    const failed = run.citations.find((citation) => citation.id === id);
    const missing = skips.find(({ reason }) => MISSING_PROGRAM.test(reason));
    if (files.length === 0) faults.push(`${id} is cited by no test: ${text}`);
    else if (failed !== undefined)
      faults.push(`${id} is cited only by tests that failed, or by a suite of tests: ${failed.test}`);
    else if (missing !== undefined) excused.push(`${id} was not checked, ${missing.reason} (${missing.file})`);
    else
      faults.push(
        `${id} is cited only by tests that were skipped or did not run: ${[...files, ...skips.map(({ reason }) => reason)].join(', ')}`,
      );
  }
  return { faults, excused };
}
