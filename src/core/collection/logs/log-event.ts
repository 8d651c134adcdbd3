import type { RiskType } from '../../../contract/risk.ts';
import { formatAddress } from '../../ip/format-address.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';
import { Recent } from '../../kit/recent.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../units.ts';

export interface LogEvent {
  readonly ip: string;
  readonly riskType: Extract<RiskType, 'honeypot_scan' | 'honeypot_credential'>;
  readonly protocol: LogProtocol;
  readonly port?: number;
  readonly at: UnixMs;
  readonly times?: number;
  /** Lines with the same value belong to one connection; without it each line is a connection of its own. */
  readonly connection?: string;
}

export type LogProtocol =
  | 'ssh'
  | 'telnet'
  | 'http'
  | 'smtp'
  | 'ftp'
  | 'redis'
  | 'mysql'
  | 'postgresql'
  | 'rdp'
  | 'vnc'
  | 'smb'
  | 'tcp';

export interface LogReader {
  isOfFormat(line: string): boolean;
  /**
   * @param now completes times without a year @returns undefined for a line that is not evidence, or not of
   * this kind
   */
  read(line: string, now: UnixMs): LogEvent | undefined;
}

/** Returns undefined for a text that is not an address, such as a host name. IPv4-mapped IPv6 becomes IPv4. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAnyAddress(text);
  return address === undefined ? undefined : formatAddress(address);
}

interface LogRequest {
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

export const portOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535 ? value : undefined;

export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
}

/** All zones in use have offsets of whole quarter hours. */
const GRID_MS = 15 * MINUTE_MS;
const KNOWN_MAX = 4096;

/**
 * Returns a converter for log times that name no zone. An hour that occurs twice counts as its first
 * occurrence.
 */
export function wallTimeIn(zone: string): (time: WallTime) => UnixMs | undefined {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const known = new Recent<number, number>(KNOWN_MAX);
  const offsetAt = (at: number): number => {
    const slot = Math.floor(at / GRID_MS);
    const found = known.get(slot);
    if (found !== undefined) return found;
    const offset = shownAt(format, slot * GRID_MS) - slot * GRID_MS;
    known.set(slot, offset);
    return offset;
  };
  return (time) => {
    const shown = utcOf(time);
    if (shown === undefined) return undefined;
    const [before, after] = [offsetAt(shown - DAY_MS), offsetAt(shown + DAY_MS)];
    if (before === after) return unixMs(shown - before);
    const fitting = [before, after]
      .map((offset) => ({ at: shown - offset, offset }))
      .filter(({ at, offset }) => offsetAt(at) === offset);
    return unixMs(fitting.length === 0 ? shown - before : Math.min(...fitting.map(({ at }) => at)));
  };
}

/** Reads the figures as UTC; undefined for a date or a time of day that does not exist. */
export function utcOf({ year, month, day, hour, minute, second, ms }: WallTime): UnixMs | undefined {
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, Math.min(second, 59), ms);
  return unixMs(date.getTime());
}

function shownAt(format: Intl.DateTimeFormat, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value);
  return Date.UTC(
    parts['year']!,
    parts['month']! - 1,
    parts['day']!,
    parts['hour']!,
    parts['minute']!,
    parts['second']!,
  );
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

export const monthNumber = (name: string): number => MONTHS.indexOf(name.toLowerCase()) + 1;

/**
 * Completes a time without a year with the newest year that puts it at most one day ahead of `now`. A 29
 * February may lie up to eight years back.
 */
export function newestTime(now: UnixMs, timeIn: (year: number) => UnixMs | undefined): UnixMs | undefined {
  const bound = now + DAY_MS;
  const newest = new Date(bound).getUTCFullYear() + 1;
  for (let year = newest; year >= newest - 9; year -= 1) {
    const at = timeIn(year);
    if (at !== undefined && at <= bound) return at;
  }
  return undefined;
}
