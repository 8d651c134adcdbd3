/** Client of a request as the log names it; a dash stands for a header that was not sent. */
export interface LoggedRequest {
  readonly referrer: string;
  readonly userAgent: string;
  /** `Accept-Language`; undefined where the log does not have it. */
  readonly languages?: string | undefined;
}

/** Every browser names one of these engines, and a page cannot change that. */
const ENGINES = /Gecko|Trident|MSIE|Presto/;

/**
 * Whether a program sent a request, and not a browser, which a page of another site can make send it without a referrer. All browsers send languages; where they are not logged, a
 * scanner that takes a browser's name cannot be distinguished from one.
 */
export const isOfProgram = ({ referrer, userAgent, languages }: LoggedRequest): boolean =>
  referrer === '-' && (languages === undefined ? !ENGINES.test(userAgent) : languages === '-');
