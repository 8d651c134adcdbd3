export interface LogRequest {
  readonly referrer: string;
  readonly userAgent: string;
  readonly languages?: string | undefined;
}

/** Every browser names one of these engines, and a page cannot change that. */
const ENGINES = /Gecko|Trident|MSIE|Presto/;

/**
 * Returns whether a program sent the request rather than a browser, which a page of another site can make
 * send one without a referrer. All browsers send languages. Where languages are not logged, a scanner with a
 * browser's user agent counts as a browser.
 */
export const isOfProgram = ({ referrer, userAgent, languages }: LogRequest): boolean =>
  referrer === '-' && (languages === undefined ? !ENGINES.test(userAgent) : languages === '-');
