import type { UnixMs } from '../../core/units.ts';
import { isoTime } from '../../service/iso-time.ts';
import { isDegraded, type MissingSourcesReport, type SourcesReport } from '../../service/ports.ts';
import { say } from './say.ts';

/** Says how many of the expected sources of evidence are missing, and since when. */
export function missingText({ ids, retired, expected, since }: SourcesReport): string {
  const counts = { missing: ids.length, expected };
  const late =
    since === undefined
      ? say('{missing} of {expected:source|sources} of evidence late or missing', counts)
      : say('{missing} of {expected:source|sources} of evidence late or missing, the longest since {since}', {
          ...counts,
          since: minute(since),
        });
  return retired.length === 0 ? late : say('{late}; {count} retired', { late, count: retired.length });
}

/** Says why verdicts of a moment are degraded; undefined unless sources are the cause. */
export function degradedText(leftOut: MissingSourcesReport | undefined): string | undefined {
  if (leftOut === undefined || !isDegraded(leftOut)) return undefined;
  return leftOut.silent
    ? say('degraded: it is not known which sources verdicts lack, because no server notes it')
    : say('degraded: {missing}; `pulse feeds list` shows them', { missing: missingText(leftOut) });
}

const minute = (at: UnixMs): string => isoTime(at).slice(0, 16).replace('T', ' ');
