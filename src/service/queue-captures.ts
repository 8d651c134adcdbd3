import { SOURCE_ROW_BUDGETS } from '../core/limits/limits.ts';
import { unixMs } from '../core/units.ts';
import type { IntakeReply, IntakeRequest } from './accept-captures.ts';
import type { CheckedCaptures } from './check-captures.ts';
import type { ImportOutcome } from './import-captures.ts';
import type { IntakeAppender } from './waiting-batch.ts';

/** What is known of a request whose captures wait to be stored. How many of them are new, and which the store refuses, is not. */
export interface QueueOutcome extends Pick<ImportOutcome, 'lines' | 'refused'> {
  /** Rows that wait. */
  readonly queued: number;
  readonly replayed?: true;
}

export type QueuedCaptures =
  | { readonly status: 'queued'; readonly outcome: QueueOutcome }
  | { readonly status: 'over_budget'; readonly until: IntakeRequest['at'] }
  | { readonly status: 'differs' | 'busy' };

/** What became of a request, stored at once or waiting. */
export type IntakeAnswer = IntakeReply | QueuedCaptures;

/**
 * Appends the captures of one request to the stream, once however often it is sent under one name.
 * @param packed the body with gzip
 * @param newName names a batch whose sender did not
 * @throws Error where it cannot be known whether the batch is kept
 */
export async function queueCaptures(
  stream: IntakeAppender,
  { lines, refused, rows, digest }: CheckedCaptures,
  packed: Uint8Array,
  { id, ...request }: IntakeRequest,
  newName: () => string,
): Promise<QueuedCaptures> {
  const outcome: QueueOutcome = { lines, queued: rows, refused };
  if (rows === 0) return { status: 'queued', outcome };
  const { source, format, at, account } = request;
  const named = id === undefined ? undefined : { digest, answer: JSON.stringify(outcome) };
  const appended = await stream.append({ source, format, at, account, id: id ?? newName(), body: packed }, { rows, budgets: SOURCE_ROW_BUDGETS, named });
  switch (appended.status) {
    case 'queued':
      return { status: 'queued', outcome };
    case 'replayed':
      return { status: 'queued', outcome: { ...(JSON.parse(appended.answer) as QueueOutcome), replayed: true } };
    case 'differs':
      return { status: 'differs' };
    case 'full':
      return { status: 'busy' };
    case 'over_budget':
      return { status: 'over_budget', until: unixMs(at + appended.waitMs) };
  }
}
