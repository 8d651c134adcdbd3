import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { moveCaptures } from '../../core/collection/print-captures.ts';
import { clockSkew } from '../../core/collection/tally/clock-skew.ts';
import type { CapturePackage, CaptureReceiver, SendResult } from '../../service/intake/capture-receiver.ts';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

export interface HttpReceiverOptions {
  /** Address of the service, without a trailing slash. */
  readonly url: string;
  /** A key that may send captures. Never logged. */
  readonly key: string;
  readonly source: string;
  /** The sensor's clock, milliseconds: the one its captures were timed with. */
  readonly now: () => number;
  /** Called when the difference between the clocks is known or has changed by more than a second, milliseconds. */
  readonly onSkew: (skewMs: number) => void;
}

/** A receiver that takes longer is asked again later. */
const ANSWER_MS = 60_000;
/** A refused key is not tried every minute. */
const KEY_WAIT_MS = 300_000;
/** Rows of a batch, unpacked, bytes: far above what the sensor puts into one. */
const UNPACKED_MAX = 64 * 1024 * 1024;
/** Smaller changes of the skew are not worth a line. */
const SKEW_REPORTED_MS = 1000;

/** Sends batches to `POST /v1/evidence` of a service, with times put right by the difference between its clock and ours. */
export class HttpReceiver implements CaptureReceiver {
  readonly #options: HttpReceiverOptions;
  #skewMs: number | undefined;
  #reportedMs = 0;

  constructor(options: HttpReceiverOptions) {
    this.#options = options;
  }

  /** Puts the batch's times on the service's clock. */
  async finish({
    body,
  }: CapturePackage): Promise<{ readonly status: 'finished'; readonly body: Uint8Array } | SendResult> {
    try {
      // Its answer has the exact time, whatever the answer is.
      if (this.#skewMs === undefined) await (await this.#post(new Uint8Array(), {})).arrayBuffer();
    } catch (error) {
      return { status: 'later', reason: reasonOf(error) };
    }
    const skewMs = this.#skewMs ?? 0;
    if (skewMs === 0) return { status: 'finished', body };
    const text = await unpack(body, { maxOutputLength: UNPACKED_MAX }).then(String, () => undefined);
    if (text === undefined) return { status: 'refused', reason: 'the batch is damaged' };
    return { status: 'finished', body: await pack(moveCaptures(text, skewMs)) };
  }

  async send({ id, body }: CapturePackage): Promise<SendResult> {
    try {
      return await resultOf(
        await this.#post(new Uint8Array(body), { 'content-encoding': 'gzip', 'idempotency-key': id }),
      );
    } catch (error) {
      return { status: 'later', reason: reasonOf(error) };
    }
  }

  async heartbeat(): Promise<string | undefined> {
    try {
      const result = await resultOf(await this.#post(new Uint8Array(), {}));
      return result.status === 'taken' ? undefined : result.reason;
    } catch (error) {
      return reasonOf(error);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** One request, which is also a look at the service's clock. A redirect is not followed: the key is for this address alone. */
  async #post(body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Promise<Response> {
    const { url, source, key, now } = this.#options;
    const askedAt = now();
    const response = await fetch(`${url}/v1/evidence?source=${encodeURIComponent(source)}`, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'content-type': 'application/x-ndjson',
        'x-pulse-sent-at': String(Math.round(askedAt)),
        ...headers,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    this.#look(response.headers, askedAt, now());
    return response;
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
  readonly accepted?: number;
  /** Rows that the service keeps and has not stored yet. */
  readonly replayed?: boolean;
  readonly refused?: Readonly<Record<string, { readonly count?: number }>>;
  readonly error?: { readonly code?: string };
}

async function resultOf(response: Response): Promise<SendResult> {
  const { status } = response;
  const answer = (await response.json().catch(() => ({}))) as Answer;
  if (status === 200 || status === 202) {
    const refused = Object.values(answer.refused ?? {}).reduce((sum, { count = 0 }) => sum + count, 0);
    return { status: 'taken', replayed: answer.replayed === true, accepted: answer.accepted ?? 0, refused };
  }
  const reason = `${status} ${answer.error?.code ?? ''}`.trim();
  if (status === 400 || status === 413 || status === 415 || status === 422) return { status: 'refused', reason };
  const asked = Number(response.headers.get('retry-after') ?? Number.NaN) * 1000;
  const retryAfterMs =
    status === 401 || status === 403 ? KEY_WAIT_MS : Number.isFinite(asked) && asked > 0 ? asked : undefined;
  return { status: 'later', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** What went wrong, without the address: it may name what stands behind a firewall. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code ?? (error instanceof Error ? error.name : 'unknown');
}
