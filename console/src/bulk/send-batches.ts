import type { ErrorBody, ErrorDetail } from '../../../src/contract/documents.ts';
import type { BulkRows } from './bulk-rows.ts';

/** Address for batches, and the name of their list of texts. */
export interface BatchRoute {
  readonly path: string;
  readonly member: 'ips' | 'numbers';
  /** Texts of a batch at most. */
  readonly batchMax: number;
}

export interface SendOptions {
  readonly route: BatchRoute;
  readonly csrf: string | undefined;
  /** Entries at most. */
  readonly most: number;
  readonly perMin: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, of: number, charged: number) => void;
  /** A batch is answered; it goes on when this is done. @param numbers of its entries */
  readonly onAnswered: (numbers: readonly number[]) => Promise<void>;
  /** The minute is used up: it goes on by itself. */
  readonly onWait: (seconds: number) => void;
}

export interface BulkProblem {
  readonly code: string;
  readonly message: string;
  readonly extras: ErrorDetail;
}

interface Answer<Item> {
  readonly billable: number;
  readonly results: readonly Item[];
}

/**
 * Looks unanswered entries up, a batch at a time, none larger than a minute of the account; answers are kept
 * in the rows.
 * @returns why it ended before its end; undefined: it did not, or it was stopped
 */
export async function sendBatches<Item>(
  rows: Pick<BulkRows<Item, never, unknown>, 'unanswered' | 'text' | 'answer'>,
  options: SendOptions,
): Promise<BulkProblem | undefined> {
  const { route, most, perMin, signal, onProgress, onAnswered, onWait } = options;
  const numbers = rows.unanswered().slice(0, most);
  let size = Math.max(1, Math.min(route.batchMax, perMin));
  let charged = 0;
  for (let at = 0; at < numbers.length && !signal.aborted; ) {
    const batch = numbers.slice(at, at + size);
    const answer = await send<Item>(
      batch.map((number) => rows.text(number)),
      options,
    );
    if ('code' in answer) {
      const seconds = answer.extras.retry_after;
      if (answer.code === 'batch_over_rate_limit' && batch.length > 1) size = Math.ceil(batch.length / 2);
      else if (answer.code === 'rate_limited' && seconds !== undefined) {
        onWait(seconds);
        await pause(seconds * 1000, signal);
      } else return answer;
      continue;
    }
    for (const [i, item] of answer.results.entries()) rows.answer(batch[i]!, item);
    at += batch.length;
    charged += answer.billable;
    onProgress(at, numbers.length, charged);
    await onAnswered(batch);
  }
  return undefined;
}

/** Not broken off by a stop: a question is charged, and its answer is kept. */
async function send<Item>(texts: readonly string[], { route, csrf }: SendOptions): Promise<Answer<Item> | BulkProblem> {
  try {
    const response = await fetch(route.path, {
      method: 'POST',
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
      },
      body: JSON.stringify({ [route.member]: texts }),
    });
    const body: unknown = await response.json();
    if (response.ok) return body as Answer<Item>;
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
