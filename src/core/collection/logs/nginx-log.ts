import { type UnixMs, unixMs } from '../../units.ts';
import { canonicalAddress } from './canonical-address.ts';
import type { LogReader } from './log-event.ts';
import { asksAsScanner, asksToLogIn, type ScannerRequests } from './scanner-requests.ts';
import { monthNumber, utcOf } from './wall-time.ts';

/** The head of a line of the formats `combined` and `common`: address, identity, user, [22/Nov/2026:08:00:00 +0000], "request", status. Quotes in a request are escaped. */
const HEAD =
  /^(\S{1,64}) \S{1,256} (?:[^[\]"]{0,256}) ?\[(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)\] "((?:[^"\\]|\\.){0,8192})" (\d{3}) /;

/** A request in the form of HTTP; anything else on a web port is another protocol, or TLS where none is spoken. */
const REQUEST = /^([A-Z]{1,20}) (\S{1,8000}) HTTP\/\d(?:\.\d)?$/;

/**
 * The access log of nginx in the format `combined` (Apache's `combined` and `common` are the same): a request is a scan when it asks for what only scanners ask for and the
 * server did not serve it, or when it is not HTTP at all (status 400). The address is the one that nginx writes, so behind a proxy `set_real_ip_from` has to be right.
 */
export const nginxLog = (scanner: ScannerRequests): LogReader => ({
  read(line) {
    const match = HEAD.exec(line);
    if (match === null) return undefined;
    const [, client, , , , , , , , , , request, status] = match as unknown as readonly string[];
    const ip = canonicalAddress(client!);
    const at = timeOf(match);
    const riskType = judge(request!, Number(status), scanner);
    return ip === undefined || at === undefined || riskType === undefined ? undefined : { ip, riskType, protocol: 'http', at };
  },
});

function judge(request: string, status: number, scanner: ScannerRequests): 'honeypot_scan' | 'honeypot_credential' | undefined {
  if (!scanner.statuses.includes(status)) return undefined;
  const asked = REQUEST.exec(request);
  // An empty request is a connection that was closed, or one that nginx timed out.
  if (asked === null) return status === 400 && request !== '' && request !== '-' ? 'honeypot_scan' : undefined;
  const [, method, target] = asked as unknown as readonly [string, string, string];
  if (!asksAsScanner(target, scanner)) return undefined;
  return asksToLogIn(method, target) ? 'honeypot_credential' : 'honeypot_scan';
}

function timeOf(match: RegExpExecArray): UnixMs | undefined {
  const part = (index: number): number => Number(match[index]);
  const shown = utcOf({ year: part(4), month: monthNumber(match[3]!), day: part(2), hour: part(5), minute: part(6), second: part(7), ms: 0 });
  const offsetMs = (match[8] === '-' ? -1 : 1) * (part(9) * 60 + part(10)) * 60_000;
  return shown === undefined ? undefined : unixMs(shown - offsetMs);
}
