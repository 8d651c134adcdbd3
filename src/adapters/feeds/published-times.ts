import { basename, join } from 'node:path';
import { readTime } from '../../core/feeds/read-time.ts';
import { isRecord, parseJson } from '../../core/kit/json.ts';
import type { UnixMs } from '../../core/units.ts';
import { readIfThere } from '../system/read-if-there.ts';
import { type FetchOptions, fetchFeed } from './fetch-feed.ts';

/** Name of a mirror's manifest, at the top of it. */
export const MANIFEST = 'manifest.json';

const MANIFEST_BYTES = 4 * 1024 * 1024;
const MANIFEST_MS = 30_000;

/** When the publisher published the content of a file of the mirror; undefined where the manifest does not say. */
export type PublishedTimes = (path: string) => UnixMs | undefined;

/** Reads `{"files": {"<path>": {"published_at": T}}}`; a file is found by its path, else by its name, packed or not. Damaged text says nothing. */
function manifestTimes(body: Uint8Array): PublishedTimes {
  const manifest = parseJson(new TextDecoder().decode(body));
  const files = isRecord(manifest) && isRecord(manifest.files) ? manifest.files : {};
  const byName = new Map(Object.entries(files).map(([path, entry]) => [plainName(path), entry]));
  return (path) => {
    const entry = files[path] ?? byName.get(plainName(path));
    return isRecord(entry) && typeof entry.published_at === 'string' ? readTime(entry.published_at) : undefined;
  };
}

/** Of a mirror folder. */
export function folderManifest(folder: string): PublishedTimes {
  const manifest = readIfThere(join(folder, MANIFEST));
  return manifest === undefined ? () => undefined : manifestTimes(manifest);
}

/** Of a mirror that is asked over the network; one that cannot be had says nothing. @param base address of the mirror, ending in a slash */
export async function webManifest(
  base: string,
  options: Pick<FetchOptions, 'deadline' | 'random'>,
): Promise<PublishedTimes> {
  try {
    const fetched = await fetchFeed(new URL(MANIFEST, base).href, undefined, {
      ...options,
      maxBytes: MANIFEST_BYTES,
      timeoutMs: MANIFEST_MS,
      attempts: 1,
    });
    return fetched.status === 'fresh' ? manifestTimes(fetched.body) : () => undefined;
  } catch {
    return () => undefined;
  }
}

const plainName = (path: string): string => basename(path).replace(/\.gz$/, '');
