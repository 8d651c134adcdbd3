import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isRecord } from '../../../core/check-row.ts';
import { readTime } from '../../../core/feeds/read-time.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Validators } from '../../../service/feed-ports.ts';
import type { PhoneFeed, PhoneFeedReader, PhoneFeedReading } from '../../../service/phone-feed.ts';
import { type Fetched, fetchFeed, Refused } from '../../feeds/fetch-feed.ts';
import { readBody } from '../../feeds/read-body.ts';
import { ReadingDeadline } from '../../feeds/reading-deadline.ts';

const READING_MS = 300_000;
const COMMITS_MS = 30_000;
const COMMITS_BYTES = 1024 * 1024;
const MANIFEST_BYTES = 4 * 1024 * 1024;

/** Reads phone lists from their publishers. */
export const publisherPhoneReader: PhoneFeedReader = {
  async read(feed, validators) {
    const fetched = await fetchFeed(feed.url, validators, optionsOf(feed.bounds.maxBytes, READING_MS));
    if (fetched.status === 'unchanged') return { status: 'unchanged' };
    return readingOf(feed, fetched.body, fetched.validators, async () => modifiedAt(fetched.validators) ?? (await commitTime(feed.commits)));
  },
};

/** Reads them from a mirror that serves them under their file names, with `manifest.json` next to them. */
export const webMirrorPhoneReader = (mirror: string): PhoneFeedReader => ({
  async read(feed, validators) {
    const base = mirror.replace(/\/*$/, '/');
    const { name, fetched } = await fetchFirst(base, feed, validators);
    if (fetched.status === 'unchanged') return { status: 'unchanged' };
    return readingOf(feed, fetched.body, fetched.validators, async () => (await manifestOf(base))(name) ?? modifiedAt(fetched.validators));
  },
});

/** Reads them from a mirror folder: a file of one of their names anywhere below it, `manifest.json` at its top. */
export const folderPhoneReader = (folder: string): PhoneFeedReader => ({
  async read(feed) {
    const names = new Set(feed.files.flatMap((file) => [file, `${file}.gz`]));
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find((entry) => entry.isFile() && names.has(entry.name));
    if (found === undefined) throw new Error('the mirror folder does not hold it');
    const path = join(found.parentPath, found.name);
    const manifest = join(folder, 'manifest.json');
    const published = existsSync(manifest) ? manifestTimes(readFileSync(manifest)) : () => undefined;
    return readingOf(feed, readFileSync(path), {}, async () => published(relative(folder, path)));
  },
});

const optionsOf = (maxBytes: number, ms: number) => ({ maxBytes, random: Math.random, deadline: new ReadingDeadline(ms) });

async function fetchFirst(base: string, feed: PhoneFeed, validators: Validators | undefined): Promise<{ readonly name: string; readonly fetched: Fetched }> {
  const options = optionsOf(feed.bounds.maxBytes, READING_MS);
  let refused: Refused | undefined;
  for (const name of feed.files.flatMap((file) => [file, `${file}.gz`])) {
    try {
      return { name, fetched: await fetchFeed(new URL(name, base).href, validators, options) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused ??= error;
    }
  }
  throw refused ?? new Error('no address');
}

async function readingOf(
  feed: PhoneFeed,
  raw: Uint8Array,
  validators: Validators,
  publisherTime: () => Promise<UnixMs | undefined>,
): Promise<PhoneFeedReading> {
  const body = readBody(raw, feed.bounds.maxBytes);
  const content = createHash('sha256').update(body).digest('base64url');
  const text = new TextDecoder().decode(body);
  const entries = feed.form === 'dates' ? datesOf(text) : numbersOf(text);
  const publishedAt = newestOf(entries) ?? (await publisherTime());
  return { status: 'fresh', content, entries, publishedAt, validators };
}

function datesOf(text: string): ReadonlyMap<string, string> {
  const list = jsonOf(text);
  if (!isRecord(list)) throw new Error('the body is not one JSON object of numbers and dates');
  const entries = Object.entries(list).filter((entry): entry is [string, string] => /^\d{4}-\d\d-\d\d$/.test(String(entry[1])));
  return new Map(entries.map(([digits, date]) => [`+${digits}`, date]));
}

/** Lines that are not a number in international form (a page instead of a list) do not count. */
const numbersOf = (text: string): ReadonlyMap<string, undefined> =>
  new Map(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^\+\d{7,17}$/.test(line))
      .map((line) => [line, undefined]),
  );

function newestOf(entries: ReadonlyMap<string, string | undefined>): UnixMs | undefined {
  let newest = '';
  for (const date of entries.values()) if (date !== undefined && date > newest) newest = date;
  return newest === '' ? undefined : readTime(`${newest}T00:00:00Z`);
}

/** Without the parser's message, which would quote the text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const modifiedAt = ({ lastModified }: Validators): UnixMs | undefined => (lastModified === undefined ? undefined : readTime(lastModified));

/** Time of the newest commit of the file. Undefined when it cannot be had: then the first reading of the content speaks. */
async function commitTime(url: string | undefined): Promise<UnixMs | undefined> {
  if (url === undefined) return undefined;
  try {
    const fetched = await fetchFeed(url, undefined, { ...optionsOf(COMMITS_BYTES, COMMITS_MS), attempts: 1 });
    const text = fetched.status === 'fresh' ? new TextDecoder().decode(fetched.body) : '';
    const updated = /<entry>[\s\S]*?<updated>([^<]+)<\/updated>/.exec(text)?.[1];
    return updated === undefined ? undefined : readTime(updated);
  } catch {
    return undefined;
  }
}

async function manifestOf(base: string): Promise<(name: string) => UnixMs | undefined> {
  try {
    const fetched = await fetchFeed(new URL('manifest.json', base).href, undefined, { ...optionsOf(MANIFEST_BYTES, COMMITS_MS), attempts: 1 });
    return fetched.status === 'fresh' ? manifestTimes(fetched.body) : () => undefined;
  } catch {
    return () => undefined;
  }
}

/** `{"files": {"<path>": {"published_at": T}}}`; a file is found by its path, else by its name, packed or not. */
function manifestTimes(body: Uint8Array): (path: string) => UnixMs | undefined {
  const manifest = jsonOf(new TextDecoder().decode(body));
  const files = isRecord(manifest) && isRecord(manifest.files) ? manifest.files : {};
  return (path) => {
    const entry = files[path] ?? files[Object.keys(files).find((name) => plainName(name) === plainName(path)) ?? ''];
    return isRecord(entry) && typeof entry.published_at === 'string' ? readTime(entry.published_at) : undefined;
  };
}

const plainName = (path: string): string => basename(path).replace(/\.gz$/, '');
