import { setTimeout as sleep } from 'node:timers/promises';
import { backOff } from '../../core/kit/back-off.ts';
import { Fault, fault, type Said, said, sentenceOf } from '../../core/texts/said.ts';
import { unixMs } from '../../core/units.ts';
import type { Validators } from '../../service/feeds/feed-ports.ts';
import { bytesOf, getUrl, type UrlAnswer } from '../http-client/get-url.ts';
import { PinnedHosts, type Resolve } from '../http-client/pinned-hosts.ts';
import { within } from '../http-client/within.ts';
import type { ReadingDeadline } from './reading-deadline.ts';

export interface FetchOptions {
  readonly maxBytes: number;
  /** For the whole transfer of one attempt, milliseconds. */
  readonly timeoutMs?: number;
  readonly deadline: ReadingDeadline;
  readonly attempts?: number;
  readonly random: () => number;
  readonly pauseMs?: number;
  /** How names become addresses; left out: by the resolver of the system. */
  readonly resolve?: Resolve;
}

export type FetchResult =
  | { readonly status: 'fresh'; readonly body: Uint8Array; readonly validators: Validators }
  | { readonly status: 'unchanged'; readonly validators: Validators };

const MAX_REDIRECTS = 5;
const ATTEMPT_MS = 120_000;
const USER_AGENT = 'Pulse-IP-Risk/0.1 (feed reader)';

/** A refusal that trying again will not mend. */
class Final extends Fault {}

export class Refused extends Fault {
  readonly status: number;

  constructor(status: number, sentence = said('status {status}', { status })) {
    super(sentence);
    this.status = status;
  }
}

export async function fetchFeed(
  url: string,
  validators: Validators | undefined,
  options: FetchOptions,
): Promise<FetchResult> {
  const { deadline } = options;
  const { host } = new URL(url);
  let before: Said | undefined;
  for (let attempt = 1; ; attempt++) {
    if (deadline.leftMs === 0) throw fault('{host}: {why}', { host, why: deadline.cut(before) });
    try {
      const attemptMs = Math.min(deadline.leftMs, options.timeoutMs ?? ATTEMPT_MS);
      return await within(attemptMs, (signal) => followRedirects(url, validators, options, signal));
    } catch (error) {
      if (deadline.leftMs === 0) throw fault('{host}: {why}', { host, why: deadline.cut(before ?? reasonOf(error)) });
      before = reasonOf(error);
      if (attempt >= (options.attempts ?? 3) || isFinal(error))
        throw error instanceof Refused
          ? new Refused(error.status, said('{host}: {why}', { host, why: before }))
          : fault('{host}: {why}', { host, why: before });
      const bound = backOff(attempt, { firstMs: 2 * (options.pauseMs ?? 1000), maxMs: Number.POSITIVE_INFINITY });
      await sleep(Math.min(deadline.leftMs, options.random() * bound));
    }
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof Final || (error instanceof Refused && error.status !== 429 && error.status < 500);

const reasonOf = (error: unknown): Said => {
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return said('timed out');
  return code === undefined ? sentenceOf(error) : said('{why}', { why: code });
};

async function followRedirects(
  start: string,
  validators: Validators | undefined,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchResult> {
  const headers: Record<string, string> = { 'user-agent': USER_AGENT, accept: '*/*' };
  if (validators?.etag !== undefined) headers['if-none-match'] = validators.etag;
  if (validators?.lastModified !== undefined) headers['if-modified-since'] = validators.lastModified;
  const hosts = new PinnedHosts(options.resolve);
  let url = new URL(start);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const answer = await getUrl(url, { headers, signal, lookup: await hosts.lookupFor(url) });
    if (answer.status < 300 || answer.status >= 400)
      return { status: 'fresh', body: await bodyOf(answer, options.maxBytes), validators: validatorsOf(answer) };
    if (answer.status === 304)
      return { status: 'unchanged', validators: { ...validators, ...answeredAt(answer.headers) } };
    const target = redirectTarget(url, answer.headers.location);
    if (await hosts.isPrivateTarget(url, target))
      throw new Final(
        said('redirect to {host}, a private or reserved address, which is not followed', { host: target.host }),
      );
    url = target;
  }
  throw new Final(said('more than {count} redirects', { count: MAX_REDIRECTS }));
}

function redirectTarget(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from))
    throw new Final(said('redirect without a usable location'));
  const to = new URL(location, from);
  const downgrade = from.protocol === 'https:' && to.protocol !== 'https:';
  if (downgrade || (to.protocol !== 'https:' && to.protocol !== 'http:'))
    throw new Final(said('redirect to {protocol}//, which is not followed', { protocol: to.protocol }));
  return to;
}

function validatorsOf({ headers }: UrlAnswer): Validators {
  const { etag, 'last-modified': lastModified } = headers;
  return { ...(etag && { etag }), ...(lastModified && { lastModified }), ...answeredAt(headers) };
}

/** A cache keeps the date of its copy and adds the age. */
function answeredAt({ date = '', age = '0' }: UrlAnswer['headers']): Pick<Validators, 'answeredAt'> {
  const at = Date.parse(date) + Number(age) * 1000;
  return Number.isFinite(at) ? { answeredAt: unixMs(at) } : {};
}

async function bodyOf({ status, headers, body }: UrlAnswer, maxBytes: number): Promise<Uint8Array> {
  if (status < 200 || status >= 300) throw new Refused(status);
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > maxBytes)
    throw new Final(said('{bytes} bytes are more than {max}', { bytes: declared, max: maxBytes }));
  return bytesOf(body, maxBytes, () => new Final(said('more than {max} bytes', { max: maxBytes })));
}
