import type { UnixMs } from '../core/units.ts';
import { isoTime } from '../service/iso-time.ts';
import { isDegraded, type LeftOut, type SourcesNote } from '../service/ports.ts';

/** How many of the expected sources of evidence are missing, and since when. */
export function missingText({ ids, retired, expected, since }: SourcesNote): string {
  const late = `${ids.length} of ${expected} sources of evidence late or missing${since === undefined ? '' : `, the longest since ${minute(since)}`}`;
  return retired.length === 0 ? late : `${late}; ${retired.length} retired`;
}

/** Why verdicts of a moment are degraded; undefined while they are not on account of sources. */
export function degradedText(leftOut: LeftOut | undefined): string | undefined {
  if (leftOut === undefined || !isDegraded(leftOut)) return undefined;
  return leftOut.silent
    ? 'degraded: it is not known which sources verdicts lack, because no server notes it'
    : `degraded: ${missingText(leftOut)}; \`pulse feeds list\` shows them`;
}

const minute = (at: UnixMs): string => isoTime(at).slice(0, 16).replace('T', ' ');
