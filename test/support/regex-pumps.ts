import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { parseAst } from 'vite';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { visitNodes } from './visit-nodes.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A regular expression of the program, and where it stands. */
export interface FoundRegex {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression literal of the server, and the patterns of the catalogue. */
export function serverRegexes(): readonly FoundRegex[] {
  const literals = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.(?:test|contract|fixture|d)\.ts$/.test(file))
    .flatMap((file) => literalsOf(file));
  const patterns = CATALOGUE.flatMap(({ id, linkPattern }) =>
    linkPattern === undefined ? [] : [{ where: `catalogue, ${id}`, source: linkPattern, flags: '' }],
  );
  return [...literals, ...patterns];
}

function literalsOf(file: string): readonly FoundRegex[] {
  const found: FoundRegex[] = [];
  visitNodes(parseAst(readFileSync(resolve(ROOT, file), 'utf8'), { lang: 'ts' }, file), ({ regex }) => {
    const { pattern, flags } = (regex ?? {}) as { readonly pattern?: string; readonly flags?: string };
    if (pattern !== undefined) found.push({ where: file, source: pattern, flags: flags ?? '' });
  });
  return found;
}

/**
 * Processor time at one expression that counts as hanging. All texts of a linear one take milliseconds; one text of 200,000 characters takes a quadratic one a
 * thousand times as long.
 */
const HANG_MS = 1_000;
const LOOK_MS = 250;

/** Runs each expression over texts that repeat its target, and never end as it wants. @returns those that do not come back */
export async function slowRegexes(regexes: readonly FoundRegex[]): Promise<readonly FoundRegex[]> {
  const slow: FoundRegex[] = [];
  for (let next = 0; next < regexes.length; ) {
    const stopped = await searchFrom(regexes, next);
    if (stopped === undefined) break;
    slow.push(regexes[stopped]!);
    next = stopped + 1;
  }
  return slow;
}

/** @returns the number of the first that hangs */
function searchFrom(regexes: readonly FoundRegex[], from: number): Promise<number | undefined> {
  const at = new Int32Array(new SharedArrayBuffer(4));
  at[0] = -1;
  const worker = new Worker(new URL('./regex-pumps-worker.ts', import.meta.url), { workerData: { regexes, from, at } });
  return new Promise((resolve, reject) => {
    let seen = -1;
    let since = process.cpuUsage();
    const watch = setInterval(() => {
      const now = Atomics.load(at, 0);
      // The start of the thread is not a search.
      if (now !== seen || now < 0) since = process.cpuUsage();
      seen = now;
      if (now >= regexes.length || process.cpuUsage(since).user < HANG_MS * 1000) return;
      clearInterval(watch);
      void worker.terminate().then(() => resolve(now));
    }, LOOK_MS);
    worker.on('error', reject);
    worker.on('exit', (code) => {
      clearInterval(watch);
      if (code === 0) resolve(undefined);
    });
  });
}
