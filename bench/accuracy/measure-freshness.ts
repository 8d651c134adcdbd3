import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { parseRfc3339 } from '../../src/core/evidence/parse-rfc3339.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs } from '../../src/core/units.ts';

/** Age of what a server knows of one source, over the two weeks before the moment. */
export interface FreshnessReport {
  readonly source: string;
  readonly cadenceMin: number;
  /** Median time between two versions, in minutes. */
  readonly paceMin: number;
  /** Shares of the time in which the newest version that was read is at most so old. */
  readonly within2h: number;
  readonly within4h: number;
  readonly within12h: number;
}

const WINDOW_MS = 14 * DAY_MS;
/** A server waits up to a tenth longer than the cadence: a twentieth in the mean. */
const JITTER = 1.05;

/**
 * Reads each scheduled source at its cadence and tells how old the newest version is that a server holds.
 * @param folder `<source>.txt` has the time of each version, one a line, RFC 3339, as `git log --format=%cI` prints it
 */
export function measureFreshness(folder: string, at: UnixMs): readonly FreshnessReport[] {
  return CATALOGUE.filter(({ scheduled }) => scheduled !== false).flatMap(({ id, cadenceMin }) => {
    const versions = versionsIn(join(folder, `${id}.txt`), at);
    const recent = versions.filter((time) => time > at - 2 * WINDOW_MS);
    if (recent.length < 3) return [];
    const { length } = recent;
    const gaps = recent.slice(1).map((time, i) => time - recent[i]!);
    const paceMin = gaps.sort((a, b) => a - b)[Math.floor((length - 1) / 2)]! / MINUTE_MS;
    const within = [2, 4, 12].map((hours) => shareWithin(versions, cadenceMin, at, hours * HOUR_MS));
    const [within2h, within4h, within12h] = within as [number, number, number];
    return [{ source: id, cadenceMin, paceMin, within2h, within4h, within12h }];
  });
}

function versionsIn(file: string, at: UnixMs): readonly number[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => parseRfc3339(line.trim()) ?? [])
    .filter((time) => time <= at)
    .sort((a, b) => a - b);
}

/** Readings from `at` back to the window's beginning; between two of them the newest version known only ages. */
function shareWithin(versions: readonly number[], cadenceMin: number, at: UnixMs, maxAgeMs: number): number {
  const every = cadenceMin * MINUTE_MS * JITTER;
  const from = at - WINDOW_MS;
  let fresh = 0;
  for (let read = from; read < at; read += every) {
    const newest = versions.findLast((time) => time <= read);
    if (newest === undefined) continue;
    const until = Math.min(read + every, at, newest + maxAgeMs);
    fresh += Math.max(0, until - read);
  }
  return fresh / WINDOW_MS;
}
