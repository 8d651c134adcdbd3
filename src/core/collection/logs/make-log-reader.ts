import { MINUTE_MS } from '../../units.ts';
import { DistinctCounter } from '../tally/distinct-counter.ts';
import { cowrieLog } from './cowrie-log.ts';
import { eveLog } from './eve-log.ts';
import { fail2banLog } from './fail2ban-log.ts';
import { type LogReader, wallTimeIn } from './log-event.ts';
import { nginxLog } from './nginx-log.ts';
import type { ScannerRequests } from './scanner-requests.ts';
import { sshdLog } from './sshd-log.ts';

export const LOG_FORMATS = ['cowrie', 'eve', 'fail2ban', 'nginx', 'sshd'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * - `zone`: an IANA zone for times without one (fail2ban, and sshd with the old time format).
 * - `attempts`: sshd: failed attempts of one address within ten minutes count from this number.
 */
export interface LogReaderOptions {
  readonly zone: string;
  readonly attempts: number;
  readonly alertsOnly: boolean;
  readonly scanner: ScannerRequests;
}

const WINDOW_MS = 10 * MINUTE_MS;
/**
 * nginx: distinct paths, or POSTs to login pages, count from this number. One may be a slip or a followed
 * link.
 */
const REQUESTS_LEAST = 5;

export function makeLogReader(format: LogFormat, { zone, attempts, alertsOnly, scanner }: LogReaderOptions): LogReader {
  switch (format) {
    case 'cowrie':
      return cowrieLog();
    case 'eve':
      return eveLog({ alertsOnly });
    case 'fail2ban':
      return fail2banLog(wallTimeIn(zone));
    case 'nginx':
      return nginxLog({
        scanner,
        paths: new DistinctCounter(REQUESTS_LEAST, WINDOW_MS),
        logIns: new DistinctCounter(REQUESTS_LEAST, WINDOW_MS),
      });
    case 'sshd':
      return sshdLog({ timeOf: wallTimeIn(zone), attempts: new DistinctCounter(attempts, WINDOW_MS) });
  }
}
