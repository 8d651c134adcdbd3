import { parseRfc3339 } from '../../evidence/parse-rfc3339.ts';
import type { UnixMs } from '../../units.ts';
import type { DistinctCounter } from '../tally/distinct-counter.ts';
import { canonicalAddress, type LogReader, monthNumber, newestTime, type WallTime } from './log-event.ts';

const LINE_MAX = 4096;
/** `2026-11-22T08:00:00.123456+00:00 host sshd[812]: message`, and of OpenSSH 9.8 on `sshd-session[812]`. */
const ISO_LINE = /^(\d{4}-\d\d-\d\dT\S{8,30}) \S{1,255} sshd(?:-session|-auth)?\[(\d{1,10})\]: (.*)$/;
/** `Nov 22 08:00:00 host sshd[812]: message`: neither year nor zone. */
const BSD_LINE =
  /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d) \S{1,255} sshd(?:-session|-auth)?\[(\d{1,10})\]: (.*)$/;

/** Collectors keep a priority (RFC 3164, 4.1.1). */
const PRIORITY = /^<\d{1,3}>/;
const FOLDED = /^message repeated (\d{1,6}) times: \[ (.*)\]$/;
const TIMES_MAX = 1000;
/**
 * Such messages end in address and port. The text before may hold a name that the client chose, so both are
 * read from the end.
 */
const FROM_END = / from (\S{1,64}) port \d{1,5}(?: ssh2)?$/;
/**
 * Old sshd wrote no port behind unknown users. A message that was cut off could end in an address that the
 * client chose, so only short ones are read.
 */
const WITHOUT_PORT = /^Invalid user .* from (\S{1,64})$/;
const WITHOUT_PORT_MAX = 300;
const ATTEMPT = [
  'Failed password for ',
  'Failed keyboard-interactive/pam for ',
  'Failed none for invalid user ',
  'Invalid user ',
];
/**
 * The client does not speak SSH of this server's kinds. A client without SSH may be a browser, and the log
 * does not say. The address stands before the text of the client.
 */
const NOT_NEGOTIATED = /^Unable to negotiate with (\S{1,64}) port \d{1,5}: /;

export interface SshdLogOptions {
  readonly timeOf: (time: WallTime) => UnixMs | undefined;
  readonly attempts: DistinctCounter;
}

/**
 * Reads lines of sshd through syslog (`auth.log`, `secure`), with ISO or old times. Failed and refused
 * attempts at credentials count once an address made enough of them; a client that speaks none of this
 * server's kinds of SSH is a scan. A time without a year is the newest such time at most a day ahead of the
 * clock.
 */
export const sshdLog = ({ timeOf, attempts }: SshdLogOptions): LogReader => ({
  isOfFormat(line) {
    const text = line.replace(PRIORITY, '');
    return ISO_LINE.test(text) || BSD_LINE.test(text);
  },
  read(line, now) {
    const plain = line.replace(PRIORITY, '');
    const entry = line.length > LINE_MAX ? undefined : (isoEntry(plain) ?? bsdEntry(plain, now, timeOf));
    if (entry === undefined) return undefined;
    const { at, process } = entry;
    const folded = FOLDED.exec(entry.message);
    const message = folded?.[2] ?? entry.message;
    const repeats = Math.min(TIMES_MAX, Number(folded?.[1] ?? 1));
    const offers = ATTEMPT.some((begin) => message.startsWith(begin));
    const text = (offers ? (FROM_END.exec(message) ?? withoutPort(message)) : NOT_NEGOTIATED.exec(message))?.[1];
    const ip = text === undefined ? undefined : canonicalAddress(text);
    if (ip === undefined) return undefined;
    const times = offers ? countOf(attempts, ip, at, repeats) : repeats;
    if (times === 0) return undefined;
    return {
      ...(times > 1 && { times }),
      ip,
      riskType: offers ? 'honeypot_credential' : 'honeypot_scan',
      protocol: 'ssh',
      at,
      connection: `${ip} ${process}`,
    };
  },
});

const withoutPort = (message: string): RegExpExecArray | null =>
  message.length > WITHOUT_PORT_MAX ? null : WITHOUT_PORT.exec(message);

function countOf(attempts: DistinctCounter, ip: string, at: UnixMs, repeats: number): number {
  let times = 0;
  for (let repeat = 0; repeat < repeats; repeat++) if (attempts.add(ip, at)) times++;
  return times;
}

interface Entry {
  readonly at: UnixMs;
  readonly process: string;
  readonly message: string;
}

function isoEntry(line: string): Entry | undefined {
  const match = ISO_LINE.exec(line);
  const at = match === null ? undefined : parseRfc3339(match[1]!.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
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
