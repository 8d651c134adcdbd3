import { readFileSync } from 'node:fs';
import type { Feed, ParsedFeed } from '../../core/feeds/feed.ts';
import { parseFeed, rowOptionsOf } from '../../core/feeds/parse-feed.ts';
import { hostNamesIn } from '../../core/feeds/parse-json-feed.ts';
import { recentEvents } from '../../core/feeds/parse-misp.ts';
import { fault, said } from '../../core/texts/said.ts';
import type { FeedReading, Validators } from '../../service/feeds/feed-ports.ts';
import type { AddressesOf } from '../http-client/pinned-hosts.ts';
import { readBody } from '../system/read-body.ts';
import { BodyFiles, markOf } from './body-files.ts';
import { commitTime } from './commit-time.ts';
import { type FetchOptions, type FetchResult, fetchFeed, Refused } from './fetch-feed.ts';
import { requireTime, serverTime, webManifest } from './published-times.ts';
import { ReadingDeadline } from './reading-deadline.ts';
import { resolveHosts } from './resolve-hosts.ts';

/**
 * A list of many files fits, or one attempt at the slowest list and another; a publisher that hangs longer is
 * given up.
 */
const READING_MS = 300_000;

export type ReadRequest =
  | {
      readonly from: 'web';
      readonly feed: Feed;
      readonly urls: readonly string[];
      readonly validators: Validators | undefined;
      readonly bodies: string;
      /**
       * This mirror, whose address ends in a slash, is asked instead of the publisher: its manifest says when
       * files were published.
       */
      readonly mirror?: string;
      readonly commits?: string;
      readonly pauseMs?: number;
      readonly deadlineMs?: number;
      /** The name service of a feed's host names; left out: that of the system. */
      readonly addressesOf?: AddressesOf;
    }
  | { readonly from: 'file'; readonly feed: Feed; readonly path: string };

export async function readFeed(request: ReadRequest): Promise<FeedReading> {
  return request.from === 'file' ? readFile(request.feed, request.path) : readWeb(request);
}

function readFile(feed: Feed, path: string): FeedReading {
  const received = readFileSync(path);
  const body = readBody(received, feed.bounds.maxBytes);
  const parsed = parse(feed, body);
  return {
    status: 'fresh',
    body: received,
    parsed,
    bytes: body.length,
    content: digestOf(body),
    publishedAt: parsed.publishedAt,
    live: false,
    validators: {},
  };
}

const digestOf = (body: Uint8Array): string => markOf(body).sha256;

const parse = (feed: Feed, body: Uint8Array): ParsedFeed => parseFeed(body, feed.format, rowOptionsOf(feed));

async function readWeb(request: WebRequest): Promise<FeedReading> {
  const { feed } = request;
  const bodies = new BodyFiles(request.bodies);
  const kept = bodies.read(feed.id, request.validators?.body);
  const deadline = new ReadingDeadline(request.deadlineMs ?? READING_MS);
  const { url, fetched } = await fetchFirst(request, kept === undefined ? undefined : request.validators, deadline);
  const live = feed.clock === 'live' && request.mirror === undefined;
  if (fetched.status === 'unchanged') {
    if (kept === undefined) throw fault('"not modified" answered an unconditional request');
    return { ...readKept(feed, kept, fetched.validators, bodies), live };
  }
  const mark = markOf(fetched.body);
  const reading = readingOf(feed, fetched.body, { ...fetched.validators, body: mark });
  const dated =
    mark.sha256 === request.validators?.body?.sha256
      ? keepCommit(reading, request)
      : await dateReading(reading, request, url, deadline);
  return { status: 'fresh', ...dated, live };
}

interface ReadOptions extends FetchOptions {
  readonly addressesOf?: AddressesOf;
}

type UndatedReading = Omit<FeedReading, 'status' | 'live'>;
type WebRequest = Extract<ReadRequest, { from: 'web' }>;

function keepCommit(reading: UndatedReading, { validators }: WebRequest): UndatedReading {
  return validators?.commit === undefined
    ? reading
    : { ...reading, validators: { ...reading.validators, commit: validators.commit } };
}

/**
 * New content is dated by its own statement, else by the mirror's manifest or the publisher's server, else by
 * the last commit of the file.
 */
async function dateReading(
  reading: UndatedReading,
  request: WebRequest,
  url: string,
  deadline: ReadingDeadline,
): Promise<UndatedReading> {
  if (reading.parsed.publishedAt !== undefined) return reading;
  const options = { random: Math.random, deadline };
  if (request.mirror !== undefined) {
    const published = requireTime((await webManifest(request.mirror, options))(url.slice(request.mirror.length)));
    return { ...reading, publishedAt: published ?? reading.publishedAt };
  }
  if (reading.publishedAt !== undefined) return reading;
  const commit = await commitTime(request.commits, request.validators?.commit, options);
  return commit === undefined
    ? reading
    : { ...reading, publishedAt: commit.at, validators: { ...reading.validators, commit } };
}

/** A kept body that can no longer be read (its parser has changed) is fetched again at the next reading. */
function readKept(feed: Feed, kept: Uint8Array, validators: Validators, bodies: BodyFiles): Omit<FeedReading, 'live'> {
  try {
    return { status: 'unchanged', ...readingOf(feed, kept, validators) };
  } catch (error) {
    bodies.discard(feed.id);
    throw error;
  }
}

function readingOf(feed: Feed, raw: Uint8Array, validators: Validators): UndatedReading {
  const body = readBody(raw, feed.bounds.maxBytes);
  const parsed = parse(feed, body);
  return {
    body: raw,
    parsed,
    bytes: body.length,
    content: digestOf(body),
    publishedAt: parsed.publishedAt ?? serverTime(validators),
    validators,
  };
}

/** Takes the first address that has the list. A host that does not answer is not asked again. */
async function fetchFirst(
  request: WebRequest,
  validators: Validators | undefined,
  deadline: ReadingDeadline,
): Promise<{ readonly url: string; readonly fetched: FetchResult }> {
  const { feed, urls, pauseMs } = request;
  const options = {
    maxBytes: feed.bounds.maxBytes,
    random: Math.random,
    deadline,
    ...(pauseMs === undefined ? {} : { pauseMs }),
    ...(request.addressesOf === undefined ? {} : { addressesOf: request.addressesOf }),
  };
  const refusals: Refused[] = [];
  for (const url of urls) {
    try {
      return { url, fetched: await fetchAt(url, feed, validators, options) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusals.push(error);
    }
  }
  throw causeOf(refusals);
}

async function fetchAt(
  url: string,
  feed: Feed,
  validators: Validators | undefined,
  options: ReadOptions,
): Promise<FetchResult> {
  const target =
    feed.linkPattern === undefined || url !== feed.url ? url : await followLink(url, feed.linkPattern, options);
  if (feed.hostNames !== undefined && url === feed.url) return fetchHosts(url, feed, options);
  const fetched = await fetchFeed(target, validators, options);
  const isManifest = feed.manifestEvents !== undefined && url === feed.url && fetched.status === 'fresh';
  return isManifest ? { ...fetched, body: await fetchEvents(url, fetched.body, feed, options) } : fetched;
}

/** A missing name explains nothing while another was refused for a reason of its own. */
function causeOf(refusals: readonly Refused[]): Error {
  const [first, ...others] = refusals;
  if (first === undefined) return fault('no address');
  const telling = refusals.find(({ status }) => status !== 404 && status !== 410);
  return (
    telling ??
    (others.length === 0
      ? first
      : fault('{refusal} for each of its {count} names', { refusal: first.message, count: refusals.length }))
  );
}

/**
 * Fetches the newest events of a MISP feed, which lie next to its manifest under their ids; one line an
 * event. A feed whose event is missing is read another time.
 */
async function fetchEvents(url: string, manifest: Uint8Array, feed: Feed, options: FetchOptions): Promise<Uint8Array> {
  const lines: string[] = [];
  let bytes = 0;
  for (const id of recentEvents(readBody(manifest, feed.bounds.maxBytes), feed.manifestEvents ?? 0)) {
    const fetched = await fetchFeed(new URL(`${id}.json`, url).href, undefined, options);
    if (fetched.status !== 'fresh') continue;
    const line = JSON.stringify(JSON.parse(new TextDecoder().decode(readBody(fetched.body, feed.bounds.maxBytes))));
    bytes += line.length;
    if (bytes > feed.bounds.maxBytes)
      throw fault('its events are larger than {max} bytes', { max: feed.bounds.maxBytes });
    lines.push(line);
  }
  return new TextEncoder().encode(lines.join('\n'));
}

/** Names stay and their addresses change, so the document is always fetched whole, and its own time says nothing. */
async function fetchHosts(url: string, feed: Feed, options: ReadOptions): Promise<FetchResult> {
  const fetched = await fetchFeed(url, undefined, options);
  const names =
    fetched.status === 'fresh' && hostNamesIn(readBody(fetched.body, feed.bounds.maxBytes), feed.hostNames!);
  if (!names || names.length === 0 || names.length > feed.bounds.maxRows)
    throw fault('{host}: {why}', { host: new URL(url).host, why: said('the document names no host, or too many') });
  return { status: 'fresh', body: await resolveHosts(names, options.deadline, options.addressesOf), validators: {} };
}

async function followLink(page: string, pattern: string, options: FetchOptions): Promise<string> {
  const fetched = await fetchFeed(page, undefined, options);
  const link =
    fetched.status === 'fresh' ? new RegExp(pattern).exec(new TextDecoder().decode(fetched.body))?.[0] : undefined;
  if (link === undefined)
    throw fault('{host}: {why}', { host: new URL(page).host, why: said('the page no longer links to the file') });
  return link;
}
