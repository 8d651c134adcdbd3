import { parseRfc3339 } from '../../evidence/parse-rfc3339.ts';
import type { UnixMs } from '../../units.ts';
import type { DistinctCounter } from '../tally/distinct-counter.ts';
import { canonicalAddress } from './canonical-address.ts';
import type { LogReader } from './log-event.ts';
import { monthNumber, newestTime, type WallTime } from './wall-time.ts';

/** Longest line that is looked at. sshd cuts its lines far below. */
const LINE_MAX = 4096;
/** `2026-11-22T08:00:00.123456+00:00 host sshd[812]: message`, and of OpenSSH 9.8 on `sshd-session[812]`. */
const ISO_LINE = /^(\d{4}-\d\d-\d\dT\S{8,30}) \S{1,255} sshd(?:-session)?\[(\d{1,10})\]: (.*)$/;
/** `Nov 22 08:00:00 host sshd[812]: message`: neither year nor zone. */
const BSD_LINE =
  /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d) \S{1,255} sshd(?:-session)?\[(\d{1,10})\]: (.*)$/;

/** Messages that end in address and port. The text before may hold a name that the client chose, so both are read from the end. */
const FROM_END = / from (\S{1,64}) port \d{1,5}(?: ssh2)?$/;
const ATTEMPT = [
  'Failed password for ',
  'Failed keyboard-interactive/pam for ',
  'Failed none for invalid user ',
  'Invalid user ',
];
/** A client that does not speak SSH of this server's kinds. A client without SSH may be a browser, and the log does not say. The address stands before the text of the client. */
const NOT_NEGOTIATED = /^Unable to negotiate with (\S{1,64}) port \d{1,5}: /;

export interface SshdLogOptions {
  /** Reads times that name no zone. */
  readonly timeOf: (time: WallTime) => UnixMs | undefined;
  /** Which attempts count: people with accounts on this host make slips. */
  readonly attempts: DistinctCounter;
}

/**
 * Lines of sshd through syslog (`auth.log`, `secure`), with ISO or old times. Failed and refused attempts at credentials count once an address made enough of them; a
 * client that speaks none of this server's kinds of SSH is a scan. A time without a year is the newest such time that is not more than a day ahead of the clock.
 */
export const sshdLog = ({ timeOf, attempts }: SshdLogOptions): LogReader => ({
  read(line, now) {
    const entry = line.length > LINE_MAX ? undefined : (isoEntry(line) ?? bsdEntry(line, now, timeOf));
    if (entry === undefined) return undefined;
    const { at, process, message } = entry;
    const offers = ATTEMPT.some((begin) => message.startsWith(begin));
    const text = (offers ? FROM_END : NOT_NEGOTIATED).exec(message)?.[1];
    const ip = text === undefined ? undefined : canonicalAddress(text);
    if (ip === undefined || (offers && !attempts.add(ip, at))) return undefined;
    return {
      ip,
      riskType: offers ? 'honeypot_credential' : 'honeypot_scan',
      protocol: 'ssh',
      at,
      connection: `${ip} ${process}`,
    };
  },
});

interface Entry {
  readonly at: UnixMs;
  readonly process: string;
  readonly message: string;
}

function isoEntry(line: string): Entry | undefined {
  const match = ISO_LINE.exec(line);
  const at = match === null ? undefined : parseRfc3339(match[1]!);
  return match === null || at === undefined ? undefined : { at, process: match[2]!, message: match[3]! };
}

function bsdEntry(line: string, now: UnixMs, timeOf: SshdLogOptions['timeOf']): Entry | undefined {
  const match = BSD_LINE.exec(line);
  if (match === null) return undefined;
  const [month, day, hour, minute, second] = [
    monthNumber(match[1]!),
    Number(match[2]),
    Number(match[3]),
    Number(match[4]),
    Number(match[5]),
  ];
  const at = newestTime(now, (year) => timeOf({ year, month, day, hour, minute, second, ms: 0 }));
  return at === undefined ? undefined : { at, process: match[6]!, message: match[7]! };
}
