import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { shiftCaptures } from '../../core/collection/print-captures.ts';
import { clockSkew } from '../../core/collection/tally/collection-tally.ts';
import type { CaptureReceiver, PackedCaptures, SendResult } from '../../service/intake/intake-ports.ts';
import { callService, type ServiceAnswer } from '../http-client/call-service.ts';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

export interface HttpReceiverOptions {
  readonly url: string;
  /** The key may send captures and is never logged. */
  readonly key: string;
  readonly source: string;
  readonly now: () => number;
  /** Called with the clock skew when it becomes known and when it changes by more than a second. */
  readonly onSkew: (skewMs: number) => void;
}

const KEY_WAIT_MS = 300_000;
/** The sensor's own maximum is far below. */
const UNPACKED_MAX = 64 * 1024 * 1024;
const SKEW_REPORTED_MS = 1000;

/** Sends batches to `POST /v1/evidence`, with capture times moved to the service's clock. */
export class HttpReceiver implements CaptureReceiver {
  readonly #options: HttpReceiverOptions;
  #skewMs: number | undefined;
  #reportedMs = 0;

  constructor(options: HttpReceiverOptions) {
    this.#options = options;
  }

  async finish({
    body,
  }: PackedCaptures): Promise<{ readonly status: 'finished'; readonly body: Uint8Array } | SendResult> {
    if (this.#skewMs === undefined) {
      const { status, reason } = await this.#post(new Uint8Array(), {});
      if (status === 0) return { status: 'later', reason };
    }
    const skewMs = this.#skewMs ?? 0;
    if (skewMs === 0) return { status: 'finished', body };
    const text = await unpack(body, { maxOutputLength: UNPACKED_MAX }).then(String, () => undefined);
    if (text === undefined) return { status: 'refused', reason: 'the batch is damaged' };
    return { status: 'finished', body: await pack(shiftCaptures(text, skewMs)) };
  }

  async send({ id, body }: PackedCaptures): Promise<SendResult> {
    return resultOf(await this.#post(new Uint8Array(body), { 'content-encoding': 'gzip', 'idempotency-key': id }));
  }

  async heartbeat(): Promise<string | undefined> {
    const result = resultOf(await this.#post(new Uint8Array(), {}));
    return result.status === 'taken' ? undefined : result.reason;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #post(
    body: Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>>,
  ): Promise<ServiceAnswer<Answer>> {
    const { url, source, key, now } = this.#options;
    const askedAt = now();
    return await callService<Answer>({
      url: `${url}/v1/evidence?source=${encodeURIComponent(source)}`,
      key,
      headers: {
        'content-type': 'application/x-ndjson',
        'x-pulse-sent-at': String(Math.round(askedAt)),
        ...headers,
      },
      body,
      onHead: (head) => this.#look(head, askedAt, now()),
    });
  }

  #look(headers: Headers, askedAt: number, answeredAt: number): void {
    const exact = Number(headers.get('x-pulse-time') ?? Number.NaN);
    const saidAt = Number.isFinite(exact) ? exact : Date.parse(headers.get('date') ?? '');
    if (!Number.isFinite(saidAt)) return;
    this.#skewMs = clockSkew({ askedAt, answeredAt, saidAt, resolutionMs: Number.isFinite(exact) ? 1 : 1000 });
    if (Math.abs(this.#skewMs - this.#reportedMs) <= SKEW_REPORTED_MS) return;
    this.#reportedMs = this.#skewMs;
    this.#options.onSkew(this.#skewMs);
  }
}

interface Answer {
  readonly accepted: number;
  readonly replayed: boolean;
  readonly refused: Readonly<Record<string, { readonly count?: number }>>;
}

function resultOf({ status, body, reason, retryAfterMs }: ServiceAnswer<Answer>): SendResult {
  if (status === 200 || status === 202) {
    const refused = Object.values(body.refused ?? {}).reduce((sum, { count = 0 }) => sum + count, 0);
    return { status: 'taken', replayed: body.replayed === true, accepted: body.accepted ?? 0, refused };
  }
  if (status === 400 || status === 413 || status === 415 || status === 422) return { status: 'refused', reason };
  const waitMs = status === 401 || status === 403 ? KEY_WAIT_MS : retryAfterMs;
  return { status: 'later', reason, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}
