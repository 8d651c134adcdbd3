import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { parseAst } from 'vite';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { visitNodes } from './visit-nodes.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface FoundRegex {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** Returns every regular expression literal of the server, and the patterns of the catalogue. */
export function serverRegexes(): readonly FoundRegex[] {
  const literals = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.(?:test|contract|fixture|d)\.ts$/.test(file))
    .flatMap((file) => literalsOf(file));
  const patterns = CATALOGUE.flatMap(({ id, linkPattern }) =>
    linkPattern === undefined ? [] : [{ where: `catalogue, ${id}`, source: linkPattern, flags: '' }],
  );
  return [...literals, ...patterns];
}

/**
 * A literal begins with a slash behind one of these, as the formatter writes it; a division may too. Other
 * files need no syntax tree.
 */
const MAY_BEGIN = /[\s([{!]\/(?![/*])/;

function literalsOf(file: string): readonly FoundRegex[] {
  const found: FoundRegex[] = [];
  const text = readFileSync(resolve(ROOT, file), 'utf8');
  if (!MAY_BEGIN.test(text)) return found;
  visitNodes(parseAst(text, { lang: 'ts' }, file), ({ regex }) => {
    const { pattern, flags } = (regex ?? {}) as { readonly pattern?: string; readonly flags?: string };
    if (pattern !== undefined) found.push({ where: file, source: pattern, flags: flags ?? '' });
  });
  return found;
}

/** Returns the expressions that the rules build of parts when they are loaded, each once. */
export async function builtRegexes(): Promise<readonly FoundRegex[]> {
  const found = new Map<string, FoundRegex>();
  const Native = RegExp;
  globalThis.RegExp = new Proxy(Native, {
    construct(target, [text, flags]: [string | RegExp, string?]) {
      const built = new target(text, flags);
      found.set(built.source, { where: 'built', source: built.source, flags: built.flags });
      return built;
    },
  });
  try {
    for (const file of globSync('src/core/**/*.ts', { cwd: ROOT }))
      if (!/\.(?:test|fixture|d)\.ts$/.test(file) && readFileSync(resolve(ROOT, file), 'utf8').includes('new RegExp('))
        await import(`${resolve(ROOT, file)}?built`);
  } finally {
    globalThis.RegExp = Native;
  }
  return [...found.values()];
}

/**
 * A text that takes this processor time hangs. A linear expression takes milliseconds, a quadratic one of
 * 100,000 characters a thousand times as long.
 */
const HANG_MS = 400;
const LOOK_MS = 100;

/**
 * Runs each expression over texts that repeat its target and never end as it wants.
 * @returns those that do not come back
 */
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

function searchFrom(regexes: readonly FoundRegex[], from: number): Promise<number | undefined> {
  const at = new Int32Array(new SharedArrayBuffer(8));
  at[0] = -1;
  const worker = new Worker(new URL('./regex-pumps-worker.ts', import.meta.url), { workerData: { regexes, from, at } });
  return new Promise((resolve, reject) => {
    let seen = 0;
    let since = process.cpuUsage();
    const watch = setInterval(() => {
      const [now, text] = [Atomics.load(at, 0), Atomics.load(at, 1)];
      // The start of the thread is not a search.
      if (text !== seen || now < 0) since = process.cpuUsage();
      seen = text;
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
