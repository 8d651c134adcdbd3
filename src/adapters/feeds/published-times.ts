import { basename, join } from 'node:path';
import { mayBeTime, readTime } from '../../core/feeds/read-time.ts';
import { isRecord, parseJson } from '../../core/kit/json.ts';
import { plainText } from '../../core/logs/plain-text.ts';
import { type Fault, fault } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Validators } from '../../service/feeds/feed-ports.ts';
import { readOptionalFile } from '../system/files.ts';
import { unpackedName } from '../system/map-file.ts';
import { type FetchOptions, fetchFeed, Refused } from './fetch-feed.ts';

export const MANIFEST = 'manifest.json';

const MANIFEST_BYTES = 4 * 1024 * 1024;
const MANIFEST_MS = 30_000;

/**
 * Gives the publisher's time for a file of the mirror; undefined where the manifest has none. An unreadable
 * manifest is a fault of its files: their age is unknown.
 */
export type PublishedTimes = (path: string) => UnixMs | Fault | undefined;

export function requireTime(published: UnixMs | Error | undefined): UnixMs | undefined {
  if (published instanceof Error) throw published;
  return published;
}

export function serverTime({ lastModified }: Validators): UnixMs | undefined {
  if (lastModified === undefined) return undefined;
  const at = readTime(lastModified);
  if (at === undefined)
    throw fault('its server gives a time that cannot be read: {time}', { time: lastModified.slice(0, 100) });
  return at;
}

const SILENT: PublishedTimes = () => undefined;

/**
 * Reads `{"files": {"<path>": {"published_at": T}}}`; a file is found by its path, else by its name, packed
 * or not.
 */
function manifestTimes(body: Uint8Array): PublishedTimes {
  const manifest = parseJson(new TextDecoder().decode(plainText(body)));
  if (!isRecord(manifest)) return () => fault('{file} is not a JSON object', { file: MANIFEST });
  const { files = {} } = manifest;
  if (!isRecord(files)) return () => fault('{file}: files is not a JSON object', { file: MANIFEST });
  const byName = new Map(Object.entries(files).map(([path, entry]) => [plainName(path), entry]));
  return (path) => {
    const entry = Object.hasOwn(files, path) ? files[path] : byName.get(plainName(path));
    return entry === undefined ? undefined : publishedOf(path, entry);
  };
}

const OWN_TIMES = /^(?:fetch|download|retriev|check|sync|read|mirror)/i;

function publishedOf(path: string, entry: unknown): UnixMs | Fault | undefined {
  if (!isRecord(entry)) return unread(path, entry);
  const { published_at: stated } = entry;
  if (stated === undefined || stated === null) {
    const other = Object.entries(entry).find(([name, value]) => !OWN_TIMES.test(name) && mayBeTime(String(value)));
    return other && unread(path, { [other[0]]: other[1] });
  }
  const at = typeof stated === 'string' || typeof stated === 'number' ? readTime(String(stated)) : undefined;
  return at ?? unread(path, stated);
}

const unread = (path: string, value: unknown): Fault =>
  fault('{file}: published_at of {path} is not a time: {value}', {
    file: MANIFEST,
    path,
    value: JSON.stringify(value).slice(0, 100),
  });

export function folderManifest(folder: string): PublishedTimes {
  const manifest = readOptionalFile(join(folder, MANIFEST));
  return manifest === undefined ? SILENT : manifestTimes(manifest);
}

/**
 * A mirror over the network without a manifest gives no times.
 * @param base address of the mirror, ending in a slash
 * @throws Error for a manifest that cannot be read now
 */
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
    return fetched.status === 'fresh' ? manifestTimes(fetched.body) : SILENT;
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.status === 410)) return SILENT;
    throw fault('{file}: {why}', { file: MANIFEST, why: (error as Error).message });
  }
}

const plainName = (path: string): string => unpackedName(basename(path));
