import { execFileSync } from 'node:child_process';
import { feedForRepository } from '../../src/adapters/feeds/catalogue.ts';
import type { CaptureBatch } from '../../src/core/evidence/observation.ts';
import { evidenceSourceOf } from '../../src/core/feeds/feed.ts';
import { parseFeed } from '../../src/core/feeds/parse-feed.ts';
import { formatPrefix } from '../../src/core/ip/format-address.ts';
import { prefixesOf } from './judge.ts';

const MAX_BYTES = 1 << 30;

export interface CloneOptions {
  /** Folder of a git clone. */
  readonly clone: string;
  /** `https://github.com/owner/name`: where it was cloned from. */
  readonly repo: string;
  /** The list inside the repository. */
  readonly path: string;
  /** Bounds on the commits, as `git log` takes them. */
  readonly since?: string;
  readonly until?: string;
}

/**
 * The feedlog of a list that its publisher keeps in git: one line per commit, dated by the commit, read with the list's own parser.
 * @returns lines, the header first
 * @throws Error when the catalogue has no such list about addresses, or when git fails
 */
export function* feedlogOfClone({ clone, repo, path, since, until }: CloneOptions): Generator<string> {
  const feed = feedForRepository(repo, path);
  const source = feed === undefined ? undefined : evidenceSourceOf(feed);
  if (feed === undefined || source?.riskType === undefined)
    throw new Error(`the catalogue has no evidence list ${path} of ${repo}`);
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-C', clone, ...args], { maxBuffer: MAX_BYTES });
  const bounds = [
    ...(since === undefined ? [] : [`--since=${since}`]),
    ...(until === undefined ? [] : [`--until=${until}`]),
  ];
  const commits = git('log', '--reverse', '--diff-filter=AM', '--format=%H %ct', ...bounds, '--', path)
    .toString()
    .trim()
    .split('\n')
    .filter(Boolean);
  yield JSON.stringify({ format: 'feedlog/1', repo, path, versions: commits.length });
  let before: ReadonlySet<string> | undefined;
  for (const commit of commits) {
    const [hash, seconds] = commit.split(' ');
    const { batch } = parseFeed(git('show', `${hash}:${path}`), feed.format, { riskType: source.riskType });
    const entries = entriesOf(batch);
    yield JSON.stringify({ t: new Date(Number(seconds) * 1000).toISOString(), ...changeOf(before, entries) });
    before = entries;
  }
}

const entriesOf = (batch: CaptureBatch): ReadonlySet<string> => new Set([...prefixesOf(batch)].map(formatPrefix));

function changeOf(before: ReadonlySet<string> | undefined, after: ReadonlySet<string>) {
  if (before === undefined) return { full: [...after] };
  const add = [...after].filter((entry) => !before.has(entry));
  const del = [...before].filter((entry) => !after.has(entry));
  return { ...(add.length > 0 ? { add } : {}), ...(del.length > 0 ? { del } : {}) };
}
