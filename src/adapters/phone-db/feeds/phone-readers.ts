import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readTime } from '../../../core/feeds/read-time.ts';
import { isRecord, parseJson } from '../../../core/kit/json.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Validators } from '../../../service/feeds/feed-ports.ts';
import type { PhoneFeed, PhoneFeedReader, PhoneFeedReading } from '../../../service/phone/phone-feed.ts';
import { commitTime } from '../../feeds/commit-time.ts';
import { type FetchResult, fetchFeed, Refused } from '../../feeds/fetch-feed.ts';
import { folderManifest, requireTime, serverTime, webManifest } from '../../feeds/published-times.ts';
import { ReadingDeadline } from '../../feeds/reading-deadline.ts';
import { packedNames } from '../../system/map-file.ts';
import { readBody } from '../../system/read-body.ts';

const READING_MS = 300_000;
const COMMITS_MS = 30_000;

export const publisherPhoneReader: PhoneFeedReader = {
  async read(feed, validators) {
    const fetched = await fetchFeed(feed.url, validators, optionsOf(feed.bounds.maxBytes, READING_MS));
    if (fetched.status === 'unchanged') return { status: 'unchanged' };
    return readingOf(
      feed,
      fetched.body,
      fetched.validators,
      async () =>
        serverTime(fetched.validators) ?? (await commitTime(feed.commits, undefined, optionsOf(0, COMMITS_MS)))?.at,
    );
  },
};

export const webMirrorPhoneReader = (mirror: string): PhoneFeedReader => ({
  async read(feed, validators) {
    const base = mirror.replace(/\/*$/, '/');
    const { name, fetched } = await fetchFirst(base, feed, validators);
    if (fetched.status === 'unchanged') return { status: 'unchanged' };
    return readingOf(
      feed,
      fetched.body,
      fetched.validators,
      async () =>
        requireTime((await webManifest(base, optionsOf(0, COMMITS_MS)))(name)) ?? serverTime(fetched.validators),
    );
  },
});

export const folderPhoneReader = (folder: string): PhoneFeedReader => ({
  async read(feed) {
    const names = new Set(feed.files.flatMap(packedNames));
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
      (entry) => entry.isFile() && names.has(entry.name),
    );
    if (found === undefined) throw new Error('the mirror folder does not hold it');
    const path = join(found.parentPath, found.name);
    return readingOf(feed, readFileSync(path), {}, async () =>
      requireTime(folderManifest(folder)(relative(folder, path))),
    );
  },
});

const optionsOf = (maxBytes: number, ms: number) => ({
  maxBytes,
  random: Math.random,
  deadline: new ReadingDeadline(ms),
});

async function fetchFirst(
  base: string,
  feed: PhoneFeed,
  validators: Validators | undefined,
): Promise<{ readonly name: string; readonly fetched: FetchResult }> {
  const options = optionsOf(feed.bounds.maxBytes, READING_MS);
  let refused: Refused | undefined;
  for (const name of feed.files.flatMap(packedNames)) {
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
  const list = parseJson(text);
  if (!isRecord(list)) throw new Error('the body is not one JSON object of numbers and dates');
  const entries = Object.entries(list).filter((entry): entry is [string, string] =>
    /^\d{4}-\d\d-\d\d$/.test(String(entry[1])),
  );
  return new Map(entries.map(([digits, date]) => [`+${digits}`, date]));
}

/** Skips lines that are not a number in international form, for example those of an error page. */
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
