import type { IPBatch, IPRisk, Me, PhoneBatch, PhoneProfile, PulseIPBatch, PulseIPRisk } from './openapi.generated.ts';
import { PulseError } from './pulse-error.ts';
import { Transport } from './transport.ts';

export interface PulseOptions {
  /**
   * Address of the service, such as `https://pulse.example.com`; with `/sandbox` at its end the lookups have
   * fixed answers.
   */
  readonly baseUrl: string;
  /** Left out: anonymous, for `ip` and `batch` alone. */
  readonly key?: string | undefined;
  /** For one call with all its attempts, milliseconds. Default 2,000. */
  readonly timeoutMs?: number;
  /**
   * For each request of a batch, with all its attempts, milliseconds. Default 75,000: a full minute may have
   * to pass.
   */
  readonly batchTimeoutMs?: number;
  /** Attempts after the first. Default 2. */
  readonly retries?: number;
  /** Items of one request of a batch, 1 to 1,000. Default 1,000; at most your allowance of a minute. */
  readonly batchSize?: number;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's. */
  readonly timeoutMs?: number | undefined;
}

export interface MomentOptions extends CallOptions {
  /** The verdict as it stood at this moment; a text is RFC 3339. */
  readonly at?: Date | string | undefined;
}

/** Addresses as a list or as they come. */
export type Many = Iterable<string> | AsyncIterable<string>;
export type BatchItem = IPBatch['results'][number];
export type PulseBatchItem = PulseIPBatch['results'][number];

const BATCH_MAX = 1000;
const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';

/** A client of one Pulse service. It keeps no verdicts: each call asks. */
export class Pulse {
  readonly #transport: Transport;
  readonly #timeoutMs: number;
  readonly #batchTimeoutMs: number;
  readonly #batchSize: number;

  /** @throws TypeError for options that cannot be meant */
  constructor(options: PulseOptions) {
    this.#timeoutMs = inRange('timeoutMs', options.timeoutMs ?? 2000, 1, 2 ** 31 - 1);
    this.#batchTimeoutMs = inRange('batchTimeoutMs', options.batchTimeoutMs ?? 75_000, 1, 2 ** 31 - 1);
    this.#batchSize = inRange('batchSize', options.batchSize ?? BATCH_MAX, 1, BATCH_MAX);
    this.#transport = new Transport({
      baseUrl: plainBase(options.baseUrl),
      key: options.key,
      retries: inRange('retries', options.retries ?? 2, 0, 10),
      // Bound, because browsers refuse a fetch that is called on anything else.
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    });
  }

  /** Verdict on one address. Read `evidence_state` first, or let `decide` do it. @throws PulseError */
  async ip(ip: string, options: CallOptions = {}): Promise<IPRisk> {
    return await this.#get(`/v1/ip/${encodeURIComponent(ip)}`, options);
  }

  /** Verdict with its evidence, now or at a past moment; needs a key on the professional tier. @throws PulseError */
  async pulseIp(ip: string, { at, ...options }: MomentOptions = {}): Promise<PulseIPRisk> {
    const query = at === undefined ? '' : `?at=${encodeURIComponent(momentText(at))}`;
    return await this.#get(`/pulse/v1/ip/${encodeURIComponent(ip)}${query}`, options);
  }

  /** Plan, allowance and use of the key. @throws PulseError */
  async me(options: CallOptions = {}): Promise<Me> {
    return await this.#get('/v1/me', options);
  }

  /** Risk profile of one phone number; needs a key with the phone capability. @throws PulseError */
  async phone(number: string, options: CallOptions = {}): Promise<PhoneProfile> {
    return parsed(
      await this.#post('/v1/phone/lookup', { number }, JSON_TYPE, { timeoutMs: this.#timeoutMs, ...defined(options) }),
    );
  }

  /** Risk profiles of up to 1,000 phone numbers, all or nothing. @throws PulseError */
  async phones(numbers: readonly string[], options: CallOptions = {}): Promise<PhoneBatch> {
    return parsed(
      await this.#post('/v1/phone/batch', { numbers }, JSON_TYPE, {
        timeoutMs: this.#batchTimeoutMs,
        ...defined(options),
      }),
    );
  }

  /**
   * One item an address, in order: its verdict, or the input with an error. Any number of addresses, in
   * requests of `batchSize`.
   * @throws PulseError
   */
  async batch(ips: Many, options: CallOptions = {}): Promise<BatchItem[]> {
    return await collected(this.batches(ips, options));
  }

  /** The same with evidence, now or at a past moment. @throws PulseError */
  async pulseBatch(ips: Many, options: MomentOptions = {}): Promise<PulseBatchItem[]> {
    return await collected(this.pulseBatches(ips, options));
  }

  /** `batch` item by item: holds one request's items, however many addresses come. @throws PulseError */
  async *batches(ips: Many, options: CallOptions = {}): AsyncGenerator<BatchItem, void, undefined> {
    for await (const part of partsOf(ips, this.#batchSize))
      yield* await this.#part<BatchItem>('/v1/ip/batch', part, {}, options);
  }

  /** `pulseBatch` item by item. @throws PulseError */
  async *pulseBatches(
    ips: Many,
    { at, ...options }: MomentOptions = {},
  ): AsyncGenerator<PulseBatchItem, void, undefined> {
    const more = at === undefined ? {} : { at: momentText(at) };
    for await (const part of partsOf(ips, this.#batchSize))
      yield* await this.#part<PulseBatchItem>('/pulse/v1/ip/batch', part, more, options);
  }

  async #get<T>(path: string, options: CallOptions): Promise<T> {
    return parsed(
      await this.#transport.send({ path, accept: JSON_TYPE, timeoutMs: this.#timeoutMs, ...defined(options) }),
    );
  }

  #post(
    path: string,
    body: object,
    accept: string,
    options: CallOptions & { readonly timeoutMs: number },
  ): Promise<string> {
    return this.#transport.send({ path, body: JSON.stringify(body), accept, ...options });
  }

  async #part<Item>(path: string, ips: readonly string[], more: object, options: CallOptions): Promise<Item[]> {
    const text = await this.#post(path, { ips, ...more }, LINES_TYPE, {
      timeoutMs: this.#batchTimeoutMs,
      ...defined(options),
    });
    const items = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parsed<Item>(line));
    if (items.length !== ips.length)
      throw new PulseError('invalid_answer', `${items.length} results for ${ips.length} addresses.`);
    return items;
  }
}

/** Options without the keys whose value is undefined, which would hide a default. */
const defined = (options: CallOptions): { readonly signal?: AbortSignal; readonly timeoutMs?: number } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new PulseError('invalid_answer', 'The answer is not JSON.', { cause });
  }
}

function inRange(name: string, value: number, least: number, most: number): number {
  if (!(Number.isInteger(value) && value >= least && value <= most))
    throw new TypeError(`${name} must be a whole number from ${least} to ${most}.`);
  return value;
}

/** @throws TypeError for anything but an http or https address without a query, a fragment or a password */
function plainBase(text: string): string {
  const url = new URL(text);
  if (
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new TypeError('baseUrl must be an http or https address without a query, a fragment or a password.');
  return url.href.replace(/\/+$/, '');
}

const momentText = (at: Date | string): string => (typeof at === 'string' ? at : at.toISOString());

async function* partsOf(ips: Many, size: number): AsyncGenerator<readonly string[], void, undefined> {
  let part: string[] = [];
  for await (const ip of ips) {
    part.push(ip);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
