import type { Explanation } from '../../contract/documents.ts';
import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { parseAddress } from '../../core/ip/parse-address.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { SERVICE_CAPS } from '../../core/limits/limits.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';
import type { ExplainLookup } from '../lookup/explain-lookup.ts';
import type { LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';

export const FEEDBACK_VERDICTS = ['false_positive', 'false_negative'] as const;
export type FeedbackVerdict = (typeof FEEDBACK_VERDICTS)[number];

export interface Feedback {
  readonly id: string;
  readonly at: UnixMs;
  readonly account: string | undefined;
  readonly ip: string;
  readonly verdict: FeedbackVerdict;
  readonly riskType: RiskType | undefined;
  readonly comment: string | undefined;
  readonly explanation: Explanation;
  readonly outcome: FeedbackOutcome;
}

export type FeedbackOutcome = 'open' | 'confirmed' | 'rejected';

export interface SourceFeedback {
  readonly decided: number;
  readonly confirmed: number;
}

export interface FeedbackCaps {
  readonly all: number;
  readonly account: number;
  readonly address: number;
}

export interface FeedbackStore {
  /** Adds nothing if there is a report of this id already: `differs` if it says something else. */
  add(feedback: Feedback, caps: FeedbackCaps): Promise<'added' | 'differs' | 'too_many'>;
  list(limit: number): Promise<readonly Feedback[]>;
  decide(id: string, outcome: 'confirmed' | 'rejected', by: By): Promise<Feedback | 'unknown_feedback'>;
  /** Decides all open reports of an account, or those without one. @returns their count */
  decideAll(account: string | undefined, outcome: 'confirmed' | 'rejected', by: By): Promise<number>;
  bySource(): Promise<ReadonlyMap<string, SourceFeedback>>;
}

const COMMENT_MAX = 1000;
const CAPS = {
  all: SERVICE_CAPS.feedback,
  account: ACCOUNT_CAPS.feedback,
  address: SERVICE_CAPS.feedbackAddress,
};

interface FeedbackSender {
  /** A report with the id of one that is kept is that one, sent again. */
  readonly id: string;
  readonly account: string | undefined;
  readonly view: LookupView;
  readonly at: UnixMs;
}

/**
 * Keeps a report that a verdict is wrong (decisions 10.7), with the explanation of that moment.
 * @throws Problem bad_request, invalid_ip, reserved_ip, not_found; rate_limited while too many reports wait
 */
export async function receiveFeedback(
  store: FeedbackStore,
  lookup: Pick<ExplainLookup, 'explain'>,
  body: unknown,
  { id, account, view, at }: FeedbackSender,
): Promise<void> {
  const { ip, verdict, riskType, comment } = readFeedback(body);
  const parsed = parseAddress(ip);
  if (parsed.status !== 'ok') throw new Problem(parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
  const reader = { id: 'feedback', dpa: true, operator: true };
  const query = { view, address: parsed.address, account: reader, now: at, moment: undefined };
  const { document: explanation } = await lookup.explain(query);
  const feedback = { id, at, account, ip: explanation.ip, verdict, riskType, comment, explanation };
  const added = await store.add({ ...feedback, outcome: 'open' }, CAPS);
  if (added === 'differs')
    throw new Problem('bad_request', { message: 'This Idempotency-Key was used for another report.' });
  if (added === 'too_many')
    throw new Problem('rate_limited', {
      message: 'Too many reports wait for the operator. Send this one later.',
      extras: { retry_after: 3600 },
    });
}

function readFeedback(body: unknown) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Problem('bad_request', { message: 'Send a JSON object with "ip" and "verdict".' });
  const { ip, verdict, risk_type: type, comment, ...others } = body as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new Problem('bad_request', { message: 'Allowed keys: ip, verdict, risk_type, comment.' });
  if (typeof ip !== 'string') throw new Problem('bad_request', { message: 'ip must be a text.' });
  const known = FEEDBACK_VERDICTS.find((one) => one === verdict);
  if (known === undefined)
    throw new Problem('bad_request', { message: `verdict must be one of ${FEEDBACK_VERDICTS.join(', ')}.` });
  const riskType = RISK_TYPES.find((one) => one === type);
  if (type !== undefined && riskType === undefined)
    throw new Problem('bad_request', { message: `risk_type must be one of ${RISK_TYPES.join(', ')}.` });
  if (comment !== undefined && (typeof comment !== 'string' || comment.length > COMMENT_MAX))
    throw new Problem('bad_request', { message: `comment must be a text of at most ${COMMENT_MAX} characters.` });
  const text = comment?.trim();
  return {
    ip,
    verdict: known,
    riskType: riskType satisfies RiskType | undefined,
    comment: text === '' ? undefined : text,
  };
}
