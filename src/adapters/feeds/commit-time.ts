import { readTime } from '../../core/feeds/read-time.ts';
import type { UnixMs } from '../../core/units.ts';
import { GITHUB } from './catalogue.ts';
import { type FetchOptions, fetchFeed } from './fetch-feed.ts';

const COMMITS_BYTES = 1024 * 1024;
const COMMITS_MS = 30_000;

export interface KnownCommit {
  readonly at: UnixMs;
  readonly etag?: string;
}

/** GitHub publishes the commits of a file as an Atom feed that needs no token; undefined for other hosts. */
export function commitFeedOf(url: string): string | undefined {
  if (!url.startsWith(`${GITHUB}/`)) return undefined;
  const [owner, repository, branch, ...path] = url.slice(GITHUB.length + 1).split('/');
  return `https://github.com/${owner}/${repository}/commits/${branch}/${path.join('/')}.atom`;
}

/** Undefined when the time cannot be read; the first reading then dates the content. */
export async function commitTime(
  url: string | undefined,
  known: KnownCommit | undefined,
  options: Pick<FetchOptions, 'deadline' | 'random'>,
): Promise<KnownCommit | undefined> {
  if (url === undefined) return undefined;
  try {
    const validators = known?.etag === undefined ? undefined : { etag: known.etag };
    const fetched = await fetchFeed(url, validators, {
      ...options,
      maxBytes: COMMITS_BYTES,
      timeoutMs: COMMITS_MS,
      attempts: 1,
    });
    if (fetched.status === 'unchanged') return known;
    const at = newestEntry(new TextDecoder().decode(fetched.body));
    const { etag } = fetched.validators;
    return at === undefined ? undefined : { at, ...(etag === undefined ? {} : { etag }) };
  } catch {
    return undefined;
  }
}

/** RFC 4287: entries come newest first; the feed's own `updated` stands before them. */
function newestEntry(atom: string): UnixMs | undefined {
  const updated = /<entry>[\s\S]*?<updated>([^<]+)<\/updated>/.exec(atom)?.[1];
  return updated === undefined ? undefined : readTime(updated);
}
