import type { ErrorBody, ErrorExtras } from '../../../src/contract/documents.ts';
import { IP_BATCH_MAX } from '../../../src/contract/ip-batch.ts';
import type { AddressRows, BatchItem } from './address-rows.ts';

export interface SendOptions {
  readonly csrf: string | undefined;
  /** Addresses at most. */
  readonly most: number;
  readonly perMin: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, of: number, charged: number) => void;
  /** A batch is answered; it goes on when this is done. @param numbers of its addresses */
  readonly onAnswered: (numbers: readonly number[], sent: SentBatches) => Promise<void>;
  /** The minute is used up: it goes on by itself. */
  readonly onWait: (seconds: number, sent: SentBatches) => void;
}

export interface BulkProblem {
  readonly code: string;
  readonly message: string;
  readonly extras: ErrorExtras;
}

/** Common part of the answers. */
export interface SentBatches {
  /** Why it ended before its end; undefined: it did not, or it was stopped. */
  readonly problem: BulkProblem | undefined;
  readonly dataVersion: { readonly risk: string; readonly geo: string } | undefined;
  readonly computedAt: string | undefined;
  readonly degraded: boolean;
}

interface Answer {
  readonly billable: number;
  readonly results: readonly BatchItem[];
}

/** Looks the most frequent unanswered addresses up, a batch at a time, none larger than a minute of the account; answers are kept in the rows. */
export async function sendBatches(rows: AddressRows, options: SendOptions): Promise<SentBatches> {
  const { most, perMin, signal, onProgress, onAnswered, onWait } = options;
  const numbers = rows.unanswered().slice(0, most);
  let size = Math.max(1, Math.min(IP_BATCH_MAX, perMin));
  let charged = 0;
  let sent: SentBatches = { problem: undefined, dataVersion: undefined, computedAt: undefined, degraded: false };
  for (let at = 0; at < numbers.length && !signal.aborted; ) {
    const batch = numbers.slice(at, at + size);
    const answer = await send(
      batch.map((number) => rows.text(number)),
      options,
    );
    if ('code' in answer) {
      const seconds = answer.extras.retry_after;
      if (answer.code === 'batch_over_rate_limit' && batch.length > 1) size = Math.ceil(batch.length / 2);
      else if (answer.code === 'rate_limited' && seconds !== undefined) {
        onWait(seconds, sent);
        await pause(seconds * 1000, signal);
      } else return { ...sent, problem: answer };
      continue;
    }
    for (const [i, item] of answer.results.entries()) rows.answer(batch[i]!, item);
    const verdict = answer.results.find((item) => !('error' in item));
    if (verdict !== undefined && !('error' in verdict))
      sent = {
        ...sent,
        dataVersion: verdict.meta.data_version,
        computedAt: verdict.computed_at,
        degraded: sent.degraded || 'degraded' in verdict,
      };
    at += batch.length;
    charged += answer.billable;
    onProgress(at, numbers.length, charged);
    await onAnswered(batch, sent);
  }
  return sent;
}

/** Not broken off by a stop: a question is charged, and its answer is kept. */
async function send(ips: readonly string[], { csrf }: SendOptions): Promise<Answer | BulkProblem> {
  try {
    const response = await fetch('/console/api/ip/batch', {
      method: 'POST',
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
      },
      body: JSON.stringify({ ips }),
    });
    const body: unknown = await response.json();
    if (response.ok) return body as Answer;
    const { code, message, ...extras } = (body as ErrorBody).error;
    return { code, message, extras };
  } catch {
    return { code: 'offline', message: '', extras: {} };
  }
}

/** Ends early when it is stopped. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
