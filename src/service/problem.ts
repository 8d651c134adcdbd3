import type { ErrorBody, ErrorDetail } from '../contract/documents.ts';
import { ERRORS, ERRORS_ZH, type ErrorCode } from '../contract/errors.ts';
import { CHINESE } from '../core/texts/chinese.ts';
import { inLanguage, type Language, type Said, worded } from '../core/texts/said.ts';
import { StoreUnavailable } from './store-fault.ts';

interface ProblemOptions {
  /** Public message in place of the table's. It must hold no secret, key or phone number. */
  readonly message?: string | Said;
  readonly extras?: ErrorDetail;
  readonly detail?: string;
  readonly cause?: unknown;
}

/** The one error class from the services outwards: a code of the contract's table and facts for the caller. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly sentence: Said | undefined;
  readonly extras: ErrorDetail;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, options: ProblemOptions = {}) {
    const { message = ERRORS[code].message, cause } = options;
    super(typeof message === 'string' ? message : worded(message), cause === undefined ? undefined : { cause });
    this.sentence = typeof message === 'string' ? undefined : message;
    this.name = 'Problem';
    this.code = code;
    this.extras = options.extras ?? {};
    this.detail = options.detail;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  body(): ErrorBody {
    return { error: { code: this.code, message: this.message, ...this.extras } };
  }
}

/**
 * Turns any error into a problem: a store that cannot be asked is not_ready, an unforeseen fault is
 * internal_error. The cause is kept for the log.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable)
    return new Problem('not_ready', { message: 'The account store cannot be reached; retry shortly.', cause: error });
  return new Problem('internal_error', { cause: error });
}

/**
 * Returns a problem's message in the reader's language. A message for a single case stays English where no
 * translation exists.
 */
export const problemText = (
  { code, message, sentence }: Pick<Problem, 'code' | 'message'> & { readonly sentence?: Problem['sentence'] },
  language: Language,
): string => {
  if (language === 'en') return message;
  if (sentence !== undefined) return inLanguage(language, sentence);
  if (message === ERRORS[code].message) return ERRORS_ZH[code];
  const table: Readonly<Record<string, string>> = CHINESE;
  return table[message] ?? message;
};
