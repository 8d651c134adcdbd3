import { type UnixMs, unixMs } from '../../units.ts';
import type { DistinctCounter } from '../tally/distinct-counter.ts';
import { readOpening } from '../traps/read-opening.ts';
import { canonicalAddress, isOfProgram, type LogEvent, type LogReader, monthNumber, utcOf } from './log-event.ts';
import { asksAsScanner, asksToLogIn, type ScannerRequests } from './scanner-requests.ts';

/**
 * A line in the format `combined`: address, identity, user, [22/Nov/2026:08:00:00 +0000], "request", status,
 * bytes, "referrer", "user agent", and additions of an operator's format. Clients' texts have their quotes
 * escaped, so the time is the last one before the first quote, whatever the user name contains.
 */
const LINE =
  /^(?<client>\S{1,64}) \S{1,256} (?:[^"\\]|\\.){0,8192}\[(?<day>\d\d)\/(?<month>[A-Za-z]{3})\/(?<year>\d{4}):(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<sign>[+-])(?<zoneHours>\d\d)(?<zoneMinutes>\d\d)\] "(?<request>(?:[^"\\]|\\.){0,8192})" (?<status>\d{3}) \S{1,20} "(?<referrer>(?:[^"\\]|\\.){0,8192})" "(?<userAgent>(?:[^"\\]|\\.){0,8192})"(?<rest>.{0,8192})$/;
type TimeFields = 'day' | 'month' | 'year' | 'hour' | 'minute' | 'second' | 'sign' | 'zoneHours' | 'zoneMinutes';
type Fields = Readonly<
  Record<TimeFields | 'client' | 'request' | 'status' | 'referrer' | 'userAgent' | 'rest', string>
>;
const LANGUAGES = / languages="((?:[^"\\]|\\.){0,8192})"/;

/** A request in the form of HTTP. Anything else on a web port is another protocol, or TLS on a plain port. */
const REQUEST = /^([A-Z]{1,20}) (\S{1,8000}) HTTP\/\d(?:\.\d)?$/;
const PATH_KEPT = 64;

export interface NginxLogOptions {
  readonly scanner: ScannerRequests;
  readonly paths: DistinctCounter;
  readonly logIns: DistinctCounter;
}

/**
 * Reads the access log of nginx or Apache in the format `combined`. An address that requests several scanner
 * paths, and was not served, is a scan. An address that repeatedly posts to login pages which the server does
 * not have offers credentials. A page of another site can make a browser do all of this, so only requests
 * sent by programs count. The address is the one that nginx writes, so behind a proxy `set_real_ip_from` must
 * be right.
 */
export const nginxLog = (options: NginxLogOptions): LogReader => ({
  isOfFormat: (line) => LINE.test(line),
  read(line) {
    const fields = LINE.exec(line)?.groups as Fields | undefined;
    if (fields === undefined) return undefined;
    const { client, request, status, referrer, userAgent, rest } = fields;
    const ip = canonicalAddress(client);
    const at = timeOf(fields);
    if (ip === undefined || at === undefined || !options.scanner.statuses.includes(Number(status))) return undefined;
    if (!isOfProgram({ referrer, userAgent, languages: LANGUAGES.exec(rest)?.[1] })) return undefined;
    const riskType = judge(request, { ip, at, status: Number(status) }, options);
    return riskType && { ip, riskType, protocol: 'http', at };
  },
});

interface Asked {
  readonly ip: string;
  readonly at: UnixMs;
  readonly status: number;
}

function judge(
  request: string,
  { ip, at, status }: Asked,
  { scanner, paths, logIns }: NginxLogOptions,
): LogEvent['riskType'] | undefined {
  const asked = REQUEST.exec(request);
  if (asked === null)
    return status === 400 && isOtherProtocol(request) && paths.add(ip, at, 'not HTTP') ? 'honeypot_scan' : undefined;
  const [, method, target] = asked as unknown as readonly [string, string, string];
  if (!asksAsScanner(target, scanner)) return undefined;
  const isScan = paths.add(ip, at, target.toLowerCase().split('?', 1)[0]!.slice(0, PATH_KEPT));
  if (asksToLogIn(method, target) && logIns.add(ip, at)) return 'honeypot_credential';
  return isScan ? 'honeypot_scan' : undefined;
}

/**
 * An empty request is a closed or timed-out connection. TLS and WebRTC do not count, because browsers send
 * them too.
 */
function isOtherProtocol(request: string): boolean {
  const bytes = request.replace(/\\x([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return bytes !== '' && bytes !== '-' && readOpening(`${bytes}\n`) === 'other';
}

function timeOf(fields: Fields): UnixMs | undefined {
  const shown = utcOf({
    year: Number(fields.year),
    month: monthNumber(fields.month),
    day: Number(fields.day),
    hour: Number(fields.hour),
    minute: Number(fields.minute),
    second: Number(fields.second),
    ms: 0,
  });
  const offsetMs =
    (fields.sign === '-' ? -1 : 1) * (Number(fields.zoneHours) * 60 + Number(fields.zoneMinutes)) * 60_000;
  return shown === undefined ? undefined : unixMs(shown - offsetMs);
}
